//! What all threads of one simulator share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::{Mono, OffsetWatch, WallAnchor};
use tokio::sync::Semaphore;

use crate::api::video::VideoJobs;
use crate::error::SimError;
use crate::generation::draws::Repetitions;
use crate::generation::prefix_cache::PrefixCache;
use crate::generation::timeline::Timeline;
use crate::monitoring::counters::ThreadCounters;
use crate::monitoring::load::{BatchLimits, LoadMeter};
use crate::options::SimOptions;
use crate::truth::log::TruthLog;

/// Responses beyond this are not kept.
const MOST_KEPT: usize = 1 << 16;
/// How often a request changes the load: it waits, it runs, it ends.
const CHANGES_PER_REQUEST: usize = 3;

#[derive(Debug)]
pub(crate) struct SimState {
    pub(crate) options: SimOptions,
    pub(crate) anchor: WallAnchor,
    /// Turns receive stamps into monotonic time.
    pub(crate) clock: Arc<OffsetWatch>,
    pub(crate) truth: TruthLog,
    pub(crate) repetitions: Repetitions,
    /// One for each serving thread.
    pub(crate) counters: Vec<ThreadCounters>,
    pub(crate) load: LoadMeter,
    pub(crate) started: Mono,
    /// The slots of the batch. It is fair: the request that waits longest is next.
    pub(crate) batch: Semaphore,
    /// The blocks of the KV cache, as fair as the batch.
    pub(crate) kv_cache: Semaphore,
    timeline: Mutex<Timeline>,
    cache: Mutex<PrefixCache>,
    /// Tokens of responses that clients asked to be kept, by id.
    kept: Mutex<HashMap<String, u32>>,
    pub(crate) videos: VideoJobs,
    connections: AtomicU64,
    arrivals: AtomicU64,
    inferences: AtomicU64,
    admissions: AtomicU64,
    in_flight: AtomicU32,
}

impl SimState {
    pub(crate) fn new(options: SimOptions) -> Result<Self, SimError> {
        let (anchor, started) = (WallAnchor::take(), Mono::now());
        let limits = BatchLimits { running: options.batch, kv_blocks: u64::from(options.kv_blocks) };
        Ok(Self {
            anchor,
            clock: Arc::new(OffsetWatch::start()),
            truth: TruthLog::open(options.truth_file.clone(), options.truth_keep, anchor)?,
            repetitions: Repetitions::default(),
            counters: (0..options.threads).map(|_| ThreadCounters::default()).collect(),
            load: LoadMeter::new(
                options.gpus.clone(),
                limits,
                started,
                options.truth_keep.saturating_mul(CHANGES_PER_REQUEST),
            ),
            started,
            batch: Semaphore::new(options.batch as usize),
            kv_cache: Semaphore::new(options.kv_blocks as usize),
            timeline: Mutex::new(Timeline::new(started, options.stall_at, options.stall_for)),
            cache: Mutex::new(PrefixCache::new(options.cache_blocks)),
            kept: Mutex::default(),
            videos: VideoJobs::default(),
            connections: AtomicU64::new(0),
            arrivals: AtomicU64::new(0),
            inferences: AtomicU64::new(0),
            admissions: AtomicU64::new(0),
            in_flight: AtomicU32::new(0),
            options,
        })
    }

    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn next_arrival(&self) -> u64 {
        self.arrivals.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts inference requests from one.
    pub(crate) fn next_inference(&self) -> u64 {
        self.inferences.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many inference requests were admitted before this one.
    pub(crate) fn admitted_before(&self) -> u64 {
        self.admissions.fetch_add(1, Ordering::Relaxed)
    }

    /// One more inference request is here; how many there are with it.
    pub(crate) fn enter(&self) -> u32 {
        self.in_flight.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(crate) fn leave(&self) {
        self.in_flight.fetch_sub(1, Ordering::AcqRel);
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Acquire)
    }

    pub(crate) fn timeline(&self) -> Timeline {
        *self.timeline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many tokens of the prompt the cache held, when there is a cache. Afterwards it holds the prompt.
    pub(crate) fn look_up_prefix(&self, blocks: &[u64], prompt_tokens: u32) -> Option<u32> {
        if self.options.cache_blocks == 0 {
            return None;
        }
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let hits = cache.look_up_and_store(blocks) as u32;
        Some((hits * self.options.cache_block).min(prompt_tokens))
    }

    /// Keeps a response, as far as the length of the conversation up to its end.
    pub(crate) fn remember(&self, id: String, tokens: u32) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.insert(id, tokens);
        }
    }

    /// Tokens that are read again when a request goes on from this response.
    pub(crate) fn remembered(&self, id: &str) -> u32 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(id).copied().unwrap_or(0)
    }

    pub(crate) fn clear_prefix_cache(&self) {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// As if just started: no truth, no cache, numbers from zero, the stall still to come. Counters for monitoring go on.
    pub(crate) fn reset(&self) {
        self.truth.clear();
        self.load.forget_history();
        self.repetitions.clear();
        self.clear_prefix_cache();
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.videos.clear();
        self.arrivals.store(0, Ordering::Relaxed);
        self.inferences.store(0, Ordering::Relaxed);
        self.admissions.store(0, Ordering::Relaxed);
        let fresh = Timeline::new(Mono::now(), self.options.stall_at, self.options.stall_for);
        *self.timeline.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }
}
