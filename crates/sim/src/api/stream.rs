//! Sends a reply as server-sent events, each by a write of its own, with the time of every write kept.

use std::io;

use aiperf_clock::Mono;

use crate::api::dialect::DialectWriter;
use crate::api::dialect::openai::error_object;
use crate::api::text::{PlannedReply, on_every_chunk};
use crate::api::text_request::UsagePlacement;
use crate::generation::admission::admit;
use crate::generation::distribution::Distribution;
use crate::generation::fault::{MidwayFault, chunk_at};
use crate::generation::reply::PieceKind;
use crate::options::SimOptions;
use crate::server::connection::{ClientConnection, ClientGone, ClientRequest};
use crate::server::exchange::ServedRequest;
use crate::server::http_response::{StreamFraming, error_kind, write_chunk, write_end, write_stream_head};
use crate::server::response::{After, SIMULATED};
use crate::server::worker::ServerWorker;
use crate::truth::TruthOutcome;

const DONE: &[u8] = b"data: [DONE]\n\n";

/// Puts events into chunks of the body and sends them. Both buffers are used again and again.
pub(crate) struct EventSender<'a> {
    pub(crate) connection: &'a mut ClientConnection,
    framing: StreamFraming,
    /// The event being written.
    pub(crate) event: Vec<u8>,
    /// What goes out with the next write.
    out: Vec<u8>,
}

impl<'a> EventSender<'a> {
    /// With the head of the reply in its buffer; and what becomes of the connection after the reply.
    pub(crate) fn new(connection: &'a mut ClientConnection, received: &ClientRequest) -> (Self, After) {
        let framing = if received.head.chunked_replies { StreamFraming::Chunked } else { StreamFraming::UntilClose };
        let keep_alive = received.head.keep_alive && framing == StreamFraming::Chunked;
        let mut sender = Self { connection, framing, event: Vec::with_capacity(512), out: Vec::with_capacity(1024) };
        write_stream_head(framing, keep_alive, &mut sender.out);
        (sender, After::keeping(keep_alive))
    }

    pub(crate) async fn send(&mut self) -> io::Result<Mono> {
        write_chunk(self.framing, &self.event, &mut self.out);
        self.event.clear();
        self.flush().await
    }

    pub(crate) async fn flush(&mut self) -> io::Result<Mono> {
        let stamp = self.connection.write(&self.out).await;
        self.out.clear();
        stamp
    }

    /// Sends what is there together with the end of the body.
    pub(crate) async fn end(&mut self) -> io::Result<Mono> {
        if !self.event.is_empty() {
            write_chunk(self.framing, &self.event, &mut self.out);
            self.event.clear();
        }
        write_end(self.framing, &mut self.out);
        self.flush().await
    }
}

/// A server without latency sends its head with the first event; any other sends it while it still thinks.
fn thinks(options: &SimOptions) -> bool {
    options.ttft != Distribution::Constant(0.0) || options.prefill > 0.0
}

