//! What comes after a turn whose reply matters: the bodies of the next turn and of forked conversations. Whoever reads
//! records makes them, because that needs the reply.

use std::sync::Arc;

use aiperf_clock::Mono;
use aiperf_endpoint::BuildError;
use bytes::Bytes;

use crate::control::Event;
use crate::queue::QueueSender;
use crate::request::credit::Session;

/// A promise to continue a session. Dropping it ends the session where it stands.
#[derive(Debug)]
pub struct FollowUp {
    session: Arc<Session>,
    turn: usize,
    due: Mono,
    at: Mono,
    events: QueueSender<Event>,
    made: Option<FollowUpBodies>,
}

/// The bodies that a reply makes possible. One that cannot be made becomes a request that fails.
#[derive(Debug, Default)]
pub struct FollowUpBodies {
    /// Of the session's next turn.
    pub next: Option<Result<Bytes, BuildError>>,
    /// Of the first turns of forked conversations, by index of the conversation.
    pub forks: Vec<(usize, Result<Bytes, BuildError>)>,
    /// The reply was no success.
    pub failed: bool,
    /// It was refused because the prompt was too long for the model.
    pub overflowed: bool,
}

/// As the conductor gets it.
#[derive(Debug)]
pub(crate) struct FollowedUp {
    pub(crate) session: Arc<Session>,
    pub(crate) turn: usize,
    pub(crate) due: Mono,
    /// When the turn's exchange ended; delays count from here.
    pub(crate) at: Mono,
    pub(crate) bodies: Option<FollowUpBodies>,
}

impl FollowUp {
    pub(crate) fn new(session: Arc<Session>, turn: usize, due: Mono, at: Mono, events: QueueSender<Event>) -> Self {
        Self { session, turn, due, at, events, made: None }
    }

    /// Continues the session.
    pub fn resume(mut self, bodies: FollowUpBodies) {
        self.made = Some(bodies);
    }
}

impl Drop for FollowUp {
    fn drop(&mut self) {
        let followed = FollowedUp {
            session: Arc::clone(&self.session),
            turn: self.turn,
            due: self.due,
            at: self.at,
            bodies: self.made.take(),
        };
        // Nobody listens any more when the run is over.
        let _ = self.events.send(Event::FollowedUp(followed));
    }
}
