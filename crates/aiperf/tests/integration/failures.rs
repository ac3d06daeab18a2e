//! Servers that answer wrongly or not at all: what is recorded, what is said, and how the program ends.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Artifacts, Ended, Program, Record, TestReply, TestServer, chat_reply, in_one, sim, wait_for};

/// It must have failed with its files written, and with one plain sentence at the end of stderr.
fn check_nothing_succeeded(ended: &Ended, requests: usize, words: &[&str]) {
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let sentence = ended.stderr.lines().last().unwrap();
    assert!(sentence.starts_with("error: "), "{sentence}");
    assert_eq!(ended.stderr.matches("error: ").count(), 1, "{}", ended.stderr);
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in {sentence:?}");
    }
    let artifacts = &ended.artifacts;
    for name in ["profile_export_aiperf.json", "profile_export_aiperf.csv", "profile_export_console.txt", "inputs.json"]
    {
        assert!(artifacts.names().contains(&name.to_owned()), "no {name}");
    }
    let summary = artifacts.summary();
    assert_eq!(summary["is_complete"], false);
    assert!(summary["incomplete_reason"].is_string());
    let counted: u64 = summary["error_summary"].as_array().unwrap().iter().map(|e| e["count"].as_u64().unwrap()).sum();
    assert_eq!(counted as usize, requests);
    assert_eq!(artifacts.records().len(), requests);
    assert!(artifacts.records().iter().all(Record::failed));
    assert!(ended.stdout.contains("Error Summary"), "{}", ended.stdout);
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
}

#[test]
fn a_run_in_which_nothing_succeeds_fails_and_still_writes_its_files() {
    let sim = sim("error_rate=1&error_status=503");
    let ended = Program::against(&sim, "--streaming --request-count 5").run();
    check_nothing_succeeded(&ended, 5, &["all 5 requests failed", "503"]);
    for record in ended.artifacts.records() {
        assert_eq!(record.error(), (Some(503), "Service Unavailable"));
        assert!(record.metric("error_isl") > 0.0);
        assert!(record.number("request_end_ns") > record.number("request_start_ns"));
    }
}

#[test]
fn a_server_that_is_not_there_is_named_in_one_sentence() {
    // Held and let go again: nobody listens on this port now.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let words = format!("--model m --tokenizer builtin --isl 8 --request-count 3 --url http://{address}");
    let ended = Program::profile(&words).run();
    check_nothing_succeeded(&ended, 3, &[&address.port().to_string(), "refused", "--url"]);
    assert!(ended.artifacts.records().iter().all(|record| record.error() == (None, "ClientConnectorError")));
}

#[test]
fn a_host_that_does_not_exist_is_named_in_one_sentence() {
    let words = "--model m --tokenizer builtin --isl 8 --request-count 2 --url http://no-such-host.invalid:8000";
    let ended = Program::profile(words).run();
    check_nothing_succeeded(&ended, 2, &["no-such-host.invalid", "--url"]);
}

#[test]
fn a_wrong_path_says_what_to_check() {
    let sim = sim("");
    let ended = Program::against(&sim, "--request-count 2 --custom-endpoint /v2/nothing").run();
    check_nothing_succeeded(&ended, 2, &["404", "--custom-endpoint"]);
}

#[test]
fn a_model_that_the_server_does_not_know_is_answered_with_those_that_it_has() {
    let server = TestServer::start(|_, asked| match asked.target.as_str() {
        "/v1/models" => in_one("200 OK", "", br#"{"data": [{"id": "small"}, {"id": "large"}]}"#),
        _ => in_one("404 Not Found", "", b"The model does not exist."),
    });
    let words = format!("--url {} --model m --tokenizer builtin --isl 8 --request-count 2", server.url());
    let ended = Program::profile(&words).run();
    check_nothing_succeeded(&ended, 2, &["404", "--model", "It serves small, large."]);
    let asked: Vec<String> = server.received().into_iter().map(|asked| asked.target).collect();
    assert_eq!(asked.iter().filter(|target| *target == "/v1/models").count(), 1, "once, after the run");
    assert_eq!(asked.last().map(String::as_str), Some("/v1/models"));
}

#[test]
fn a_server_that_limits_the_rate_is_answered_with_advice_and_its_retry_after() {
    let every_second = AtomicUsize::new(0);
    let server = TestServer::start(move |_, _| match every_second.fetch_add(1, Ordering::SeqCst) % 2 {
        0 => in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes()),
        _ => in_one("429 Too Many Requests", "Retry-After: 7\r\n", b"slow down"),
    });
    let words = format!("--url {} --model m --tokenizer builtin --isl 8 --request-count 4", server.url());
    let ended = Program::profile(&words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let told = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("429: 2 of 4 requests.") && told.contains("lower --request-rate or --concurrency"), "{told}");
    assert!(told.contains("It asks for a pause of 7 s (Retry-After)."), "{told}");

    let all = TestServer::start(|_, _| in_one("429 Too Many Requests", "Retry-After: 7\r\n", b"slow down"));
    let words = format!("--url {} --model m --tokenizer builtin --isl 8 --request-count 2", all.url());
    check_nothing_succeeded(
        &Program::profile(&words).run(),
        2,
        &["429", "--request-rate", "a pause of 7 s (Retry-After)"],
    );
}

