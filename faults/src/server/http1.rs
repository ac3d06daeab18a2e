//! HTTP/1: reads requests as they should be and answers as the script says.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::wire::ServerSocket;
use super::{Flow, ReceivedRequest, ServerState};
use crate::body::{self, bytes};
use crate::scenario::KEY;
use crate::step::{BodyFraming, ScriptStep, ScriptedReply};

pub(super) fn serve(wire: &mut ServerSocket, state: &Arc<ServerState>) -> io::Result<()> {
    if perform(wire, state, &state.script.on_accept)? == Flow::End {
        return Ok(());
    }
    let mut inbox = Vec::new();
    let mut number = 0;
    while let Some(request) = receive(wire, state, &mut inbox)? {
        number += 1;
        let steps = state.steps_for(&request, number);
        if perform(wire, state, &steps)? == Flow::End {
            return Ok(());
        }
    }
    Ok(())
}

fn perform(wire: &mut ServerSocket, state: &Arc<ServerState>, steps: &[ScriptStep]) -> io::Result<Flow> {
    for step in steps {
        if step_once(wire, state, step)? == Flow::End {
            return Ok(Flow::End);
        }
    }
    Ok(Flow::GoOn)
}

fn step_once(wire: &mut ServerSocket, state: &Arc<ServerState>, step: &ScriptStep) -> io::Result<Flow> {
    match step {
        ScriptStep::Reply(reply) => send_reply(wire, reply)?,
        ScriptStep::Send(body) => {
            wire.write_all(&bytes(body)?)?;
            wire.flush()?;
        }
        ScriptStep::SleepMs(length) => thread::sleep(Duration::from_millis(*length)),
        ScriptStep::Repeat { times, steps } => {
            for _ in 0..*times {
                if perform(wire, state, steps)? == Flow::End {
                    return Ok(Flow::End);
                }
            }
        }
        ScriptStep::Forever(steps) => {
            while !state.is_over() {
                if perform(wire, state, steps)? == Flow::End {
                    break;
                }
            }
            return Ok(Flow::End);
        }
        ScriptStep::Close => return Ok(Flow::End),
        ScriptStep::CloseNotify => {
            wire.notify_close()?;
            return Ok(Flow::End);
        }
        ScriptStep::Reset => {
            wire.reset_on_close()?;
            return Ok(Flow::End);
        }
        ScriptStep::HalfClose => wire.send_no_more()?,
        ScriptStep::Hold => {
            hold(wire, state)?;
            return Ok(Flow::End);
        }
        ScriptStep::Gate => state.wait_at_gate(),
        ScriptStep::ReadSlowly(pause) => {
            while !state.is_over() && wire.read(&mut [0])? > 0 {
                thread::sleep(Duration::from_millis(*pause));
            }
            return Ok(Flow::End);
        }
        ScriptStep::StopListening => state.stop_listening(),
        ScriptStep::ListenAfterMs(after) => state.listen_again(Duration::from_millis(*after)),
        ScriptStep::Headers(_)
        | ScriptStep::Data { .. }
        | ScriptStep::Rst(_)
        | ScriptStep::Goaway { .. }
        | ScriptStep::Settings(_)
        | ScriptStep::Frame { .. } => return Err(io::Error::other("a step of HTTP/2 in a script of HTTP/1")),
    }
    Ok(Flow::GoOn)
}

/// Reads, and forgets, until the client has gone.
fn hold(wire: &mut ServerSocket, state: &ServerState) -> io::Result<()> {
    let mut buffer = [0; 4096];
    while !state.is_over() {
        match wire.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if is_tick(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn send_reply(wire: &mut ServerSocket, reply: &ScriptedReply) -> io::Result<()> {
    let mut response = reply.head()?.into_bytes();
    match reply.framing {
        BodyFraming::Chunked => {
            for chunk in reply.chunks()? {
                write!(response, "{:x}\r\n", chunk.len())?;
                response.extend_from_slice(&chunk);
                response.extend_from_slice(b"\r\n");
            }
            response.extend_from_slice(reply.last_chunk.as_bytes());
        }
        BodyFraming::Length | BodyFraming::Close | BodyFraming::None => {
            response.extend_from_slice(&bytes(&reply.body)?);
        }
    }
    let end = response.len().saturating_sub(reply.cut_bytes);
    for (index, piece) in response[..end].chunks(reply.write_bytes.unwrap_or(usize::MAX)).enumerate() {
        if index > 0 && reply.gap_ms > 0 {
            thread::sleep(Duration::from_millis(reply.gap_ms));
        }
        wire.write_all(piece)?;
        wire.flush()?;
    }
    Ok(())
}

impl ScriptedReply {
    fn head(&self) -> io::Result<String> {
        let end = &self.line_end;
        let mut head = format!("{} {}{end}", self.version, self.status);
        if !self.kind.is_empty() {
            head.push_str(&format!("Content-Type: {}{end}", self.kind));
        }
        for line in &self.headers {
            head.push_str(&format!("{line}{end}"));
        }
        if let Some(length) = &self.length {
            head.push_str(&format!("Content-Length: {length}{end}"));
        }
        match self.framing {
            BodyFraming::Chunked => head.push_str(&format!("Transfer-Encoding: chunked{end}")),
            BodyFraming::Length if self.length.is_none() => {
                head.push_str(&format!("Content-Length: {}{end}", bytes(&self.body)?.len()));
            }
            BodyFraming::Close => head.push_str(&format!("Connection: close{end}")),
            BodyFraming::Length | BodyFraming::None => {}
        }
        head.push_str(end);
        Ok(head)
    }

    fn chunks(&self) -> io::Result<Vec<Vec<u8>>> {
        let pieces = match self.chunk_bytes {
            None => body::pieces(&self.body)?,
            Some(size) => bytes(&self.body)?.chunks(size).map(<[u8]>::to_vec).collect(),
        };
        Ok(pieces.into_iter().filter(|piece| !piece.is_empty()).collect())
    }
}

/// The next request; `None` when the client has gone or the scenario is over.
fn receive(wire: &mut ServerSocket, state: &ServerState, inbox: &mut Vec<u8>) -> io::Result<Option<ReceivedRequest>> {
    let Some(head_end) = read_until(wire, state, inbox, |seen| {
        seen.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
    })?
    else {
        return Ok(None);
    };
    let head = String::from_utf8_lossy(&inbox[..head_end]).into_owned();
    let target = head.split(' ').nth(1).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let end = head_end + length.unwrap_or(0);
    if read_until(wire, state, inbox, |seen| (seen.len() >= end).then_some(end))?.is_none() {
        return Ok(None);
    }
    inbox.drain(..end);
    Ok(Some(ReceivedRequest { path, has_key: head.contains(KEY) }))
}

fn read_until(
    wire: &mut ServerSocket,
    state: &ServerState,
    inbox: &mut Vec<u8>,
    found: impl Fn(&[u8]) -> Option<usize>,
) -> io::Result<Option<usize>> {
    let mut buffer = [0; 16 * 1024];
    loop {
        if let Some(at) = found(inbox) {
            return Ok(Some(at));
        }
        match wire.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(count) => inbox.extend_from_slice(&buffer[..count]),
            Err(error) if is_tick(&error) => {
                if state.is_over() {
                    return Ok(None);
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// Nothing came for a while.
pub(super) fn is_tick(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
