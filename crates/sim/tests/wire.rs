//! HTTP manners: connections are kept, requests sent ahead wait, bodies may come in any framing.

mod client;

use client::{SimClient, chat_body, start};

#[test]
fn one_connection_serves_many_requests() {
    let sim = start("ttft=0&itl=0&osl=2");
    let mut client = SimClient::connect(&sim);
    for _ in 0..3 {
        assert!(client.chat(r#""stream":true"#).done());
    }
    assert!(SimClient::connect(&sim).chat(r#""stream":true"#).done());
    let places: Vec<(u64, u64)> = sim.truth().iter().map(|t| (t.connection, t.connection_request)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (0, 2), (1, 0)]);
}

#[test]
fn requests_sent_ahead_are_answered_in_order() {
    let sim = start("ttft=5&itl=1");
    let mut client = SimClient::connect(&sim);
    for tokens in [3, 1, 2] {
        let body = chat_body(&format!(r#""max_tokens":{tokens},"stream":true"#));
        client.send("POST", "/v1/chat/completions", "", &body);
    }
    let counts: Vec<usize> = (0..3).map(|_| client.read().text("content").1.len()).collect();
    assert_eq!(counts, [3, 1, 2]);
}

#[test]
fn a_chunked_body_after_100_continue_is_read() {
    let sim = start("ttft=0&itl=0");
    let mut client = SimClient::connect(&sim);
    client.send_raw(
        b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    );
    let go_on = client.read_head();
    assert!(go_on.starts_with("HTTP/1.1 100 "), "{go_on}");
    let body = br#"{"prompt":"one","max_tokens":2}"#;
    let (front, back) = body.split_at(9);
    for part in [front, back] {
        client.send_raw(format!("{:x}\r\n", part.len()).as_bytes());
        client.send_raw(part);
        client.send_raw(b"\r\n");
    }
    client.send_raw(b"0\r\n\r\n");
    assert_eq!(client.read().json()["usage"]["completion_tokens"], 2);
}

#[test]
fn a_client_that_wants_to_close_is_let_go() {
    let sim = start("ttft=0&itl=0&osl=2");
    let mut client = SimClient::connect(&sim);
    client.send("POST", "/v1/chat/completions", "Connection: close\r\n", &chat_body(r#""stream":true"#));
    let response = client.read();
    assert!(response.done() && response.head.contains("connection: close"));
    assert!(client.is_closed());
}

#[test]
fn an_old_client_gets_its_stream_until_the_connection_closes() {
    let sim = start("ttft=0&itl=0&osl=2");
    let mut client = SimClient::connect(&sim);
    let body = chat_body(r#""stream":true"#);
    let text = format!("POST /v1/chat/completions HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    client.send_raw(text.as_bytes());
    let response = client.read();
    assert!(response.complete && response.done() && !response.head.contains("chunked"));
}

#[test]
fn several_threads_serve_one_address() {
    let sim = start("ttft=1&itl=0&osl=2&threads=3");
    let clients: Vec<_> = (0..12)
        .map(|_| {
            let mut client = SimClient::connect(&sim);
            std::thread::spawn(move || client.chat(r#""stream":true"#).done())
        })
        .collect();
    assert!(clients.into_iter().all(|client| client.join().unwrap()));
    let indices: Vec<u64> = sim.truth().iter().map(|t| t.index).collect();
    assert_eq!(indices, (0..12).collect::<Vec<u64>>());
}