#[test]
fn answers_that_are_none_say_what_they_are() {
    for (answer, kind, words) in [
        (
            "HTTP/1.1 204 No Content\r\n\r\n",
            "InvalidInferenceResultError",
            "204 No Content: the server answered without a body",
        ),
        ("hello, this is not HTTP\r\n", "ClientResponseError", "not an HTTP response: it begins with \"hello, this"),
        (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
            "ClientResponseError",
            "101 Switching Protocols: the server switches to websocket",
        ),
    ] {
        let server = TestServer::start(move |_, _| TestReply::new(answer));
        let words_given = format!("--url {} --model m --tokenizer builtin --isl 8 --request-count 2", server.url());
        let ended = Program::profile(&words_given).run();
        check_nothing_succeeded(&ended, 2, &[words]);
        assert_eq!(ended.artifacts.records()[0].error().1, kind);
    }
}

#[test]
fn the_log_tells_of_each_request_when_it_is_asked_to() {
    let sim = sim("ttft=1&itl=1&osl=3");
    let log = |words: &str| {
        let artifacts = Program::against(&sim, "--streaming --request-count 3").with(words).succeed();
        artifacts.text("logs/aiperf.log")
    };
    let count = |log: &str, part: &str| log.lines().filter(|line| line.contains(part)).count();
    let info = log("");
    assert_eq!(count(&info, "Request "), 0, "{info}");
    let debug = log("--log-level debug");
    assert_eq!(count(&debug, &format!(" to {}: 200 OK, ", sim.addr())), 3, "{debug}");
    assert_eq!(count(&debug, "first byte"), 0, "{debug}");
    let trace = log("--log-level trace");
    assert_eq!((count(&trace, ": 200 OK, "), count(&trace, "first byte")), (3, 3), "{trace}");
    assert_eq!(count(&trace, "connect "), 1, "the others went over the same connection: {trace}");
}

/// Six requests one at a time, of which the third and the sixth go wrong.
fn every_third(options: &str, words: &str) -> Artifacts {
    let sim = sim(&format!("ttft=1&itl=1&osl=6&{options}"));
    let artifacts = Program::against(&sim, "--request-count 6").with(words).succeed();
    let failed: Vec<u64> = artifacts.records().iter().filter(|r| r.failed()).map(|r| r.number("session_num")).collect();
    assert_eq!(failed, [2, 5], "{options}");
    assert_eq!(artifacts.average("request_count") as u32, 4);
    assert_eq!(artifacts.average("error_request_count") as u32, 2);
    assert!(artifacts.text("profile_export_console.txt").contains("Error Summary"));
    artifacts
}

#[test]
fn each_kind_of_failure_is_told_apart_and_the_rest_succeeds() {
    for (options, words, code, kind) in [
        ("error_every=3&error_status=429", "--streaming", Some(429), "Too Many Requests"),
        ("error_every=3", "", Some(500), "Internal Server Error"),
        ("inband_every=3", "--streaming", Some(500), "InternalServerError"),
        ("inband_every=3", "", Some(500), "InternalServerError"),
        ("cut_every=3", "--streaming", None, "IncompleteStreamError"),
        ("cut_every=3", "", None, "ClientPayloadError"),
        ("reset_every=3", "--streaming", None, "ClientPayloadError"),
        ("reset_every=3", "", None, "ClientPayloadError"),
        ("malformed_every=3", "", None, "InvalidInferenceResultError"),
    ] {
        let artifacts = every_third(options, words);
        let records = artifacts.records();
        for record in records.iter().filter(|record| record.failed()) {
            assert_eq!(record.error(), (code, kind), "{options} {words}");
            assert!(!record.was_cancelled());
            assert_eq!(record.value("request_latency"), None);
        }
        let summary = artifacts.summary();
        assert_eq!(summary["is_complete"], true);
        assert_eq!(summary["error_summary"][0]["error_details"]["type"], kind, "{options} {words}");
    }
}

