//! A small Hugging Face hub on the loopback interface for tests. It serves given files, records requests, and can simulate
//! faults.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it should be")]

mod parquet_file;

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

pub use parquet_file::{TestColumn, parquet_file};

pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
pub const CONVERTED: &str = "89abcdef0123456789abcdef0123456789abcdef";

/// The fault that the server simulates at the next request for a file.
#[derive(Debug, Clone)]
pub enum HubFault {
    /// Closes the connection after this many bytes of the body.
    CutAfter(usize),
    /// Sends nothing more after this many bytes, and keeps the connection open for this time.
    StallAfter(usize, Duration),
    Status(u16),
    /// Redirects the client.
    Redirect(String),
    /// Announces the hash of other bytes.
    Etag(String),
    IgnoreRange,
}

#[derive(Debug, Default)]
struct HubState {
    /// The files of every repository without files of its own.
    files: BTreeMap<String, Vec<u8>>,
    repositories: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    converted: BTreeMap<String, Vec<u8>>,
    fault: VecDeque<HubFault>,
    requests: Vec<String>,
    refused: Option<(u16, &'static str)>,
}

#[derive(Debug, Clone)]
pub struct LoopbackHub {
    pub url: String,
    state: Arc<Mutex<HubState>>,
}

impl LoopbackHub {
    /// A hub on which every repository has these files.
    pub fn with(files: &[(&str, &[u8])]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let hub = Self { url, state: Arc::default() };
        hub.state.lock().unwrap().files = files.iter().map(|(n, b)| ((*n).to_owned(), b.to_vec())).collect();
        let served = hub.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = served.clone();
                // Some tests close the connection on purpose.
                std::thread::spawn(move || served.answer(stream));
            }
        });
        hub
    }

    /// Adds the files of one repository.
    pub fn repository(self, name: &str, files: &[(&str, &[u8])]) -> Self {
        let files = files.iter().map(|(n, b)| ((*n).to_owned(), b.to_vec())).collect();
        self.state.lock().unwrap().repositories.insert(name.to_owned(), files);
        self
    }

    /// Adds the files of the hub's Parquet conversion.
    pub fn converted(self, files: &[(&str, &[u8])]) -> Self {
        self.state.lock().unwrap().converted = files.iter().map(|(n, b)| ((*n).to_owned(), b.to_vec())).collect();
        self
    }

    pub fn then(self, fault: HubFault) -> Self {
        self.state.lock().unwrap().fault.push_back(fault);
        self
    }

    /// Answers every request with this response.
    pub fn refusing(self, status: u16, said: &'static str) -> Self {
        self.state.lock().unwrap().refused = Some((status, said));
        self
    }

    /// The heads of all requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.state.lock().unwrap().requests.clone()
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let range = head.lines().find_map(|l| l.to_ascii_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
        let from: usize = range.and_then(|r| r.trim_end_matches('-').parse().ok()).unwrap_or(0);
        let (fault, refused) = {
            let mut state = self.state.lock().unwrap();
            state.requests.push(head.clone());
            let is_file = path.contains("/resolve/");
            (if is_file { state.fault.pop_front() } else { None }, state.refused)
        };
        if let Some((status, said)) = refused {
            return write!(
                stream,
                "HTTP/1.1 {status} No\r\nConnection: close\r\nContent-Length: 0\r\nX-Error-Message: {said}\r\n\r\n"
            );
        }
        let state = self.state.lock().unwrap();
        let is_converted = path.contains("refs%2Fconvert%2Fparquet") || path.contains(CONVERTED);
        let own = state.repositories.iter().find(|(name, _)| path.contains(name.as_str())).map(|(_, files)| files);
        let (files, commit) =
            if is_converted { (&state.converted, CONVERTED) } else { (own.unwrap_or(&state.files), COMMIT) };
        let body = if path.starts_with("/api/") {
            let siblings: Vec<_> = files.iter().map(|(n, b)| json!({"rfilename": n, "size": b.len()})).collect();
            Some(json!({"sha": commit, "siblings": siblings}).to_string().into_bytes()).filter(|_| !files.is_empty())
        } else {
            let name = path.split("/resolve/").nth(1).and_then(|rest| rest.split_once('/')).map(|(_, name)| name);
            name.and_then(|name| files.get(&name.replace("%20", " ")).cloned())
        };
        drop(state);
        let Some(body) = body else {
            return write!(stream, "HTTP/1.1 404 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        };
        let mut etag = format!("etag-{}", body.len());
        let (mut cut, mut from, mut stall) = (body.len(), from, Duration::ZERO);
        match fault {
            Some(HubFault::Status(status)) => {
                return write!(stream, "HTTP/1.1 {status} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            }
            Some(HubFault::Redirect(to)) => {
                return write!(
                    stream,
                    "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nX-Repo-Commit: {commit}\r\n\
                     X-Linked-Etag: \"{etag}\"\r\nX-Linked-Size: {}\r\nLocation: {to}\r\n\r\n",
                    body.len()
                );
            }
            Some(HubFault::CutAfter(bytes)) => cut = (from + bytes).min(body.len()),
            Some(HubFault::StallAfter(bytes, length)) => (cut, stall) = ((from + bytes).min(body.len()), length),
            Some(HubFault::Etag(other)) => etag = other,
            Some(HubFault::IgnoreRange) => from = 0,
            None => {}
        }
        let status = if from > 0 {
            format!("206 Partial Content\r\nContent-Range: bytes {from}-{}/{}", body.len() - 1, body.len())
        } else {
            "200 OK".to_owned()
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nConnection: close\r\nX-Repo-Commit: {commit}\r\nETag: \"{etag}\"\r\n\
             Content-Length: {}\r\n\r\n",
            body.len() - from
        )?;
        stream.write_all(&body[from..cut])?;
        std::thread::sleep(stall);
        Ok(())
    }
}
