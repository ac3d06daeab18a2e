//! The films of all turns. Where nothing in them is noise they are all the same, and one is made.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use aiperf_config::{VideoPicture, VideoSpec};
use aiperf_media::{FilmError, film, video_content};
use aiperf_seed::Seed;

#[derive(Debug)]
pub(super) struct Films {
    /// One for each that is sent, or one for all.
    films: Vec<Arc<str>>,
    per_turn: usize,
}

impl Films {
    pub(super) fn new(spec: &VideoSpec, seed: Seed, turns: usize) -> Result<Self, FilmError> {
        let differ = spec.picture == VideoPicture::Noise || spec.sound.is_some();
        let count = if differ { turns * spec.batch_size } else { 1 };
        let mut pixels = seed.stream("dataset.video.noise");
        let mut sounds = seed.stream("dataset.video.audio");
        let orders: Vec<[u64; 2]> = (0..count).map(|_| [pixels.next_u64(), sounds.next_u64()]).collect();
        let films: Vec<OnceLock<Result<Arc<str>, FilmError>>> = orders.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some([pixels, sound]) = orders.get(place) else { return };
                let made = made(spec, *pixels, *sound);
                if made.is_err() {
                    // The others would most likely fail, too.
                    next.store(orders.len(), Ordering::Relaxed);
                }
                let _ = films[place].set(made);
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(count) {
                scope.spawn(work);
            }
        });
        let films = films.into_iter().filter_map(OnceLock::into_inner).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { films, per_turn: spec.batch_size })
    }

    pub(super) fn of_turn(&self, turn: usize) -> Vec<Arc<str>> {
        let first = turn * self.per_turn;
        (first..first + self.per_turn).map(|place| Arc::clone(&self.films[place % self.films.len()])).collect()
    }
}

fn made(spec: &VideoSpec, pixels: u64, sound: u64) -> Result<Arc<str>, FilmError> {
    let mut pixels = Seed::fixed(pixels).stream("dataset.video.noise");
    let mut sound = Seed::fixed(sound).stream("dataset.video.audio");
    Ok(video_content(spec.container, &film(spec, &mut pixels, &mut sound)?))
}
