//! A request's way into the batch, and the pace at which its tokens then come.

use aiperf_clock::{Mono, Nanos};
use aiperf_seed::Stream;
use tokio::sync::SemaphorePermit;

use crate::generation::distribution::Distribution;
use crate::generation::draws::Draws;
use crate::generation::prompt::MeasuredPrompt;
use crate::generation::timeline::Timeline;
use crate::monitoring::load::LoadMeter;
use crate::options::SimOptions;
use crate::server::connection::{ClientGone, ClientWatch};
use crate::server::exchange::ServedRequest;
use crate::server::state::SimState;

/// A place in the batch. Dropping it lets the next one in.
#[derive(Debug)]
pub(crate) struct BatchSlot<'a> {
    load: &'a LoadMeter,
    kv_blocks: u32,
    // Dropped after the load was changed, so that no more requests run than there are places.
    _permits: Permits<'a>,
}

/// A place in the batch and its blocks of the KV cache.
type Permits<'a> = (SemaphorePermit<'a>, SemaphorePermit<'a>);

/// A request that waits for its place. Dropping it means that it went away.
struct QueuedRequest<'a> {
    load: &'a LoadMeter,
    waits: bool,
}

impl<'a> QueuedRequest<'a> {
    fn new(load: &'a LoadMeter) -> Self {
        load.wait();
        Self { load, waits: true }
    }

    /// It runs from the instant at which it no longer waits.
    fn run(mut self, kv_blocks: u32) {
        self.waits = false;
        self.load.run_waiting(kv_blocks);
    }
}

impl Drop for QueuedRequest<'_> {
    fn drop(&mut self) {
        if self.waits {
            self.load.give_up();
        }
    }
}

impl Drop for BatchSlot<'_> {
    fn drop(&mut self) {
        self.load.leave(self.kv_blocks);
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

/// Blocks of the KV cache that a request takes, for its prompt and its whole reply.
pub(crate) fn kv_blocks(options: &SimOptions, prompt_tokens: u32, output_tokens: u32) -> u32 {
    prompt_tokens.saturating_add(output_tokens).div_ceil(options.cache_block).min(options.kv_blocks)
}

/// Waits for a place, looks the prompt up in the cache and sets the time of the first token. `output_tokens` is the length of the reply.
pub(crate) async fn admit<'a>(
    state: &'a SimState,
    connection: &mut impl ClientWatch,
    exchange: &mut ServedRequest,
    arrival: Mono,
    (prompt, output_tokens): (&MeasuredPrompt, u32),
    draws: &Draws,
) -> Result<Admitted<'a>, ClientGone> {
    let blocks = kv_blocks(&state.options, prompt.tokens, output_tokens);
    let take_blocks = |place| Some((place, state.kv_cache.try_acquire_many(blocks).ok()?));
    let at_once = state.batch.try_acquire().ok().and_then(take_blocks);
    let (permits, admitted) = if let Some(permits) = at_once {
        (permits, state.load.run_at_once(arrival, blocks))
    } else {
        let queued = QueuedRequest::new(&state.load);
        let permits = connection.unless_gone(acquire(state, blocks)).await??;
        queued.run(blocks);
        (permits, Mono::now())
    };
    let place = BatchSlot { load: &state.load, kv_blocks: blocks, _permits: permits };
    let cached_tokens = state.look_up_prefix(&prompt.blocks, prompt.tokens);
    exchange.admitted(arrival, admitted, prompt.tokens, cached_tokens);

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

/// First a place, then the blocks: whoever is next in the batch is next in the cache.
async fn acquire(state: &SimState, blocks: u32) -> Result<Permits<'_>, ClientGone> {
    // The semaphores are never closed; if they were, there would be no server left to answer.
    let place = state.batch.acquire().await.map_err(|_| ClientGone)?;
    let blocks = state.kv_cache.acquire_many(blocks).await.map_err(|_| ClientGone)?;
    Ok((place, blocks))
}

fn from_millis(millis: f64) -> Nanos {
    Nanos::from_secs_f64(millis / 1e3)
}
