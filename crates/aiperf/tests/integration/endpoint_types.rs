//! Every endpoint type against the simulator: what arrives, what is counted, and which metrics come of it.

use aiperf_sim::Sim;
use serde_json::{Value, json};

use crate::support::{Artifacts, Program, Record, by_request_id, sim};

const FAST: &str = "ttft=2&itl=1";
const PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
/// A tenth of a second of silence.
const WAV: &str = "wav,UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const OF_STREAMS: [&str; 3] = ["time_to_first_token", "inter_token_latency", "time_to_first_output_token"];

/// Two requests with generated text of twenty tokens.
fn with_text(sim: &Sim, words: &str) -> Artifacts {
    check(Program::against(sim, words).with("--request-count 2").succeed())
}

/// One request for each row.
fn with_rows(sim: &Sim, rows: &[Value], words: &str) -> Artifacts {
    let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let program = Program::profile(&format!("--url {} --model test-model --input-file rows.jsonl", sim.url()));
    let count = format!("--request-count {}", rows.len());
    check(program.with(words).with(&count).file("rows.jsonl", &lines.join("\n")).succeed())
}

fn check(artifacts: Artifacts) -> Artifacts {
    for record in artifacts.records() {
        assert!(!record.failed(), "{record:?}");
        assert!(record.metric("request_latency") > 0.0);
    }
    artifacts
}

/// The counts of every record are those of the server.
fn check_counts(artifacts: &Artifacts, sim: &Sim) {
    let truth = by_request_id(sim);
    for record in artifacts.records() {
        let truth = &truth[record.word("x_request_id")];
        assert_eq!(Some(record.metric("input_sequence_length") as u32), truth.prompt_tokens, "{record:?}");
        if truth.output_tokens > 0 {
            assert_eq!(record.metric("output_sequence_length") as u32, truth.output_tokens, "{record:?}");
        } else {
            assert_eq!(record.value("output_sequence_length"), None);
        }
    }
}

fn check_streamed(artifacts: &Artifacts, streamed: bool) {
    for tag in OF_STREAMS {
        assert_eq!(artifacts.has_metric(tag), streamed, "{tag}");
    }
}

fn paths(sim: &Sim) -> Vec<String> {
    let mut paths: Vec<String> = sim.truth().iter().map(|truth| truth.path.clone()).collect();
    paths.dedup();
    paths
}

