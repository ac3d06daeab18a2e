//! Server-sent events and the WebSocket.

use std::net::TcpStream;
use std::time::Duration;

use aiperf_live::Scene;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::support::{ExampleServer, recorded};

fn connect(server: &ExampleServer) -> WebSocket<TcpStream> {
    let stream = TcpStream::connect(server.place()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    tungstenite::client(format!("ws://{}/ws", server.place()), stream).unwrap().0
}

fn ask(socket: &mut WebSocket<TcpStream>, request: &str) {
    socket.send(Message::text(request)).unwrap();
}

fn next(socket: &mut WebSocket<TcpStream>) -> Value {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(text.as_str()).unwrap();
        }
    }
}

/// The messages with this name that a client gets when it subscribes.
pub(crate) fn messages(server: &ExampleServer, topic: &str) -> Vec<Value> {
    let mut socket = connect(server);
    ask(&mut socket, &json!({"type": "subscribe", "message_types": [topic]}).to_string());
    assert_eq!(next(&mut socket), json!({"type": "subscribed", "message_types": [topic]}));
    let mut messages = vec![next(&mut socket)];
    // What comes within one look at the run belongs together: an answer to a ping comes after it.
    ask(&mut socket, r#"{"type":"ping"}"#);
    loop {
        let message = next(&mut socket);
        if message["type"] == "pong" {
            return messages;
        }
        messages.push(message);
    }
}

#[test]
fn control_messages_are_those_of_the_reference() {
    let server = ExampleServer::start(Scene::Steady);
    let mut socket = connect(&server);
    let known: Vec<Value> =
        recorded("messages.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    ask(&mut socket, r#"{"type":"ping"}"#);
    assert!(known.contains(&next(&mut socket)));
    ask(&mut socket, r#"{"type":"unsubscribe","message_types":["worker_health"]}"#);
    assert!(known.contains(&next(&mut socket)));
    for wrong in ["not json", "[1]", r#"{"type":"subscribe","message_types":"worker_health"}"#] {
        ask(&mut socket, wrong);
        let error = next(&mut socket);
        assert_eq!(error["type"], "error", "{wrong}");
        assert!(error["message"].is_string());
    }
}

#[test]
fn a_star_subscribes_to_everything_and_a_late_joiner_gets_what_it_missed() {
    let server = ExampleServer::start(Scene::End);
    let mut socket = connect(&server);
    ask(&mut socket, r#"{"type":"subscribe","message_types":["*"]}"#);
    let mut missing: Vec<&str> = vec![
        "credit_phase_start",
        "credit_phase_sending_complete",
        "credit_phase_complete",
        "all_records_received",
        "credit_phase_progress",
        "processing_stats",
        "realtime_metrics",
        "worker_health",
        "worker_status_summary",
        "system_state_changed",
    ];
    while !missing.is_empty() {
        let message = next(&mut socket);
        missing.retain(|topic| message["message_type"] != *topic);
    }
}

#[test]
fn events_go_on_where_a_client_was_cut_off() {
    let server = ExampleServer::start(Scene::Errors);
    let first = server.beginning("/api/events", &[], "event: snapshot");
    assert!(first.contains("content-type: text/event-stream"), "{first}");
    let place = |name: &str| first.find(&format!("event: {name}\n")).unwrap();
    assert!(place("run") < place("history") && place("history") < place("event") && place("event") < place("snapshot"));
    let ids: Vec<&str> = first.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert!(ids.len() > 5, "{ids:?}");
    let cut = ids[ids.len() - 3];
    let again = server.beginning("/api/events", &[("Last-Event-ID", cut)], "event: snapshot");
    let rest: Vec<&str> = again.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert_eq!(rest, ids[ids.len() - 2..]);
    assert!(again.contains("event: history\n"), "the page draws the whole history again");
    let other = server.beginning("/api/events", &[("Last-Event-ID", "another-server-7")], "event: snapshot");
    assert_eq!(other.matches("\nid: ").count(), ids.len(), "ids of another run mean nothing here");
}
