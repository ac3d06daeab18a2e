//! What packs declare without a program: graders, public data sets, limits and recipes; and the packs that `plugins new` writes.

use std::fs;

use aiperf_loopback_hub::{LoopbackHub, TestColumn, parquet_file};
use serde_json::{Value, json};

use crate::support::{Program, TestServer, in_one, requests, sim};

const HEAD: &str = "schema_version: \"1.0\"\n";

#[test]
fn answers_are_graded_by_the_pattern_of_a_pack() {
    let server = TestServer::start(|_, request| {
        let question = String::from_utf8_lossy(&request.body).into_owned();
        let content = match question.split(['<', '>']).nth(1) {
            Some("0") => "First I thought the answer is (a). No, The Answer is (B).",
            Some("1") => "the answer is c",
            _ => "I do not know.",
        };
        let message = json!({"role": "assistant", "content": content});
        let body = json!({"object": "chat.completion", "choices": [{"index": 0, "message": message}]});
        in_one("200 OK", "Content-Type: application/json\r\n", body.to_string().as_bytes())
    });
    let rows = (0..3).map(|number| format!("{}\n", json!({"question": format!("<{number}>"), "answer": "B"})));
    let pack = format!(
        "{HEAD}accuracy_grader:\n  answer_letter:\n    pattern: \"answer is \\\\(?([A-J])\\\\)?\"\n    ignore_case: true\n"
    );
    let words = "--model m --tokenizer builtin --accuracy-benchmark gsm8k --accuracy-data-dir data --plugin-dir packs";
    let artifacts = Program::profile(&format!("--url {} {words} --accuracy-grader answer-letter", server.url()))
        .file("packs/grader.yaml", &pack)
        .file("data/test.jsonl", &rows.collect::<String>())
        .succeed();
    let mut lines = artifacts.lines("accuracy_export.jsonl");
    lines.sort_by_key(|line| line["conversation_id"].to_string());
    let said = |line: &Value| json!([line["grader_name"], line["actual"], line["passed"], line["unparsed"]]);
    let expected = [
        json!(["answer_letter", "B", true, false]),
        json!(["answer_letter", "c", false, false]),
        json!(["answer_letter", "", false, true]),
    ];
    assert_eq!(lines.iter().map(said).collect::<Vec<_>>(), expected);
}

#[test]
fn a_public_data_set_of_a_pack_is_loaded_from_the_hub() {
    let file = parquet_file(
        "message m { optional binary question (STRING); }",
        &[vec![TestColumn::texts(&["What is a pack?", "What is a hub?"])]],
    );
    let hub = LoopbackHub::with(&[("main/test-00000-of-00001.parquet", &file)]);
    let home = tempfile::tempdir().unwrap();
    let pack = format!(
        "{HEAD}public_dataset_loader:\n  my_questions:\n    metadata: {{hf_dataset_name: owner/questions, hf_subset: main, \
         hf_split: test, prompt_column: question}}\n"
    );
    let server = sim("ttft=0&itl=0&osl=2");
    Program::profile(&format!("--url {} --model test-model --tokenizer builtin", server.url()))
        .with("--public-dataset my_questions --request-count 2 --concurrency 1 --plugin-dir packs")
        .file("packs/data.yaml", &pack)
        .env("HF_ENDPOINT", hub.url.clone())
        .env("HF_HOME", home.path())
        .succeed();
    let asked: Vec<String> =
        requests(&server).iter().map(|body| body["messages"][0]["content"].as_str().unwrap().to_owned()).collect();
    assert_eq!(asked, ["What is a pack?", "What is a hub?"]);
}

#[test]
fn a_set_of_limits_is_for_capacity_too() {
    let pack = format!("{HEAD}slo_set:\n  patient: {{limits: {{request_latency: 600000}}}}\n");
    // At most five requests at once.
    let server = sim("ttft=4&itl=0&osl=1&batch=5&most=5");
    let search = |slo: &str| {
        Program::new("capacity --artifact-dir out --of users --max-requests 1500 --ui none --plugin-dir packs")
            .with("--model test-model --tokenizer builtin --isl 20 --osl 1 --num-dataset-entries 50 --no-server-metrics --no-gpu-telemetry")
            .with(&format!("--url {} --slo {slo}", server.url()))
            .file("packs/slo.yaml", &pack)
            .run()
    };
    let found = search("patient");
    assert_eq!(found.code, Some(0), "{}{}", found.stdout, found.stderr);
    assert_eq!(found.artifacts.json("capacity.json")["report"]["binding_slo"], "request_latency p99");
    assert_eq!(search("hasty").code, Some(1));
}

