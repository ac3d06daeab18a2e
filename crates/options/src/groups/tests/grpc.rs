//! What is spoken over gRPC.

use std::time::Duration;

use aiperf_address::{Address, Scheme};
use aiperf_config::{DescriptorSource, Target};
use aiperf_protocol::{KserveBackend, Wire};

use super::{check, with_model};

const DYNAMIC: [&str; 3] =
    ["--endpoint-type=dynamic_grpc", "--grpc-method=a.B/C", "--extra-inputs={\"payload_template\":\"{}\"}"];

fn dynamic(more: &[&str]) -> Vec<String> {
    DYNAMIC.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn endpoint(words: &[&str]) -> aiperf_config::EndpointConfig {
    with_model(words).unwrap().endpoint
}

#[test]
fn the_url_says_what_carries_requests_and_where_it_does_not_the_type_does() {
    let kserve = endpoint(&["--endpoint-type=kserve"]);
    assert!(kserve.wire.is_grpc());
    assert_eq!(kserve.targets, [Target::Url(Address::parse("grpc://localhost:8001", Scheme::Http).unwrap())]);
    let bare = endpoint(&["--endpoint-type=kserve", "--url=h:9"]);
    assert_eq!(bare.targets, [Target::Url(Address::parse("grpc://h:9", Scheme::Http).unwrap())]);
    assert_eq!(endpoint(&["--endpoint-type=kserve", "--url=http://h:9"]).wire, Wire::Http);
    assert_eq!(endpoint(&["--endpoint-type=kserve", "--transport=http", "--url=sim:"]).wire, Wire::Http);
    assert!(endpoint(&["--endpoint-type=kserve", "--url=sim:"]).wire.is_grpc());
    assert!(endpoint(&["--endpoint-type=kserve", "--url=unix:/s.sock"]).wire.is_grpc());
    assert_eq!(endpoint(&[]).wire, Wire::Http);
}

#[test]
fn deadline_limit_and_backend_reach_the_configuration() {
    let words =
        ["--endpoint-type=kserve", "--backend=vllm", "--request-timeout-seconds=2", "--grpc-max-message-size=100"];
    let config = with_model(&words).unwrap();
    let wire = Wire::Grpc { deadline: Some(Duration::from_secs(2)), message_limit: 100 };
    assert_eq!((config.endpoint.wire, config.endpoint.backend), (wire, KserveBackend::Vllm));
    let shown = &config.to_input_config()["endpoint"];
    assert_eq!((&shown["transport"], &shown["backend"]), (&"grpc".into(), &"vllm".into()));
    let usual = Wire::Grpc { deadline: None, message_limit: 64 << 20 };
    assert_eq!(endpoint(&["--endpoint-type=kserve"]).wire, usual);
}

#[test]
fn a_method_is_described_by_the_server_by_files_or_by_a_set() {
    let source = |more: &[&str]| {
        let words = dynamic(more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        endpoint(&words).method.unwrap().source
    };
    assert_eq!(source(&[]), DescriptorSource::Reflection);
    assert_eq!(source(&["--grpc-descriptor-set=s.bin"]), DescriptorSource::Set("/somewhere/s.bin".into()));
    let protos = source(&["--grpc-proto=a.proto,b.proto", "--grpc-import-path=/inc"]);
    let files = vec!["/somewhere/a.proto".into(), "/somewhere/b.proto".into()];
    assert_eq!(protos, DescriptorSource::Protos { files, imports: vec!["/inc".into()] });
}

#[test]
fn what_has_no_effect_or_makes_no_sense_is_refused() {
    check(&[
        (&["--url=grpc://h:1"], &["--url", "--endpoint-type", "uses HTTP"]),
        (&["--endpoint-type=kserve", "--url=grpc://h:1,http://h:2"], &["--url", "not both"]),
        (&["--endpoint-type=kserve", "--url=http://h:1", "--transport=grpc"], &["--transport", "--url"]),
        (&["--endpoint-type=kserve", "--http-version=1.1"], &["--http-version", "HTTP/2"]),
        (&["--endpoint-type=kserve", "--endpoint=/x"], &["--endpoint", "--grpc-method"]),
        (&["--endpoint-type=kserve", "--url=http://h", "--grpc-max-message-size=1"], &["--grpc-max-message-size"]),
        (&["--endpoint-type=kserve", "--backend=onnx"], &["--backend", "tensorrtllm, vllm, python"]),
        (
            &["--endpoint-type=kserve", "--wait-for-model-timeout=1", "--wait-for-model-mode=inference"],
            &["--wait-for-model-mode", "models"],
        ),
        (&["--endpoint-type=kserve", "--reset-kv-cache"], &["--reset-kv-cache", "HTTP call"]),
        (&["--backend=vllm"], &["--backend", "--endpoint-type kserve"]),
        (&["--grpc-method=a.B/C"], &["--grpc-method", "--endpoint-type dynamic_grpc"]),
        (&["--endpoint-type=dynamic_grpc"], &["--endpoint-type", "payload_template"]),
        (
            &["--endpoint-type=dynamic_grpc", "--extra-inputs={\"payload_template\":\"{}\"}"],
            &["--endpoint-type", "--grpc-method package.Service/Method"],
        ),
        (&["--endpoint-type=tensorrtllm-engine"], &["--endpoint-type", "--backend tensorrtllm", "grpc://HOST:8001"]),
    ]);
    let two = super::resolve(&["--model=a,b", "--endpoint-type=kserve", "--url=http://h"]).unwrap_err().to_string();
    assert!(two.contains("--model") && two.contains("one model"), "{two}");
    for (more, parts) in [
        (&["--url=http://h:1"][..], &["--url", "grpc://"][..]),
        (&["--grpc-import-path=x"], &["--grpc-import-path", "--grpc-proto"]),
        (&["--grpc-proto=a.proto", "--grpc-descriptor-set=b"], &["--grpc-proto", "--grpc-descriptor-set"]),
        (&["--input-file=x", "--custom-dataset-type=raw_payload"], &["--custom-dataset-type", "payload_template"]),
    ] {
        let words = dynamic(more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        check(&[(&words, parts)]);
    }
    check(&[(
        &["--endpoint-type=dynamic_grpc", "--grpc-method=a.B.C", "--extra-inputs={\"payload_template\":\"{}\"}"],
        &["--grpc-method", "package.Service/Method"],
    )]);
}
