//! Who may use the interface.

use std::time::Duration;

use aiperf_config::{ApiConfig, ApiLinger};
use aiperf_live::Scene;

use crate::support::ExampleServer;

const TOKEN: &str = "correct-horse-battery";

fn guarded() -> ExampleServer {
    let token = serde_json::from_str::<String>(&format!("\"{TOKEN}\"")).unwrap();
    let linger = ApiLinger::For(Duration::ZERO);
    let config =
        ApiConfig { host: "127.0.0.1".to_owned(), port: 0, token: Some(aiperf_address::Secret(token)), linger };
    ExampleServer::with(Scene::Steady, &config)
}

#[test]
fn another_name_for_this_machine_is_refused() {
    let server = ExampleServer::start(Scene::Steady);
    let rebound = server.ask("GET", "/api/metrics", &[("Host", "evil.example")]);
    assert_eq!(rebound.status, 403, "{}", rebound.body);
    assert!(rebound.json()["detail"].as_str().unwrap().contains("127.0.0.1"));
    let cancel = server.ask("POST", "/api/cancel", &[("Origin", "http://evil.example")]);
    assert_eq!(cancel.status, 403);
    let upgrade = [("Origin", "http://evil.example"), ("Upgrade", "websocket"), ("Connection", "Upgrade")];
    assert_eq!(server.ask("GET", "/ws", &upgrade).status, 403);
}

#[test]
fn a_token_is_asked_for_and_the_page_gets_it_as_a_cookie() {
    let server = guarded();
    let refused = server.get("/api/metrics");
    assert_eq!(refused.status, 401);
    assert!(refused.head.to_ascii_lowercase().contains("www-authenticate: bearer"));
    assert!(!refused.body.contains(TOKEN));
    assert_eq!(server.get("/healthz").body, "ok", "probes need no token");
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(server.ask("GET", "/api/metrics", &[("Authorization", &bearer)]).status, 200);
    let page = server.get(&format!("/?token={TOKEN}"));
    assert_eq!(page.status, 303);
    let cookie = page.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(server.ask("GET", "/", &[("Cookie", pair)]).status, 200);
    assert_eq!(server.get("/?token=wrong-wrong").status, 401);
    assert!(server.server.page_address().ends_with(&format!("/?token={TOKEN}")));
}

#[test]
fn an_address_that_others_can_reach_gets_a_token_of_its_own() {
    let linger = ApiLinger::For(Duration::ZERO);
    let config = ApiConfig { host: "0.0.0.0".to_owned(), port: 0, token: None, linger };
    let server = ExampleServer::with(Scene::Steady, &config);
    let address = server.server.page_address();
    let token = address.split("?token=").nth(1).unwrap();
    assert!(token.len() >= 32, "{token}");
    assert_eq!(server.get("/api/metrics").status, 401);
    let bearer = format!("Bearer {token}");
    assert_eq!(server.ask("GET", "/api/metrics", &[("Authorization", &bearer)]).status, 200);
}

#[test]
fn the_page_may_load_from_this_server_only() {
    let server = ExampleServer::start(Scene::Steady);
    for path in ["/", "/dashboard", "/dashboard-v2"] {
        let page = server.get(path);
        let policy = page.head.lines().find_map(|line| line.strip_prefix("content-security-policy: ")).unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"), "{policy}");
        assert!(page.head.contains("x-content-type-options: nosniff"));
    }
    let api = server.get("/api/metrics");
    assert!(api.head.contains("content-security-policy: default-src 'none'; sandbox"), "{}", api.head);
}