fn header<'t>(truth: &'t aiperf_sim::TruthRecord, name: &str) -> Option<&'t str> {
    truth.headers.iter().find(|(there, _)| there.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn first(artifacts: &Artifacts) -> Record {
    artifacts.records().swap_remove(0)
}

#[test]
fn texts_of_every_dialect_are_counted_streamed_and_in_one_piece() {
    for (kind, whole, streamed) in [
        ("responses", "/v1/responses", "/v1/responses"),
        ("messages", "/v1/messages", "/v1/messages"),
        ("huggingface_generate", "/generate", "/generate_stream"),
        ("generate", "/v2/models/test-model/generate", "/v2/models/test-model/generate_stream"),
        ("solido-rag", "/rag/api/prompt", "/rag/api/prompt"),
        ("vision", "/v1/chat/completions", "/v1/chat/completions"),
        ("Multimodal", "/v1/chat/completions", "/v1/chat/completions"),
    ] {
        let sims = [sim(FAST), sim(FAST)];
        let words = format!("--endpoint-type {kind} --osl 6");
        let osl = if kind == "solido-rag" { 64 } else { 6 };
        let artifacts = with_text(&sims[0], &words);
        assert_eq!(paths(&sims[0]), [whole], "{kind}");
        assert_eq!(first(&artifacts).metric("output_sequence_length") as u32, osl, "{kind}");
        check_counts(&artifacts, &sims[0]);
        check_streamed(&artifacts, false);

        let artifacts = with_text(&sims[1], &format!("{words} --streaming"));
        assert_eq!(paths(&sims[1]), [streamed], "{kind}");
        assert!(sims[1].truth().iter().all(|truth| truth.streaming && truth.chunks.len() as u32 == osl), "{kind}");
        check_counts(&artifacts, &sims[1]);
        check_streamed(&artifacts, true);
    }
}

#[test]
fn reasoning_and_calls_are_told_apart_in_the_newer_dialects() {
    for kind in ["responses", "messages"] {
        for streaming in ["", "--streaming"] {
            let thinking = sim("ttft=1&itl=1&reasoning=4");
            let artifacts = with_text(&thinking, &format!("--endpoint-type {kind} --osl 10 {streaming}"));
            for record in artifacts.records() {
                assert_eq!(record.metric("reasoning_token_count") as u32, 4, "{kind} {streaming}");
                assert_eq!(record.metric("output_token_count") as u32, 6, "{kind} {streaming}");
                assert_eq!(record.metric("usage_completion_tokens") as u32, 10, "{kind} {streaming}");
            }
            let calling = sim("ttft=1&itl=1&tools=always");
            let artifacts = with_text(&calling, &format!("--endpoint-type {kind} --osl 12 {streaming}"));
            check_counts(&artifacts, &calling);
        }
    }
}

#[test]
fn sessions_go_on_in_the_shape_of_their_api() {
    for (kind, list, turns) in [("responses", "input", 3), ("messages", "messages", 3)] {
        let sim = sim("ttft=0&itl=0&osl=3&early_stop=1");
        let words =
            format!("--endpoint-type {kind} --num-sessions 2 --session-turns-mean 2 --extra-inputs max_tokens:50");
        check(Program::against(&sim, &words).succeed());
        let second =
            sim.truth().into_iter().filter_map(|truth| serde_json::from_str::<Value>(truth.body.as_deref()?).ok());
        let longest = second.map(|body| body[list].as_array().unwrap().len()).max();
        assert_eq!(longest, Some(turns), "{kind}");
    }
    let sim = sim("ttft=0&itl=0&osl=3");
    let words = "--endpoint-type responses --num-sessions 1 --session-turns-mean 2 --use-server-token-count";
    let artifacts = check(Program::against(&sim, words).with("--extra-inputs store:true").succeed());
    let bodies: Vec<Value> =
        sim.truth().iter().map(|truth| serde_json::from_str(truth.body.as_deref().unwrap()).unwrap()).collect();
    assert!(bodies[1]["previous_response_id"].is_string() && bodies[1]["input"].as_array().unwrap().len() == 1);
    check_counts(&artifacts, &sim);
}

#[test]
fn anthropic_keys_and_versions_go_into_their_own_headers() {
    let sim = sim(FAST);
    with_text(&sim, "--endpoint-type messages --api-key sk-ant --osl 3");
    for truth in sim.truth() {
        assert_eq!(header(&truth, "x-api-key"), Some("sk-ant"));
        assert_eq!(header(&truth, "anthropic-version"), Some("2023-06-01"));
        assert_eq!(header(&truth, "authorization"), None);
    }
}

#[test]
fn errors_inside_a_stream_fail_the_request_in_every_dialect() {
    for kind in ["responses", "messages", "huggingface_generate", "generate", "solido_rag"] {
        let sim = sim("ttft=1&itl=1&inband_every=1");
        let words = format!("--endpoint-type {kind} --streaming --osl 6 --request-count 2");
        let ended = Program::against(&sim, &words).run();
        assert_eq!(ended.code, Some(1), "{kind}");
        for record in ended.artifacts.records() {
            let message = record.0["error"]["message"].as_str().unwrap();
            assert!(message.contains("simulated failure"), "{kind}: {message}");
        }
    }
}

#[test]
fn embeddings_of_chats_texts_and_images() {
    let row = json!({"text": "Look at this cat", "image": PNG});
    for (kind, images) in [("chat_embeddings", 1), ("nim-embeddings", 1), ("nvclip", 1)] {
        let sim = sim(FAST);
        let artifacts =
            with_rows(&sim, std::slice::from_ref(&row), &format!("--endpoint-type {kind} --tokenizer builtin"));
        assert_eq!(paths(&sim), ["/v1/embeddings"]);
        check_counts(&artifacts, &sim);
        check_streamed(&artifacts, false);
        assert_eq!(first(&artifacts).metric("num_images") as u32, images, "{kind}");
        assert!(artifacts.has_metric("image_throughput") && artifacts.has_metric("image_latency"));
        assert!(artifacts.text("profile_export_console.txt").contains("Embeddings Metrics"));
    }
}

#[test]
fn rankings_have_input_tokens() {
    let row = json!({"texts": [
        {"name": "query", "contents": ["What is a cat?"]},
        {"name": "passages", "contents": ["A small animal.", "A kind of boat.", "A command."]},
    ]});
    for (kind, path) in [
        ("nim_rankings", "/v1/ranking"),
        ("hf-tei-rankings", "/rerank"),
        ("cohere_rankings", "/v2/rerank"),
        ("rankings", "/v1/ranking"),
    ] {
        let sim = sim(FAST);
        let artifacts =
            with_rows(&sim, std::slice::from_ref(&row), &format!("--endpoint-type {kind} --tokenizer builtin"));
        assert_eq!(paths(&sim), [path]);
        check_counts(&artifacts, &sim);
        let console = artifacts.text("profile_export_console.txt");
        assert!(console.contains("Ranking Metrics") || console.contains("Rankings Metrics"), "{kind}");
    }
}

#[test]
fn rankings_are_generated_with_the_passages_and_lengths_asked_for() {
    for kind in ["rankings", "nim_rankings", "hf_tei_rankings", "cohere_rankings"] {
        let sim = sim(FAST);
        let words = format!("--url {} --model test-model --tokenizer builtin --endpoint-type {kind}", sim.url());
        let lengths =
            "--rankings-passages-mean 4 --rankings-passages-prompt-token-mean 12 --rankings-query-prompt-token-mean 6";
        let artifacts = check(Program::profile(&words).with(lengths).with("--request-count 3").succeed());
        check_counts(&artifacts, &sim);
        for truth in sim.truth() {
            let body: Value = serde_json::from_str(truth.body.as_deref().unwrap()).unwrap();
            let lists = ["passages", "texts", "documents"].map(|name| body[name].as_array().map_or(0, Vec::len));
            assert_eq!(lists.iter().sum::<usize>(), 4, "{body}");
            // Counted together, the texts may lose a token where they meet.
            assert!(truth.prompt_tokens.unwrap().abs_diff(4 * 12 + 6) <= 5, "{kind}: {:?}", truth.prompt_tokens);
        }
    }
}

#[test]
fn images_are_made_whole_piece_by_piece_and_from_others() {
    let whole = sim(FAST);
    let artifacts = with_text(&whole, "--endpoint-type image_generation --extra-inputs size:512x512");
    check_counts(&artifacts, &whole);
    assert!(artifacts.text("profile_export_console.txt").contains("Image Generation Metrics"));

    let streamed = sim("ttft=5&itl=5");
    let artifacts =
        with_text(&streamed, "--endpoint-type image-generation --streaming --extra-inputs partial_images:2");
    check_streamed(&artifacts, false);
    assert!(streamed.truth().iter().all(|truth| truth.streaming && truth.chunks.len() == 3));
    assert!(artifacts.stat("request_latency", "min") >= 15.0);

    let edited = sim(FAST);
    let row = json!({"text": "Give it a hat", "image": PNG});
    let artifacts =
        with_rows(&edited, &[row], "--endpoint-type image_edit --tokenizer builtin --extra-inputs size:1x1");
    check_counts(&artifacts, &edited);
    assert_eq!(first(&artifacts).metric("num_images") as u32, 1);
    let listed = &artifacts.inputs()[0].1[0];
    assert_eq!((&listed["prompt"], &listed["n"]), (&json!("Give it a hat"), &json!(1)));
    assert_eq!(listed["image"]["filename"], "image.png");
    let truth = edited.truth().swap_remove(0);
    assert!(header(&truth, "content-type").unwrap().starts_with("multipart/form-data; boundary="));
    assert!(truth.body.as_deref().unwrap().contains("filename=\"image.png\""));
}

#[test]
fn a_video_is_asked_after_until_it_is_there() {
    let sim = sim("ttft=600&itl=0");
    let words = "--endpoint-type video_generation --download-video-content";
    let artifacts = check(
        Program::against(&sim, words)
            .with("--request-count 2 --concurrency 2")
            .env("AIPERF_HTTP_VIDEO_POLL_INTERVAL", "0.005")
            .succeed(),
    );
    let seen = |part: &str| sim.truth().iter().filter(|truth| truth.path.contains(part)).count();
    assert_eq!((seen("/content"), sim.truth().iter().filter(|truth| truth.method == "POST").count()), (2, 2));
    assert!(seen("/v1/videos/video_") > 4, "polls and downloads");
    let ids: std::collections::HashSet<_> = sim.truth().iter().map(|truth| truth.request_id.clone()).collect();
    assert_eq!(ids.len(), 2, "all questions after a job have its id");
    for record in artifacts.records() {
        assert_eq!(record.metric("video_inference_time").round() as u32, 600);
        assert_eq!(record.metric("video_peak_memory") as u32, 20_480);
        assert!(record.metric("request_latency") >= 600.0);
        assert_eq!(record.metric("input_sequence_length") as u32, 20);
        assert_eq!(record.value("http_req_duration"), None);
    }
}

#[test]
fn a_video_that_fails_is_a_failed_request() {
    let sim = sim("ttft=1&itl=0&inband_every=1");
    let ended = Program::against(&sim, "--endpoint-type video-generation --request-count 1").run();
    assert_eq!(ended.code, Some(1));
    let record = first(&ended.artifacts);
    assert_eq!(record.error(), (Some(500), "VideoGenerationError"));
    assert!(record.0["error"]["message"].as_str().unwrap().contains("simulated failure"));

    let slow = self::sim("ttft=60000");
    let words = "--endpoint-type video-generation --request-count 1 --request-timeout-seconds 0.2";
    let ended = Program::against(&slow, words).run();
    assert_eq!(first(&ended.artifacts).error().1, "TimeoutError");
}

#[test]
fn images_that_are_looked_at_have_a_rate_and_no_tokens() {
    let sim = sim(FAST);
    let artifacts = with_rows(&sim, &[json!({"images": [PNG, PNG]})], "--endpoint-type image-retrieval");
    assert_eq!(paths(&sim), ["/v1/infer"]);
    let record = first(&artifacts);
    assert_eq!(record.metric("num_images") as u32, 2);
    assert!((record.metric("image_latency") - record.metric("request_latency") / 2.0).abs() < 1e-6);
    assert_eq!(record.value("input_sequence_length"), None);
    assert!(artifacts.text("profile_export_console.txt").contains("Image Retrieval Metrics"));
}

#[test]
fn speech_is_written_down_in_every_format() {
    for format in ["json", "verbose_json", "text", "srt", "vtt"] {
        let sim = sim(FAST);
        let words = format!("--endpoint-type audio_transcription --extra-inputs response_format:{format}");
        let artifacts = with_rows(&sim, &[json!({"audio": WAV})], &words);
        assert_eq!(paths(&sim), ["/v1/audio/transcriptions"]);
        let record = first(&artifacts);
        assert_eq!(record.value("output_sequence_length"), None);
        assert!(sim.truth()[0].body.as_deref().unwrap().contains("filename=\"audio.wav\""));
    }
}

#[test]
fn a_limit_that_was_not_sent_is_not_missed() {
    let sim = sim(FAST);
    let template = r#"--extra-inputs {"payload_template":"{\"prompt\":{{text|tojson}}}"}"#;
    for words in
        ["--endpoint-type solido_rag", &format!("--endpoint-type template --endpoint /v1/completions {template}")]
    {
        let ended = Program::against(&sim, words).with("--request-count 1 --osl 3").run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stderr.contains("--osl has no effect"), "{}", ended.stderr);
        let record = first(&ended.artifacts);
        assert!(record.metric("output_sequence_length") > 3.0, "{record:?}");
        assert_eq!(record.value("osl_mismatch_diff_pct"), None);
    }
}

