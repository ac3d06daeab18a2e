//! Whether the server can be reached: when requests are to be held back because no connection to it can be made, and when there is
//! no point in trying any longer.

use aiperf_clock::{Mono, Nanos};

use crate::phase::Outage;

/// Shortest pause before the server is tried again. A pause is as long as the outage has lasted, so that it doubles with
/// each try.
const FIRST_PAUSE: Nanos = Nanos(10_000_000);
/// Longest pause before the server is tried again.
const LONGEST_PAUSE: Nanos = Nanos(500_000_000);

/// Fewer failures than this do not end a run, however far apart they are.
const LEAST_FAILURES: u64 = 3;

#[derive(Debug)]
pub(crate) struct Reachability {
    /// How long an outage may last.
    limit: Option<Nanos>,
    /// By server, whether the last request to it could not connect.
    is_away: Vec<bool>,
    /// Connection failures since anything else came back. It counts only while every server is away: if one of several can
    /// be reached, its measurement continues, and requests to the others fail.
    outage: Option<Outage>,
    /// When the server is tried again.
    next_try: Mono,
}

impl Reachability {
    pub(crate) fn new(limit: Option<Nanos>, servers: usize) -> Self {
        Self { limit, is_away: vec![false; servers], outage: None, next_try: Mono::default() }
    }

    /// A request to a server came back at `at`. `unreachable_since`: when it began, if it could not connect.
    pub(crate) fn note(&mut self, server: usize, at: Mono, unreachable_since: Option<Mono>) {
        if let Some(is_away) = self.is_away.get_mut(server) {
            *is_away = unreachable_since.is_some();
        }
        let Some(since) = unreachable_since else {
            self.outage = None;
            return;
        };
        let outage = self.outage.get_or_insert(Outage { since, last: at, failures: 0 });
        outage.failures += 1;
        outage.last = outage.last.max(at);
        self.next_try = self.next_try.max(at + pause(outage, at));
    }

    /// The server is being tried at `now`: the next try comes after a pause, whether this one has failed by then or not.
    pub(crate) fn note_try(&mut self, now: Mono) {
        if let Some(outage) = &self.outage {
            self.next_try = self.next_try.max(now + pause(outage, now));
        }
    }

    /// Until when requests of a closed loop are held back.
    pub(crate) fn holds_until(&self, now: Mono) -> Option<Mono> {
        self.outage().and(Some(self.next_try)).filter(|next| *next > now)
    }

    pub(crate) fn outage(&self) -> Option<Outage> {
        self.outage.filter(|_| self.is_away.iter().all(|is_away| *is_away))
    }

    /// Whether the outage has lasted for longer than is allowed.
    pub(crate) fn is_given_up(&self) -> bool {
        let too_long = |outage: Outage, limit| outage.last.since(outage.since) >= limit;
        self.outage()
            .zip(self.limit)
            .is_some_and(|(outage, limit)| outage.failures >= LEAST_FAILURES && too_long(outage, limit))
    }
}

fn pause(outage: &Outage, now: Mono) -> Nanos {
    now.since(outage.since).clamp(FIRST_PAUSE, LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Mono {
        Mono::from_nanos(millis * 1_000_000)
    }

    /// Tries whenever it may, until the given time; each try fails at once. Returns the number of tries.
    fn tries(reach: &mut Reachability, mut now: Mono, end: Mono) -> u64 {
        let mut tries = 0;
        while now < end && !reach.is_given_up() {
            reach.note_try(now);
            reach.note(0, now, Some(now));
            tries += 1;
            now = reach.holds_until(now).unwrap();
        }
        tries
    }

    #[test]
    fn a_dead_server_is_tried_a_few_times_and_given_up() {
        let mut reach = Reachability::new(Some(Nanos(10_000_000_000)), 1);
        let tries = tries(&mut reach, ms(1_000), ms(60_000));
        assert!((20..40).contains(&tries), "{tries}");
        assert!(reach.is_given_up());
        let outage = reach.outage().unwrap();
        assert_eq!(outage.since, ms(1_000));
        assert!(outage.last >= ms(11_000) && outage.last < ms(11_600), "{outage:?}");
    }

    #[test]
    fn anything_else_that_comes_back_ends_the_outage() {
        let mut reach = Reachability::new(Some(Nanos(1_000_000_000)), 1);
        tries(&mut reach, ms(0), ms(900));
        reach.note(0, ms(910), None);
        assert_eq!((reach.outage(), reach.holds_until(ms(910))), (None, None));
        reach.note(0, ms(2_000), Some(ms(1_990)));
        assert!(!reach.is_given_up());
        assert_eq!(reach.holds_until(ms(2_000)), Some(ms(2_010)), "it begins with a short pause again");
    }

    #[test]
    fn two_failures_far_apart_end_nothing_and_no_limit_ends_nothing() {
        let mut reach = Reachability::new(Some(Nanos(1_000_000_000)), 1);
        reach.note(0, ms(0), Some(ms(0)));
        reach.note(0, ms(60_000), Some(ms(60_000)));
        assert!(!reach.is_given_up());
        reach.note(0, ms(61_000), Some(ms(61_000)));
        assert!(reach.is_given_up());
        let mut reach = Reachability::new(None, 1);
        assert!(tries(&mut reach, ms(0), ms(100_000)) > 150);
        assert!(!reach.is_given_up());
    }

    #[test]
    fn one_of_two_servers_that_is_away_holds_nothing_back() {
        let mut reach = Reachability::new(Some(Nanos(1_000_000_000)), 2);
        for millis in 0..20 {
            reach.note(1, ms(100 * millis), Some(ms(100 * millis)));
        }
        assert_eq!((reach.outage(), reach.holds_until(ms(1_900)), reach.is_given_up()), (None, None, false));
        reach.note(0, ms(2_000), Some(ms(2_000)));
        assert!(reach.is_given_up(), "nothing but failures came back for two seconds, and the other one is away too");
    }
}