#[test]
fn a_recipe_of_a_pack_is_a_search() {
    let pack = format!(
        "{HEAD}search_recipe:\n  quick:\n    options:\n      search-space: concurrency:1,4:int\n      search-metric: \
         request_throughput\n      search-direction: maximize\n      search-max-iterations: 3\n      search-initial-points: 2\n      request-count: 4\n"
    );
    let server = sim("ttft=1&itl=0");
    let search = |words: &str| {
        let ended = Program::against(&server, "--search-recipe quick --plugin-dir packs")
            .with(words)
            .file("packs/recipe.yaml", &pack)
            .run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.artifacts.json("search_history.json")["iterations"].as_array().unwrap().len()
    };
    assert_eq!(search(""), 3);
    assert_eq!(search("--search-max-iterations 4"), 4, "an option of the user's goes first");
}

/// The categories that `aiperf plugins --all` offers a start for.
const CATEGORIES: [&str; 11] = [
    "endpoint",
    "public_dataset_loader",
    "plot",
    "search_recipe",
    "slo_set",
    "accuracy_grader",
    "custom_dataset_loader",
    "data_exporter",
    "stream_exporter",
    "server_metrics_collector",
    "search_planner",
];

#[test]
fn every_pack_to_begin_with_passes_its_own_check() {
    let has_python = aiperf_test_tools::available(&[&["python3", "--version"]]);
    for category in CATEGORIES {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("mine");
        let begun = Program::new("plugins new").word(category).word("mine").word("--output").word(&pack).run();
        assert_eq!(begun.code, Some(0), "{category}: {}", begun.stderr);
        let runs_python = fs::read_to_string(pack.join("plugin.yaml")).unwrap().contains("python3");
        if runs_python && !has_python {
            continue;
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let checked = Program::new("plugins --validate --plugin-dir").word(&pack).env("PATH", path).run();
        assert_eq!(checked.code, Some(0), "{category}: {}{}", checked.stdout, checked.stderr);
        assert_eq!(checked.stdout, format!("(OK) {category}:mine\n"));
    }
}

/// The programs of the packs to begin with do what their categories ask for.
#[test]
fn every_program_to_begin_with_works_in_a_run() {
    if !aiperf_test_tools::available(&[&["python3", "--version"]]) {
        return;
    }
    let search = "--search-space concurrency:1,4:int --search-metric request_throughput --search-direction maximize \
                  --search-max-iterations 8 --search-planner mine";
    for (category, words, shown) in [
        ("custom_dataset_loader", "--custom-dataset-type mine", ""),
        ("data_exporter", "", "plugin data_exporter:mine: "),
        ("stream_exporter", "", "plugin stream_exporter:mine: "),
        ("server_metrics_collector", "", ""),
        ("search_planner", search, ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("mine");
        Program::new("plugins new").word(category).word("mine").word("--output").word(&pack).run();
        let server = sim("ttft=1&itl=0");
        let ended =
            Program::new("profile --artifact-dir out --model test-model --tokenizer builtin --request-count 3 --url")
                .with(&server.url())
                .with(words)
                .word("--plugin-dir")
                .word(&pack)
                .env("PATH", std::env::var_os("PATH").unwrap_or_default())
                .run();
        assert_eq!(ended.code, Some(0), "{category}: {}", ended.stderr);
        assert!(ended.stderr.contains(shown) && !ended.stderr.contains("WARN"), "{category}: {}", ended.stderr);
        match category {
            "custom_dataset_loader" => {
                let sent = requests(&server);
                assert!(
                    sent.len() == 3 && sent.iter().all(|body| body["messages"][0]["content"] == "Hello"),
                    "{sent:?}"
                );
            }
            "server_metrics_collector" => {
                assert!(ended.artifacts.text("server_metrics_export.json").contains("my_metric"));
            }
            "search_planner" => {
                let history = ended.artifacts.json("search_history.json");
                assert_eq!(history["iterations"].as_array().unwrap().len(), 2, "{history}");
                assert_eq!(history["convergence_reason"], "planner_done");
            }
            _ => {}
        }
    }
}
