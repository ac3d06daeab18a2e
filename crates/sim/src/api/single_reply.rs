//! Serves what is answered in one piece and is no text to be read token by token: embeddings, ranks, images, transcripts.

use crate::api::text::cache_block;
use crate::generation::admission::admit;
use crate::generation::draws::Draws;
use crate::generation::fault::{Fault, FaultPlan, MidwayFault};
use crate::generation::prompt::{Measured, Prompt};
use crate::server::connection::{ClientGone, Connection, Received};
use crate::server::exchange::Exchange;
use crate::server::response::{After, deliver, fail_at_once};
use crate::server::worker::Worker;

/// A request that was understood: what is read of it, and how the answer is made.
pub(crate) struct Work<'a> {
    pub(crate) prompt: &'a Prompt,
    /// Steps of the work after the first, each as long as a token.
    pub(crate) steps: u32,
    pub(crate) make: &'a dyn Fn(&Made<'_>) -> (&'static str, Vec<u8>),
}

/// What an answer depends on.
pub(crate) struct Made<'a> {
    pub(crate) draws: &'a Draws,
    pub(crate) prompt: &'a Measured,
    /// Seconds since the epoch.
    pub(crate) created: u64,
}

/// Draws and faults of the next inference request.
pub(crate) fn decide(worker: &Worker, received: &Received) -> (Draws, FaultPlan) {
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
    worker: &Worker,
    connection: &mut Connection,
    exchange: &mut Exchange,
    received: &Received,
    work: Work<'_>,
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
    let mut admitted = admit(state, connection, exchange, received.arrival, &measured, &draws).await?;
    admitted.pace.advance(work.steps);
    if let Some(stall) = plan.stall {
        admitted.pace.pause(stall.span);
        exchange.note(|record| record.stalled = true);
    }
    connection.wait_until(&worker.timer, admitted.pace.due).await?;
    drop(admitted.place);
    let created = state.anchor.epoch(received.arrival).0 / 1_000_000_000;
    let (content_type, body) = (work.make)(&Made { draws: &draws, prompt: &measured, created });
    deliver(connection, exchange, (content_type, &body), midway(&plan), keep_alive).await
}
