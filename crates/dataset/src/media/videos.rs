//! The videos of all turns. Without noise all of them are equal, and only one is encoded.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use aiperf_config::{VideoPicture, VideoSpec};
use aiperf_media::{VideoError, encode_video, video_content};
use aiperf_seed::Seed;

#[derive(Debug)]
pub(super) struct VideoPool {
    /// One per video that is sent, or one for all.
    videos: Vec<Arc<str>>,
    per_turn: usize,
}

impl VideoPool {
    pub(super) fn new(spec: &VideoSpec, seed: Seed, turns: usize) -> Result<Self, VideoError> {
        let differ = spec.picture == VideoPicture::Noise || spec.sound.is_some();
        let count = if differ { turns * spec.batch_size } else { 1 };
        let mut pixels = seed.stream("dataset.video.noise");
        let mut sounds = seed.stream("dataset.video.audio");
        let seeds: Vec<[u64; 2]> = (0..count).map(|_| [pixels.next_u64(), sounds.next_u64()]).collect();
        let videos: Vec<OnceLock<Result<Arc<str>, VideoError>>> = seeds.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some([pixels, sound]) = seeds.get(place) else { return };
                let made = encode(spec, *pixels, *sound);
                if made.is_err() {
                    // The others would most likely fail as well.
                    next.store(seeds.len(), Ordering::Relaxed);
                }
                let _ = videos[place].set(made);
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(count) {
                scope.spawn(work);
            }
        });
        let videos = videos.into_iter().filter_map(OnceLock::into_inner).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { videos, per_turn: spec.batch_size })
    }

    pub(super) fn of_turn(&self, turn: usize) -> Vec<Arc<str>> {
        let first = turn * self.per_turn;
        (first..first + self.per_turn).map(|place| Arc::clone(&self.videos[place % self.videos.len()])).collect()
    }
}

fn encode(spec: &VideoSpec, pixels: u64, sound: u64) -> Result<Arc<str>, VideoError> {
    let mut pixels = Seed::fixed(pixels).stream("dataset.video.noise");
    let mut sound = Seed::fixed(sound).stream("dataset.video.audio");
    Ok(video_content(spec.container, &encode_video(spec, &mut pixels, &mut sound)?))
}
