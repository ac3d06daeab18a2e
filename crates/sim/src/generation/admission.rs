//! A request's way into the batch, and the pace at which its tokens then come.

use std::sync::atomic::Ordering;

use aiperf_clock::{Mono, Nanos};
use aiperf_seed::Stream;
use tokio::sync::SemaphorePermit;

use crate::generation::distribution::Distribution;
use crate::generation::draws::Draws;
use crate::generation::prompt::MeasuredPrompt;
use crate::generation::timeline::Timeline;
use crate::server::connection::{ClientGone, ClientWatch};
use crate::server::exchange::ServedRequest;
use crate::server::metrics::ServerMetrics;
use crate::server::state::SimState;

/// A place in the batch. Dropping it lets the next one in.
#[derive(Debug)]
pub(crate) struct BatchSlot<'a> {
    _permit: SemaphorePermit<'a>,
    metrics: &'a ServerMetrics,
}

impl Drop for BatchSlot<'_> {
    fn drop(&mut self) {
        self.metrics.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request that has its place.
#[derive(Debug)]
pub(crate) struct Admitted<'a> {
    pub(crate) place: BatchSlot<'a>,
    pub(crate) cached_tokens: Option<u32>,
    pub(crate) pace: TokenPace,
}

/// When the next tokens are due. Each is due a drawn time after the one before was due, not after it was written, so that
/// a late write does not make the rest late.
#[derive(Debug)]
pub(crate) struct TokenPace {
    timeline: Timeline,
    itl: Distribution,
    draws: Stream,
    pub(crate) due: Mono,
}

impl TokenPace {
    /// Moves on by the time that this many tokens take.
    pub(crate) fn advance(&mut self, tokens: u32) {
        let total = match self.itl {
            Distribution::Constant(each) => each * f64::from(tokens),
            other => (0..tokens).map(|_| other.draw(&mut self.draws)).sum(),
        };
        self.pause(from_millis(total));
    }

    pub(crate) fn pause(&mut self, span: Nanos) {
        self.due = self.timeline.advance(self.due, span);
    }
}

/// Waits for a place, looks the prompt up in the cache and sets the time of the first token.
pub(crate) async fn admit<'a>(
    state: &'a SimState,
    connection: &mut impl ClientWatch,
    exchange: &mut ServedRequest,
    arrival: Mono,
    prompt: &MeasuredPrompt,
    draws: &Draws,
) -> Result<Admitted<'a>, ClientGone> {
    let (permit, admitted) = if let Ok(permit) = state.batch.try_acquire() {
        (permit, arrival)
    } else {
        let permit = connection.unless_gone(state.batch.acquire()).await?;
        // The semaphore is never closed; if it were, there would be no server left to answer.
        (permit.map_err(|_| ClientGone)?, Mono::now())
    };
    let metrics = &state.metrics;
    metrics.running.fetch_add(1, Ordering::Relaxed);
    let place = BatchSlot { _permit: permit, metrics };

    let cached_tokens = state.look_up_prefix(&prompt.blocks, prompt.tokens);
    metrics.prompt_tokens.fetch_add(u64::from(prompt.tokens), Ordering::Relaxed);
    if let Some(cached) = cached_tokens {
        metrics.cache_queries.fetch_add(u64::from(prompt.tokens), Ordering::Relaxed);
        metrics.cache_hits.fetch_add(u64::from(cached), Ordering::Relaxed);
    }
    exchange.note(|record| {
        record.admitted = Some(admitted);
        record.cached_tokens = cached_tokens;
    });

    let options = &state.options;
    let to_read = prompt.tokens - cached_tokens.unwrap_or(0);
    let base = options.ttft.draw(&mut draws.stream("ttft"));
    let before = state.admitted_before();
    let cold = if before < options.cold { options.cold_ms } else { 0.0 };
    let first = from_millis(base + options.prefill * f64::from(to_read) + cold + options.drift * before as f64);
    let mut pace =
        TokenPace { timeline: state.timeline(), itl: options.itl, draws: draws.stream("itl"), due: admitted };
    pace.pause(first);
    Ok(Admitted { place, cached_tokens, pace })
}

fn from_millis(millis: f64) -> Nanos {
    Nanos::from_secs_f64(millis / 1e3)
}
