//! The only place that reads the time. Every other crate is handed a [`Mono`] or asks here, so that all stamps of a run
//! come from one monotonic clock and one wall-clock anchor.

mod anchor;
mod cpu;
mod instant;
mod read_mark;
mod timer;
mod timer_slack;
mod wall_offset;

pub use anchor::WallAnchor;
pub use cpu::process_cpu;
pub use instant::{EpochNanos, Mono, Nanos};
pub use read_mark::{ReadMark, ReadStamp, StampSource};
pub use timer::{Sleep, Timer};
pub use timer_slack::tighten_timer_slack;
pub use wall_offset::{OffsetHistory, OffsetWatch, WallOffset};
