//! Responses of real servers as they were recorded, cut into the writes in which they came.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aiperf_test_server::{AfterReply, TestReply};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RecordedFraming {
    Chunked,
    #[default]
    ContentLength,
    /// The end of the connection ends the body.
    Close,
}

/// What is sent back, and in which pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordedReply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Offsets at which a new write starts.
    pub(crate) splits: Vec<usize>,
    pub(crate) gap: Duration,
    pub(crate) framing: RecordedFraming,
    /// The connection is reset instead of finishing the body.
    pub(crate) abort: bool,
    /// The connection is closed after the body, as the head says.
    pub(crate) close_after: bool,
    /// Nothing at all is answered until the client has gone.
    pub(crate) silent: bool,
}

impl RecordedReply {
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
            Some("chunked") => RecordedFraming::Chunked,
            Some("close") => RecordedFraming::Close,
            None if word("file").unwrap().rsplit('.').next() == Some("sse") => RecordedFraming::Chunked,
            Some("content-length") | None => RecordedFraming::ContentLength,
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

impl From<RecordedReply> for TestReply {
    fn from(reply: RecordedReply) -> Self {
        if reply.silent {
            return Self::silence();
        }
        let mut head = format!("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
        for (name, value) in &reply.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        match reply.framing {
            RecordedFraming::Chunked => head.push_str("Transfer-Encoding: chunked\r\n"),
            RecordedFraming::ContentLength => head.push_str(&format!("Content-Length: {}\r\n", reply.body.len())),
            RecordedFraming::Close => head.push_str("Connection: close\r\n"),
        }
        if reply.close_after {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
        let mut writes = vec![head.into_bytes()];
        let cuts = [&[0], &*reply.splits, &[reply.body.len()]].concat();
        for piece in cuts.windows(2).map(|cut| &reply.body[cut[0]..cut[1]]).filter(|piece| !piece.is_empty()) {
            writes.push(match reply.framing {
                RecordedFraming::Chunked => [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat(),
                RecordedFraming::ContentLength | RecordedFraming::Close => piece.to_vec(),
            });
        }
        if reply.framing == RecordedFraming::Chunked && !reply.abort {
            writes.last_mut().unwrap().extend_from_slice(b"0\r\n\r\n");
        }
        let after = match reply.framing {
            _ if reply.abort => AfterReply::Reset,
            RecordedFraming::Close => AfterReply::Close,
            _ if reply.close_after => AfterReply::Close,
            _ => AfterReply::AwaitNext,
        };
        Self { writes, pause: reply.gap, after }
    }
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
