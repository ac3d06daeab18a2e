//! How often intervals hold the truth and how often the steady state is found, over simulated runs whose truth is known. A
//! few hundred runs in every test; `cargo test -p aiperf-stats --release -- --ignored` makes all of them and holds the
//! tables of `docs/statistics.md` against them (`UPDATE_DOCS=1` writes them again).
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod closed_loop;
mod coverage;
mod page;
mod rates;
mod series;
mod steadiness;
