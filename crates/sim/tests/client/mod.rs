//! A client small enough to be trusted: one blocking socket, every read seen.

#![allow(dead_code, reason = "each test file uses another part of it")]
#![allow(clippy::unwrap_used, reason = "a client that meets trouble is a failed test")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_sim::{Sim, SimOptions};
use serde_json::Value;

pub(crate) fn start(query: &str) -> Sim {
    Sim::start(SimOptions::from_query(query).unwrap(), SocketAddr::from(([127, 0, 0, 1], 0))).unwrap()
}

pub(crate) struct SimClient {
    stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Complete events and the time at which the read that completed each returned.
    pub(crate) events: Vec<(Mono, String)>,
    /// Whether the body ended as its framing says.
    pub(crate) complete: bool,
    pub(crate) error: Option<std::io::ErrorKind>,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The events that are JSON, without `[DONE]`.
    pub(crate) fn chunks(&self) -> Vec<Value> {
        self.events.iter().filter_map(|(_, event)| serde_json::from_str(event).ok()).collect()
    }

    pub(crate) fn done(&self) -> bool {
        self.events.last().is_some_and(|(_, event)| event == "[DONE]")
    }

    /// The text of one kind, put together, and the time of each of its chunks.
    pub(crate) fn text(&self, field: &str) -> (String, Vec<Mono>) {
        let mut all = (String::new(), Vec::new());
        for (at, event) in &self.events {
            let Ok(event) = serde_json::from_str::<Value>(event) else { continue };
            let choice = &event["choices"][0];
            let text = if field == "text" { &choice["text"] } else { &choice["delta"][field] };
            if let Some(text) = text.as_str().filter(|text| !text.is_empty()) {
                all.0.push_str(text);
                all.1.push(*at);
            }
        }
        all
    }

    pub(crate) fn usage(&self) -> Value {
        self.chunks().iter().rev().map(|chunk| chunk["usage"].clone()).find(|usage| !usage.is_null()).unwrap()
    }
}

impl SimClient {
    pub(crate) fn connect(sim: &Sim) -> Self {
        Self::connect_to(sim.addr())
    }

    pub(crate) fn connect_to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Self { stream, buffer: Vec::new() }
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) {
        let length = body.len();
        let text = format!("{method} {path} HTTP/1.1\r\nHost: sim\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        self.send_raw(text.as_bytes());
    }

    pub(crate) fn get(&mut self, path: &str) -> Response {
        self.send("GET", path, "", "");
        self.read()
    }

    pub(crate) fn post(&mut self, path: &str, body: &str) -> Response {
        self.send("POST", path, "", body);
        self.read()
    }

    pub(crate) fn chat(&mut self, rest: &str) -> Response {
        self.post("/v1/chat/completions", &chat_body(rest))
    }

    fn fill(&mut self) -> std::io::Result<bool> {
        let mut bytes = [0; 8_192];
        let count = self.stream.read(&mut bytes)?;
        self.buffer.extend_from_slice(&bytes[..count]);
        Ok(count > 0)
    }

    pub(crate) fn read(&mut self) -> Response {
        let mut response = Response {
            status: 0,
            head: String::new(),
            body: Vec::new(),
            events: Vec::new(),
            complete: false,
            error: None,
        };
        let mut parsed = None;
        loop {
            if parsed.is_none()
                && let Some(end) = find(&self.buffer, b"\r\n\r\n")
            {
                let head = String::from_utf8(self.buffer.drain(..end + 4).collect()).unwrap();
                response.status = head[9..12].parse().unwrap();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ").map(str::to_owned));
                let chunked = head.contains("transfer-encoding: chunked");
                parsed = Some((length.map(|length| length.parse::<usize>().unwrap()), chunked));
                response.head = head;
            }
            match parsed {
                Some((Some(length), _)) if self.buffer.len() >= length => {
                    response.body = self.buffer.drain(..length).collect();
                    response.complete = true;
                    return response;
                }
                Some((None, true)) if self.take_chunks(&mut response) => {
                    response.complete = true;
                    return response;
                }
                _ => {}
            }
            match self.fill() {
                Ok(true) => {}
                Ok(false) => {
                    response.complete = matches!(parsed, Some((None, false)));
                    response.body.append(&mut self.buffer);
                    note_events(&mut response);
                    return response;
                }
                Err(e) => {
                    response.error = Some(e.kind());
                    return response;
                }
            }
        }
    }

    fn take_chunks(&mut self, response: &mut Response) -> bool {
        while let Some(line) = find(&self.buffer, b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&self.buffer[..line]).unwrap(), 16).unwrap();
            if self.buffer.len() < line + 2 + size + 2 {
                return false;
            }
            response.body.extend_from_slice(&self.buffer[line + 2..line + 2 + size]);
            self.buffer.drain(..line + 2 + size + 2);
            note_events(response);
            if size == 0 {
                return true;
            }
        }
        false
    }
}

fn note_events(response: &mut Response) {
    if !response.head.contains("text/event-stream") {
        return;
    }
    let now = Mono::now();
    while let Some(end) = find(&response.body, b"\n\n") {
        let event = String::from_utf8(response.body.drain(..end + 2).collect()).unwrap();
        // Some APIs name their events, and one puts no blank before its data.
        let data = event.trim_end().lines().find_map(|line| line.strip_prefix("data:")).unwrap();
        response.events.push((now, data.trim_start().to_owned()));
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// A chat of five prompt tokens with more fields after it.
pub(crate) fn chat_body(rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { "," };
    format!(r#"{{"model":"m","messages":[{{"role":"user","content":"one two three four five"}}]{comma}{rest}}}"#)
}

pub(crate) fn tokens(text: &str) -> u64 {
    aiperf_o200k::count(text) as u64
}

impl SimClient {
    /// An interim head, without a body.
    pub(crate) fn read_head(&mut self) -> String {
        loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                return String::from_utf8(self.buffer.drain(..end + 4).collect()).unwrap();
            }
            assert!(self.fill().unwrap(), "closed before the head was complete");
        }
    }

    /// Waits for the server to close, and says whether it did so in order.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.fill(), Ok(false))
    }
}

/// Requests that run or wait, by the server's own metrics.
pub(crate) fn in_flight(sim: &Sim) -> f64 {
    let text = String::from_utf8(SimClient::connect(sim).get("/metrics").body).unwrap();
    let value = |name: &str| {
        text.lines().find(|line| line.starts_with(name)).unwrap().rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    value("vllm:num_requests_running{") + value("vllm:num_requests_waiting{")
}
