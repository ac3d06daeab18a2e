//! What a scripted server does, step by step.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::body::{BodyPart, ScriptedBody};

/// A server as a scenario describes it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerScript {
    pub(crate) protocol: Protocol,
    pub(crate) certificate: Certificate,
    /// Done on each connection before a request is read.
    pub(crate) on_accept: Vec<ScriptStep>,
    /// Done for each request; a good reply of three tokens when not given.
    pub(crate) on_request: Option<Vec<ScriptStep>>,
    /// The first N requests get a good reply.
    pub(crate) good_first: u64,
    /// For the request with this number, counted over all connections from 1.
    pub(crate) numbered: BTreeMap<u64, Vec<ScriptStep>>,
    /// For the request with this number on its own connection, from 1.
    pub(crate) on_connection: BTreeMap<u64, Vec<ScriptStep>>,
    /// For requests to this path, which are not counted as served.
    pub(crate) paths: BTreeMap<String, Vec<ScriptStep>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Protocol {
    #[default]
    Http,
    Https,
    Http2,
    Http2Tls,
    /// Nothing listens on the port.
    Refused,
    /// The queue of connections to accept is full.
    FullBacklog,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Certificate {
    pub(crate) name: String,
    pub(crate) trusted: bool,
    pub(crate) expired: bool,
    /// The client must show a certificate.
    pub(crate) asks_for_client: bool,
}

impl Default for Certificate {
    fn default() -> Self {
        Self { name: "localhost".to_owned(), trusted: true, expired: false, asks_for_client: false }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ScriptStep {
    /// An HTTP/1 response.
    Reply(Box<ScriptedReply>),
    /// Bytes as they are.
    Send(ScriptedBody),
    SleepMs(u64),
    Repeat {
        times: usize,
        steps: Vec<ScriptStep>,
    },
    /// The steps again and again until the client has gone.
    Forever(Vec<ScriptStep>),
    /// Closes the connection; under TLS without a close notification.
    Close,
    /// Closes the connection; under TLS with a close notification.
    CloseNotify,
    /// Closes the connection by a reset.
    Reset,
    /// Sends no more, and reads on.
    HalfClose,
    /// Does nothing until the client has gone.
    Hold,
    /// Waits until the scenario releases it.
    Gate,
    /// Reads a byte of the request at a time, with this many milliseconds between.
    ReadSlowly(u64),
    /// Closes the port: later connections are refused.
    StopListening,
    /// Opens the port again after this many milliseconds.
    ListenAfterMs(u64),
    /// HTTP/2: the head of a response on the stream of the request.
    Headers(ScriptedHeaders),
    /// HTTP/2: a part of the body.
    Data {
        body: ScriptedBody,
        #[serde(default)]
        end: bool,
    },
    /// HTTP/2: resets the stream with this error code.
    Rst(u32),
    /// HTTP/2: ends the connection; streams above `last` were not processed (the stream of the request if not given).
    Goaway {
        #[serde(default)]
        last: Option<u32>,
        #[serde(default)]
        code: u32,
        #[serde(default)]
        debug: String,
    },
    /// HTTP/2: settings by number.
    Settings(BTreeMap<u16, u32>),
    /// HTTP/2: a frame of any kind; stream 0 if not given.
    Frame {
        kind: u8,
        #[serde(default)]
        flags: u8,
        #[serde(default)]
        stream: ScriptedStream,
        #[serde(default)]
        hex: String,
    },
}

/// Which stream a frame names.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptedStream {
    #[default]
    Connection,
    /// The stream of the request.
    Own,
    /// A stream that was never opened.
    Unknown,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScriptedHeaders {
    pub(crate) status: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) end: bool,
}

impl Default for ScriptedHeaders {
    fn default() -> Self {
        let fields = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        Self { status: "200".to_owned(), fields, end: false }
    }
}

/// An HTTP/1 response, right unless a field says otherwise.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScriptedReply {
    pub(crate) version: String,
    pub(crate) status: String,
    /// `Content-Type`; none when empty.
    pub(crate) kind: String,
    /// Further header lines.
    pub(crate) headers: Vec<String>,
    pub(crate) body: ScriptedBody,
    pub(crate) framing: BodyFraming,
    /// Value of `Content-Length`, instead of the true one.
    pub(crate) length: Option<String>,
    /// Body bytes in each chunk; each part is a chunk if not given.
    pub(crate) chunk_bytes: Option<usize>,
    /// Bytes in each write; the whole response if not given.
    pub(crate) write_bytes: Option<usize>,
    /// Pause between two writes.
    pub(crate) gap_ms: u64,
    /// Bytes at the end that are not sent.
    pub(crate) cut_bytes: usize,
    /// The chunk that ends a chunked body.
    pub(crate) last_chunk: String,
    /// What ends the lines of the head.
    pub(crate) line_end: String,
}

impl Default for ScriptedReply {
    fn default() -> Self {
        Self {
            version: "HTTP/1.1".to_owned(),
            status: "200 OK".to_owned(),
            kind: "text/event-stream".to_owned(),
            headers: Vec::new(),
            body: vec![BodyPart::Tokens(3), BodyPart::Done],
            framing: BodyFraming::default(),
            length: None,
            chunk_bytes: None,
            write_bytes: None,
            gap_ms: 0,
            cut_bytes: 0,
            last_chunk: "0\r\n\r\n".to_owned(),
            line_end: "\r\n".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BodyFraming {
    #[default]
    Chunked,
    Length,
    /// The end of the connection ends the body.
    Close,
    /// The response does not state its length.
    None,
}
