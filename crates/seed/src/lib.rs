//! Named random streams. Each consumer of randomness has a stream derived from the run's seed and its own name, so that adding
//! a consumer, or drawing in another order, does not change the draws of others.

#![forbid(unsafe_code)]

mod draw;
mod stream;

pub use stream::{Seed, Stream};
