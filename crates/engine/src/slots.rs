//! What a phase may still send: the stop conditions, counted.

use aiperf_config::StopConditions;

#[derive(Debug)]
pub(crate) struct Slots {
    stop: StopConditions,
    pub(crate) sent: u64,
    pub(crate) sessions_sent: u64,
    pub(crate) sessions_open: u64,
}

impl Slots {
    pub(crate) const fn new(stop: StopConditions) -> Self {
        Self { stop, sent: 0, sessions_sent: 0, sessions_open: 0 }
    }

    /// Whether any request may still go out, be it of an open session.
    pub(crate) fn may_send(&self) -> bool {
        self.stop.requests.is_none_or(|n| self.sent < n)
    }

    pub(crate) fn may_start_session(&self) -> bool {
        self.may_send() && self.stop.sessions.is_none_or(|n| self.sessions_sent < n)
    }

    /// Nothing more will be sent, whatever comes back.
    pub(crate) fn are_spent(&self) -> bool {
        !self.may_send() || (!self.may_start_session() && self.sessions_open == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_sessions_go_on_after_the_last_one_started() {
        let mut slots = Slots::new(StopConditions { sessions: Some(1), ..StopConditions::default() });
        assert!(slots.may_start_session());
        slots.sent = 1;
        slots.sessions_sent = 1;
        slots.sessions_open = 1;
        assert!(!slots.may_start_session() && slots.may_send() && !slots.are_spent());
        slots.sessions_open = 0;
        assert!(slots.are_spent());
    }

    #[test]
    fn a_request_count_ends_open_sessions_too() {
        let mut slots = Slots::new(StopConditions { requests: Some(2), ..StopConditions::default() });
        slots.sent = 2;
        slots.sessions_open = 1;
        assert!(slots.are_spent());
    }
}
