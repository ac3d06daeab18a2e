//! What comes after a turn whose reply matters: the bodies of the next turn and of forked conversations. The record
//! threads make them, because that needs the reply.

use std::sync::Arc;

use aiperf_clock::Mono;
use aiperf_endpoint::BuildError;
use bytes::Bytes;

use crate::control::SchedulerEvent;
use crate::queue::QueueSender;
use crate::request::credit::Session;

/// A promise to continue a session. Dropping it ends the session where it stands.
#[derive(Debug)]
pub struct FollowUp {
    session: Arc<Session>,
    turn: usize,
    due: Mono,
    at: Mono,
    events: QueueSender<SchedulerEvent>,
    made: Option<FollowUpBodies>,
}

/// The bodies that a reply makes possible. One that cannot be made becomes a request that fails.
#[derive(Debug, Default)]
pub struct FollowUpBodies {
    /// The body of the session's next turn.
    pub next: Option<Result<Bytes, BuildError>>,
    /// The bodies of the first turns of forked conversations, by index of the conversation.
    pub forks: Vec<(usize, Result<Bytes, BuildError>)>,
    /// The reply was not a success.
    pub failed: bool,
    /// The request was refused because its prompt was too long for the model.
    pub overflowed: bool,
}

/// A [`FollowUp`] as the scheduler receives it.
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
    pub(crate) fn new(
        session: Arc<Session>,
        turn: usize,
        due: Mono,
        at: Mono,
        events: QueueSender<SchedulerEvent>,
    ) -> Self {
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
        // The queue is closed when the run is over.
        let _ = self.events.send(SchedulerEvent::FollowedUp(followed));
    }
}
