//! Where readings come from. Sources are read one after the other on a thread of their own: a slow one delays the next reading,
//! never a request.

pub mod amd;
pub mod dcgm;
pub mod nvml;
mod page;
pub mod trtllm;

use std::fmt;

use thiserror::Error;

use crate::gpu::cadence::Renewal;
use crate::gpu::collected::Scope;
use crate::gpu::reading::GpuReading;

/// Something that reports the state of GPUs.
pub trait GpuSource: fmt::Debug {
    /// As files name it.
    fn url(&self) -> &str;

    fn renewal(&self) -> Renewal;

    fn scope(&self) -> Scope {
        Scope::EachGpu
    }

    /// The state of all its GPUs now.
    fn read(&mut self) -> Result<Vec<GpuReading>, SourceError>;
}

/// Why a source has no readings.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct SourceError {
    pub reason: String,
}

impl SourceError {
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
