//! The only place that reads the time. Every other crate is handed a [`Mono`] or asks here, so that all stamps of a run
//! come from one monotonic clock and one wall-clock anchor. A [`VirtualClock`] takes the clock's place in tests of
//! schedules.

mod anchor;
mod clock;
mod instant;
mod process;
mod read_mark;
mod system;
mod timer;
mod wake_source;
mod wall_offset;

pub use anchor::WallAnchor;
pub use clock::{Clock, MonotonicClock, VirtualClock};
pub use instant::{EpochNanos, Mono, Nanos};
pub use process::{process_cpu, tighten_timer_slack};
pub use read_mark::{ReadMark, ReadStamp, ReadTally, StampSource};
pub use timer::{Sleep, Timer};
pub use wall_offset::{OffsetHistory, OffsetWatch, WallOffset};
