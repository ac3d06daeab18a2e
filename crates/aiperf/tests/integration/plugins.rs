//! Plugin packs: declared endpoint types, recipes, limits, loaders, exporters and collectors, with the real program.

use std::fs;
use std::path::Path;

use aiperf_sim::Sim;
use serde_json::Value;

use crate::support::{Artifacts, Program, sim};

/// The chat-completions API, described instead of built in.
const MY_CHAT: &str = r#"schema_version: "1.0"
endpoint:
  my_chat:
    description: Chat completions, described
    metadata:
      endpoint_path: /v1/chat/completions
      consumes_system_message: true
      supports_history: true
    request: |
      {"messages": {{ messages }}, "model": "{{ model }}", "stream": {{ stream }}
       {%- if max_tokens %}, "max_completion_tokens": {{ max_tokens }}{% endif %}
       {%- if stream %}, "stream_options": {"include_usage": true}{% endif %}}
    response:
      text:
        - choices[*].delta.content
        - choices[*].message.content
      reasoning:
        - choices[*].delta.reasoning_content
        - choices[*].message.reasoning_content
      choice: choices[*].index
      finish_reason: choices[*].finish_reason
      usage: usage
"#;

/// What differs between two runs, whatever they measure.
const OF_A_RUN: [&str; 6] =
    ["x_request_id", "x_correlation_id", "root_correlation_id", "conversation_id", "worker_id", "record_processor_id"];

fn measure(sim: &Sim, words: &str) -> Artifacts {
    Program::against(sim, words)
        .with("--request-count 12 --concurrency 1 --osl 6 --osl-stddev 2 --random-seed 7 --plugin-dir packs")
        .file("packs/mine.yaml", MY_CHAT)
        .succeed()
}

