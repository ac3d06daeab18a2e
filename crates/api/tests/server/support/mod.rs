//! A server with an example run, and clients for it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use aiperf_api::ApiServer;
use aiperf_config::{ApiConfig, ApiLinger};
use aiperf_live::{LiveRun, Scene};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct ExampleServer {
    pub(crate) server: ApiServer,
    pub(crate) folder: TempDir,
    place: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl ExampleServer {
    pub(crate) fn start(scene: Scene) -> Self {
        let linger = ApiLinger::For(Duration::ZERO);
        Self::with(scene, &ApiConfig { host: "127.0.0.1".to_owned(), port: 0, token: None, linger })
    }

    pub(crate) fn with(scene: Scene, config: &ApiConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = ApiServer::start(config, &LiveRun::example_of(scene), folder.path().to_owned()).unwrap();
        let address = server.page_address();
        let port = address.rsplit(':').next().unwrap().split('/').next().unwrap();
        let place = format!("127.0.0.1:{port}");
        Self { server, folder, place }
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[])
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            text.push_str(&format!("Host: {}\r\n", self.place));
        }
        text.push_str(&lines(headers));
        let mut stream = TcpStream::connect(&self.place).unwrap();
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        Answer { status, head: head.to_owned(), body: if is_chunked { unchunked(body) } else { body.to_owned() } }
    }

    /// The first bytes of an answer that does not end.
    pub(crate) fn beginning(&self, path: &str, headers: &[(&str, &str)], until: &str) -> String {
        let mut stream = TcpStream::connect(&self.place).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{}\r\n", self.place, lines(headers));
        stream.write_all(request.as_bytes()).unwrap();
        let (mut text, mut piece) = (String::new(), [0; 8192]);
        while !text.contains(until) {
            let length = stream.read(&mut piece).unwrap();
            assert!(length > 0, "the stream ended without {until}: {text}");
            text.push_str(&String::from_utf8_lossy(&piece[..length]));
        }
        text
    }
}

fn lines(headers: &[(&str, &str)]) -> String {
    let lines: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    lines.concat()
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        text.push_str(&rest[..size]);
        body = rest.get(size + 2..).unwrap_or_default();
    }
    text
}

/// An answer or a message that the reference gave.
pub(crate) fn recorded(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reference").join(name)).unwrap()
}
