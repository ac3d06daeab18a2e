//! The hub cache and the download, against a server of a few lines on the loopback interface.

#![allow(clippy::unwrap_used, reason = "a step of a test that fails must fail the test")]
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc;

use aiperf_tokenizer::{HubEnvironment, TokenizerError, TokenizerRequest, load};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const WORDS: &str = r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,
    "pre_tokenizer":{"type":"Whitespace"},"post_processor":null,"decoder":null,
    "model":{"type":"WordLevel","vocab":{"<unk>":0,"hello":1},"unk_token":"<unk>"}}"#;

/// Answers one request per given response, then closes; tells the request heads that it saw.
fn server(responses: Vec<String>) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (seen, requests) = mpsc::channel();
    std::thread::spawn(move || {
        for response in responses {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
            stream.write_all(response.as_bytes()).unwrap();
            seen.send(head).unwrap();
        }
    });
    (address, requests)
}

fn ok(headers: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{WORDS}", WORDS.len())
}

fn hub_headers() -> String {
    format!("X-Repo-Commit: {COMMIT}\r\nETag: \"abc123\"\r\n")
}

fn environment(home: &Path, more: &[(&str, &str)]) -> HubEnvironment {
    HubEnvironment::from_variables(|name| match name {
        "HF_HOME" => home.to_str().map(str::to_owned),
        _ => more.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()),
    })
}

fn request(revision: &str) -> TokenizerRequest {
    TokenizerRequest { name: "org/small".to_owned(), revision: revision.to_owned(), chat_template: false }
}

#[test]
fn a_missing_tokenizer_is_downloaded_once_and_then_found_offline() {
    let home = tempfile::tempdir().unwrap();
    let (endpoint, requests) = server(vec![ok(&hub_headers())]);
    let online = environment(home.path(), &[("HF_ENDPOINT", &endpoint), ("HF_TOKEN", "secret")]);
    assert_eq!(load(&request("main"), &online).unwrap().count("hello hello world"), 3);
    let head = requests.recv().unwrap().to_ascii_lowercase();
    assert!(head.starts_with("get /org/small/resolve/main/tokenizer.json http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer secret"), "{head}");

    let repository = home.path().join("hub/models--org--small");
    assert_eq!(std::fs::read_to_string(repository.join("refs/main")).unwrap(), COMMIT);
    assert_eq!(std::fs::read_to_string(repository.join("blobs/abc123")).unwrap(), WORDS);
    let snapshot = repository.join("snapshots").join(COMMIT).join("tokenizer.json");
    assert_eq!(std::fs::read_link(snapshot).unwrap(), Path::new("../../blobs/abc123"));

    let offline = environment(home.path(), &[("HF_HUB_OFFLINE", "1")]);
    assert!(load(&request("main"), &offline).is_ok());
    assert!(load(&request(COMMIT), &offline).is_ok(), "the commit itself is a revision");
    assert!(matches!(load(&request("other"), &offline), Err(TokenizerError::Offline { .. })));
}

#[test]
fn a_redirect_to_a_file_server_keeps_the_commit_and_drops_the_token() {
    let home = tempfile::tempdir().unwrap();
    let (files, file_requests) = server(vec![ok("ETag: \"other\"\r\n")]);
    let hop = format!(
        "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: {files}/blob\r\n\
         X-Linked-Etag: \"large\"\r\n{}\r\n",
        hub_headers()
    );
    let moved = "HTTP/1.1 307 Temporary Redirect\r\nConnection: close\r\nContent-Length: 0\r\n\
                 Location: /org/renamed/resolve/main/tokenizer.json\r\n\r\n";
    let (endpoint, requests) = server(vec![moved.to_owned(), hop]);
    let online = environment(home.path(), &[("HF_ENDPOINT", &endpoint), ("HF_TOKEN", "secret")]);
    load(&request("main"), &online).unwrap();
    assert!(requests.recv().unwrap().contains("Bearer secret"));
    assert!(requests.recv().unwrap().contains("/org/renamed/"));
    assert!(!file_requests.recv().unwrap().contains("secret"));
    assert!(home.path().join("hub/models--org--small/blobs/large").is_file());
}

#[test]
fn a_refused_download_says_what_was_asked_where_it_looked_and_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let refused = "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\
                   X-Error-Message: Access to model org/small is restricted\r\n\r\n";
    let (endpoint, _requests) = server(vec![refused.to_owned()]);
    let error = load(&request("main"), &environment(home.path(), &[("HF_ENDPOINT", &endpoint)])).unwrap_err();
    let text = error.to_string();
    for part in ["org/small", "main", "hub", &endpoint, "HF_TOKEN", "is restricted", "--tokenizer builtin"] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
}

#[test]
fn a_download_cut_short_leaves_nothing_that_could_be_taken_for_a_tokenizer() {
    let home = tempfile::tempdir().unwrap();
    let cut = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 99999\r\n{}\r\n{WORDS}", hub_headers());
    let (endpoint, _requests) = server(vec![cut]);
    let online = environment(home.path(), &[("HF_ENDPOINT", &endpoint)]);
    assert!(matches!(load(&request("main"), &online), Err(TokenizerError::Download { .. })));
    let repository = home.path().join("hub/models--org--small");
    assert!(!repository.join("blobs/abc123").exists() && !repository.join("snapshots").exists());
    let offline = environment(home.path(), &[("HF_HUB_OFFLINE", "1")]);
    assert!(matches!(load(&request("main"), &offline), Err(TokenizerError::Offline { .. })));
}

#[test]
fn a_server_that_is_no_hub_is_recognised() {
    let home = tempfile::tempdir().unwrap();
    let (endpoint, _requests) = server(vec![ok("")]);
    let error = load(&request("main"), &environment(home.path(), &[("HF_ENDPOINT", &endpoint)])).unwrap_err();
    assert!(error.to_string().contains("is HF_ENDPOINT a Hugging Face hub?"), "{error}");
}

#[test]
fn an_unreachable_hub_is_a_plain_sentence() {
    let home = tempfile::tempdir().unwrap();
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{unused}");
    let error = load(&request("main"), &environment(home.path(), &[("HF_ENDPOINT", &endpoint)])).unwrap_err();
    assert!(error.to_string().contains("cannot be downloaded"), "{error}");
}

#[test]
fn a_local_folder_or_file_needs_no_hub() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokenizer.json");
    std::fs::write(&file, WORDS).unwrap();
    let offline = environment(folder.path(), &[("HF_HUB_OFFLINE", "1")]);
    for path in [folder.path(), &file] {
        let tokenizer = load(&TokenizerRequest::named(path.to_str().unwrap()), &offline).unwrap();
        assert_eq!(tokenizer.count("hello world"), 2);
    }
}
