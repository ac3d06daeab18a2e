//! Each rule about options that go or cannot be combined: what is typed, and what the error must say.

use aiperf_protocol::EndpointKind;

use super::{check, resolve, with_model};

#[test]
fn data() {
    check(&[
        (&["--isl=-5"], &["--isl", "at least 0"]),
        (&["--isl=0"], &["--isl", "would be empty"]),
        (&["--osl-stddev=1"], &["--osl-stddev", "--osl"]),
        (&["--num-prefix-prompts=0"], &["--num-prefix-prompts", "at least 1"]),
        (&["--batch-size=0"], &["--batch-size", "at least 1"]),
        (&["--num-prefix-prompts=2"], &["--num-prefix-prompts", "--prefix-prompt-length"]),
        (&["--prefix-prompt-length=2"], &["--prefix-prompt-length", "--num-prefix-prompts"]),
        (
            &["--num-prefix-prompts=2", "--prefix-prompt-length=2", "--shared-system-prompt-length=3"],
            &["--num-prefix-prompts", "--shared-system-prompt-length"],
        ),
        (
            &["--prefix-prompt-length=2", "--user-context-prompt-length=3"],
            &["--prefix-prompt-length", "--user-context-prompt-length"],
        ),
    ]);
}

#[test]
fn system_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let blank = folder.path().join("blank.txt");
    std::fs::write(&blank, " \n").unwrap();
    let bytes = folder.path().join("bytes");
    std::fs::write(&bytes, [0xff, 0xfe]).unwrap();
    check(&[
        (&["--system-prompt=a", "--system-prompt-file=b"], &["--system-prompt ", "--system-prompt-file"]),
        (
            &["--system-prompt=a", "--shared-system-prompt-length=2"],
            &["--system-prompt ", "--shared-system-prompt-length"],
        ),
        (
            &["--system-prompt=a", "--num-prefix-prompts=2", "--prefix-prompt-length=2"],
            &["--system-prompt ", "--num-prefix-prompts"],
        ),
        (&["--system-prompt= "], &["--system-prompt", "empty"]),
        (&["--system-prompt-file=nowhere.txt"], &["--system-prompt-file", "nowhere.txt"]),
        (&[&format!("--system-prompt-file={}", blank.display())], &["--system-prompt-file", "empty"]),
        (&[&format!("--system-prompt-file={}", bytes.display())], &["--system-prompt-file", "UTF-8"]),
        (&["--system-prompt=a", "--endpoint-type=completions"], &["--system-prompt", "--endpoint-type chat"]),
        (
            &["--shared-system-prompt-length=2", "--endpoint-type=embeddings"],
            &["--shared-system-prompt-length", "--endpoint-type chat"],
        ),
        (
            &["--user-context-prompt-length=2", "--endpoint-type=completions"],
            &["--user-context-prompt-length", "--endpoint-type chat"],
        ),
    ]);
}

