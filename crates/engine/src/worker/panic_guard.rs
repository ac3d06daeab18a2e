//! Ends a run that has lost a request to a defect of the client, instead of waiting for it for ever.

use std::thread;

use crate::control::{Event, StopReason};
use crate::queue::QueueSender;

/// Stops the run if it is dropped by a panic.
pub(crate) struct Alarm<'a>(pub(crate) &'a QueueSender<Event>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Event::Stop(StopReason::Defect));
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
        drop(Alarm(&events));
        assert!(!source.take_stop());
        let panicked = thread::spawn(move || {
            let _alarm = Alarm(&events);
            panic!("on purpose");
        });
        assert!(panicked.join().is_err());
        assert!(source.take_stop());
    }
}
