//! A server that writes down every byte it is sent and answers with recorded bytes, cut into writes as they were recorded.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use serde_json::Value;

/// One request as it came over the socket.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: String,
    /// What stood in the request line.
    pub(crate) target: String,
    /// In the order and spelling in which they came.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Connections are counted from 1.
    pub(crate) connection: usize,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(there, _)| there.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Framing {
    Chunked,
    #[default]
    ContentLength,
    /// The end of the connection ends the body.
    Close,
}

/// What is sent back, and in which pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Offsets at which a new write starts.
    pub(crate) splits: Vec<usize>,
    pub(crate) gap: Duration,
    pub(crate) framing: Framing,
    /// The connection is reset instead of finishing the body.
    pub(crate) abort: bool,
    /// The connection is closed after the body, as the head says.
    pub(crate) close_after: bool,
    /// Nothing at all is answered until the client has gone.
    pub(crate) silent: bool,
}

impl Answer {
    pub(crate) fn of(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        Self { status: 200, headers, body: body.into(), ..Self::default() }
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::of("application/json", body.to_string())
    }

    /// A recorded response, as the manifest says that it came.
    pub(crate) fn recorded(name: &str) -> Self {
        let manifest = manifest();
        let row = &manifest["fixtures"][name];
        assert!(row.is_object(), "no recorded response is named {name}");
        let word = |key: &str| row[key].as_str();
        let body = std::fs::read(recordings().join("responses").join(word("file").unwrap())).unwrap();
        let mut answer = Self::of(word("content_type").unwrap(), body);
        let more = row["headers"].as_array().into_iter().flatten();
        answer.headers.extend(more.map(|h| (h[0].as_str().unwrap().to_owned(), h[1].as_str().unwrap().to_owned())));
        answer.status = row["status"].as_u64().unwrap_or(200) as u16;
        answer.splits =
            row["splits"].as_array().into_iter().flatten().map(|at| at.as_u64().unwrap() as usize).collect();
        answer.gap = Duration::from_millis(row["gap_ms"].as_u64().unwrap_or(5));
        answer.framing = match word("framing") {
            Some("chunked") => Framing::Chunked,
            Some("close") => Framing::Close,
            None if word("file").unwrap().rsplit('.').next() == Some("sse") => Framing::Chunked,
            Some("content-length") | None => Framing::ContentLength,
            Some(other) => panic!("{name}: no framing is named {other}"),
        };
        answer.abort = word("end") == Some("abort");
        answer
    }
}

/// The folder with what the reference sent and what servers answered.
pub(crate) fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../endpoint/tests/fixtures")
}

/// How each recorded response came, and what the reference made of it.
pub(crate) fn manifest() -> Value {
    serde_json::from_slice(&std::fs::read(recordings().join("responses/manifest.json")).unwrap()).unwrap()
}

pub(crate) struct CannedServer {
    addr: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl CannedServer {
    /// Answers each request by `answer`, which is given its number, from 0.
    pub(crate) fn start(answer: impl Fn(usize, &Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        thread::spawn(move || {
            for (connection, socket) in listener.incoming().map_while(Result::ok).enumerate() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                // A client that goes away in the middle is what some tests are about.
                thread::spawn(move || serve(&socket, connection + 1, &log, &*answer));
            }
        });
        Self { addr, seen }
    }

    pub(crate) fn host(&self) -> String {
        self.addr.to_string()
    }

    /// All requests so far, in order of arrival.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(
    socket: &TcpStream,
    connection: usize,
    log: &Mutex<Vec<Seen>>,
    answer: &dyn Fn(usize, &Seen) -> Answer,
) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::new(socket);
    while let Some(seen) = receive(&mut reader, connection)? {
        let number = {
            let mut log = log.lock().unwrap();
            log.push(seen.clone());
            log.len() - 1
        };
        let answer = answer(number, &seen);
        if answer.silent {
            return io::copy(&mut reader, &mut io::sink()).map(drop);
        }
        send(socket, &answer)?;
        if answer.framing == Framing::Close || answer.close_after {
            return Ok(());
        }
        if answer.abort {
            // Without waiting for what was sent, a close is a reset.
            return Ok(set_socket_linger(socket, Some(Duration::ZERO))?);
        }
    }
    Ok(())
}

fn receive(reader: &mut impl BufRead, connection: usize) -> io::Result<Option<Seen>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let mut word = || words.next().unwrap().to_owned();
    let (method, target) = (word(), word());
    assert_eq!(word(), "HTTP/1.1");
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.strip_suffix("\r\n").unwrap_or_else(|| panic!("a line that does not end in CR LF: {line:?}"));
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("no header: {line:?}"));
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut seen = Seen { method, target, headers, body: Vec::new(), connection };
    seen.body = vec![0; seen.header("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut seen.body)?;
    Ok(Some(seen))
}

fn send(mut socket: &TcpStream, answer: &Answer) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match answer.framing {
        Framing::Chunked => head.push_str("Transfer-Encoding: chunked\r\n"),
        Framing::ContentLength => head.push_str(&format!("Content-Length: {}\r\n", answer.body.len())),
        Framing::Close => head.push_str("Connection: close\r\n"),
    }
    if answer.close_after {
        head.push_str("Connection: close\r\n");
    }
    head.push_str("\r\n");
    socket.write_all(head.as_bytes())?;
    let cuts = [&[0], &*answer.splits, &[answer.body.len()]].concat();
    for piece in cuts.windows(2).map(|cut| &answer.body[cut[0]..cut[1]]).filter(|piece| !piece.is_empty()) {
        thread::sleep(answer.gap);
        match answer.framing {
            Framing::Chunked => {
                let framed = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
                socket.write_all(&framed)?;
            }
            Framing::ContentLength | Framing::Close => socket.write_all(piece)?,
        }
    }
    if answer.abort {
        thread::sleep(answer.gap);
    } else if answer.framing == Framing::Chunked {
        socket.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        302 => "Found",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        other => panic!("no reason is known for {other}"),
    }
}
