//! The simulated GPUs: how much power they take at which load.

use aiperf_clock::Nanos;

/// All GPUs are equal and share the load of the batch.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuOptions {
    /// Zero: the server has no DCGM page.
    pub count: u32,
    /// Watts of one GPU with nothing to do, and with `full` requests or more in the batch. Between them power grows with the number
    /// of running requests.
    pub idle_watts: f64,
    pub busy_watts: f64,
    pub full: u32,
    /// How long the DCGM page shows the same values; zero: it always shows those of now.
    pub refresh: Nanos,
    /// A port of its own for the DCGM page; zero takes a free one.
    pub port: Option<u16>,
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self { count: 0, idle_watts: 75.0, busy_watts: 700.0, full: 8, refresh: Nanos::ZERO, port: None }
    }
}

impl GpuOptions {
    /// Watts of one GPU while this many requests run.
    pub(crate) fn watts(&self, running: u32) -> f64 {
        self.idle_watts + (self.busy_watts - self.idle_watts) * self.utilization(running)
    }

    /// The share of a GPU that is in use while this many requests run.
    pub(crate) fn utilization(&self, running: u32) -> f64 {
        f64::from(running.min(self.full)) / f64::from(self.full)
    }

    /// Joules of one GPU over a span in which `busy` was the integral of the running requests, each instant's at most `full`.
    pub(crate) fn joules(&self, span: Nanos, busy: u128) -> f64 {
        let busy_seconds = busy as f64 / 1e9 / f64::from(self.full);
        self.idle_watts * span.as_secs_f64() + (self.busy_watts - self.idle_watts) * busy_seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_grows_with_the_batch_up_to_its_limit() {
        let gpus = GpuOptions::default();
        for (running, watts) in [(0, 75.0), (4, 387.5), (8, 700.0), (200, 700.0)] {
            assert!((gpus.watts(running) - watts).abs() < 1e-9, "{running}");
        }
        // Two seconds, in one of which four requests ran.
        assert!((gpus.joules(Nanos(2_000_000_000), 4_000_000_000) - (75.0 + 387.5)).abs() < 1e-9);
    }
}
