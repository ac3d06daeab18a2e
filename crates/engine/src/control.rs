//! The way in for whoever may stop a run: a signal handler, a failing disk, a test.

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::credit::Returned;

/// What the conductor wakes up for.
#[derive(Debug)]
pub(crate) enum Event {
    Returned(Returned),
    Interrupt,
}

/// Stops a run from outside. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Control {
    events: Sender<Event>,
}

/// The conductor's end of all [`Control`]s.
#[derive(Debug)]
pub struct ControlSource {
    pub(crate) sender: Sender<Event>,
    pub(crate) events: Receiver<Event>,
}

impl ControlSource {
    pub fn new() -> Self {
        let (sender, events) = unbounded();
        Self { sender, events }
    }

    pub fn control(&self) -> Control {
        Control { events: self.sender.clone() }
    }
}

impl Default for ControlSource {
    fn default() -> Self {
        Self::new()
    }
}

impl Control {
    /// Stops sending and cuts off what is in flight. Finished requests are kept.
    pub fn interrupt(&self) {
        // Fails only when the run is over, and then there is nothing to stop.
        let _ = self.events.send(Event::Interrupt);
    }
}