pub(crate) async fn stream_reply(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
    job: &PlannedReply,
) -> Result<After, ClientGone> {
    let PlannedReply { request, reply, messages, .. } = job;
    let state = &*worker.state;
    let (mut sender, after) = EventSender::new(connection, received);
    if thinks(&state.options) {
        sender.flush().await?;
    }
    let admitted =
        admit(state, sender.connection, exchange, received.arrival, (&job.prompt, job.output_tokens()), &job.draws)
            .await?;
    let (place, cached, mut pace) = (admitted.place, admitted.cached_tokens, admitted.pace);

    let chunks = reply.chunks();
    let fault = job.midway_fault();
    let stall = job.plan.stall.map(|stall| (chunk_at(stall.at, chunks), stall.span));
    exchange.note(|record| record.chunks.reserve((chunks * request.choices) as usize));
    let speaks_openai = matches!(messages, DialectWriter::OpenAi(_));
    let has_own_finish = speaks_openai && (reply.is_tool_call || reply.answer == 0);
    let (mut written, mut reasoning) = (0, 0);
    let mut outcome = job.outcome();

    // One step beyond the last chunk, for what happens after the only chunk of a short reply.
    for number in 0..=chunks {
        let piece = reply.piece(number);
        if number > 0 {
            pace.advance(piece.map_or(0, |piece| piece.tokens));
        }
        if let Some((_, span)) = stall.filter(|&(at, _)| at == number) {
            pace.pause(span);
            exchange.note(|record| record.stalled = true);
        }
        sender.connection.wait_until(&worker.timer, pace.due).await?;
        match fault.filter(|&(_, at)| at == number).map(|(kind, _)| kind) {
            None => {}
            Some(MidwayFault::Malformed) => {
                messages.malformed(&mut sender.event);
                sender.send().await?;
                outcome = TruthOutcome::Malformed;
            }
            Some(kind) => {
                drop(place);
                return break_off(&mut sender, exchange, messages, kind, after).await;
            }
        }
        if number == 0 && request.api.is_chat() {
            for choice in 0..request.choices {
                let usage = on_every_chunk(request, || job.usage(cached, 0, 0));
                messages.opening(choice, usage, job.usage(cached, 0, 0), &mut sender.event);
                sender.send().await?;
            }
        }
        let Some(piece) = piece else { break };
        written += piece.tokens;
        if piece.kind == PieceKind::Reasoning {
            reasoning += piece.tokens;
        }
        let finish = (number + 1 == chunks && !has_own_finish).then_some(reply.finish);
        for choice in 0..request.choices {
            let so_far = job.usage(cached, written, reasoning);
            let usage = (on_every_chunk(request, || so_far), so_far);
            messages.piece(reply, piece, choice, finish, usage, &mut sender.event);
            let stamp = sender.send().await?;
            let reasoning_tokens = if piece.kind == PieceKind::Reasoning { piece.tokens } else { 0 };
            exchange.wrote(stamp, piece.tokens, reasoning_tokens);
        }
    }

    if let DialectWriter::OpenAi(messages) = messages {
        if has_own_finish {
            for choice in 0..request.choices {
                let usage = on_every_chunk(request, || job.usage(cached, written, reasoning));
                messages.finish(choice, reply.finish, usage, &mut sender.event);
                sender.send().await?;
            }
        }
        if request.usage != UsagePlacement::Nowhere {
            messages.usage(job.final_usage(exchange, cached, written, reasoning), &mut sender.event);
            sender.send().await?;
        }
    }
    exchange.engine_done(reply.finish);
    drop(place);
    if messages.closing(reply, job.usage(cached, written, reasoning), &mut sender.event).is_none() {
        sender.event.extend_from_slice(DONE);
    }
    exchange.finish(outcome);
    sender.end().await?;
    Ok(after)
}

/// Ends a reply before its end, in one of the ways in which servers do.
async fn break_off(
    sender: &mut EventSender<'_>,
    exchange: &mut ServedRequest,
    messages: &DialectWriter,
    kind: MidwayFault,
    after: After,
) -> Result<After, ClientGone> {
    match kind {
        MidwayFault::Reset => {
            exchange.finish(TruthOutcome::Reset);
            return Ok(After::Reset);
        }
        MidwayFault::InbandError => {
            if !messages.error(SIMULATED, &mut sender.event) {
                sender.event.extend_from_slice(b"data: ");
                sender.event.extend_from_slice(error_object(500, error_kind(500), SIMULATED, None).as_bytes());
                sender.event.extend_from_slice(b"\n\n");
                sender.send().await?;
                sender.event.extend_from_slice(DONE);
            }
            exchange.finish(TruthOutcome::InbandError);
        }
        MidwayFault::Cut | MidwayFault::Malformed => {
            exchange.finish(TruthOutcome::Cut);
        }
    }
    sender.end().await?;
    Ok(after)
}