#[test]
fn endpoint() {
    for words in [&[] as &[&str], &["--model=", "--streaming"], &["--model= , "], &["--model=", "--url=sim:"]] {
        let message = resolve(words).unwrap_err().to_string();
        assert!(message.contains("--model"), "{message}");
    }
    for list in ["a,,b", "a,", ",a"] {
        let message = resolve(&[&format!("--model={list}")]).unwrap_err().to_string();
        assert!(message.contains("--model") && message.contains(list) && message.contains("empty"), "{message}");
    }
    check(&[
        (&["--model-selection-strategy=weighted"], &["--model-selection-strategy", "weights"]),
        (&["--url=ftp://x"], &["--url", "http://"]),
        (&["--url=http://x:70000"], &["--url", "65535"]),
        (&["--url=http://x:0"], &["--url", "65535"]),
        (&["--url=javascript:alert"], &["--url", "javascript"]),
        (&["--url=ws://x"], &["--url", "http://"]),
        (&["--url=http://x y"], &["--url", "blanks"]),
        (&["--url=,"], &["--url", "address"]),
        (&["--endpoint=v1/chat"], &["--endpoint", "/"]),
        (&["--custom-endpoint=v1/chat"], &["--custom-endpoint", "/"]),
        (&["--endpoint-type=chats"], &["--endpoint-type", "choose one of chat, completions", "; did you mean chat?"]),
        (&["--per-chunk-usage", "--streaming"], &["--per-chunk-usage", "--use-server-token-count"]),
        (&["--per-chunk-usage", "--use-server-token-count"], &["--per-chunk-usage", "--streaming"]),
        (
            &["--per-chunk-usage", "--use-server-token-count", "--streaming", "--endpoint-type=completions"],
            &["--per-chunk-usage", "--endpoint-type chat"],
        ),
        (&["--request-timeout-seconds=0"], &["--request-timeout-seconds", "above 0"]),
        (&["--request-timeout-seconds=10s"], &["--request-timeout-seconds", "without a unit"]),
        (&["--session-header=a b"], &["--session-header", "name of a header"]),
        (&["--header=nothing"], &["--header", "Name: value"]),
        (&["--extra-inputs=nothing"], &["--extra-inputs", "key:value"]),
        (&["--extra-inputs={"], &["--extra-inputs", "JSON"]),
        (&["--tokenizer="], &["--tokenizer", "builtin"]),
        (&["--streaming=maybe"], &["--streaming", "true, yes, 1"]),
        (&["--transport=udp"], &["--transport", "http, grpc"]),
    ]);
    let message = with_model(&["--api-key= "]).unwrap_err().to_string();
    assert!(message.contains("--api-key") && message.contains("<redacted>"), "{message}");
    let message = with_model(&["--header=Authorization Bearer abc"]).unwrap_err().to_string();
    assert!(message.contains("--header") && !message.contains("abc"), "{message}");
}

