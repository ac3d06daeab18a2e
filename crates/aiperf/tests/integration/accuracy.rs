//! Accuracy benchmarks through the program: the prompts that reach the server, the grades of its answers, the files, and the gate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use aiperf_accuracy::AccuracyBenchmark;
use aiperf_grading::Grader;
use aiperf_loopback_hub::LoopbackHub;
use rustix::process::Signal;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::support::{Artifacts, Program, ReceivedRequest, TestReply, TestServer, in_one, wait_for};

const CAPTURED: &str = include_str!("../../../accuracy/tests/captured/prompts.jsonl");
const ROWS: &str = include_str!("../../../accuracy/tests/captured/rows.json");
const RECORDED: &str = include_str!("../../../grading/tests/recorded/answers.jsonl");

fn says(content: &str) -> TestReply {
    let message = json!({"role": "assistant", "content": content});
    let body =
        json!({"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    in_one("200 OK", "Content-Type: application/json\r\n", body.to_string().as_bytes())
}

fn body(request: &ReceivedRequest) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// The last message of a request.
fn asked(request: &ReceivedRequest) -> String {
    body(request)["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
}

fn profile(server: &TestServer, benchmark: &str, data: &Path) -> Program {
    Program::profile(&format!("--url {} --model m --tokenizer builtin --accuracy-benchmark {benchmark}", server.url()))
        .word("--accuracy-data-dir")
        .word(data)
}

/// A copy of the benchmark's repository with the small captured rows.
fn small_copy(benchmark: AccuracyBenchmark) -> TempDir {
    let rows: BTreeMap<String, Vec<Value>> = serde_json::from_str(ROWS).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in rows {
        let [data_set, config, split] = name.split('|').collect::<Vec<_>>()[..] else { panic!("{name}") };
        if data_set != benchmark.facts().data_set {
            continue;
        }
        let is_release = benchmark == AccuracyBenchmark::LcbCodeGeneration;
        let path = if is_release { "test4.jsonl".to_owned() } else { format!("{config}/{split}.jsonl") };
        let path = folder.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, rows.iter().map(|row| format!("{row}\n")).collect::<Vec<_>>().concat()).unwrap();
    }
    folder
}

/// Rows of GSM8K, each with its number as the question.
fn numbered_questions(golds: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row =
        |(number, gold): (usize, &&str)| format!("{}\n", json!({"question": format!("<{number}>"), "answer": gold}));
    fs::write(folder.path().join("test.jsonl"), golds.iter().enumerate().map(row).collect::<String>()).unwrap();
    folder
}

/// The number of a question of [`numbered_questions`].
fn number(request: &ReceivedRequest) -> usize {
    let text = asked(request);
    text.split(['<', '>']).nth(1).unwrap().parse().unwrap()
}

fn is_same_prompt(sent: &str, expected: &Value) -> bool {
    if let Some(prompt) = expected["prompt"].as_str() {
        sent == prompt
    } else {
        let hash: String =
            Sha256::digest(sent.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        expected["prompt_sha256"] == hash
    }
}

/// The options of a captured case.
fn options(case: &Value) -> String {
    let benchmark: AccuracyBenchmark = case["benchmark"].as_str().unwrap().parse().unwrap();
    let mut words = String::new();
    if benchmark.facts().max_shots > 0 {
        words += &format!(" --accuracy-n-shots {}", case["n_shots"]);
    }
    if benchmark.has_both_forms() {
        words += if case["cot"] == true { " --accuracy-enable-cot" } else { " --accuracy-no-enable-cot" };
    }
    let tasks: Vec<&str> = case["tasks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !tasks.is_empty() {
        words += &format!(" --accuracy-tasks {}", tasks.join(","));
    }
    words
}

#[test]
fn the_prompts_of_every_benchmark_reach_the_server_as_those_of_the_reference_to_the_byte() {
    let captured: Vec<Value> = CAPTURED.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_same_case =
        |a: &Value, b: &Value| ["benchmark", "tasks", "n_shots", "cot"].iter().all(|key| a[*key] == b[*key]);
    let mut seen = BTreeSet::new();
    let mut questions = 0;
    for cases in captured.chunk_by(is_same_case) {
        let name = cases[0]["benchmark"].as_str().unwrap();
        let benchmark: AccuracyBenchmark = name.parse().unwrap();
        let runs_code = benchmark == AccuracyBenchmark::LcbCodeGeneration;
        if runs_code && !can_run_programs() {
            continue;
        }
        let (server, data) = (TestServer::start(|_, _| says("A")), small_copy(benchmark));
        let mut program = profile(&server, name, data.path()).with(&options(&cases[0])).with("--concurrency 1");
        if runs_code {
            program = program.with("--accuracy-allow-code-execution").env("AIPERF_ACCURACY_LCB_RELEASE_TAG", "v4");
        }
        let artifacts = program.succeed();
        let received = server.received();
        assert_eq!(received.len(), cases.len(), "{name}: each question once");
        for (request, expected) in received.iter().zip(cases) {
            let sent = body(request);
            let mut messages = sent["messages"].as_array().unwrap().clone();
            if let Some(system) = benchmark.facts().system_prompt {
                assert_eq!(messages.remove(0), json!({"role": "system", "content": system}));
            }
            if let Some(expected) = expected["messages"].as_array() {
                assert_eq!(&messages, expected, "{name}");
            } else {
                assert_eq!(messages.len(), 1, "{name}");
                assert_eq!(messages[0]["role"], "user");
                assert!(is_same_prompt(messages[0]["content"].as_str().unwrap(), expected), "{name}: {messages:?}");
            }
            assert_eq!(sent["max_completion_tokens"], expected["max_tokens"], "{name}");
            let stop = &expected["stop"];
            let has_stop = stop.as_array().is_some_and(|stop| !stop.is_empty());
            assert_eq!(sent["stop"], if has_stop { stop.clone() } else { Value::Null }, "{name}");
            assert!(sent.get("temperature").is_none() && sent.get("seed").is_none());
        }
        let tasks: Vec<Value> =
            artifacts.lines("accuracy_export.jsonl").iter().map(|line| line["task"].clone()).collect();
        assert_eq!(tasks, cases.iter().map(|case| case["task"].clone()).collect::<Vec<_>>(), "{name}");
        seen.insert(name.to_owned());
        questions += cases.len();
    }
    let skipped = usize::from(!can_run_programs());
    assert_eq!(seen.len() + skipped, AccuracyBenchmark::ALL.len());
    assert!(questions >= 220, "{questions}");
}

fn can_run_programs() -> bool {
    aiperf_test_tools::available(&[&["python3", "--version"]]) && cfg!(target_os = "linux")
}

#[test]
fn completions_get_everything_in_one_text() {
    let server = TestServer::start(|_, _| {
        let body =
            json!({"object": "text_completion", "choices": [{"index": 0, "text": " A", "finish_reason": "stop"}]});
        in_one("200 OK", "Content-Type: application/json\r\n", body.to_string().as_bytes())
    });
    let data = small_copy(AccuracyBenchmark::Mmlu);
    let words = "--endpoint-type completions --concurrency 1 --accuracy-tasks virology --accuracy-n-shots 3";
    let program = profile(&server, "mmlu", data.path()).with(words).word("--accuracy-system-prompt").word("Be brief.");
    let artifacts = program.succeed();
    let captured = CAPTURED.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let expected: Vec<Value> =
        captured.filter(|case| case["benchmark"] == "mmlu" && case["task"] == "virology").collect();
    assert_eq!(server.received().len(), expected.len());
    for (request, expected) in server.received().iter().zip(&expected) {
        let sent = body(request);
        assert_eq!(sent["prompt"], format!("Be brief.\n\n{}", expected["prompt"].as_str().unwrap()));
        assert_eq!((&sent["max_tokens"], &sent["stop"]), (&json!(5), &json!(["\n"])));
    }
    assert_eq!(artifacts.summary()["input_config"]["accuracy"]["system_prompt"], "Be brief.");
}

/// Answers of each grader that are sent through a run.
const SENT: usize = 320;

/// Recorded answers to the questions of one grader, with their gold answers.
fn recorded(grader: Grader) -> Vec<(String, String)> {
    let rows = RECORDED.lines().map(|line| serde_json::from_str::<(String, String, String, bool, bool)>(line).unwrap());
    rows.filter(|row| row.0 == grader.name()).map(|(_, answer, gold, ..)| (answer, gold)).take(SENT).collect()
}

#[test]
fn recorded_answers_get_the_same_grades_through_a_run() {
    for grader in Grader::ALL {
        let rows = recorded(grader);
        assert!(rows.len() >= 300, "{grader}");
        let answers: Vec<String> = rows.iter().map(|(answer, _)| answer.clone()).collect();
        let server = TestServer::start(move |_, request| says(&answers[number(request)]));
        let data = numbered_questions(&rows.iter().map(|(_, gold)| gold.as_str()).collect::<Vec<_>>());
        let words = format!("--accuracy-grader {} --concurrency 8", grader.name().replace('_', "-"));
        let artifacts = profile(&server, "gsm8-k", data.path()).with(&words).succeed();
        let lines = artifacts.lines("accuracy_export.jsonl");
        assert_eq!(lines.len(), rows.len(), "{grader}: each question once");
        let mut right = 0;
        for line in lines {
            let place: usize =
                line["conversation_id"].as_str().unwrap().strip_prefix("gsm8k-").unwrap().parse().unwrap();
            let (answer, gold) = &rows[place];
            let grade = grader.grade(answer, gold);
            right += u64::from(grade.verdict.is_right());
            // An empty answer is a failed request, in the reference as here: wrong and unparsed.
            if line["error"].is_string() {
                assert!(answer.trim().is_empty() && line["passed"] == false && line["unparsed"] == true, "{line}");
                assert!(!grade.verdict.is_right());
                continue;
            }
            let expected = json!([grade.verdict.is_right(), grade.unparsed, grade.expected, grade.actual]);
            assert_eq!(
                json!([line["passed"], line["unparsed"], line["expected"], line["actual"]]),
                expected,
                "{grader}"
            );
            assert_eq!(line["model_output"], answer.as_str());
        }
        let overall = &artifacts.summary()["accuracy.overall"];
        assert_eq!(
            (overall["sum"].as_u64(), overall["count"].as_u64()),
            (Some(right), Some(rows.len() as u64)),
            "{grader}"
        );
    }
}

/// Twelve questions whose gold is their number. The server answers the first `right` of them rightly, fails at the one numbered 10, and
/// gives number 11 without the expected form.
fn twelve(right: usize) -> (TestServer, TempDir) {
    let server = TestServer::start(move |_, request| match number(request) {
        10 => in_one("500 Internal Server Error", "", b"out of order"),
        11 => says("it must be 11"),
        number if number < right => says(&format!("#### {number}")),
        _ => says("#### 999"),
    });
    let golds: Vec<String> = (0..12).map(|number| format!("#### {number}")).collect();
    let data = numbered_questions(&golds.iter().map(String::as_str).collect::<Vec<_>>());
    (server, data)
}

#[test]
fn the_files_of_a_run_agree_and_can_be_made_again() {
    let (server, data) = twelve(6);
    let artifacts = profile(&server, "gsm8k", data.path())
        .with("--concurrency 3 --warmup-request-count 2 --accuracy-verbose")
        .succeed();
    assert_eq!(server.received().len(), 14, "the warmup does not change which questions are asked");
    let expected = "task,correct,total,unparsed,accuracy,failed,ci_low,ci_high\nOVERALL,7,12,2,0.5833,1,0.3195,0.8067\n\
                    gsm8k,7,12,2,0.5833,1,0.3195,0.8067\n";
    assert_eq!(artifacts.text("accuracy_results.csv").replace("\r\n", "\n"), expected);
    let summary = artifacts.summary();
    let overall = &summary["accuracy.overall"];
    assert!((overall["avg"].as_f64().unwrap() - 7.0 / 12.0).abs() < 1e-12);
    assert_eq!((&overall["unit"], &overall["count"], &overall["sum"]), (&json!("ratio"), &json!(12), &json!(7)));
    assert_eq!(summary["accuracy.unparsed"]["sum"], 2);
    assert_eq!(summary["accuracy.failed.task.gsm8k"]["sum"], 1);
    assert_eq!(summary["accuracy"]["data"]["sha256"].as_str().unwrap().len(), 64);
    assert!(artifacts.text("profile_export_aiperf.csv").contains("accuracy.overall (ratio),0.5833,0.3195,0.8067"));
    let console = artifacts.text("profile_export_console.txt");
    assert!(
        console.contains("Accuracy: gsm8k") && console.contains("58.33%") && console.contains("31.95% to 80.67%"),
        "{console}"
    );
    assert!(console.contains("1 of 12 requests of the benchmark failed"), "{console}");
    let failed: Vec<Value> =
        artifacts.lines("accuracy_export.jsonl").into_iter().filter(|line| line.get("error").is_some()).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!((&failed[0]["conversation_id"], &failed[0]["passed"]), (&json!("gsm8k-10"), &json!(false)));
    assert!(
        !artifacts.notes().iter().any(|note| note.contains("osl")),
        "answers need not have as many tokens as the limit"
    );
    assert!(artifacts.text("logs/aiperf.log").contains("gsm8k-3: right"));

    let folder = artifacts.path("");
    let checked = Program::new("validate").word(&folder).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    fs::remove_file(artifacts.path("accuracy_results.csv")).unwrap();
    let checked = Program::new("validate").word(&folder).run();
    assert!(checked.code != Some(0) && checked.stdout.contains("accuracy_results.csv"), "{}", checked.stdout);
    let again = Program::new("report").word(&folder).run();
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(artifacts.text("accuracy_results.csv").replace("\r\n", "\n"), expected);
    let rebuilt = artifacts.summary();
    for key in ["accuracy", "accuracy.overall", "accuracy.unparsed.task.gsm8k", "accuracy.failed"] {
        assert_eq!(rebuilt[key], summary[key], "{key}");
    }
    let page = Program::new("report --html").word(&folder).run();
    assert_eq!(page.code, Some(0), "{}", page.stderr);
}

fn run(right: usize) -> Artifacts {
    let (server, data) = twelve(right);
    profile(&server, "gsm8k", data.path()).with("--concurrency 4").succeed()
}

#[test]
fn faster_but_worse_answers_do_not_pass_the_gate() {
    let (good, bad) = (run(10), run(2));
    let words = "--metric request_latency:avg:99% --allow-incomplete";
    let judge = |a: &Artifacts, b: &Artifacts| {
        Program::new("gate --baseline").word(a.path("")).word(b.path("")).with(words).run()
    };
    let ended = judge(&good, &bad);
    assert_eq!(ended.code, Some(2), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("accuracy of gsm8k: worse: 91.67% became 25.00%"), "{}", ended.stdout);
    assert!(ended.stdout.contains("8 right only in the baseline, 0 only in the candidate"), "{}", ended.stdout);
    assert!(ended.stdout.contains("gate: regression: accuracy"), "{}", ended.stdout);
    let better = judge(&bad, &good);
    assert!(better.stdout.contains("accuracy of gsm8k: better"), "{}", better.stdout);
    let page = Program::new("compare --format json").word(good.path("")).word(bad.path("")).run();
    let page: Value = serde_json::from_str(&page.stdout).unwrap();
    let accuracy = &page["comparisons"][0]["accuracy"];
    assert_eq!((&accuracy["verdict"], &accuracy["questions"]), (&json!("worse"), &json!(12)));
    assert!((accuracy["p_value"].as_f64().unwrap() - 2.0 / 256.0).abs() < 1e-12);
    let (server, _) = twelve(1);
    let plain =
        Program::profile(&format!("--url {} --model m --tokenizer builtin --request-count 3", server.url())).run();
    let half = Program::new("gate --baseline").word(good.path("")).word(plain.artifacts.path("")).with(words).run();
    assert_ne!(half.code, Some(0), "{}", half.stdout);
}

#[test]
fn programs_run_only_if_that_is_allowed_and_in_the_sandbox() {
    let data = small_copy(AccuracyBenchmark::LcbCodeGeneration);
    let server = TestServer::start(|_, request| {
        let is_first = asked(request).contains("Given 0");
        says(if is_first { "```python\nprint(input())\n```" } else { "```python\nprint('no')\n```" })
    });
    let program = || profile(&server, "lcb-codegeneration", data.path()).env("AIPERF_ACCURACY_LCB_RELEASE_TAG", "v4");
    let refused = program().run();
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(refused.stderr.contains("--accuracy-allow-code-execution"), "{}", refused.stderr);
    let no_python = program().with("--accuracy-allow-code-execution").env("PATH", "/nonexistent").run();
    assert_eq!(no_python.code, Some(1), "{}", no_python.stdout);
    assert!(no_python.stderr.contains("Install python3"), "{}", no_python.stderr);
    assert!(server.received().is_empty());
    if !can_run_programs() {
        return;
    }
    let artifacts = program().with("--accuracy-allow-code-execution").succeed();
    let lines = artifacts.lines("accuracy_export.jsonl");
    let grade = |question: &str| lines.iter().find(|line| line["conversation_id"] == question).unwrap();
    let (right, wrong) = (grade("lcb_codegeneration-0"), grade("lcb_codegeneration-1"));
    // A program that a busy machine does not run within its time limit is wrong, too.
    let was_slow = right["explanation"].as_str().unwrap().contains("longer than");
    assert!(right["passed"] == true || was_slow, "{right}");
    assert_eq!((&wrong["passed"], &wrong["grader_name"]), (&json!(false), &json!("code_execution")));
}

#[test]
fn data_from_the_hub_is_recorded_with_its_revision() {
    let rows = (0..4).map(|number| format!("{}\n", json!({"question": format!("<{number}>"), "answer": "#### 1"})));
    let hub = LoopbackHub::with(&[("main/test.jsonl", rows.collect::<String>().as_bytes())]);
    let home = tempfile::tempdir().unwrap();
    let server = TestServer::start(|_, _| says("#### 1"));
    let words =
        format!("--url {} --model m --tokenizer builtin --accuracy-benchmark gsm8k --request-count 3", server.url());
    let artifacts = Program::profile(&words).env("HF_ENDPOINT", hub.url.clone()).env("HF_HOME", home.path()).succeed();
    let data = &artifacts.summary()["accuracy"]["data"];
    assert_eq!(data["repository"], "openai/gsm8k");
    assert!(data["revision"].as_str().is_some_and(|commit| !commit.is_empty()), "{data}");
    assert_eq!(server.received().len(), 3, "a number of requests asks the first questions");
    assert_eq!(artifacts.summary()["accuracy.overall"]["avg"], 1.0);
}

#[test]
fn more_requests_than_questions_ask_no_question_twice() {
    let (server, data) = twelve(12);
    let artifacts = profile(&server, "gsm8k", data.path()).with("--request-count 100 --concurrency 2").succeed();
    assert_eq!(server.received().len(), 12);
    let names: BTreeSet<String> =
        artifacts.lines("accuracy_export.jsonl").iter().map(|line| line["conversation_id"].to_string()).collect();
    assert_eq!(names.len(), 12);
    assert!(artifacts.text("logs/aiperf.log").contains("has 12 questions"));
}

#[test]
fn a_cancelled_run_has_the_accuracy_of_the_answers_that_came() {
    let server = TestServer::start(|_, request| match number(request) {
        number @ ..4 => says(&format!("#### {number}")),
        _ => TestReply::silence(),
    });
    let golds: Vec<String> = (0..12).map(|number| format!("#### {number}")).collect();
    let data = numbered_questions(&golds.iter().map(String::as_str).collect::<Vec<_>>());
    let running = profile(&server, "gsm8k", data.path()).with("--concurrency 1").start();
    wait_for("the question that gets no answer", || (server.received().len() == 5).then_some(()));
    running.signal(Signal::INT);
    let ended = running.end();
    let summary = ended.artifacts.summary();
    let overall = &summary["accuracy.overall"];
    assert_eq!((&overall["count"], &overall["sum"]), (&json!(4), &json!(4)), "{}", ended.stderr);
    assert_eq!(summary["accuracy"]["questions"], 12);
    assert!(ended.artifacts.text("profile_export_console.txt").contains("The run asked 4 of 12 questions."));
}

#[test]
fn reasoning_is_graded_only_without_an_answer() {
    let server = TestServer::start(|_, request| {
        let content = if number(request) == 0 { "#### 0" } else { "" };
        let message = json!({"role": "assistant", "content": content, "reasoning_content": "so #### 1"});
        let body = json!({"object": "chat.completion", "choices": [{"index": 0, "message": message}]});
        in_one("200 OK", "Content-Type: application/json\r\n", body.to_string().as_bytes())
    });
    let data = numbered_questions(&["#### 0", "#### 1"]);
    let artifacts = profile(&server, "gsm8k", data.path()).with("--concurrency 1").succeed();
    let lines = artifacts.lines("accuracy_export.jsonl");
    assert_eq!((&lines[0]["passed"], &lines[0]["model_output"]), (&json!(true), &json!("#### 0")));
    assert_eq!((&lines[1]["passed"], &lines[1]["model_output"]), (&json!(true), &json!("so #### 1")));
    assert_eq!(lines[1]["model_thinking"], "so #### 1");
}

#[test]
fn options_that_do_not_fit_are_refused_by_name() {
    let (server, data) = twelve(1);
    let refusals = [
        (
            "--accuracy-n-shots 3 --accuracy-verbose",
            "--accuracy-n-shots, --accuracy-verbose needs --accuracy-benchmark",
        ),
        ("--accuracy-benchmark mmlu --dataset-sampling-strategy shuffle", "--dataset-sampling-strategy"),
        ("--accuracy-benchmark mmlu --endpoint-type embeddings", "does not answer questions with text"),
        ("--accuracy-benchmark mmlu --isl 10", "--isl"),
        ("--accuracy-benchmark mmlu --osl 10", "--extra-inputs max_completion_tokens"),
        ("--accuracy-benchmark mmlu --fixed-schedule", "--fixed-schedule"),
        ("--accuracy-benchmark mmlu --accuracy-grader code-execution", "runs programs, and the answers are texts"),
        ("--accuracy-benchmark mmlu --accuracy-tasks biology", "unknown name \"biology\" among the subjects"),
        ("--accuracy-benchmark mmlu --accuracy-tasks virology", "the column \"choices\" is missing"),
        ("--accuracy-benchmark mmlu2", "choose one of mmlu"),
    ];
    for (words, reason) in refusals {
        let mut program =
            Program::profile(&format!("--url {} --model m --tokenizer builtin", server.url())).with(words);
        if words.contains("tasks") {
            program = program.word("--accuracy-data-dir").word(data.path());
        }
        let ended = program.run();
        assert_eq!(ended.code, Some(1), "{words}: {}", ended.stdout);
        assert!(ended.stderr.contains(reason), "{words}: {}", ended.stderr);
    }
    assert!(server.received().is_empty());
}

#[test]
fn a_configuration_file_says_the_same() {
    let (server, data) = twelve(3);
    let file = format!(
        "benchmark:\n  models: m\n  endpoint:\n    url: {}\n  tokenizer:\n    name: builtin\n  serverMetrics: false\n  accuracy:\n    benchmark: \
         gsm8k\n    dataDir: {}\n    verbose: true\n  phases:\n    - name: profiling\n      type: concurrency\n      concurrency: 2\n",
        server.url(),
        data.path().display()
    );
    let artifacts = Program::new("profile --artifact-dir out -f run.yaml").file("run.yaml", &file).succeed();
    assert_eq!(server.received().len(), 12);
    assert_eq!(artifacts.summary()["accuracy.overall"]["sum"], 4);
    let written = artifacts.text("aiperf_config.yaml");
    assert!(written.contains("benchmark: gsm8k"), "{written}");
}
