//! What the client measured against what the server knows to have happened. A slow machine may make the client late, but
//! never early, and never out of order.

use aiperf_sim::{Sim, TruthRecord};

use crate::support::{Artifacts, Program, Record, by_request_id, sim};

const MS: f64 = 1e6;

fn milliseconds(from: aiperf_clock::Mono, to: aiperf_clock::Mono) -> f64 {
    to.since(from).0 as f64 / MS
}

/// For each raw record, the record with its metrics and the truth.
fn each(artifacts: &Artifacts, sim: &Sim, check: impl Fn(&Record, &Record, &TruthRecord)) {
    let truth = by_request_id(sim);
    let (records, raw) = (artifacts.records(), artifacts.raw_records());
    assert!(!records.is_empty() && records.len() == raw.len() && raw.len() == truth.len());
    for (record, raw) in records.iter().zip(&raw) {
        assert_eq!(record.word("x_request_id"), raw.word("x_request_id"));
        check(record, raw, &truth[raw.word("x_request_id")]);
    }
}

/// Monotonic stamps of the events that carry content.
fn content_stamps(raw: &Record) -> Vec<u64> {
    let is_content = |response: &&serde_json::Value| {
        let data = response["packets"][0]["value"].as_str().unwrap();
        let event: serde_json::Value = serde_json::from_str(data).unwrap_or_default();
        let choice = &event["choices"][0];
        let text = [&choice["delta"]["content"], &choice["text"]].into_iter().find_map(|text| text.as_str());
        text.is_some_and(|text| !text.is_empty())
    };
    let responses = raw.0["responses"].as_array().unwrap();
    responses.iter().filter(is_content).map(|response| response["perf_ns"].as_u64().unwrap()).collect()
}

fn check_stream(record: &Record, raw: &Record, truth: &TruthRecord) {
    let start = raw.0["start_perf_ns"].as_u64().unwrap();
    assert!(start <= truth.first_byte.as_nanos(), "sent after it had arrived");

    let seen = content_stamps(raw);
    assert_eq!(seen.len(), truth.chunks.len());
    assert!(seen.is_sorted());
    for (seen, written) in seen.iter().zip(&truth.chunks) {
        assert!(*seen >= written.as_nanos(), "seen before it was written");
    }

    // Metrics are differences of the stamps above, so they can be told to the nanosecond.
    let since_start = |at: u64| (at - start) as f64 / MS;
    let (first, last) = (seen[0], *seen.last().unwrap());
    let close = |tag: &str, value: f64| assert!((record.metric(tag) - value).abs() < 1e-5, "{tag} {value} {record:?}");
    close("time_to_first_token", since_start(first));
    close("time_to_second_token", (seen[1] - first) as f64 / MS);
    let tokens = record.metric("output_sequence_length");
    assert_eq!(tokens as u32, truth.output_tokens);
    close("inter_token_latency", (record.metric("request_latency") - since_start(first)) / (tokens - 1.0));
    let gaps = record.0["metrics"]["inter_chunk_latency"]["value"].as_array().unwrap();
    assert_eq!(gaps.len(), truth.chunks.len() - 1);

    // Never shorter than what the server took.
    assert!(record.metric("time_to_first_token") >= milliseconds(truth.first_byte, truth.chunks[0]));
    let content_span = milliseconds(truth.first_byte, *truth.chunks.last().unwrap());
    assert!(record.metric("request_latency") >= content_span);
    assert!(record.metric("request_latency") >= since_start(last) - 1e-5);
    assert!(record.number("request_end_ns") - record.number("request_start_ns") >= truth.end.since(truth.first_byte).0);
}

#[test]
fn stamps_of_a_stream_are_never_earlier_than_the_writes_they_belong_to() {
    for (options, words) in [
        ("ttft=uniform:5,30&itl=uniform:1,8&seed=3", "--concurrency 3 --osl 12"),
        ("ttft=6&itl=2&tokens_per_chunk=3", "--concurrency 2 --osl 12"),
        ("ttft=2&itl=1&batch=1", "--concurrency 4 --osl 4"),
        ("ttft=0&itl=0", "--concurrency 8 --osl 30 --endpoint-type completions"),
    ] {
        let sim = sim(options);
        let artifacts =
            Program::against(&sim, "--streaming --request-count 12 --export-level raw").with(words).succeed();
        each(&artifacts, &sim, check_stream);
    }
}

#[test]
fn the_first_token_is_stamped_when_it_comes_and_not_at_the_end() {
    let sim = sim("ttft=10&itl=15");
    let artifacts = Program::against(&sim, "--streaming --request-count 6 --osl 20").succeed();
    // Even a machine that sleeps now and then gets to one of these in the 285 ms that follow its first token.
    assert!(
        artifacts.records().iter().any(|r| r.metric("time_to_first_token") < r.metric("request_latency") / 2.0),
        "all first tokens were seen late"
    );
}

