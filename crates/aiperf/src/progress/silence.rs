//! Notices when nothing has come from a server for long: a run must not wait for hours without a word.

use aiperf_clock::{Mono, Nanos};

/// The first time that is worth a word; each further one is twice as long.
const FIRST: Nanos = Nanos(60_000_000_000);

/// How long nothing has come.
#[derive(Debug, Default)]
pub(crate) struct Silence {
    /// The last sign of life and when it was first seen.
    last: Option<(u64, Mono)>,
    /// Silences that were spoken of since then.
    said: u32,
}

impl Silence {
    /// `signs` changes with everything that arrives. Returns the length of the silence when it is time to report it.
    pub(crate) fn observe(&mut self, now: Mono, signs: u64, in_flight: u64) -> Option<Nanos> {
        let since = match self.last {
            Some((known, since)) if known == signs && in_flight > 0 => since,
            _ => {
                *self = Self { last: Some((signs, now)), said: 0 };
                return None;
            }
        };
        let length = now.since(since);
        if length.0 < FIRST.0 << self.said.min(8) {
            return None;
        }
        self.said += 1;
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds at which something is said, of a server that shows signs of life at some of them.
    fn said(seconds: u64, signs: impl Fn(u64) -> u64, in_flight: impl Fn(u64) -> u64) -> Vec<u64> {
        let (mut silence, start) = (Silence::default(), Mono::now());
        let at = |second: u64| start + Nanos(second * 1_000_000_000);
        (0..seconds).filter(|s| silence.observe(at(*s), signs(*s), in_flight(*s)).is_some()).collect()
    }

    #[test]
    fn a_server_that_never_answers_is_spoken_of_after_a_minute_and_then_less_and_less() {
        assert_eq!(said(600, |_| 0, |_| 8), [60, 120, 240, 480]);
    }

    #[test]
    fn a_server_that_answers_or_has_nothing_to_answer_is_not_spoken_of() {
        assert_eq!(said(600, |second| second / 50, |_| 8), [0_u64; 0]);
        assert_eq!(said(600, |_| 7, |_| 0), [0_u64; 0]);
    }

    #[test]
    fn each_silence_is_measured_from_the_last_sign_of_life() {
        assert_eq!(said(200, |second| u64::from(second >= 100), |_| 1), [60, 160]);
    }
}
