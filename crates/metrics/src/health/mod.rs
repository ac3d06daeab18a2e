//! Whether the client itself was the limit: samples of how it fared, and what they say.

mod judge;
mod limit;
mod maxima;
mod sample;

pub use judge::ClientHealth;
pub use limit::{ClientLimit, LimitKind};
pub use maxima::HealthMaxima;
pub use sample::{DescriptorUse, HealthSample, MachineTime, ThreadLoad, ThreadRole};
