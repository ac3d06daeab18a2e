//! `GET /ws`: messages of the topics that a client subscribes to, in the reference's protocol.

use std::time::Duration;

use aiperf_clock::Mono;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{self, MissedTickBehavior};

use crate::answer::{Shared, refuse};
use crate::state::{OpenStream, StreamKind};
use crate::topic::TopicFeed;

/// How often a client is looked after.
const TICK: Duration = Duration::from_millis(200);
/// A client that does not read for this long is given up.
const SEND_LIMIT: Duration = Duration::from_secs(20);
/// Requests of clients are short.
const LONGEST_REQUEST: usize = 64 * 1024;

pub(crate) async fn answer(State(state): Shared, upgrade: WebSocketUpgrade) -> Response {
    let Some(stream) = state.open_stream(StreamKind::WebSocket) else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many clients are connected to this run.");
    };
    upgrade.max_message_size(LONGEST_REQUEST).on_upgrade(move |socket| async move {
        // An error means that the client is gone.
        let _ = serve(socket, &stream).await;
    })
}

async fn serve(mut socket: WebSocket, stream: &OpenStream) -> Result<(), axum::Error> {
    let state = &stream.state;
    let mut feed = TopicFeed::default();
    let mut closing = state.closing.subscribe();
    let mut ticks = time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                None | Some(Err(_) | Ok(Message::Close(_))) => return Ok(()),
                Some(Ok(Message::Text(text))) => {
                    for reply in replies(text.as_str(), &mut feed, stream) {
                        send(&mut socket, reply).await?;
                    }
                }
                Some(Ok(_)) => {}
            },
            _ = ticks.tick() => {
                for message in feed.due(state, Mono::now()) {
                    send(&mut socket, message).await?;
                }
            }
            () = is_closing(&mut closing) => {
                for message in feed.due(state, Mono::now()) {
                    send(&mut socket, message).await?;
                }
                return socket.send(Message::Close(None)).await;
            }
        }
    }
}

/// Returns when the server is about to end.
async fn is_closing(closing: &mut watch::Receiver<bool>) {
    let _ = closing.wait_for(|closing| *closing).await;
}

async fn send(socket: &mut WebSocket, text: String) -> Result<(), axum::Error> {
    match time::timeout(SEND_LIMIT, socket.send(Message::Text(text.into()))).await {
        Ok(sent) => sent,
        Err(late) => Err(axum::Error::new(late)),
    }
}

/// What a request of the client is answered with.
fn replies(text: &str, feed: &mut TopicFeed, stream: &OpenStream) -> Vec<String> {
    let request = match Request::parse(text) {
        Ok(request) => request,
        Err(why) => return vec![json!({"type": "error", "message": why}).to_string()],
    };
    match request {
        Request::Ping => vec![json!({"type": "pong"}).to_string()],
        Request::Subscribe(topics) => {
            let mut replies = vec![json!({"type": "subscribed", "message_types": topics}).to_string()];
            replies.extend(feed.subscribe(topics, &stream.state));
            replies
        }
        Request::Unsubscribe(topics) => {
            feed.unsubscribe(&topics);
            vec![json!({"type": "unsubscribed", "message_types": topics}).to_string()]
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Request {
    Ping,
    Subscribe(Vec<String>),
    Unsubscribe(Vec<String>),
}

impl Request {
    fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("This is not JSON: {error}"))?;
        let object = value.as_object().ok_or("A message must be a JSON object.")?;
        let topics = || match object.get("message_types") {
            None => Ok(Vec::new()),
            Some(value) => {
                let names =
                    value.as_array().map(|all| all.iter().map(|name| name.as_str().map(str::to_owned)).collect());
                names.flatten().ok_or_else(|| "message_types must be a list of strings.".to_owned())
            }
        };
        match object.get("type").and_then(Value::as_str) {
            Some("ping") => Ok(Self::Ping),
            Some("subscribe") => Ok(Self::Subscribe(topics()?)),
            Some("unsubscribe") => Ok(Self::Unsubscribe(topics()?)),
            _ => Err("The type of a message is subscribe, unsubscribe or ping.".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_wrong_ones_are_explained() {
        let topics = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let subscribe = r#"{"type":"subscribe","message_types":["worker_health"]}"#;
        assert_eq!(Request::parse(subscribe), Ok(Request::Subscribe(topics(&["worker_health"]))));
        assert_eq!(Request::parse(r#"{"type":"subscribe"}"#), Ok(Request::Subscribe(Vec::new())));
        assert_eq!(Request::parse(r#"{"type":"ping"}"#), Ok(Request::Ping));
        for wrong in ["", "[1]", "{", r#"{"type":"dance"}"#, r#"{"type":"subscribe","message_types":"all"}"#] {
            assert!(Request::parse(wrong).is_err(), "{wrong}");
        }
    }
}
