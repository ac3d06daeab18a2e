//! The `KServe` protocol over gRPC and HTTP against the simulator, which knows what was asked and when it answered.

use std::sync::Arc;

use aiperf_sim::{Sim, TruthRecord};
use serde_json::{Value, json};

use crate::support::grpc_service::{NO_REFLECTION, grpc_service};
use crate::support::{Artifacts, Authority, Program, ProxyBehaviour, ProxyServer, Record, sim};

const MS: f64 = 1e6;

fn infer(sim: &Sim, scheme: &str, words: &str) -> Program {
    Program::profile(&format!("--url {scheme}://{} --model test-model --tokenizer builtin --isl 20", sim.addr()))
        .with("--endpoint-type kserve --export-level raw")
        .with(words)
}

/// Requests for text, without the questions before the run.
fn asked(sim: &Sim) -> Vec<Arc<TruthRecord>> {
    sim.truth().into_iter().filter(|truth| truth.prompt_tokens.is_some()).collect()
}

fn bodies(sim: &Sim) -> Vec<Value> {
    asked(sim).iter().map(|truth| serde_json::from_str(truth.body.as_deref().unwrap()).unwrap()).collect()
}

/// Datatype and data of an input.
fn input(body: &Value, name: &str) -> Option<(String, Value)> {
    let found = body["inputs"].as_array().unwrap().iter().find(|input| input["name"] == name)?;
    Some((found["datatype"].as_str().unwrap().to_owned(), found["data"].clone()))
}

fn check(artifacts: &Artifacts, sim: &Sim, path: &str, check: impl Fn(&Record, &Record, &TruthRecord)) {
    let (records, raw, truth) = (artifacts.records(), artifacts.raw_records(), asked(sim));
    assert!(!records.is_empty() && records.len() == truth.len());
    for (record, raw) in records.iter().zip(&raw) {
        assert!(!record.failed(), "{record:?}");
        let id = Some(record.word("x_request_id"));
        let truth = truth.iter().find(|truth| truth.request_id.as_deref() == id).unwrap();
        assert_eq!(truth.path, path);
        assert_eq!(record.metric("input_sequence_length") as u32, truth.prompt_tokens.unwrap());
        assert_eq!(record.metric("output_sequence_length") as u32, truth.output_tokens);
        check(record, raw, truth);
    }
}

#[test]
fn a_stream_of_tensors_is_timed_message_by_message() {
    for (scheme, path) in
        [("grpc", "/inference.GRPCInferenceService/ModelStreamInfer"), ("http", "/v2/models/test-model/infer_stream")]
    {
        let sim = sim("ttft=uniform:5,20&itl=uniform:2,6&seed=3");
        let artifacts = infer(&sim, scheme, "--streaming --osl 8 --request-count 8 --concurrency 3").succeed();
        check(&artifacts, &sim, path, |record, raw, truth| {
            let start = raw.0["start_perf_ns"].as_u64().unwrap();
            let stamps: Vec<u64> =
                raw.0["responses"].as_array().unwrap().iter().map(|it| it["perf_ns"].as_u64().unwrap()).collect();
            assert_eq!((stamps.len(), truth.chunks.len()), (8, 8));
            for (seen, written) in stamps.iter().zip(&truth.chunks) {
                assert!(*seen >= written.as_nanos(), "seen before it was written");
            }
            let close = |tag: &str, value: f64| assert!((record.metric(tag) - value).abs() < 1e-5, "{tag} {value}");
            close("time_to_first_token", (stamps[0] - start) as f64 / MS);
            close("request_latency", (stamps[7] - start) as f64 / MS);
            assert!(record.metric("time_to_first_token") >= truth.chunks[0].since(truth.arrival).0 as f64 / MS);
        });
    }
}

#[test]
fn a_reply_in_one_piece_is_one_message() {
    for (scheme, path) in
        [("grpc", "/inference.GRPCInferenceService/ModelInfer"), ("http", "/v2/models/test-model/infer")]
    {
        let sim = sim("ttft=5&itl=1");
        let artifacts = infer(&sim, scheme, "--osl 6 --request-count 4 --concurrency 2").succeed();
        check(&artifacts, &sim, path, |record, _, truth| {
            assert_eq!(truth.output_tokens, 6);
            assert!(record.metric("request_latency") >= truth.chunks[0].since(truth.arrival).0 as f64 / MS);
        });
        assert!(!artifacts.has_metric("time_to_first_token"));
        let payload = &artifacts.json("inputs.json")["data"][0]["payloads"][0];
        assert_eq!(input(payload, "max_tokens"), Some(("INT32".into(), json!([6]))));
    }
}

