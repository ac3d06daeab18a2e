//! The truth agrees with what a client can see, and says what it cannot.

mod client;

use aiperf_clock::{Mono, StampSource};
use aiperf_sim::{Shutdown, SimOptions, TruthOutcome};
use client::{SimClient, chat_body, in_flight, start};
use serde_json::Value;

const MILLI: u64 = 1_000_000;

#[test]
fn no_chunk_is_seen_before_it_was_written_and_none_is_written_before_it_is_due() {
    let sim = start("ttft=20&itl=3&prefill=2");
    let mut client = SimClient::connect(&sim);
    let sent = Mono::now();
    let seen = client.chat(r#""stream":true,"max_tokens":8"#).text("content").1;
    let truth = &sim.truth()[0];
    assert!(sent <= truth.first_byte && truth.first_byte <= truth.arrival);
    assert_eq!(truth.admitted, Some(truth.arrival));
    if cfg!(target_os = "linux") {
        assert_eq!(truth.stamped_by, StampSource::Kernel);
    }
    assert_eq!((truth.chunks.len(), seen.len()), (8, 8));
    for (number, (written, seen)) in truth.chunks.iter().zip(&seen).enumerate() {
        assert!(written <= seen, "chunk {number}");
        let due = (20 + 5 * 2 + 3 * number as u64) * MILLI;
        assert!(written.since(truth.arrival).0 >= due, "chunk {number}");
    }
    assert!(truth.chunks.is_sorted() && *truth.chunks.last().unwrap() <= truth.end);
}

#[test]
fn a_reply_in_one_piece_comes_after_all_its_tokens() {
    let sim = start("ttft=10&itl=2");
    let sent = Mono::now();
    SimClient::connect(&sim).chat(r#""max_tokens":6"#);
    let seen = Mono::now();
    let truth = &sim.truth()[0];
    assert_eq!((truth.chunks.len(), truth.output_tokens, truth.streaming), (1, 6, false));
    assert!(truth.chunks[0].since(truth.arrival).0 >= 20 * MILLI);
    assert!(sent <= truth.arrival && truth.end <= seen);
}

#[test]
fn requests_beyond_the_batch_wait_in_order_of_arrival() {
    let sim = start("ttft=60&itl=0&osl=1&batch=2");
    let mut clients: Vec<SimClient> = (0..6).map(|_| SimClient::connect(&sim)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        let headers = format!("X-Request-ID: r{number}\r\n");
        client.send("POST", "/v1/chat/completions", &headers, &chat_body(r#""stream":true"#));
        // The next one is sent once this one is in, so that the order of arrival is known.
        wait_until(|| arrived(&sim) > number);
    }
    for client in &mut clients {
        assert!(client.read().done());
    }
    let truth = sim.truth();
    let ids: Vec<&str> = truth.iter().map(|t| t.request_id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["r0", "r1", "r2", "r3", "r4", "r5"]);
    let admitted: Vec<Mono> = truth.iter().map(|t| t.admitted.unwrap()).collect();
    assert!(admitted.is_sorted(), "first come, first served");
    for (place, record) in truth.iter().enumerate() {
        let running = truth.iter().filter(|o| o.admitted.unwrap() <= admitted[place] && o.end > admitted[place]);
        assert!(running.count() <= 2, "request {place}");
        assert!(record.in_flight as usize <= place + 1);
        assert!(place >= 2 || admitted[place] == record.arrival, "request {place} had a place at once");
    }
}

fn arrived(sim: &aiperf_sim::Sim) -> usize {
    // In this order: a request that ends in between is missed once, and never counted twice.
    let finished = sim.truth().len();
    finished + in_flight(sim) as usize
}

fn wait_until(mut condition: impl FnMut() -> bool) {
    let begin = Mono::now();
    while !condition() {
        assert!(Mono::now().since(begin).0 < 20_000 * MILLI, "waited for 20 s");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn the_same_seed_gives_the_same_replies_whatever_the_order() {
    let ask = |query: &str, order: &[u32]| {
        let sim = start(query);
        let mut client = SimClient::connect(&sim);
        let mut replies: Vec<(u32, String)> = order
            .iter()
            .map(|&n| (n, client.chat(&format!(r#""user":"{n}""#)).json()["choices"].to_string()))
            .collect();
        replies.sort();
        replies
    };
    let query = "ttft=0&itl=0&osl=normal:30,8&seed=1";
    let first = ask(query, &[0, 1, 2, 3]);
    assert_eq!(first, ask(query, &[3, 1, 0, 2]));
    assert_ne!(first, ask("ttft=0&itl=0&osl=normal:30,8&seed=2", &[0, 1, 2, 3]));
    let lengths: std::collections::BTreeSet<usize> = first.iter().map(|(_, text)| text.len()).collect();
    assert!(lengths.len() > 1);
}

#[test]
fn a_repeated_prompt_is_cached_and_quicker() {
    let sim = start("ttft=0&itl=0&prefill=10&cache=100&cache_block=16");
    let mut client = SimClient::connect(&sim);
    let body = format!(r#"{{"prompt":"{}","max_tokens":1}}"#, "word ".repeat(40).trim());
    let cached: Vec<u64> = (0..2)
        .map(|_| {
            let usage = client.post("/v1/completions", &body).json()["usage"].clone();
            assert_eq!(usage["prompt_tokens"], 40);
            usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(cached, [0, 32]);
    let waits: Vec<u64> = sim.truth().iter().map(|t| t.chunks[0].since(t.arrival).0 / MILLI).collect();
    assert!(waits[0] >= 400 && waits[1] >= 80 && waits[1] < waits[0], "{waits:?}");
    assert_eq!(client.post("/reset_prefix_cache", "").status, 200);
    assert_eq!(client.post("/v1/completions", &body).json()["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
}

#[test]
fn a_client_that_leaves_frees_its_place() {
    let sim = start("ttft=60000&itl=0&osl=1&batch=1");
    let mut leaver = SimClient::connect(&sim);
    leaver.send("POST", "/v1/chat/completions", "", &chat_body(""));
    wait_until(|| in_flight(&sim) > 0.0);
    drop(leaver);
    wait_until(|| in_flight(&sim) == 0.0);
    let truth = sim.truth();
    assert_eq!((truth.len(), truth[0].outcome), (1, TruthOutcome::ClientGone));
}

#[test]
fn the_file_and_the_endpoint_say_what_the_program_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("truth.jsonl");
    let mut sim = start(&format!("ttft=0&itl=0&osl=3&truth_body=true&truth={}", path.display()));
    let mut client = SimClient::connect(&sim);
    let headers = "X-Request-ID: r1\r\nX-Correlation-ID: c1\r\nAuthorization: Bearer k\r\n";
    client.send("POST", "/v1/chat/completions?a=b", headers, &chat_body(r#""stream":true"#));
    assert!(client.read().done());
    client.get("/v1/models");
    let served = String::from_utf8(client.get("/sim/truth").body).unwrap();
    let unfinished = chat_body(r#""max_tokens":1"#);
    client.send("POST", "/v1/chat/completions", "Content-Type: x\r\n", &unfinished);
    client.read();
    sim.stop().unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.starts_with(&served), "{written}\n---\n{served}");
    assert_eq!(written.lines().count(), 3);
    let line: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    let truth = &sim.truth()[0];
    assert_eq!(line["request_id"], "r1");
    assert_eq!(line["correlation_id"], "c1");
    assert_eq!(line["path"], "/v1/chat/completions?a=b");
    assert_eq!(line["outcome"], "completed");
    assert_eq!(line["body"], chat_body(r#""stream":true"#));
    assert_eq!(line["headers"][3], serde_json::json!(["Authorization", "Bearer k"]));
    let stamps: Vec<u64> = truth.chunks.iter().map(|at| at.as_nanos()).collect();
    assert_eq!(line["chunks_ns"], serde_json::json!(stamps));
    let offset = line["epoch_offset_ns"].as_i64().unwrap();
    assert_eq!(line["arrival_ns"].as_i64().unwrap() + offset, line["arrival_epoch_ns"].as_i64().unwrap());
    assert_eq!(sim.wall_anchor().epoch(truth.arrival).0, line["arrival_epoch_ns"].as_u64().unwrap());
}

#[test]
fn memory_keeps_the_latest_and_counts_the_rest() {
    let sim = start("ttft=0&itl=0&osl=1&truth_keep=2");
    let mut client = SimClient::connect(&sim);
    for _ in 0..5 {
        client.chat("");
    }
    assert_eq!(sim.truth().iter().map(|t| t.index).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(sim.truth_dropped(), 3);
    assert_eq!(client.post("/sim/reset", "").status, 200);
    assert!(sim.truth().is_empty() && sim.truth_dropped() == 0);
    client.chat("");
    assert_eq!(sim.truth()[0].index, 0);
}

#[test]
fn stopping_leaves_a_record_of_what_was_under_way() {
    let mut sim = start("ttft=60000");
    let mut client = SimClient::connect(&sim);
    client.send("POST", "/v1/chat/completions", "", &chat_body(r#""stream":true"#));
    wait_until(|| in_flight(&sim) > 0.0);
    sim.stop().unwrap();
    let truth = sim.truth();
    assert_eq!(truth.last().unwrap().outcome, TruthOutcome::ServerStopped);
    assert!(!client.read().complete);
}

#[test]
fn the_program_announces_its_address_and_stops_when_asked() {
    let shutdown = Shutdown::new();
    shutdown.request();
    let mut said = Vec::new();
    let bind = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    aiperf_sim::serve(SimOptions::default(), bind, &shutdown, &mut said).unwrap();
    let said = String::from_utf8(said).unwrap();
    assert!(said.starts_with("aiperf sim listens on http://127.0.0.1:") && said.ends_with('\n'), "{said}");
}

#[test]
fn a_port_in_use_and_a_bad_truth_path_are_named() {
    let taken = start("");
    let error = aiperf_sim::Sim::start(SimOptions::default(), taken.addr()).unwrap_err().to_string();
    assert!(error.contains(&taken.addr().to_string()), "{error}");
    let options = SimOptions::from_query("truth=/nowhere/at/all").unwrap();
    let error = aiperf_sim::Sim::start(options, ([127, 0, 0, 1], 0).into()).unwrap_err().to_string();
    assert!(error.contains("/nowhere/at/all"), "{error}");
}
