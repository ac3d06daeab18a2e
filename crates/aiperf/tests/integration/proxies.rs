//! Proxies that the environment names: used when asked for, and seen in the times.

use std::time::Duration;

use crate::support::{
    Authority, Program, ProxyBehaviour, ProxyServer, Record, TestReply, TestServer, chat_reply, in_one,
};

const WORDS: &str =
    "--model m --tokenizer builtin --isl 20 --request-count 3 --concurrency 1 --workers-max 1 --export-http-trace";

fn answer() -> TestReply {
    in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes())
}

fn plain_server() -> TestServer {
    TestServer::start(|_, _| answer())
}

fn program(url: &str) -> Program {
    Program::profile(&format!("--url {url} {WORDS}")).env("AIPERF_HTTP_TRUST_ENV", "true")
}

fn trace<'a>(record: &'a Record, name: &str) -> &'a serde_json::Value {
    &record.0["trace_data"][name]
}

#[test]
fn a_plain_request_is_passed_on_by_its_whole_url() {
    let server = plain_server();
    let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Forwarding);
    // Only the proxy knows where this is.
    let artifacts = program("http://example.invalid:8000/v1")
        .env("HTTP_PROXY", format!("http://me:p%40ss@{}", proxy.addr))
        .succeed();
    assert_eq!(artifacts.average("request_count") as u32, 3);
    let asked = server.received();
    assert_eq!(asked.len(), 3);
    for request in &asked {
        assert_eq!(request.target, "http://example.invalid:8000/v1/chat/completions");
        assert_eq!(request.header("host").as_deref(), Some("example.invalid:8000"));
        assert_eq!(request.header("proxy-authorization").as_deref(), Some("Basic bWU6cEBzcw=="));
    }
    // The way through the proxy is kept like any connection.
    assert_eq!(proxy.heads().len(), 1);
    assert!(artifacts.records()[1].0["trace_data"].get("connection_reused_ns").is_some());
}

#[test]
fn a_proxy_is_not_used_unless_it_is_trusted() {
    let server = plain_server();
    let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Forwarding);
    let direct = Program::profile(&format!("--url {} {WORDS}", server.url()));
    direct.env("HTTP_PROXY", format!("http://{}", proxy.addr)).succeed();
    assert!(proxy.heads().is_empty());
    let far = Program::profile(&format!("--url http://example.invalid {WORDS}"));
    let ended = far.env("http_proxy", format!("http://me:hush@{}", proxy.addr)).run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("http_proxy is used only with AIPERF_HTTP_TRUST_ENV=true"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("hush") && proxy.heads().is_empty());
}

#[test]
fn a_tunnel_is_part_of_connecting() {
    let authority = Authority::new();
    let server = TestServer::secure(authority.server(), |_, _| answer());
    let held = Duration::from_millis(60);
    let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Slow(held));
    let artifacts = program(&server.url())
        .file("ca.pem", &authority.pem())
        .with("--ca-cert ca.pem")
        .env("https_proxy", format!("me:hush@{}", proxy.addr))
        .succeed();
    let head = &proxy.heads()[0];
    let place = server.url().replace("https://", "");
    assert!(head.starts_with(&format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n")), "{head}");
    assert!(head.contains("Proxy-Authorization: Basic bWU6aHVzaA=="), "{head}");
    assert!(server.received().iter().all(|asked| asked.target == "/v1/chat/completions"));
    assert!(server.received().iter().all(|asked| asked.header("proxy-authorization").is_none()));
    let first = &artifacts.records()[0];
    assert!(trace(first, "connecting_ns").as_u64().unwrap() >= held.as_nanos() as u64);
    assert!(first.metric("request_latency") >= held.as_secs_f64() * 1e3);
    assert_eq!(trace(first, "remote_port").as_u64(), Some(u64::from(proxy.addr.port())));
}

#[test]
fn a_proxy_under_tls_carries_both_kinds() {
    let authority = Authority::new();
    let secure = TestServer::secure(authority.server(), |_, _| answer());
    let plain = plain_server();
    for (server, variable) in [(&secure, "HTTPS_PROXY"), (&plain, "HTTP_PROXY")] {
        let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Secure(authority.server()));
        program(&server.url())
            .file("ca.pem", &authority.pem())
            .with("--ca-cert ca.pem")
            .env(variable, format!("https://localhost:{}", proxy.addr.port()))
            .succeed();
        assert_eq!((proxy.heads().len(), server.received().len()), (1, 3));
    }
}

#[test]
fn servers_can_be_left_out_and_simulators_always_are() {
    let server = plain_server();
    let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Forwarding);
    let everything = format!("http://{}", proxy.addr);
    program(&server.url()).env("ALL_PROXY", &everything).env("NO_PROXY", "example.com, 127.0.0.1").succeed();
    program("sim:").env("ALL_PROXY", &everything).succeed();
    assert!(proxy.heads().is_empty());
    program(&server.url()).env("all_proxy", &everything).env("NO_PROXY", "example.com").succeed();
    assert_eq!(proxy.heads().len(), 1);
}

#[test]
fn a_proxy_that_does_not_let_us_through_says_why() {
    let authority = Authority::new();
    let server = TestServer::secure(authority.server(), |_, _| answer());
    let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Refusing("407 Proxy Authentication Required"));
    let ended =
        program(&server.url()).with("--insecure").env("HTTPS_PROXY", format!("http://me:hush@{}", proxy.addr)).run();
    assert_eq!(ended.code, Some(1));
    let record = &ended.artifacts.records()[0];
    assert_eq!(record.error(), (None, "ClientHttpProxyError"));
    let message = record.0["error"]["message"].as_str().unwrap();
    assert!(message.contains("407 Proxy Authentication Required") && !message.contains("hush"), "{message}");

    let gone = program(&server.url()).with("--insecure").env("HTTPS_PROXY", "http://127.0.0.1:1").run();
    assert_eq!(gone.artifacts.records()[0].error(), (None, "ClientProxyConnectionError"));
    let socks = program(&server.url()).env("ALL_PROXY", "socks5://me:hush@127.0.0.1:1").run();
    socks.was_refused_with(&["ALL_PROXY", "SOCKS"]);
    assert!(!socks.stderr.contains("hush"));
}