fn records(artifacts: &Artifacts) -> Vec<Value> {
    let text = fs::read_to_string(artifacts.path("profile_export.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A record without times and without what is drawn for each run.
fn timeless(record: &Value) -> Value {
    let mut record = record.clone();
    let is_timed = |name: &str| {
        let words =
            ["_ns", "latency", "time", "duration", "throughput", "delay", "http_req_", "lag", "interval", "_ms"];
        name != "http_req_data_sent" && words.iter().any(|word| name.contains(word)) || OF_A_RUN.contains(&name)
    };
    for part in ["metadata", "metrics"] {
        if let Some(fields) = record[part].as_object_mut() {
            // Some are there only if two chunks came at different times.
            fields.retain(|name, _| !is_timed(name));
        }
    }
    record
}

#[test]
fn a_declared_endpoint_gives_the_records_of_the_built_in_one() {
    for (server, streaming) in [
        ("ttft=2&itl=1", "--streaming"),
        ("ttft=2&itl=1", ""),
        ("ttft=1&itl=0&reasoning=2", "--streaming"),
        ("ttft=1&itl=0&error_every=4", "--streaming"),
    ] {
        let of = |kind: &str| {
            let sim = sim(server);
            let artifacts = measure(&sim, &format!("--endpoint-type {kind} {streaming}"));
            let bodies: Vec<Value> = crate::support::requests(&sim);
            (records(&artifacts), bodies)
        };
        let (built_in, sent) = of("chat");
        let (declared, sent_as_declared) = of("my_chat");
        assert_eq!(sent, sent_as_declared, "{server} {streaming}");
        assert_eq!(built_in.len(), 12);
        let plain = |records: &[Value]| records.iter().map(timeless).collect::<Vec<_>>();
        assert_eq!(plain(&built_in), plain(&declared), "{server} {streaming}");
    }
}

#[test]
fn plugins_are_listed_checked_and_begun() {
    let list = |words: &str| Program::new("plugins").with(words).file("packs/mine.yaml", MY_CHAT).run();
    let all = list("--all --plugin-dir packs");
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    assert!(all.stdout.contains("public_dataset_loader") && all.stdout.contains("my_chat"), "{}", all.stdout);
    let one = list("endpoint my-chat --plugin-dir packs --json");
    let entry: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!((&entry["name"], &entry["category"]), (&Value::from("my_chat"), &Value::from("endpoint")));
    assert!(list("endpoint nope").stderr.contains("endpoint has no entry \"nope\"; its entries are chat"));
    assert!(list("nope").stderr.contains("\"nope\" is not a category of plugins"));
    let fine = list("--validate --plugin-dir packs");
    assert_eq!((fine.code, fine.stdout.as_str()), (Some(0), "(OK) endpoint:my_chat\n"), "{}", fine.stderr);
    let broken = Program::new("plugins --validate --plugin-dir packs")
        .file("packs/a.yaml", "schema_version: \"1.0\"\nx: 1")
        .run();
    assert_eq!(broken.code, Some(1));
    assert!(broken.stdout.contains("(FAIL) packs/a.yaml:2:1: x: unknown category"), "{}", broken.stdout);
    let begun = Program::new("plugins new endpoint my_api").run();
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    assert!(begun.stdout.contains("my_api/plugin.yaml"), "{}", begun.stdout);
}

#[test]
fn a_broken_pack_is_one_warning_and_the_run_goes_on() {
    let server = sim("ttft=1&itl=0");
    let ended = Program::against(&server, "--request-count 4 --endpoint-type my_chat --plugin-dir packs")
        .file("packs/broken.yaml", "schema_version: \"1.0\"\nendpoint: 3\n")
        .file("packs/mine.yaml", MY_CHAT)
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let warnings = ended.stderr.lines().filter(|line| line.contains("plugin pack")).count();
    assert_eq!(warnings, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("packs/broken.yaml:2:11: endpoint: must be a map of names"), "{}", ended.stderr);
}

#[test]
fn a_set_of_limits_has_a_name() {
    let server = sim("ttft=1&itl=0");
    let artifacts = Program::against(&server, "--request-count 4 --goodput generous --plugin-dir packs")
        .file("packs/slo.yaml", "schema_version: \"1.0\"\nslo_set:\n  generous: {limits: {request_latency: 100000}}\n")
        .succeed();
    assert_eq!(artifacts.stat("good_request_count", "avg") as u64, 4);
}

const PLUGIN: &str = include_str!("../../../plugin/tests/fixtures/plugin.sh");

/// A pack with one program, which behaves in the given way.
fn process(category: &str, mode: &str) -> String {
    let limits = if mode == "hang" { "timeout_seconds: 0.3" } else { "timeout_seconds: 60" };
    format!(
        "schema_version: \"1.0\"\n{category}:\n  mine: {{process: {{command: [sh, plugin.sh, {mode}], {limits}, max_output_mb: 1}}}}\n"
    )
}

fn with_process(sim: &Sim, category: &str, mode: &str, words: &str) -> Program {
    // Not `Program::against`: rows of a loader have their own lengths, and collectors need server metrics.
    Program::new("profile --artifact-dir out --model test-model --tokenizer builtin --url")
        .with(&sim.url())
        .with(words)
        .with("--request-count 6 --plugin-dir packs")
        .file("packs/mine.yaml", &process(category, mode))
        .file("packs/plugin.sh", PLUGIN)
}

/// The lines of the log that warn about a plugin.
fn warnings(folder: &Path) -> Vec<String> {
    let log = fs::read_to_string(folder.join("logs/aiperf.log")).unwrap();
    log.lines().filter(|line| line.contains("WARN") && line.contains("plugin ")).map(str::to_owned).collect()
}

#[test]
fn rows_of_a_loader_are_sent() {
    let server = sim("ttft=1&itl=0");
    with_process(&server, "custom_dataset_loader", "well", "--custom-dataset-type mine").succeed();
    let bodies = crate::support::requests(&server);
    let is_row = |body: &Value| body["messages"][0]["content"].as_str().unwrap().ends_with("row of the plugin");
    assert!(bodies.len() == 6 && bodies.iter().all(is_row), "{bodies:?}");
}

#[test]
fn a_broken_loader_is_one_clear_error() {
    let server = sim("ttft=1&itl=0");
    for (mode, words) in [
        ("crash", "it ended (exit status: 3) before it answered; its last line on stderr: broken on purpose"),
        ("hang", "it gave no answer within 0.3 s"),
        ("flood", "it wrote more than 1 MiB"),
        ("garbage", "not a JSON object"),
        ("version", "it speaks version 2 of the plugin protocol, and this program speaks 1"),
    ] {
        let ended = with_process(&server, "custom_dataset_loader", mode, "--custom-dataset-type mine").run();
        assert_eq!(ended.code, Some(1), "{mode}");
        assert!(
            ended.stderr.contains("plugin custom_dataset_loader:mine: ") && ended.stderr.contains(words),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_broken_exporter_is_one_warning_and_the_run_keeps_its_data() {
    for category in ["data_exporter", "stream_exporter"] {
        for (mode, words) in [
            ("crash", "it ended (exit status: 3)"),
            ("hang", "it gave no answer within 0.3 s"),
            ("flood", "instead of done"),
            ("garbage", "not a JSON object"),
            ("version", "it speaks version 2"),
            ("well", ""),
        ] {
            let server = sim("ttft=1&itl=0");
            let artifacts = with_process(&server, category, mode, "").succeed();
            assert_eq!(artifacts.records().len(), 6);
            let said = warnings(&artifacts.path(""));
            assert_eq!(said.len(), usize::from(mode != "well"), "{category} {mode}: {said:?}");
            assert!(said.iter().all(|line| line.contains(words)), "{category} {mode}: {said:?}");
        }
    }
}

#[test]
fn samples_of_a_collector_are_server_metrics_and_a_broken_one_is_one_warning() {
    let server = sim("ttft=1&itl=0");
    let artifacts = with_process(&server, "server_metrics_collector", "well", "").succeed();
    let text = fs::read_to_string(artifacts.path("server_metrics_export.json")).unwrap();
    assert!(text.contains("plugin_temperature"), "{text}");
    for mode in ["crash", "hang", "garbage", "version", "flood"] {
        let artifacts = with_process(&server, "server_metrics_collector", mode, "").succeed();
        assert_eq!(artifacts.records().len(), 6);
        let said = warnings(&artifacts.path(""));
        assert_eq!(
            said.iter().filter(|line| line.contains("server_metrics_collector:mine")).count(),
            1,
            "{mode}: {said:?}"
        );
    }
}

#[test]
fn a_planner_chooses_the_points_of_a_search() {
    let server = sim("ttft=1&itl=0");
    let words = "--search-space concurrency:1,4:int --search-metric request_throughput --search-direction maximize \
                 --search-max-iterations 8 --search-planner mine";
    let ended = with_process(&server, "search_planner", "well", words).start();
    let out = ended.out();
    let ended = ended.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let history: Value = serde_json::from_slice(&fs::read(out.join("search_history.json")).unwrap()).unwrap();
    assert_eq!(history["iterations"].as_array().unwrap().len(), 2, "{history}");
}

const QUESTIONS: &str = include_str!("../../../plugin/tests/fixtures/questions.py");
const PAGE: &str = include_str!("../../../../docs/plugins.md");

/// The blocks of the page that are in this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let begin = format!("```{language}\n");
    PAGE.split(begin.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_loader_of_the_manual_makes_conversations() {
    assert_eq!(blocks("python").first().map(|block| block.trim_end()), Some(QUESTIONS.trim_end()));
    if !aiperf_test_tools::available(&[&["python3", "--version"]]) {
        return;
    }
    let pack = blocks("yaml").into_iter().find(|block| block.contains("questions.py")).unwrap();
    let server = sim("ttft=1&itl=0");
    let words = "--custom-dataset-type questions --input-file questions.txt --request-count 4 --plugin-dir packs";
    let program = || {
        Program::profile("--model test-model --tokenizer builtin --url")
            .with(&server.url())
            .with(words)
            .file("packs/questions.yaml", pack)
            .file("packs/questions.py", QUESTIONS)
            .file("questions.txt", "What is a plugin?\nWhat is a pack?\n")
    };
    program().succeed();
    let bodies = crate::support::requests(&server);
    let begins = |body: &Value| body["messages"][0]["content"].as_str().unwrap().starts_with("What is a p");
    assert!(bodies.len() == 4 && bodies.iter().all(begins), "{bodies:?}");
    assert!(bodies.iter().any(|body| body["messages"].as_array().unwrap().len() == 3), "{bodies:?}");
    let fine = Program::new("plugins --validate --plugin-dir packs")
        .file("packs/questions.yaml", pack)
        .file("packs/questions.py", QUESTIONS)
        .run();
    assert_eq!(
        (fine.code, fine.stdout.as_str()),
        (Some(0), "(OK) custom_dataset_loader:questions\n"),
        "{}",
        fine.stderr
    );
}

#[test]
fn the_declarations_of_the_manual_are_packs() {
    for block in blocks("yaml").into_iter().filter(|block| !block.contains("CATEGORY")) {
        let checked = Program::new("plugins --validate --plugin-dir packs")
            .file("packs/page.yaml", block)
            .file("packs/questions.py", "print('not started')")
            .run();
        assert!(checked.code == Some(0) || block.contains("process"), "{block}{}", checked.stdout);
    }
}

#[test]
fn a_recipe_stands_for_its_options_and_a_plot_can_be_asked_for() {
    let pack = "schema_version: \"1.0\"\n\
                search_recipe:\n  two-loads: {options: {concurrency: \"1,2\", request-count: 4}}\n\
                plot:\n  latencies: {mode: single, preset: {type: scatter, x: request_number, y: request_latency}}\n";
    let server = sim("ttft=1&itl=0");
    let running =
        Program::against(&server, "--search-recipe two-loads --plugin-dir packs").file("packs/a.yaml", pack).start();
    let out = running.out();
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        out.join("sweep_aggregate/profile_export_aiperf_sweep.json").is_file()
            || crate::support::requests(&server).len() == 8
    );

    let artifacts = Program::against(&server, "--request-count 4").succeed();
    let drawn = Program::new("plot --preset latencies --format svg --plugin-dir packs")
        .word(artifacts.path(""))
        .file("packs/a.yaml", pack)
        .run();
    assert_eq!(drawn.code, Some(0), "{}{}", drawn.stdout, drawn.stderr);
    assert!(artifacts.path("plots/latencies.svg").is_file());
}
