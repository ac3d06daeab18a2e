//! What the engine has counted. Each serving thread has counters of its own, so that threads do not wait for each other; a page
//! adds them up while it holds all of them, so that it shows one instant.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aiperf_clock::Mono;

use crate::generation::reply::Finish;
use crate::generation::speculation::Speculation;
use crate::monitoring::buckets::{BucketCounts, FIRST_TOKEN, INTER_TOKEN, REQUEST, TOKENS};

/// Counters of one thread, or of all of them together.
#[derive(Debug, Clone)]
pub(crate) struct EngineCounters {
    pub(crate) prompt_tokens: u64,
    pub(crate) generation_tokens: u64,
    pub(crate) cache_queries: u64,
    pub(crate) cache_hits: u64,
    /// By [`FinishReason`].
    pub(crate) finished: [u64; FinishReason::ALL.len()],
    pub(crate) draft_steps: u64,
    pub(crate) drafted_tokens: u64,
    pub(crate) accepted_tokens: u64,
    pub(crate) prompt_lengths: BucketCounts,
    pub(crate) reply_lengths: BucketCounts,
    pub(crate) time_to_first_token: BucketCounts,
    pub(crate) inter_token_latency: BucketCounts,
    pub(crate) time_per_output_token: BucketCounts,
    pub(crate) request_latency: BucketCounts,
    pub(crate) queue_time: BucketCounts,
    pub(crate) inference_time: BucketCounts,
    pub(crate) prefill_time: BucketCounts,
    pub(crate) decode_time: BucketCounts,
}

/// Why the engine was done with a request, in vLLM's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinishReason {
    Stop,
    Length,
    /// The client left, or the server was stopped.
    Abort,
    /// An injected fault.
    Error,
}

impl FinishReason {
    pub(crate) const ALL: [Self; 4] = [Self::Stop, Self::Length, Self::Abort, Self::Error];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::Abort => "abort",
            Self::Error => "error",
        }
    }
}

impl From<Finish> for FinishReason {
    fn from(finish: Finish) -> Self {
        match finish {
            Finish::Length => Self::Length,
            Finish::Stop | Finish::ToolCalls => Self::Stop,
        }
    }
}

/// A request in the engine: when it got how far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EngineRequest {
    pub(crate) arrival: Mono,
    pub(crate) admitted: Mono,
    pub(crate) prompt_tokens: u32,
    pub(crate) tokens: u32,
    pub(crate) first_token: Option<Mono>,
    pub(crate) last_token: Option<Mono>,
}

impl Default for EngineCounters {
    fn default() -> Self {
        Self {
            prompt_tokens: 0,
            generation_tokens: 0,
            cache_queries: 0,
            cache_hits: 0,
            finished: [0; FinishReason::ALL.len()],
            draft_steps: 0,
            drafted_tokens: 0,
            accepted_tokens: 0,
            prompt_lengths: BucketCounts::new(&TOKENS),
            reply_lengths: BucketCounts::new(&TOKENS),
            time_to_first_token: BucketCounts::new(&FIRST_TOKEN),
            inter_token_latency: BucketCounts::new(&INTER_TOKEN),
            time_per_output_token: BucketCounts::new(&INTER_TOKEN),
            request_latency: BucketCounts::new(&REQUEST),
            queue_time: BucketCounts::new(&REQUEST),
            inference_time: BucketCounts::new(&REQUEST),
            prefill_time: BucketCounts::new(&REQUEST),
            decode_time: BucketCounts::new(&REQUEST),
        }
    }
}

impl EngineCounters {
    /// The engine took a request in and looked its prompt up in the prefix cache.
    pub(crate) fn admitted(&mut self, prompt_tokens: u32, cached_tokens: Option<u32>) {
        if let Some(cached) = cached_tokens {
            self.cache_queries += u64::from(prompt_tokens);
            self.cache_hits += u64::from(cached);
        }
    }

    /// The prompt is read and the first token is there.
    pub(crate) fn first_token(&mut self, request: &mut EngineRequest, at: Mono) {
        self.prompt_tokens += u64::from(request.prompt_tokens);
        request.first_token = Some(at);
        self.time_to_first_token.observe_span(at.since(request.arrival));
    }

    /// Tokens of a request were written in one chunk.
    pub(crate) fn wrote(&mut self, request: &mut EngineRequest, at: Mono, tokens: u32) {
        self.generation_tokens += u64::from(tokens);
        request.tokens += tokens;
        if let Some(before) = request.last_token.replace(at) {
            self.inter_token_latency.observe_span(at.since(before));
        } else {
            self.first_token(request, at);
        }
    }

    /// A reply in one piece is there: its last token came at `last`, the others evenly between that and the first one.
    pub(crate) fn wrote_whole(&mut self, request: &mut EngineRequest, last: Mono, tokens: u32) {
        self.generation_tokens += u64::from(tokens);
        request.tokens += tokens;
        let Some(first) = request.first_token else { return };
        request.last_token = Some(last);
        if tokens > 1 {
            let gaps = u64::from(tokens - 1);
            self.inter_token_latency.observe_times(last.since(first).0 / gaps, gaps);
        }
    }