#[test]
fn each_backend_names_its_tensors_and_types_come_from_the_model() {
    for scheme in ["grpc", "http"] {
        let body = |words: &str| {
            let sim = sim("ttft=0&itl=0&osl=3");
            infer(&sim, scheme, "--request-count 1").with(words).succeed();
            bodies(&sim).remove(0)
        };
        let plain = body("--streaming --extra-inputs temperature:1,top_k:5");
        assert_eq!(input(&plain, "text_input").unwrap().0, "BYTES");
        assert_eq!(input(&plain, "max_tokens"), Some(("INT32".into(), json!([256]))));
        assert_eq!(input(&plain, "stream"), Some(("BOOL".into(), json!([true]))));
        assert_eq!(input(&plain, "exclude_input_in_output"), Some(("BOOL".into(), json!([true]))));
        assert_eq!(input(&plain, "temperature"), Some(("FP32".into(), json!([1.0]))));
        assert_eq!(input(&plain, "top_k"), Some(("INT32".into(), json!([5]))));
        let vllm = body("--backend vllm --osl 4 --extra-inputs best_of:2");
        let (kind, sampling) = input(&vllm, "sampling_parameters").unwrap();
        let sampling: Value = serde_json::from_str(sampling[0].as_str().unwrap()).unwrap();
        assert_eq!((kind.as_str(), sampling), ("BYTES", json!({"max_tokens": 4, "best_of": 2})));
        assert_eq!(input(&vllm, "max_tokens"), None);
        let python = body("--backend python --osl 4");
        assert_eq!((input(&python, "max_tokens").unwrap().1, input(&python, "stream")), (json!([4]), None));
    }
}

#[test]
fn an_input_that_the_model_does_not_have_is_refused_with_those_that_it_has() {
    let sim = sim("ttft=0");
    for (words, part) in [
        ("--extra-inputs nothing:1", "no input nothing; it has text_input (BYTES), max_tokens (INT32)"),
        ("--extra-inputs top_k:many", "top_k: \"many\" is not a value of type INT32"),
        ("--input-file rows --custom-dataset-type inputs_json", "dynamic_grpc"),
    ] {
        let rows = r#"{"data":[{"session_id":"a","payloads":[{"inputs":[]}]}]}"#;
        let program = Program::profile(&format!("--url grpc://{} --model m --tokenizer builtin", sim.addr()));
        let ended = program.with("--endpoint-type kserve").with(words).file("rows", rows).run();
        assert!(ended.code == Some(1) && ended.stderr.contains(part), "{}", ended.stderr);
    }
    assert!(asked(&sim).is_empty());
}

#[test]
fn what_goes_wrong_is_a_failed_record_in_the_words_of_grpc() {
    for (options, words, code, kind) in [
        ("error_every=1&error_status=503", "", json!(14), "UNAVAILABLE"),
        ("error_every=1&error_status=500", "--streaming", json!(13), "INTERNAL"),
        ("reset_every=1&osl=6", "--streaming", Value::Null, "ClientPayloadError"),
        ("cut_every=1&osl=6", "--streaming", json!(2), "UNKNOWN"),
        ("inband_every=1&osl=6", "--streaming", Value::Null, "InferenceError"),
        ("malformed_every=1&osl=6", "--streaming", Value::Null, "InvalidInferenceResultError"),
        ("ttft=60000", "--streaming --request-timeout-seconds 0.3", json!(4), "DEADLINE_EXCEEDED"),
    ] {
        let sim = sim(options);
        let ended = infer(&sim, "grpc", "--request-count 2").with(words).run();
        assert_eq!(ended.code, Some(1), "{options}: {}", ended.stderr);
        let records = ended.artifacts.records();
        assert_eq!(records.len(), 2, "{options}");
        for record in records {
            let error = &record.0["error"];
            assert_eq!((error.get("code").unwrap_or(&Value::Null), &error["type"]), (&code, &json!(kind)), "{options}");
        }
    }
}