#[test]
fn what_a_request_has_no_place_for_is_named() {
    let sim = sim(FAST);
    let row = json!({"texts": [{"name": "query", "contents": ["a"]}, {"name": "passages", "contents": ["b"]},
        {"name": "title", "contents": ["c"]}]});
    let rows = format!("{row}\n{row}");
    let ranked = Program::profile(&format!("--url {} --model m --tokenizer builtin --request-count 2", sim.url()))
        .with("--endpoint-type nim_rankings --input-file rows.jsonl")
        .file("rows.jsonl", &rows)
        .run();
    assert_eq!(ranked.stderr.matches("text named \"title\"").count(), 1, "{}", ranked.stderr);
    for (words, named) in [
        ("--endpoint-type image_generation --tokenizer builtin --prompt-batch-size 2", Some("texts after the first")),
        ("--endpoint-type image_generation --tokenizer builtin", None),
        ("--endpoint-type audio_transcription --audio-length-mean 0.1", None),
        ("--endpoint-type image_retrieval --image-width-mean 8 --image-height-mean 8", None),
    ] {
        let ended = Program::profile(&format!("--url {} --model m --request-count 1", sim.url())).with(words).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(ended.stderr.contains("cannot send"), named.is_some(), "{words}: {}", ended.stderr);
        assert!(ended.stderr.contains(named.unwrap_or_default()), "{words}: {}", ended.stderr);
    }
}