#[test]
fn endpoint_types() {
    check(&[
        (&["--endpoint-type=raw"], &["--endpoint-type raw needs --input-file", "raw_payload"]),
        (&["--endpoint-type=image_edit"], &["--endpoint-type image_edit needs --image-width-mean", "--input-file"]),
        (&["--endpoint-type=image-retrieval", "--isl=5"], &["--isl", "--endpoint-type", "no text"]),
        (
            &["--endpoint-type=image_retrieval", "--tokenizer=builtin"],
            &["--tokenizer", "--endpoint-type", "Tokenizer options"],
        ),
        (
            &["--endpoint-type=image_retrieval", "--tokenizer-trust-remote-code"],
            &["--tokenizer-trust-remote-code", "Tokenizer options"],
        ),
        (
            &["--endpoint-type=image_retrieval", "--prefix-prompt-length=8", "--prefix-prompt-pool-size=2"],
            &["--prefix-prompt-pool-size", "Prefix prompt options"],
        ),
        (&["--endpoint-type=audio-transcription", "--num-prefix-prompts=1"], &["--num-prefix-prompts", "no text"]),
        (&["--endpoint-type=audio-transcription", "--system-prompt=a"], &["--system-prompt", "no text"]),
        (&["--endpoint-type=image-retrieval", "--prefix-prompt-length=5"], &["--prefix-prompt-length", "no text"]),
        (&["--endpoint-type=audio-transcription", "--tokenizer=builtin"], &["--tokenizer", "no text"]),
        (&["--endpoint-type=audio-transcription", "--isl=5"], &["--isl", "no text"]),
        (&["--endpoint-type=template"], &["--endpoint-type", "payload_template"]),
        (&["--endpoint-type=template", "--extra-inputs=payload_template:nowhere"], &["nowhere", "nv-embedqa"]),
        (
            &["--endpoint-type=template", "--extra-inputs={\"payload_template\":\"{{ x\"}"],
            &["payload_template", "line 1"],
        ),
        (
            &["--endpoint-type=template", "--extra-inputs=payload_template:nv-embedqa,response_field:a["],
            &["response_field:a[", "JMESPath"],
        ),
        (&["--endpoint-type=raw", "--extra-inputs=temperature:1"], &["--extra-inputs", "temperature", "as they are"]),
        (&["--endpoint-type=rankings", "--extra-inputs=rankings:nim"], &["--extra-inputs", "rankings:nim", "tei"]),
        (&["--request-content-type=multipart/form-data"], &["--request-content-type", "application/json"]),
        (
            &["--endpoint-type=image_edit", "--request-content-type=application-json"],
            &["--request-content-type", "multipart/form-data"],
        ),
        (
            &["--endpoint-type=responses", "--extra-inputs=store:true"],
            &["--extra-inputs store:true", "--use-server-token-count"],
        ),
        (&["--uuid-and-strip", "--endpoint-type=responses"], &["--uuid-and-strip", "--endpoint-type chat"]),
        (&["--download-video-content"], &["--download-video-content", "video_generation"]),
        (
            &["--endpoint-type=video_generation", "--request-cancellation-rate=5", "--request-cancellation-delay=1"],
            &["--request-cancellation-rate", "--endpoint-type"],
        ),
        (&["--use-legacy-max-tokens", "--endpoint-type=messages"], &["--use-legacy-max-tokens", "chat"]),
        (&["--wait-for-model-interval=1"], &["--wait-for-model-interval", "--wait-for-model-timeout"]),
        (&["--wait-for-model-interval=1", "--wait-for-model-timeout=0"], &["--wait-for-model-interval", "above 0"]),
        (&["--wait-for-model-mode=both"], &["--wait-for-model-mode", "--wait-for-model-timeout"]),
    ]);
    let message = resolve(&["--model=a,b", "--endpoint-type=generate"]).unwrap_err().to_string();
    assert!(message.contains("--model") && message.contains("one model"), "{message}");
    for name in EndpointKind::ALL.map(|kind| kind.facts().name) {
        let spelled = [name.to_owned(), name.replace('_', "-"), name.to_uppercase()];
        for name in spelled {
            let words = [
                format!("--endpoint-type={name}"),
                "--extra-inputs=payload_template:nv-embedqa".to_owned(),
                "--grpc-method=a.B/C".to_owned(),
            ];
            if EndpointKind::from_name(&name.to_lowercase()) == Some(EndpointKind::Raw) {
                continue;
            }
            let media =
                ["--image-batch-size=1", "--image-width-mean=8", "--image-height-mean=8", "--audio-length-mean=1"];
            let more = match EndpointKind::from_name(&name) {
                Some(EndpointKind::Template) => 1,
                Some(EndpointKind::DynamicGrpc) => 2,
                _ => 0,
            };
            let mut words: Vec<&str> = words.iter().take(1 + more).map(String::as_str).collect();
            let message = with_model(&words).err().map(|error| error.to_string()).unwrap_or_default();
            words.extend(media.iter().filter(|word| message.contains(word.split('=').next().unwrap_or(word))));
            let answer = with_model(&words);
            assert!(answer.is_ok(), "{words:?}: {answer:?}");
        }
    }
    let stored = with_model(&["--endpoint-type=responses", "--extra-inputs=store:true", "--use-server-token-count"]);
    assert!(stored.is_ok());
    for (kind, form) in [("chat", "application/json"), ("video_generation", "multipart/form-data")] {
        let words = [format!("--endpoint-type={kind}"), format!("--request-content-type={form}")];
        assert!(with_model(&[&words[0], &words[1]]).is_ok(), "{words:?}");
    }
    let tei = with_model(&["--endpoint-type=rankings", "--extra-inputs=rankings:tei"]);
    assert!(tei.is_ok());
    let streamed = with_model(&["--endpoint-type=nim-embeddings", "--streaming"]).unwrap();
    assert!(!streamed.endpoint.streaming && streamed.warnings.iter().any(|warning| warning.contains("--streaming")));
}

