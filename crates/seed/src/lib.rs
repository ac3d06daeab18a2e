//! Named random streams. Each consumer of randomness owns a stream derived from the run's seed and its own name, so that
//! adding a consumer, or asking in another order, does not move anyone else's draws.

#![forbid(unsafe_code)]

mod draw;
mod stream;

pub use stream::{Seed, Stream};
