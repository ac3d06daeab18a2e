//! Serves the APIs that answer in one piece: embeddings, rankings, images, transcripts.

use crate::api::text::cache_block;
use crate::generation::admission::admit;
use crate::generation::draws::Draws;
use crate::generation::fault::{Fault, FaultPlan, MidwayFault};
use crate::generation::prompt::{MeasuredPrompt, RequestPrompt};
use crate::generation::reply::Finish;
use crate::server::connection::{ClientConnection, ClientGone, ClientRequest};
use crate::server::exchange::ServedRequest;
use crate::server::response::{After, deliver, fail_at_once};
use crate::server::worker::ServerWorker;

/// A request that was read: its prompt, and how its answer is made.
pub(crate) struct SingleReplyPlan<'a> {
    pub(crate) prompt: &'a RequestPrompt,
    /// Steps of the work after the first, each as long as a token.
    pub(crate) steps: u32,
    pub(crate) make: &'a dyn Fn(&ReplyInputs<'_>) -> (&'static str, Vec<u8>),
}

/// What an answer depends on.
pub(crate) struct ReplyInputs<'a> {
    pub(crate) draws: &'a Draws,
    pub(crate) prompt: &'a MeasuredPrompt,
    /// Seconds since the epoch.
    pub(crate) created: u64,
}

/// Draws and faults of the next inference request.
pub(crate) fn decide(worker: &ServerWorker, received: &ClientRequest) -> (Draws, FaultPlan) {
    let state = &*worker.state;
    let number = state.next_inference();
    let draws = state.repetitions.draws(state.options.seed, received.head.path(), &received.body);
    let plan = state.options.faults.plan(number, |name| draws.stream(name));
    (draws, plan)
}

pub(crate) fn midway(plan: &FaultPlan) -> Option<MidwayFault> {
    match plan.fault {
        Some(Fault::Midway { kind, .. }) => Some(kind),
        _ => None,
    }
}

pub(crate) async fn serve(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
    work: SingleReplyPlan<'_>,
) -> Result<After, ClientGone> {
    let state = &*worker.state;
    let options = &state.options;
    let keep_alive = received.head.keep_alive;
    let (draws, plan) = decide(worker, received);
    let measured = work.prompt.measure(options.count, cache_block(options));
    exchange.note(|record| record.prompt_tokens = Some(measured.tokens));
    if let Some(after) = fail_at_once(connection, exchange, &plan, keep_alive).await? {
        return Ok(after);
    }
    let mut admitted = admit(state, connection, exchange, received.arrival, (&measured, 0), &draws).await?;
    admitted.pace.advance(work.steps);
    if let Some(stall) = plan.stall {
        admitted.pace.pause(stall.span);
        exchange.note(|record| record.stalled = true);
    }
    connection.wait_until(&worker.timer, admitted.pace.due).await?;
    if midway(&plan).is_none() {
        exchange.engine_done(Finish::Stop);
    }
    drop(admitted.place);
    let created = state.anchor.epoch(received.arrival).0 / 1_000_000_000;
    let (content_type, body) = (work.make)(&ReplyInputs { draws: &draws, prompt: &measured, created });
    deliver(connection, exchange, (content_type, &body), midway(&plan), keep_alive).await
}
