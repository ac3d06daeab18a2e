//! The typed configuration of a run: what was typed (the option catalogue and raw values), and what it means
//! ([`Config`]). Every rule about options that go or do not go together lives here.
#![forbid(unsafe_code)]

pub mod catalogue;
mod dataset;
mod endpoint;
mod output;
mod phase;
mod run;

pub use dataset::{
    DatasetConfig, DatasetSource, FileFormat, FileSource, Length, ModelSelection, PrefixPrompts, Sampling,
    SyntheticSource, SystemPrompt,
};
pub use endpoint::{EndpointConfig, Secret, SimTarget, Target};
pub use output::{ExportLevel, LogLevel, OutputConfig, UiKind};
pub use phase::{Arrival, GracePeriod, Pace, PhaseConfig, PhaseKind, StopConditions};
pub use run::Config;
