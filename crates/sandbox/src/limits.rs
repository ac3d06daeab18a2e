//! How much a program in a sandbox may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxLimits {
    /// From the start to the end, waiting included.
    pub time: Duration,
    /// Time on the processor, in whole seconds.
    pub cpu_seconds: u64,
    /// Address space, of which Python itself needs about 30 MB.
    pub memory_bytes: u64,
    /// Threads, the first one included. A program cannot start processes.
    pub threads: u64,
    /// Bytes on standard output and standard error together.
    pub output_bytes: usize,
}

impl Default for SandboxLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(10),
            cpu_seconds: 10,
            memory_bytes: 2 << 30,
            threads: 16,
            output_bytes: 1 << 20,
        }
    }
}