#[test]
fn a_reply_in_one_piece_is_over_when_its_last_byte_is_there() {
    let sim = sim("ttft=8&itl=2");
    let artifacts = Program::against(&sim, "--request-count 6 --concurrency 2 --osl 5 --export-level raw").succeed();
    each(&artifacts, &sim, |record, raw, truth| {
        let start = raw.0["start_perf_ns"].as_u64().unwrap();
        let seen = raw.0["responses"][0]["perf_ns"].as_u64().unwrap();
        assert!(start <= truth.first_byte.as_nanos() && seen >= truth.chunks[0].as_nanos());
        assert!((record.metric("request_latency") - (seen - start) as f64 / MS).abs() < 1e-5);
    });
}

#[test]
fn requests_one_at_a_time_arrive_in_the_order_of_their_numbers() {
    let sim = sim("ttft=2&itl=1");
    let artifacts = Program::against(&sim, "--streaming --request-count 10 --osl 3").succeed();
    let records = artifacts.records();
    let sent: Vec<&str> = records.iter().map(|record| record.word("x_request_id")).collect();
    let truth = sim.truth();
    assert_eq!(truth.iter().map(|t| t.request_id.as_deref().unwrap()).collect::<Vec<_>>(), sent);
    for pair in records.windows(2) {
        assert!(pair[1].number("request_start_ns") >= pair[0].number("request_end_ns"));
    }
    // One connection does for all of them.
    assert!(truth.iter().all(|truth| truth.connection == 0));
}

#[test]
fn the_summary_is_made_of_all_records() {
    let sim = sim("ttft=uniform:1,20&itl=uniform:0,4&seed=9");
    let artifacts =
        Program::against(&sim, "--streaming --request-count 25 --concurrency 5 --osl 8 --osl-stddev 2").succeed();
    let records = artifacts.records();
    for tag in ["time_to_first_token", "request_latency", "inter_token_latency", "output_sequence_length"] {
        let values: Vec<f64> = records.iter().filter_map(|record| record.value(tag)).collect();
        let near = |stat: &str, value: f64| {
            let ours = artifacts.stat(tag, stat);
            assert!((ours - value).abs() <= 1e-9 * value.abs().max(1.0), "{tag} {stat}: {ours} is not {value}");
        };
        near("count", values.len() as f64);
        near("avg", values.iter().sum::<f64>() / values.len() as f64);
        near("min", values.iter().copied().fold(f64::INFINITY, f64::min));
        near("max", values.iter().copied().fold(0.0, f64::max));
    }
    let tokens: u32 = sim.truth().iter().map(|truth| truth.output_tokens).sum();
    assert_eq!(artifacts.average("total_osl") as u32, tokens);
    // Rates are over the phase, whose times the summary gives to the microsecond.
    let time = |name: &str| artifacts.summary()[name].as_str().unwrap().parse::<jiff::civil::DateTime>().unwrap();
    let phase = time("end_time").duration_since(time("start_time")).as_secs_f64();
    assert!((artifacts.average("request_throughput") * phase - 25.0).abs() < 0.01);
    let duration = artifacts.average("benchmark_duration");
    assert!(duration <= phase + 1e-5);
    let truth = sim.truth();
    // Content ends a request; what else ends a stream may come later from a busy server.
    let written = truth.iter().map(|t| *t.chunks.last().unwrap()).max().unwrap();
    let busy = written.since(truth[0].arrival).as_secs_f64();
    assert!(duration >= busy - 1e-3, "{duration} is less than {busy}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_summary_says_that_the_kernel_took_the_times_and_how_late_they_were_read() {
    let sim = sim("ttft=5&itl=2");
    let artifacts =
        Program::against(&sim, "--streaming --request-count 8 --concurrency 4 --osl 6 --export-http-trace").succeed();
    let timestamps = &artifacts.summary()["timestamps"];
    let count = |key: &str| timestamps[key].as_u64().unwrap();
    assert_eq!((timestamps["source"].as_str(), timestamps["clock_step"].as_bool()), (Some("kernel"), Some(false)));
    assert!(count("kernel_reads") > 0 && count("coalesced_reads") <= count("kernel_reads") + count("user_reads"));
    let delay = |key: &str| timestamps["arrival_to_read_delay_ms"][key].as_f64().unwrap();
    assert!(0.0 < delay("p50") && delay("p50") <= delay("p99") && delay("p99") <= delay("max"));
    let of_records = |key: &str| -> u64 {
        artifacts.records().iter().map(|record| record.0["trace_data"]["stamp_source"][key].as_u64().unwrap()).sum()
    };
    for key in ["kernel", "user", "coalesced"] {
        assert_eq!(of_records(key), count(&format!("{key}_reads")));
    }
}
