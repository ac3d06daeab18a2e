//! Expressions that select from an answer, and answers that they are put to. A zero byte parts them.
#![no_main]

use aiperf_protocol::EndpointKind;
use aiperf_clock::Mono;
use aiperf_endpoint::{EndpointSettings, ReadMark, ResponseBody, ResponseField, of};

const ANSWER: &str = r#"{"a":[{"b":"c","n":1},{"b":"d","n":2.5}],"data":[[0.5]],"text":"t","nested":{"a":{"b":[1,"x",null]}}}"#;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(data) = std::str::from_utf8(data) else { return };
    let (expression, answer) = data.split_once('\0').unwrap_or((data, ANSWER));
    let Ok(field) = ResponseField::parse(expression) else { return };
    let settings = EndpointSettings { response_field: Some(field), ..EndpointSettings::default() };
    for kind in [EndpointKind::Template, EndpointKind::Raw] {
        let marks = [ReadMark::user(answer.len(), Mono::from_nanos(1))];
        let bytes = answer.as_bytes();
        let _ = of(kind, &settings).read(ResponseBody { content_type: Some("application/json"), bytes, marks: &marks });
    }
});
