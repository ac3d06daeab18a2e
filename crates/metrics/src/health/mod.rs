//! Whether the client itself was the limit: samples of how it fared, what they say, and how much it had to do.

mod assessment;
mod client_load;
mod late_reads;
mod limit;
mod maxima;
mod record_backlog;
mod sample;

pub use assessment::ClientHealth;
pub use client_load::{ClientLoad, LoadAxis};
pub use late_reads::LateReads;
pub use limit::{ClientLimit, LimitKind};
pub use maxima::HealthMaxima;
pub use record_backlog::RecordBacklog;
pub use sample::{DescriptorUse, HealthSample, MachineTime, ThreadLoad, ThreadRole};
