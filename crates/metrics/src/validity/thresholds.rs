//! The thresholds that figures must pass to become a note, for the manual.

use aiperf_stats::steady::MATTERS;

pub use super::chunking::TOKENS_PER_CHUNK;
pub use super::cold_start::FACTOR as COLD_START_FACTOR;
pub use super::connections::WAITED_PERCENT as CONNECTION_WAIT_PERCENT;
pub use super::evidence::{CLOCK_STEP, HIDDEN_WAIT_FACTOR, HIDDEN_WAIT_MS, REPLAY_LAG_MS};
pub use super::input_length::OFF_PERCENT as INPUT_LENGTH_PERCENT;
pub use super::occupancy::GAP_PERCENT as LITTLES_LAW_GAP_PERCENT;
pub use super::pacing::SHORTFALL_PERCENT as RATE_SHORTFALL_PERCENT;
pub use super::reached::SHORTFALL_PERCENT as CONCURRENCY_SHORTFALL_PERCENT;
pub use super::send_delays::{LEAST_DELAY as LEAST_SEND_DELAY, SHARE_OF_LATENCY_PERCENT as SEND_DELAY_PERCENT};
pub use super::server_metrics::{SERVER_TOKENS_PERCENT, SERVER_TTFT_MS, SERVER_TTFT_PERCENT, TOKENIZED_PERCENT};

/// If more than one request in a hundred has a property, the p99 of the run is that of such a request.
pub const NOTED_SHARE_PERCENT: f64 = 1.0;
/// A drift of less than this share of the level does not matter.
pub const DRIFT_PERCENT: f64 = 100.0 * MATTERS;
