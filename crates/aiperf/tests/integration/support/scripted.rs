//! A server that answers as the test says, plain or under TLS, and keeps what it was asked.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;

/// Between two parts of an answer. Far above what a machine is late by.
pub(crate) const PAUSE: Duration = Duration::from_millis(30);

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    }
}

/// Written part by part, with a pause after each.
pub(crate) type Parts = Vec<Vec<u8>>;

pub(crate) trait Wire: Read + Write + Send {}
impl<T: Read + Write + Send> Wire for T {}

pub(crate) struct Scripted {
    pub(crate) addr: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    secure: bool,
}

impl Scripted {
    pub(crate) fn start(answer: impl Fn(&Asked) -> Parts + Send + Sync + 'static) -> Self {
        Self::serve(None, answer)
    }

    pub(crate) fn secure(
        tls: Arc<rustls::ServerConfig>,
        answer: impl Fn(&Asked) -> Parts + Send + Sync + 'static,
    ) -> Self {
        Self::serve(Some(tls), answer)
    }

    /// `http://127.0.0.1:...`, or `https://localhost:...`
    pub(crate) fn url(&self) -> String {
        if self.secure { format!("https://localhost:{}", self.addr.port()) } else { format!("http://{}", self.addr) }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    fn serve(tls: Option<Arc<rustls::ServerConfig>>, answer: impl Fn(&Asked) -> Parts + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer, secure) = (Arc::clone(&asked), Arc::new(answer), tls.is_some());
        thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                socket.set_nodelay(true).unwrap();
                let (kept, answer, tls) = (Arc::clone(&kept), Arc::clone(&answer), tls.clone());
                thread::spawn(move || {
                    let mut wire: Box<dyn Wire> = match tls {
                        None => Box::new(socket),
                        Some(tls) => {
                            let session = rustls::ServerConnection::new(tls).unwrap();
                            Box::new(rustls::StreamOwned::new(session, socket))
                        }
                    };
                    while let Some(request) = receive(&mut wire) {
                        let parts = answer(&request);
                        kept.lock().unwrap().push(request);
                        for (index, part) in parts.iter().enumerate() {
                            if index > 0 {
                                thread::sleep(PAUSE);
                            }
                            if wire.write_all(part).and_then(|()| wire.flush()).is_err() {
                                return;
                            }
                        }
                    }
                });
            }
        });
        Self { addr, asked, secure }
    }
}

/// The next request; `None` when the client has gone.
fn receive(wire: &mut impl Read) -> Option<Asked> {
    let (head, mut body) = read_head(wire)?;
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = String::from_utf8(lines.next()?.to_vec()).unwrap();
    let mut words = first.split(' ');
    let headers: Vec<(String, Vec<u8>)> = lines
        .filter(|line| !line.is_empty())
        .map(|line| {
            let colon = line.iter().position(|byte| *byte == b':').unwrap();
            (String::from_utf8(line[..colon].to_vec()).unwrap(), line[colon + 1..].trim_ascii().to_vec())
        })
        .collect();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut asked = Asked { method, target, headers, body: Vec::new() };
    let length: usize = asked.header("content-length").map_or(0, |text| text.parse().unwrap());
    let mut buffer = vec![0; 64 * 1024];
    while body.len() < length {
        match wire.read(&mut buffer) {
            Ok(count) if count > 0 => body.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
    asked.body = body;
    Some(asked)
}

/// A head with the empty line that ends it, and what came after it.
pub(crate) fn read_head(wire: &mut impl Read) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = seen.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = seen.split_off(end + 4);
            return Some((seen, rest));
        }
        match wire.read(&mut buffer) {
            Ok(count) if count > 0 => seen.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}

/// A stream of one token for each word.
pub(crate) fn chat_events(words: &[&str]) -> Vec<String> {
    let event = |word: &&str| {
        let chunk = json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]});
        format!("data: {chunk}\n\n")
    };
    words.iter().map(event).chain(["data: [DONE]\n\n".to_owned()]).collect()
}

/// A whole answer that says `hello`.
pub(crate) fn chat_reply() -> String {
    json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}}]})
        .to_string()
}

/// An answer of one piece. `head` has the status, and further header lines that end in CRLF.
pub(crate) fn in_one(status: &str, headers: &str, body: &[u8]) -> Parts {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    vec![[head.as_bytes(), body].concat()]
}

/// A streamed answer, each part in a chunk and a write of its own.
pub(crate) fn in_chunks(headers: &str, parts: &[Vec<u8>]) -> Parts {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n{headers}\r\n");
    let chunk = |part: &Vec<u8>| [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
    let mut answer: Parts = parts.iter().filter(|part| !part.is_empty()).map(chunk).collect();
    answer[0] = [head.as_bytes(), &answer[0]].concat();
    answer.last_mut().unwrap().extend_from_slice(b"0\r\n\r\n");
    answer
}
