//! Measures how far the node's clock is from the coordinator's, before the start and again while the run goes on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::bus::Bus;
use crate::clock_offset::{ClockReading, Probe, offset_of};
use crate::message::{ClockAnswer, decode};
use crate::names;

pub(super) const THREAD: &str = "node-clock";
/// Probes of one measurement.
const PROBES: usize = 16;
/// A probe that takes longer says nothing.
const PROBE_PATIENCE: Duration = Duration::from_millis(500);

/// The node's clock in nanoseconds since 1970.
pub(crate) type NodeClock = Box<dyn Fn() -> u64 + Send + Sync>;

pub(crate) struct ClockWatch {
    bus: Arc<dyn Bus>,
    subject: String,
    clock: Mutex<NodeClock>,
    latest: Mutex<Option<ClockReading>>,
}

impl std::fmt::Debug for ClockWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClockWatch").field("latest", &self.latest()).finish_non_exhaustive()
    }
}

impl ClockWatch {
    pub(crate) fn new(bus: Arc<dyn Bus>, run: &str, clock: NodeClock) -> Self {
        Self { bus, subject: names::clock(run), clock: Mutex::new(clock), latest: Mutex::default() }
    }

    /// From now on the node's clock is this one: readings of the earlier one are forgotten.
    pub(crate) fn set_clock(&self, clock: NodeClock) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = clock;
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Probes the coordinator. Without an answer the last measurement stays.
    pub(crate) fn measure(&self) -> Option<ClockReading> {
        let clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let mut probes = Vec::new();
        for _ in 0..PROBES {
            let sent = clock();
            let Ok(answer) = self.bus.request(&self.subject, Vec::new(), PROBE_PATIENCE) else {
                if probes.is_empty() {
                    break;
                }
                continue;
            };
            let received = clock();
            if let Ok(ClockAnswer { received_ns, sent_ns }) = decode(&self.subject, &answer) {
                probes.push(Probe { sent, coordinator_received: received_ns, coordinator_sent: sent_ns, received });
            }
        }
        let reading = offset_of(&probes)?;
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
        Some(reading)
    }

    pub(crate) fn latest(&self) -> Option<ClockReading> {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
