//! The table of endpoint types in `docs/endpoints.md` is written from the registry; `UPDATE_DOCS=1` writes it again.

use std::path::Path;
use std::{env, fs};

use aiperf_protocol::{BodyForm, BodySource, EndpointFacts, EndpointKind, GrpcSupport, Medium};

const HEAD: &str = "| type | path | streams | output tokens | input tokens | media |\n|---|---|---|---|---|---|\n";

/// Where requests go, as a reader writes it.
fn place(facts: &EndpointFacts) -> String {
    let model = |path: &str| path.replace("{model}", "MODEL");
    let path = match (facts.path, facts.stream_path) {
        ("", _) if facts.grpc == GrpcSupport::MethodOfUser => "the method itself (gRPC)".to_owned(),
        ("", _) => "the URL itself".to_owned(),
        (path, Some(streamed)) => {
            let last = streamed.rfind('/').map_or(streamed, |at| &streamed[at..]);
            format!("{}, {last}", model(path))
        }
        (path, None) => model(path),
    };
    let notes = match (facts.form, facts.produces_video) {
        (BodyForm::Multipart, true) => " (form, job)",
        (BodyForm::Multipart, false) => " (form)",
        _ => "",
    };
    let methods = match facts.grpc {
        GrpcSupport::Methods(methods) => format!("{} (gRPC); ", methods.join(", ")),
        GrpcSupport::No | GrpcSupport::MethodOfUser => String::new(),
    };
    format!("{methods}{path}{notes}")
}

fn row(facts: &EndpointFacts) -> String {
    let yes = |fact: bool| if fact { "yes" } else { "" };
    let media = match facts.body {
        BodySource::Dataset => "whatever the body holds".to_owned(),
        _ => facts.takes.iter().map(|medium: &Medium| medium.name()).collect::<Vec<_>>().join(", "),
    };
    let (name, place) = (facts.name, place(facts));
    let [streams, output, input] = [facts.streams, facts.produces_tokens, facts.tokenizes_input].map(yes);
    format!("| `{name}` | {place} | {streams} | {output} | {input} | {media} |\n")
}

#[test]
fn the_page_on_endpoints_lists_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/endpoints.md");
    let page = fs::read_to_string(&path).unwrap();
    let begin = page.find(HEAD).expect("docs/endpoints.md has no table of endpoint types");
    let end = begin + page[begin..].find("\n\n").unwrap() + 1;
    let rows: String = EndpointKind::ALL.into_iter().map(|kind| row(kind.facts())).collect();
    let wanted = format!("{}{HEAD}{rows}{}", &page[..begin], &page[end..]);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).unwrap();
    } else if page != wanted {
        panic!("docs/endpoints.md is out of date; write it with UPDATE_DOCS=1 cargo test -p aiperf-protocol");
    }
}