#[test]
fn an_event_that_is_not_json_takes_nothing_from_the_content_around_it() {
    let sim = sim("ttft=1&itl=1&osl=6&malformed_every=1");
    let artifacts = Program::against(&sim, "--streaming --request-count 3").succeed();
    assert!(sim.truth().iter().all(|truth| truth.outcome == aiperf_sim::TruthOutcome::Malformed));
    for record in artifacts.records() {
        assert!(!record.failed());
        assert_eq!(record.metric("output_sequence_length") as u32, 6);
    }
}

#[test]
fn a_server_that_goes_away_leaves_its_requests_as_failed_ones() {
    let mut sim = sim("ttft=1&itl=0&osl=2&stall_every=5&stall_ms=600000");
    let running =
        Program::against(&sim, "--streaming --concurrency 2 --request-count 16 --num-dataset-entries 5").start();
    wait_for("all places to be taken by replies that stand still", || (sim.truth().len() >= 8).then_some(()));
    let url = sim.url();
    sim.stop().unwrap();
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let (failed, whole): (Vec<_>, Vec<_>) = ended.artifacts.records().into_iter().partition(Record::failed);
    assert_eq!((whole.len(), failed.len()), (8, 8));
    let refused = failed.iter().filter(|record| record.error().1 == "ClientConnectorError").count();
    assert!(refused >= 6, "{refused}");
    let address = url.strip_prefix("http://").unwrap();
    assert!(ended.stdout.contains(address), "{}", ended.stdout);
}

#[test]
fn a_warmup_that_fails_does_not_keep_the_run_from_succeeding() {
    let sim = sim("ttft=0&itl=0&osl=2&error_every=2");
    let artifacts = Program::against(&sim, "--warmup-request-count 2 --request-count 2").succeed();
    let failed: Vec<_> = artifacts.records().into_iter().filter(Record::failed).collect();
    assert_eq!(failed.iter().map(|r| r.word("phase_name")).collect::<Vec<_>>(), ["warmup", "profiling"]);
    let phases = artifacts.json("phase_manifest.json");
    assert_eq!(phases["phases"][0]["error_request_count"], 1);
    // What failed in the warmup is told there, and not in the numbers of the run.
    assert_eq!(artifacts.summary()["error_summary"][0]["count"], 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let ended = Program::new("profile --url sim: --request-count 1 --log-level error --artifact-dir taken/deeper")
        .file("taken", "")
        .run();
    ended.was_refused_with(&["taken", "--artifact-dir"]);
}

#[test]
fn an_embedding_that_fails_is_a_failed_record_too() {
    let artifacts = every_third("error_every=3&error_status=400", "--endpoint-type embeddings");
    assert_eq!(artifacts.records()[2].error(), (Some(400), "Bad Request"));
}

#[test]
fn what_cannot_be_read_is_refused_before_anything_is_written() {
    for (words, expected) in [
        ("--input-file nothing.jsonl", &["--input-file", "nothing.jsonl"][..]),
        ("--system-prompt-file nothing.txt", &["--system-prompt-file", "nothing.txt"]),
        ("--endpoint-type chats", &["--endpoint-type", "chats"]),
        ("--goodput no_such_metric:5", &["no_such_metric"]),
        ("--concurrency 0", &["--concurrency"]),
        ("--tokenizer ./no-such-folder", &["no-such-folder"]),
    ] {
        Program::profile("--url sim: --request-count 1").with(words).run().was_refused_with(expected);
    }
    Program::profile("--url sim:?ttft=fast").run().was_refused_with(&["--url", "ttft", "fast"]);
    for (rows, expected) in [
        ("", &["rows.jsonl"][..]),
        ("{\"text\": \"a\"}\n{\"text\": 5}\n", &["rows.jsonl", "2", "text"]),
        ("{\"text\": \"a\"}\nnot json\n", &["rows.jsonl", "2"]),
    ] {
        let program = Program::profile("--url sim: --input-file rows.jsonl").file("rows.jsonl", rows);
        program.run().was_refused_with(expected);
    }
}

#[test]
fn the_log_counts_responses_that_could_not_be_read_as_errors_like_the_result() {
    let server = TestServer::start(|_, _| in_one("200 OK", "Content-Type: application/json\r\n", b"not an answer"));
    let words = format!("--url {} --model m --tokenizer builtin --isl 8 --request-count 5", server.url());
    let ended = Program::profile(&words).run();
    check_nothing_succeeded(&ended, 5, &["all 5 requests failed"]);
    let log = ended.artifacts.text("logs/aiperf.log");
    let line = |part: &str| log.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{log}")).to_owned();
    assert!(line("Phase profiling results").contains("successful=0, errors=5, cancelled=0"), "{log}");
    let complete = line("Phase profiling complete");
    assert!(complete.contains("still to be read") && !complete.contains("errors="), "{complete}");
}