#[test]
fn ready_made_bodies_are_sent_as_they_are_and_read_by_shape() {
    let sim = sim(FAST);
    let url = format!("http://{}/v1/chat/completions?x=1", sim.addr());
    let body = r#"{"messages":[{"role":"user","content":"raw"}],"zz":{"b":1,"a":2},"max_tokens":5,"model":"authored"}"#;
    let artifacts = Program::profile(&format!("--url {url} --model m --tokenizer builtin --endpoint-type raw"))
        .with("--input-file rows.jsonl --custom-dataset-type raw_payload --request-count 1")
        .file("rows.jsonl", body)
        .succeed();
    assert_eq!(sim.truth()[0].body.as_deref(), Some(body));
    assert_eq!(paths(&sim), ["/v1/chat/completions?x=1"]);
    check_counts(&artifacts, &sim);
}

#[test]
fn a_template_makes_bodies_and_a_field_finds_the_answer() {
    let sim = sim(FAST);
    let template = r#"{"model": "{{ model }}", "prompt": {{ text|tojson }}, "max_tokens": {{ max_tokens }}, "stream": {{ stream }}}"#;
    for (streaming, field) in [("", "choices[0].text"), ("--streaming", "text")] {
        let inputs = json!({"payload_template": template, "response_field": field}).to_string();
        let url = format!("http://{}/v1/completions", sim.addr());
        let program =
            Program::profile(&format!("--url {url} --model m --tokenizer builtin --isl 20 --osl 5 {streaming}"));
        let artifacts =
            check(program.with("--endpoint-type template --request-count 2 --extra-inputs").word(inputs).succeed());
        check_counts(&artifacts, &sim);
        check_streamed(&artifacts, !streaming.is_empty());
    }
}
