//! HTTPS: whom the program trusts, and who it says it is. All certificates are made here.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::support::{Artifacts, Authority, Program, TestServer, chat_reply, in_one};

const WORDS: &str = "--model m --tokenizer builtin --isl 20 --request-count 2 --concurrency 1";

fn server(tls: std::sync::Arc<rustls::ServerConfig>) -> TestServer {
    TestServer::secure(tls, |_, _| in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes()))
}

fn program(server: &TestServer) -> Program {
    Program::profile(&format!("--url {} {WORDS}", server.url()))
}

fn first_error(artifacts: &Artifacts) -> (String, String) {
    let records = artifacts.records();
    (records[0].error().1.to_owned(), records[0].0["error"]["message"].as_str().unwrap().to_owned())
}

#[test]
fn a_certificate_must_come_from_whom_we_trust() {
    let authority = Authority::new();
    let server = server(authority.server());
    let stranger = program(&server).run();
    assert_eq!(stranger.code, Some(1));
    assert_eq!(first_error(&stranger.artifacts).0, "ClientConnectorCertificateError");
    let last = stranger.stderr.lines().last().unwrap();
    assert!(last.ends_with("--ca-cert, or use --insecure.") && !last.contains("SSL_CERT_FILE"), "{last}");

    let trusted = program(&server).file("ca.pem", &authority.pem()).with("--ca-cert ca.pem").succeed();
    assert_eq!(trusted.average("request_count") as u32, 2);
    assert_eq!(
        trusted.summary()["input_config"]["endpoint"]["ca_cert"].as_str().unwrap().rsplit('/').next(),
        Some("ca.pem")
    );

    let system = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&system, authority.pem()).unwrap();
    program(&server).env("SSL_CERT_FILE", system.path()).succeed();
}

#[test]
fn any_certificate_will_do_when_nobody_looks() {
    let server = server(Authority::new().server());
    let ended = program(&server).with("--insecure").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("not checked (--insecure)"), "{}", ended.stderr);
    let by_variable = program(&server).env("AIPERF_HTTP_SSL_VERIFY", "false").run();
    assert_eq!(by_variable.code, Some(0), "{}", by_variable.stderr);
    assert!(by_variable.stderr.contains("not checked (AIPERF_HTTP_SSL_VERIFY=false)"), "{}", by_variable.stderr);
}

#[test]
fn tls_on_one_side_only_is_answered_with_the_other_scheme() {
    // Answers whatever comes, as plain servers do.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut socket in listener.incoming().map_while(Result::ok) {
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let ended = Program::profile(&format!("--url https://{plain} {WORDS}")).run();
    let last = ended.stderr.lines().last().unwrap();
    assert!(last.ends_with("http:// instead?"), "{last}");

    let secure = server(Authority::new().server());
    let ended = Program::profile(&format!("--url http://{} {WORDS}", secure.addr)).run();
    assert_eq!(ended.code, Some(1));
    let last = ended.stderr.lines().last().unwrap();
    assert!(last.contains("https://") && !last.contains("?."), "{last}");
}

#[test]
fn a_name_that_is_not_the_servers_is_refused() {
    let authority = Authority::new();
    let server = server(authority.server());
    let url = format!("https://127.0.0.1:{}", server.addr.port());
    let words = format!("--url {url} {WORDS} --ca-cert ca.pem");
    let ended = Program::profile(&words).file("ca.pem", &authority.pem()).run();
    assert_eq!(first_error(&ended.artifacts).0, "ClientConnectorCertificateError");
    let last = ended.stderr.lines().last().unwrap();
    assert!(last.ends_with("Use that in --url, or --insecure.") && !last.contains("ca-cert"), "{last}");
}

#[test]
fn a_server_that_asks_who_we_are_is_shown_our_certificate() {
    let authority = Authority::new();
    let server = server(authority.exclusive_server());
    let (certificate, key) = authority.sign("client");
    let known = || program(&server).file("ca.pem", &authority.pem()).with("--ca-cert ca.pem");
    known()
        .file("cert.pem", &certificate)
        .file("key.pem", &key)
        .with("--client-cert cert.pem --client-key key.pem")
        .succeed();
    known().file("both.pem", &format!("{certificate}{key}")).with("--client-cert both.pem").succeed();
    assert_eq!(server.received().len(), 4);

    let unknown = known().run();
    assert_eq!(unknown.code, Some(1));
    let (_, message) = first_error(&unknown.artifacts);
    assert!(message.contains("CertificateRequired"), "{message}");
    assert_eq!(server.received().len(), 4);
}

#[test]
fn a_file_that_is_no_certificate_or_key_is_refused_by_name() {
    let authority = Authority::new();
    let (certificate, key) = authority.sign("client");
    let (_, other_key) = authority.sign("client");
    let with = |words: &str| {
        Program::profile(&format!("--url https://localhost:9 {WORDS}"))
            .file("cert.pem", &certificate)
            .file("key.pem", &key)
            .file("other.pem", &other_key)
            .file("ca.pem", &authority.pem())
            .file("empty.pem", "nothing here")
            .with(words)
            .run()
    };
    with("--ca-cert nowhere.pem").was_refused_with(&["--ca-cert", "nowhere.pem", "cannot be read"]);
    with("--ca-cert empty.pem").was_refused_with(&["--ca-cert", "empty.pem", "no PEM certificate"]);
    with("--ca-cert ca.pem --client-cert cert.pem").was_refused_with(&["--client-cert", "cert.pem", "--client-key"]);
    with("--ca-cert ca.pem --client-cert cert.pem --client-key ca.pem").was_refused_with(&[
        "--client-key",
        "ca.pem",
        "no unencrypted PEM key",
    ]);
    with("--ca-cert ca.pem --client-cert cert.pem --client-key other.pem").was_refused_with(&[
        "--client-cert",
        "cert.pem",
        "does not match its key",
    ]);
}