#[test]
fn a_template_comes_from_a_name_a_file_or_the_command_line() {
    let (folder, _) = super::named_file("--input-file", r#"{"a": {{ text|tojson }}}"#);
    let path = folder.path().join("data");
    let source = |value: &str| {
        let input = serde_json::json!({"payload_template": value, "response_field": "text", "k": 1}).to_string();
        let endpoint = with_model(&["--endpoint-type=template", &format!("--extra-inputs={input}")]).unwrap().endpoint;
        assert_eq!((endpoint.response_field, endpoint.extra_inputs.len()), (None, 1));
        endpoint.template.unwrap().source
    };
    assert_eq!(source("nv-embedqa"), r#"{"text": {{ texts|tojson }}}"#);
    assert_eq!(source(path.to_str().unwrap()), r#"{"a": {{ text|tojson }}}"#);
    assert_eq!(source(r#"{"b": {{ text|tojson }}}"#), r#"{"b": {{ text|tojson }}}"#);
}

#[test]
fn extra_inputs_that_a_form_takes_from_the_data_set_are_warned_about() {
    let warnings = |words: &[&str]| with_model(words).unwrap().warnings.join("; ");
    let edit = warnings(&[
        "--endpoint-type=image_edit",
        "--image-width-mean=8",
        "--image-height-mean=8",
        "--extra-inputs=size:1x1,mask:x,prompt:y",
    ]);
    assert!(edit.contains("--extra-inputs mask, prompt has no effect"), "{edit}");
    let speech = warnings(&["--endpoint-type=audio_transcription", "--audio-length-mean=1", "--extra-inputs=file:x"]);
    assert!(speech.contains("--extra-inputs file has no effect"), "{speech}");
    assert!(!warnings(&["--endpoint-type=video_generation", "--extra-inputs=prompt:y"]).contains("--extra-inputs"));
}

#[test]
fn a_limit_that_no_body_carries_is_warned_about() {
    let warned = |words: &[&str]| {
        let config = with_model(&[words, &["--osl=5"]].concat()).unwrap();
        config.warnings.into_iter().find(|warning| warning.contains("--osl has no effect"))
    };
    let template = |source: &str| format!("--extra-inputs={}", serde_json::json!({"payload_template": source}));
    assert!(warned(&["--endpoint-type=embeddings"]).unwrap().contains("no text"));
    assert!(warned(&["--endpoint-type=solido_rag"]).unwrap().contains("solido_rag"));
    let without = template(r#"{"a": {{ text|tojson }}}"#);
    assert!(warned(&["--endpoint-type=template", &without]).unwrap().contains("max_tokens"));
    for source in [r#"{"n": {{ max_tokens }}}"#, r#"{"turn": {{ turn|tojson }}}"#] {
        assert_eq!(warned(&["--endpoint-type=template", &template(source)]), None);
    }
    assert_eq!(warned(&["--endpoint-type=chat"]), None);
}

#[test]
fn output() {
    check(&[
        (&["--goodput="], &["--goodput", "metric:limit"]),
        (&["--goodput=ttft"], &["--goodput", "no `:`"]),
        (&["--export-http-trace", "--export-level=summary"], &["--export-http-trace", "--export-level"]),
        (&["--profile-export-prefix=.json"], &["--profile-export-prefix", "the name is empty"]),
        (&["--profile-export-prefix=a/b"], &["--profile-export-prefix", "--artifact-dir"]),
        (&["--artifact-dir="], &["--artifact-dir", "folder"]),
        (&["--verbose", "--log-level=error"], &["--verbose", "--log-level"]),
        (&["--workers-max=0"], &["--workers-max", "at least 1"]),
        (&["--record-processors=0"], &["--record-processors", "at least 1"]),
        (&["--random-seed=-1"], &["--random-seed", "at least 0"]),
        (&["--random-seed=1.5"], &["--random-seed", "whole number"]),
        (&["--request-count=99999999999999999999999"], &["--request-count", "too large"]),
        (&["--benchmark-duration=1e300"], &["--benchmark-duration", "too long"]),
    ]);
}