#[test]
fn a_limit_on_prefill_waits_for_the_first_message() {
    let sim = sim("ttft=15&itl=3");
    let words = "--streaming --osl 6 --request-count 6 --concurrency 3 --prefill-concurrency 1";
    let artifacts = infer(&sim, "grpc", words).succeed();
    assert_eq!(artifacts.records().len(), 6);
    // Nobody is let in while another one waits for its first message.
    let mut calls = asked(&sim);
    calls.sort_by_key(|truth| truth.arrival);
    for pair in calls.windows(2) {
        assert!(pair[1].arrival >= pair[0].chunks[0], "two prefills at once");
    }
}

/// The answers of a request as the raw records show them.
fn answers(raw: &Record) -> Vec<Value> {
    let shown = |answer: &Value| serde_json::from_str(answer["text"].as_str().unwrap()).unwrap();
    raw.0["responses"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn answers_without_envelopes_are_read_in_streams_and_whole_with_raw_text_and_typed() {
    for model in ["words", "typed"] {
        for words in ["--streaming", ""] {
            let service = grpc_service(NO_REFLECTION);
            let artifacts = Program::profile(&format!("--url {} --model {model} --tokenizer builtin", service.url()))
                .with("--endpoint-type kserve --isl 20 --request-count 3 --concurrency 2 --export-level raw")
                .with(words)
                .succeed();
            let records = artifacts.records();
            assert_eq!(records.len(), 3);
            for (record, raw) in records.iter().zip(&artifacts.raw_records()) {
                assert!(!record.failed(), "{record:?}");
                let answers = answers(raw);
                let text = |answer: &Value| answer["outputs"][0]["data"][0].as_str().unwrap().to_owned();
                let said: String = answers.iter().map(text).collect();
                let asked = &raw.0["payload"]["inputs"][0]["data"][0];
                let asked: Vec<&str> = asked.as_str().unwrap().split_whitespace().collect();
                assert_eq!(said.split_whitespace().collect::<Vec<_>>(), asked);
                assert_eq!(answers.len(), if words.is_empty() { 1 } else { asked.len() });
                assert!(record.metric("output_sequence_length") > 0.0);
            }
            assert_eq!(artifacts.has_metric("time_to_first_token"), !words.is_empty());
        }
    }
}

#[test]
fn the_name_of_a_model_is_no_error_though_it_stands_alone() {
    let service = grpc_service(NO_REFLECTION);
    let ended = Program::profile(&format!("--url {} --model silent --tokenizer builtin", service.url()))
        .with("--endpoint-type kserve --streaming --isl 20 --request-count 1")
        .run();
    let records = ended.artifacts.records();
    assert_eq!(records[0].error().1, "InvalidInferenceResultError", "{:?}", records[0]);
}

#[test]
fn under_tls_the_calls_are_the_same() {
    let sim = sim("ttft=uniform:5,20&itl=uniform:2,6&seed=3");
    let authority = Authority::new();
    let mut tls = (*authority.server()).clone();
    tls.alpn_protocols = vec![b"h2".to_vec()];
    let door = ProxyServer::start(sim.addr(), ProxyBehaviour::Secure(Arc::new(tls)));
    let program = |words: &str| {
        Program::profile(&format!("--url grpcs://localhost:{} --model test-model", door.addr.port()))
            .with("--tokenizer builtin --isl 20 --osl 6 --request-count 4 --concurrency 2")
            .with("--endpoint-type kserve --export-level raw")
            .with(words)
            .file("ca.pem", &authority.pem())
    };
    let artifacts = program("--streaming --ca-cert ca.pem").succeed();
    check(&artifacts, &sim, "/inference.GRPCInferenceService/ModelStreamInfer", |record, _, truth| {
        assert!(record.metric("time_to_first_token") >= truth.chunks[0].since(truth.arrival).0 as f64 / MS);
    });
    let stranger = program("--streaming").run();
    assert!(stranger.code == Some(1) && stranger.stderr.contains("certificate"), "{}", stranger.stderr);
    assert_eq!(asked(&sim).len(), 4);
}
