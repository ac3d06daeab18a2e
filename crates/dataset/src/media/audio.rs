//! The audio clips of all turns: planned at the start, generated when a turn is needed.

use std::sync::Arc;

use aiperf_config::{AudioFormat, AudioSpec, BitDepth, ClipLength};
use aiperf_media::{ClipShape, audio_content, clip};
use aiperf_seed::{Seed, Stream};

/// The shortest clip that is generated.
const SHORTEST_SECONDS: f64 = 0.01;

#[derive(Debug)]
pub(super) struct AudioPool {
    plans: Vec<ClipPlan>,
    per_turn: usize,
}

#[derive(Debug, Clone, Copy)]
struct ClipPlan {
    shape: ClipShape,
    seed: u64,
}

impl AudioPool {
    pub(super) fn new(spec: &AudioSpec, seed: Seed, turns: usize) -> Self {
        let mut lengths = seed.stream("dataset.audio.duration");
        let mut formats = seed.stream("dataset.audio.format");
        let mut encodings = seed.stream("dataset.audio.encoding");
        let mut data = seed.stream("dataset.audio.data");
        let plans = (0..turns * spec.batch_size)
            .map(|_| {
                let rate_hz = formats.choose(&spec.rates_hz).copied().unwrap_or(16_000);
                let depth = formats.choose(&spec.depths).copied().unwrap_or(BitDepth::Sixteen);
                let samples = ClipShape::samples_in(seconds(spec.length, &mut lengths), rate_hz).max(1);
                let format = encodings.choose(&spec.formats).copied().unwrap_or(AudioFormat::Wav);
                let shape = ClipShape { format, rate_hz, depth, channels: spec.channels, samples };
                ClipPlan { shape, seed: data.next_u64() }
            })
            .collect();
        Self { plans, per_turn: spec.batch_size }
    }

    /// How long the clips of a turn play in total.
    pub(super) fn seconds(&self, turn: usize) -> f64 {
        self.plans(turn).iter().map(|plan| plan.shape.seconds()).sum()
    }

    pub(super) fn of_turn(&self, turn: usize) -> Vec<Arc<str>> {
        let make = |plan: &ClipPlan| {
            let file = clip(&plan.shape, &mut Seed::fixed(plan.seed).stream("dataset.audio.data"));
            audio_content(plan.shape.format, &file)
        };
        self.plans(turn).iter().map(make).collect()
    }

    fn plans(&self, turn: usize) -> &[ClipPlan] {
        &self.plans[turn * self.per_turn..][..self.per_turn]
    }
}

fn seconds(length: ClipLength, stream: &mut Stream) -> f64 {
    if length.stddev_s <= 0.0 {
        return length.mean_s.max(SHORTEST_SECONDS);
    }
    let drawn = (0..10_000).map(|_| stream.normal(length.mean_s, length.stddev_s)).find(|s| *s >= SHORTEST_SECONDS);
    drawn.unwrap_or(length.mean_s.max(SHORTEST_SECONDS))
}
