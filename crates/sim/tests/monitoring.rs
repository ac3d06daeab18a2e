//! The pages for monitoring systems show the true state of the server.

#![allow(clippy::unwrap_used, reason = "a page that cannot be read is a failed test")]
#![allow(clippy::float_cmp, reason = "pages say whole numbers as floats")]

mod client;

use std::thread;

use aiperf_clock::Mono;
use aiperf_sim::{Sim, SimError, SimOptions, TruthOutcome};
use client::{SimClient, chat_body, in_flight, start};
use serde_json::Value;

/// The samples of a page: everything up to the blank, and the value.
fn samples(text: &str) -> Vec<(String, f64)> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

fn page(sim: &Sim, path: &str) -> Vec<(String, f64)> {
    samples(&String::from_utf8(SimClient::connect(sim).get(path).body).unwrap())
}

/// The only sample with this name.
fn value(page: &[(String, f64)], name: &str) -> f64 {
    let found: Vec<f64> =
        page.iter().filter(|(sample, _)| sample.split('{').next() == Some(name)).map(|(_, value)| *value).collect();
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

fn wait_until(mut condition: impl FnMut() -> bool) {
    let begin = Mono::now();
    while !condition() {
        assert!(Mono::now().since(begin).as_secs_f64() < 20.0, "waited for 20 s");
        thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn histograms_agree_with_the_truth() {
    let sim = start("ttft=20&itl=2&cache=100&cache_block=4&threads=2");
    let mut client = SimClient::connect(&sim);
    for stream in ["true", "true", "false"] {
        client.chat(&format!(r#""stream":{stream},"max_tokens":6"#));
    }
    let page = page(&sim, "/metrics");
    assert_eq!(value(&page, "vllm:prompt_tokens_total"), 15.0);
    assert_eq!(value(&page, "vllm:generation_tokens_total"), 18.0);
    assert_eq!(value(&page, "vllm:prefix_cache_queries_total"), 15.0);
    assert_eq!(value(&page, "vllm:prefix_cache_hits_total"), 8.0);
    assert_eq!(value(&page, "vllm:num_preemptions_total"), 0.0);
    for name in ["time_to_first_token", "e2e_request_latency", "request_queue_time", "request_decode_time"] {
        assert_eq!(value(&page, &format!("vllm:{name}_seconds_count")), 3.0, "{name}");
    }
    assert_eq!(value(&page, "vllm:inter_token_latency_seconds_count"), 15.0);
    let truth = sim.truth();
    // A reply in one piece has its first token when it is due, which the record of its only write does not show.
    let streamed: f64 = truth[..2].iter().map(|record| record.chunks[0].since(record.arrival).as_secs_f64()).sum();
    let first_tokens = value(&page, "vllm:time_to_first_token_seconds_sum");
    assert!((first_tokens - streamed - 0.02).abs() < 1e-6, "{first_tokens} {streamed}");
    let split: f64 = ["queue", "prefill", "decode"]
        .iter()
        .map(|part| value(&page, &format!("vllm:request_{part}_time_seconds_sum")))
        .sum();
    assert!(split <= value(&page, "vllm:e2e_request_latency_seconds_sum"));
    assert!(page.iter().any(|(name, _)| name.contains(r#"num_gpu_blocks="16777216""#)));
}

/// A server that never comes to its first token within a test: what runs and waits changes only when clients leave.
const NEVER: &str = "ttft=600000&itl=0";

fn send_chats(sim: &Sim, count: usize) -> Vec<SimClient> {
    let mut clients: Vec<SimClient> = (0..count).map(|_| SimClient::connect(sim)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.send("POST", "/v1/chat/completions", "", &chat_body(r#""stream":true,"max_tokens":11"#));
        // The next one is sent once this one is in, so that the order of arrival is known.
        wait_until(|| in_flight(sim) == (number + 1) as f64);
    }
    clients
}

#[test]
fn running_waiting_and_cache_blocks_are_those_of_the_batch() {
    // Five prompt tokens and eleven of the reply are one block.
    let sim = start(&format!("{NEVER}&batch=2&kv_blocks=10"));
    let mut clients = send_chats(&sim, 5);
    let gauges = |sim: &Sim| {
        let page = page(sim, "/metrics");
        ["num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"]
            .map(|gauge| value(&page, &format!("vllm:{gauge}")))
    };
    assert_eq!(gauges(&sim), [2.0, 3.0, 0.2]);
    drop(clients.pop());
    wait_until(|| in_flight(&sim) == 4.0);
    assert_eq!(gauges(&sim), [2.0, 2.0, 0.2]);
    // Two run, so the next one in line gets the place of the first.
    drop(clients.remove(0));
    wait_until(|| gauges(&sim) == [2.0, 1.0, 0.2]);
    clients.clear();
    wait_until(|| gauges(&sim) == [0.0, 0.0, 0.0]);
    let page = page(&sim, "/metrics");
    let aborted = page.iter().find(|(name, _)| name.contains(r#"finished_reason="abort""#)).unwrap().1;
    // Those that left while they waited never were in the engine; how many of the last three got a place is chance.
    assert!((3.0..=4.0).contains(&aborted), "{aborted}");
}

#[test]
fn requests_wait_for_blocks_of_the_kv_cache() {
    let sim = start(&format!("{NEVER}&kv_blocks=3&cache_block=8"));
    let clients = send_chats(&sim, 3);
    let page = page(&sim, "/metrics");
    assert_eq!(value(&page, "vllm:num_requests_running"), 1.0, "each takes two of the three blocks");
    assert_eq!(value(&page, "vllm:num_requests_waiting"), 2.0);
    drop(clients);
    wait_until(|| in_flight(&sim) == 0.0);
}

#[test]
fn queue_times_are_those_of_the_truth() {
    let sim = start("ttft=20&itl=0&batch=1");
    let mut clients: Vec<SimClient> = (0..4).map(|_| SimClient::connect(&sim)).collect();
    for client in &mut clients {
        client.send("POST", "/v1/chat/completions", "", &chat_body(r#""stream":true,"max_tokens":2"#));
    }
    for client in &mut clients {
        assert!(client.read().done());
    }
    let truth = sim.truth();
    let queued: f64 = truth.iter().map(|t| t.admitted.unwrap().since(t.arrival).as_secs_f64()).sum();
    let page = page(&sim, "/metrics");
    assert!((value(&page, "vllm:request_queue_time_seconds_sum") - queued).abs() < 1e-6);
    assert_eq!(value(&page, "vllm:request_queue_time_seconds_count"), 4.0);
    let mut admitted: Vec<Mono> = truth.iter().map(|record| record.admitted.unwrap()).collect();
    admitted.sort();
    assert!(admitted.windows(2).all(|pair| pair[1].since(pair[0]).as_millis_f64() >= 20.0), "one at a time");
}

#[test]
fn counters_only_grow_and_histograms_hang_together_while_threads_serve() {
    let sim = start("ttft=0&itl=0&threads=3");
    let stop = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = SimClient::connect(&sim);
                    let mut served = 0_u32;
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        assert!(client.chat(r#""stream":true,"max_tokens":5"#).done());
                        served += 1;
                    }
                    served
                })
            })
            .collect();
        let mut before: Vec<(String, f64)> = Vec::new();
        for _ in 0..100 {
            let now = page(&sim, "/metrics");
            for ((name, old), (_, new)) in before.iter().zip(&now) {
                let is_gauge = name.contains("num_requests") || name.contains("kv_cache_usage");
                assert!(is_gauge || new >= old, "{name} fell from {old} to {new}");
            }
            let first = value(&now, "vllm:time_to_first_token_seconds_count");
            let gaps = value(&now, "vllm:inter_token_latency_seconds_count");
            assert_eq!(first + gaps, value(&now, "vllm:generation_tokens_total"));
            let finished: f64 =
                now.iter().filter(|(name, _)| name.starts_with("vllm:request_success_total")).map(|(_, n)| n).sum();
            assert_eq!(finished, value(&now, "vllm:e2e_request_latency_seconds_count"));
            before = now;
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let served: u32 = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
        let now = page(&sim, "/metrics");
        assert_eq!(value(&now, "vllm:generation_tokens_total"), f64::from(5 * served));
        assert_eq!(value(&now, "vllm:prompt_tokens_total"), f64::from(5 * served));
    });
}

#[test]
fn a_request_that_fails_is_counted_once() {
    let sim = start("ttft=0&itl=0&cut_every=2&early_stop=1");
    let mut reasons = Vec::new();
    for _ in 0..4 {
        SimClient::connect(&sim).chat(r#""stream":true,"max_tokens":5"#);
    }
    for (name, count) in page(&sim, "/metrics") {
        if name.starts_with("vllm:request_success_total") {
            reasons.push(count);
        }
    }
    assert_eq!(reasons, [2.0, 0.0, 0.0, 2.0], "stop, length, abort, error");
    assert_eq!(sim.truth().iter().filter(|record| record.outcome == TruthOutcome::Cut).count(), 2);
}

#[test]
fn a_window_has_the_time_weighted_truth() {
    let sim = start("ttft=200&itl=0&gpus=2&gpu_full=2&gpu_idle=100&gpu_busy=300&kv_blocks=100");
    let started = Mono::now();
    SimClient::connect(&sim).chat(r#""stream":true,"max_tokens":11"#);
    let ended = Mono::now();
    wait_until(|| in_flight(&sim) == 0.0);
    let window = sim.window(started, ended);
    assert!(window.complete);
    assert_eq!((window.arrived, window.admitted, window.completed), (1, 1, 1));
    assert_eq!((window.prompt_tokens, window.generation_tokens), (5, 11.0));
    let span = ended.since(started).as_secs_f64();
    let running = window.running.mean * span;
    // A busy thread lets it in later than it arrived.
    let served = sim.truth()[0].end.since(sim.truth()[0].arrival).as_secs_f64();
    assert!(running > 0.0 && running <= served, "one request for {served} s: {running}");
    assert_eq!((window.running.min, window.running.max), (0.0, 1.0));
    assert!((window.kv_cache_usage.mean - 0.01 * window.running.mean).abs() < 1e-9);
    // One of two requests that make a GPU busy: half of the way from 100 W to 300 W.
    let joules = 100.0 * span + 100.0 * running;
    assert!((window.joules_per_gpu - joules).abs() < 1e-6 && (window.joules - 2.0 * joules).abs() < 1e-6);
    assert!((window.watts_per_gpu - joules / span).abs() < 1e-6);

    // Only the queue of the first half: nothing was written yet, and nothing ended.
    let record = &sim.truth()[0];
    let half = sim.window(record.arrival, record.chunks[0]);
    assert_eq!((half.arrived, half.completed, half.generation_tokens), (1, 0, 0.0));
    assert_eq!(half.running.max, 1.0);

    let mut client = SimClient::connect(&sim);
    let (from, to) = (window.start_epoch_ns, window.end_epoch_ns);
    let over_http: Value = client.get(&format!("/sim/window?start_ns={from}&end_ns={to}")).json();
    // A JSON reader may lose the last bit.
    assert!((over_http["running"]["mean"].as_f64().unwrap() - window.running.mean).abs() < 1e-12);
    assert_eq!(over_http["start_ns"], window.start.as_nanos());
    let refused = client.get("/sim/window?start=1");
    assert_eq!(refused.status, 400);
    assert!(refused.json().to_string().contains("start_ns and end_ns"));
}

#[test]
fn a_dcgm_page_shows_power_and_its_integral() {
    let sim = start(&format!("{NEVER}&gpus=2&gpu_full=1&gpu_idle=100&gpu_busy=500"));
    let before = Mono::now();
    let clients = send_chats(&sim, 1);
    let busy = page(&sim, "/dcgm/metrics");
    let powers: Vec<f64> =
        busy.iter().filter(|(name, _)| name.starts_with("DCGM_FI_DEV_POWER_USAGE{")).map(|(_, watts)| *watts).collect();
    assert_eq!(powers, [500.0, 500.0]);
    drop(clients);
    wait_until(|| in_flight(&sim) == 0.0);
    let idle = page(&sim, "/dcgm/metrics");
    let of = |page: &[(String, f64)], field: &str| {
        let start = format!(r#"{field}{{gpu="1",UUID="GPU-"#);
        page.iter().find(|(name, _)| name.starts_with(&start)).unwrap().1
    };
    assert_eq!(of(&idle, "DCGM_FI_DEV_POWER_USAGE"), 100.0);
    let spent =
        (of(&idle, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION") - of(&busy, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")) / 1e3;
    let truth = sim.window(before, Mono::now());
    assert!(spent > 0.0 && spent <= truth.joules_per_gpu + 0.01, "{spent} {}", truth.joules_per_gpu);
    assert!(idle.iter().all(|(name, _)| name.contains(r#"modelName="NVIDIA H200",Hostname="sim""#)));
}

#[test]
fn a_dcgm_page_can_have_its_own_port_and_a_slow_refresh() {
    let sim = start(&format!("{NEVER}&gpus=1&dcgm_port=0&gpu_refresh=3600"));
    let address = sim.dcgm_addr().unwrap();
    let _clients = send_chats(&sim, 1);
    let mut exporter = SimClient::connect_to(address);
    let page = samples(&String::from_utf8(exporter.get("/metrics").body).unwrap());
    assert_eq!(value(&page, "DCGM_FI_DEV_POWER_USAGE"), 75.0, "the value of the start, for an hour");
    assert_eq!(value(&page, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"), 0.0);
    assert_eq!(exporter.post("/v1/chat/completions", &chat_body("")).status, 404);
}

#[test]
fn a_dcgm_port_needs_gpus() {
    let options = SimOptions::from_query("dcgm_port=0").unwrap();
    let failed = Sim::start(options, ([127, 0, 0, 1], 0).into()).unwrap_err();
    assert!(matches!(failed, SimError::DcgmPortWithoutGpus { port: 0 }));
    assert_eq!(SimClient::connect(&start("")).get("/dcgm/metrics").status, 404);
}

#[test]
fn a_reply_states_its_times_when_server_and_request_want_it() {
    let wanted = r#""include_metrics":true,"max_tokens":3"#;
    let streamed = r#""stream":true,"stream_options":{"include_usage":true}"#;
    let silent = start("ttft=0&itl=0");
    assert!(SimClient::connect(&silent).chat(wanted).json().get("metrics").is_none());
    let sim = start("ttft=30&itl=10&request_metrics=true&spec_drafts=2");
    let mut client = SimClient::connect(&sim);
    assert!(client.chat(r#""max_tokens":3"#).json()["metrics"].get("queue_time_ms").is_none());
    let whole = client.chat(wanted).json()["metrics"].clone();
    assert_eq!((whole["queue_time_ms"].as_f64(), whole["time_to_first_token_ms"].as_f64()), (Some(0.0), Some(30.0)));
    assert_eq!((whole["generation_time_ms"].as_f64(), whole["mean_itl_ms"].as_f64()), (Some(20.0), Some(10.0)));
    assert!(whole["speculative_decoding"].is_object());
    let chunks = client.chat(&format!("{streamed},{wanted}")).chunks();
    let stated = chunks.iter().filter(|chunk| chunk.get("metrics").is_some()).count();
    assert_eq!(stated, 1, "only the last chunk");
    assert!(chunks.last().unwrap()["metrics"]["time_to_first_token_ms"].as_f64().unwrap() >= 30.0);
}
