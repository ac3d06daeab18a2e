//! HTTP/2, frame by frame: requests are known by their streams alone, responses are frames as the script has them.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::http1::is_tick;
use super::wire::ServerSocket;
use super::{Flow, ReceivedRequest, ServerState};
use crate::body::{self, BodyPart};
use crate::step::{ScriptStep, ScriptedHeaders, ScriptedStream};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEAD: usize = 9;
/// Longest payload that any receiver takes.
const LONGEST: usize = 16_384;
/// A stream that no client of ours opens.
const UNKNOWN_STREAM: u32 = 9_999;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

#[derive(Debug)]
struct Http2Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

/// A stream of three tokens.
pub(super) fn good_reply() -> Vec<ScriptStep> {
    let body = vec![BodyPart::Tokens(3), BodyPart::Done];
    vec![ScriptStep::Headers(ScriptedHeaders::default()), ScriptStep::Data { body, end: true }]
}

pub(super) fn serve(wire: &mut ServerSocket, state: &Arc<ServerState>) -> io::Result<()> {
    let mut inbox = Vec::new();
    if !fill(wire, state, &mut inbox, PREFACE.len())? || !inbox.starts_with(PREFACE) {
        return Ok(());
    }
    inbox.drain(..PREFACE.len());
    let greeting = [ScriptStep::Settings(BTreeMap::new())];
    let on_accept = if state.script.on_accept.is_empty() { &greeting[..] } else { &state.script.on_accept };
    if perform(wire, state, on_accept, 0)? == Flow::End {
        return Ok(());
    }
    let mut number = 0;
    while let Some(frame) = receive(wire, state, &mut inbox)? {
        match frame.kind {
            SETTINGS if frame.flags & ACK == 0 => send(wire, SETTINGS, ACK, 0, &[])?,
            PING if frame.flags & ACK == 0 => send(wire, PING, ACK, 0, &frame.payload)?,
            DATA | HEADERS if frame.flags & END_STREAM != 0 => {
                number += 1;
                // Names are compressed, so that the path is not known: scripts of HTTP/2 have one answer for all.
                let request = ReceivedRequest { path: String::new(), has_key: false };
                let steps = state.steps_for(&request, number);
                if perform(wire, state, &steps, frame.stream)? == Flow::End {
                    return Ok(());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn perform(wire: &mut ServerSocket, state: &Arc<ServerState>, steps: &[ScriptStep], stream: u32) -> io::Result<Flow> {
    for step in steps {
        match step {
            ScriptStep::Send(body) => {
                wire.write_all(&body::bytes(body)?)?;
                wire.flush()?;
            }
            ScriptStep::SleepMs(length) => thread::sleep(Duration::from_millis(*length)),
            ScriptStep::Repeat { times, steps } => {
                for _ in 0..*times {
                    if perform(wire, state, steps, stream)? == Flow::End {
                        return Ok(Flow::End);
                    }
                }
            }
            ScriptStep::Close => return Ok(Flow::End),
            ScriptStep::Reset => {
                wire.reset_on_close()?;
                return Ok(Flow::End);
            }
            // The stream is left as it is; others may go on.
            ScriptStep::Hold => return Ok(Flow::GoOn),
            ScriptStep::Gate => state.wait_at_gate(),
            ScriptStep::Headers(headers) => {
                let flags = END_HEADERS | if headers.end { END_STREAM } else { 0 };
                send(wire, HEADERS, flags, stream, &encoded(headers))?;
            }
            ScriptStep::Data { body, end } => {
                let bytes = body::bytes(body)?;
                let mut chunks = bytes.chunks(LONGEST).peekable();
                if chunks.peek().is_none() {
                    send(wire, DATA, u8::from(*end), stream, &[])?;
                }
                while let Some(chunk) = chunks.next() {
                    let last = *end && chunks.peek().is_none();
                    send(wire, DATA, u8::from(last), stream, chunk)?;
                }
            }
            ScriptStep::Rst(code) => send(wire, RST_STREAM, 0, stream, &code.to_be_bytes())?,
            ScriptStep::Goaway { last, code, debug } => {
                let mut payload = last.unwrap_or(stream).to_be_bytes().to_vec();
                payload.extend_from_slice(&code.to_be_bytes());
                payload.extend_from_slice(debug.as_bytes());
                send(wire, GOAWAY, 0, 0, &payload)?;
            }
            ScriptStep::Settings(settings) => {
                let mut payload = Vec::new();
                for (id, value) in settings {
                    payload.extend_from_slice(&id.to_be_bytes());
                    payload.extend_from_slice(&value.to_be_bytes());
                }
                send(wire, SETTINGS, 0, 0, &payload)?;
            }
            ScriptStep::Frame { kind, flags, stream: which, hex } => {
                let stream = match which {
                    ScriptedStream::Connection => 0,
                    ScriptedStream::Own => stream,
                    ScriptedStream::Unknown => UNKNOWN_STREAM,
                };
                send(wire, *kind, *flags, stream, &body::hex(hex)?)?;
            }
            ScriptStep::Reply(_)
            | ScriptStep::Forever(_)
            | ScriptStep::CloseNotify
            | ScriptStep::HalfClose
            | ScriptStep::ReadSlowly(_)
            | ScriptStep::StopListening
            | ScriptStep::ListenAfterMs(_) => {
                return Err(io::Error::other("a step of HTTP/1 in a script of HTTP/2"));
            }
        }
    }
    Ok(Flow::GoOn)
}

/// Literal fields without indexing: the simplest that HPACK has. Name 8 of its table is `:status`.
fn encoded(headers: &ScriptedHeaders) -> Vec<u8> {
    let mut block = vec![8, headers.status.len() as u8];
    block.extend_from_slice(headers.status.as_bytes());
    for (name, value) in &headers.fields {
        block.push(0);
        for text in [name, value] {
            block.push(text.len() as u8);
            block.extend_from_slice(text.as_bytes());
        }
    }
    block
}

fn send(wire: &mut ServerSocket, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend_from_slice(&[kind, flags]);
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(payload);
    wire.write_all(&frame)?;
    wire.flush()
}

fn receive(wire: &mut ServerSocket, state: &ServerState, inbox: &mut Vec<u8>) -> io::Result<Option<Http2Frame>> {
    if !fill(wire, state, inbox, HEAD)? {
        return Ok(None);
    }
    let length = inbox[..3].iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
    if !fill(wire, state, inbox, HEAD + length)? {
        return Ok(None);
    }
    let rest = inbox.split_off(HEAD + length);
    let frame = std::mem::replace(inbox, rest);
    let stream = frame[5..HEAD].iter().fold(0, |id, byte| id << 8 | u32::from(*byte)) & 0x7fff_ffff;
    Ok(Some(Http2Frame { kind: frame[3], flags: frame[4], stream, payload: frame[HEAD..].to_vec() }))
}

/// Reads until this many bytes have arrived; `false` if they never do.
fn fill(wire: &mut ServerSocket, state: &ServerState, inbox: &mut Vec<u8>, length: usize) -> io::Result<bool> {
    let mut buffer = [0; 16 * 1024];
    while inbox.len() < length {
        match wire.read(&mut buffer) {
            Ok(0) => return Ok(false),
            Ok(count) => inbox.extend_from_slice(&buffer[..count]),
            Err(error) if is_tick(&error) => {
                if state.is_over() {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
