//! Stops a run that has lost a request to a panic of the client, instead of waiting for it without end.

use std::thread;

use aiperf_protocol::StopReason;

use crate::control::SchedulerEvent;
use crate::queue::QueueSender;

/// Stops the run if it is dropped by a panic.
pub(crate) struct PanicGuard<'a>(pub(crate) &'a QueueSender<SchedulerEvent>);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(SchedulerEvent::Stop(StopReason::Defect));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::ControlSource;

    #[test]
    fn a_panic_stops_the_run_and_an_orderly_end_does_not() {
        let source = ControlSource::new();
        let events = source.sender.clone();
        drop(PanicGuard(&events));
        assert!(!source.take_stop());
        let panicked = thread::spawn(move || {
            let _guard = PanicGuard(&events);
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        assert!(source.take_stop());
    }
}