    /// The engine is done with a request.
    pub(crate) fn finished(&mut self, request: &EngineRequest, reason: FinishReason, now: Mono, drafts: u32) {
        self.finished[reason as usize] += 1;
        if matches!(reason, FinishReason::Abort | FinishReason::Error) {
            return;
        }
        if request.first_token.is_none() {
            // A reply without tokens: its prompt is read when it is done.
            self.prompt_tokens += u64::from(request.prompt_tokens);
        }
        self.prompt_lengths.observe(u64::from(request.prompt_tokens));
        self.reply_lengths.observe(u64::from(request.tokens));
        self.request_latency.observe_span(now.since(request.arrival));
        self.queue_time.observe_span(request.admitted.since(request.arrival));
        let (Some(first), Some(last)) = (request.first_token, request.last_token) else { return };
        self.prefill_time.observe_span(first.since(request.admitted));
        self.inference_time.observe_span(last.since(request.admitted));
        self.decode_time.observe_span(last.since(first));
        if request.tokens > 1 {
            self.time_per_output_token.observe(last.since(first).0 / u64::from(request.tokens - 1));
        }
        if drafts > 0 {
            let made = Speculation::of(request.tokens, drafts);
            self.draft_steps += made.steps;
            self.drafted_tokens += made.drafted;
            self.accepted_tokens += made.accepted;
        }
    }

    fn add(&mut self, other: &Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.generation_tokens += other.generation_tokens;
        self.cache_queries += other.cache_queries;
        self.cache_hits += other.cache_hits;
        for (count, more) in self.finished.iter_mut().zip(other.finished) {
            *count += more;
        }
        self.draft_steps += other.draft_steps;
        self.drafted_tokens += other.drafted_tokens;
        self.accepted_tokens += other.accepted_tokens;
        self.prompt_lengths.add(&other.prompt_lengths);
        self.reply_lengths.add(&other.reply_lengths);
        self.time_to_first_token.add(&other.time_to_first_token);
        self.inter_token_latency.add(&other.inter_token_latency);
        self.time_per_output_token.add(&other.time_per_output_token);
        self.request_latency.add(&other.request_latency);
        self.queue_time.add(&other.queue_time);
        self.inference_time.add(&other.inference_time);
        self.prefill_time.add(&other.prefill_time);
        self.decode_time.add(&other.decode_time);
    }
}

/// The counters of one serving thread, which alone adds to them. Aligned so that no two threads share a cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct ThreadCounters(Mutex<EngineCounters>);

impl ThreadCounters {
    pub(crate) fn lock(&self) -> MutexGuard<'_, EngineCounters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The counters of all threads at one instant. `read` is called at that instant.
pub(crate) fn total<T>(threads: &[ThreadCounters], read: impl FnOnce() -> T) -> (EngineCounters, T) {
    let held: Vec<MutexGuard<'_, EngineCounters>> = threads.iter().map(ThreadCounters::lock).collect();
    let mut all = EngineCounters::default();
    for counters in &held {
        all.add(counters);
    }
    (all, read())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Mono {
        Mono::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn a_request_leaves_its_times_in_every_histogram() {
        let mut counters = EngineCounters::default();
        let mut request = EngineRequest {
            arrival: at(0),
            admitted: at(10),
            prompt_tokens: 5,
            tokens: 0,
            first_token: None,
            last_token: None,
        };
        counters.admitted(5, Some(2));
        for chunk in [40, 60, 80] {
            counters.wrote(&mut request, at(chunk), 1);
        }
        counters.finished(&request, FinishReason::Length, at(81), 0);
        assert_eq!((counters.prompt_tokens, counters.generation_tokens), (5, 3));
        assert_eq!((counters.cache_queries, counters.cache_hits, counters.finished), (5, 2, [0, 1, 0, 0]));
        let sums = [
            &counters.time_to_first_token,
            &counters.inter_token_latency,
            &counters.time_per_output_token,
            &counters.request_latency,
            &counters.queue_time,
            &counters.inference_time,
            &counters.prefill_time,
            &counters.decode_time,
        ]
        .map(|histogram| (histogram.sum(), histogram.count()));
        assert_eq!(sums, [(0.04, 1), (0.04, 2), (0.02, 1), (0.081, 1), (0.01, 1), (0.07, 1), (0.03, 1), (0.04, 1)]);
    }

    #[test]
    fn threads_add_up() {
        let threads = [ThreadCounters::default(), ThreadCounters::default()];
        threads[0].lock().admitted(3, Some(1));
        threads[1].lock().admitted(4, Some(2));
        let all = total(&threads, || ()).0;
        assert_eq!((all.cache_queries, all.cache_hits), (7, 3));
    }
}
