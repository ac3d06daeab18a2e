//! What goes wrong with a reply on purpose, decided before the reply starts.

use aiperf_clock::Nanos;
use aiperf_seed::Stream;

/// When a fault applies: a share of requests, every Nth request, or both.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Trigger {
    pub rate: f64,
    /// Counted over inference requests in order of arrival; zero is never.
    pub every: u64,
}

/// All faults and when they strike.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultOptions {
    pub error: Trigger,
    /// How many requests from the first on are answered with an error, whatever the trigger is.
    pub error_first: u64,
    pub error_status: u16,
    pub dropped: Trigger,
    pub empty: Trigger,
    pub stall: Trigger,
    pub stall_span: Nanos,
    pub reset: Trigger,
    pub cut: Trigger,
    pub inband: Trigger,
    pub malformed: Trigger,
}

impl Default for FaultOptions {
    fn default() -> Self {
        Self {
            error: Trigger::default(),
            error_first: 0,
            error_status: 500,
            dropped: Trigger::default(),
            empty: Trigger::default(),
            stall: Trigger::default(),
            stall_span: Nanos(1_000_000_000),
            reset: Trigger::default(),
            cut: Trigger::default(),
            inband: Trigger::default(),
            malformed: Trigger::default(),
        }
    }
}

/// What will go wrong with one reply. A stall may come with one of the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FaultPlan {
    pub(crate) fault: Option<Fault>,
    pub(crate) stall: Option<Stall>,
}

/// How a reply fails.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// An HTTP error instead of a reply.
    Status(u16),
    /// The connection is closed instead of a reply.
    Drop,
    /// A reply without any content.
    Empty,
    /// The rest of the reply fails this far into it, as a share of its chunks.
    Midway { kind: MidwayFault, at: f64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MidwayFault {
    Reset,
    Cut,
    InbandError,
    Malformed,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stall {
    pub(crate) span: Nanos,
    pub(crate) at: f64,
}

impl Trigger {
    /// `number` counts inference requests from one. Draws only when there is a rate, from a stream of its own.
    fn applies(self, number: u64, stream: impl FnOnce() -> Stream) -> bool {
        (self.every > 0 && number.is_multiple_of(self.every)) || (self.rate > 0.0 && stream().unit() < self.rate)
    }
}

impl FaultOptions {
    /// Decides for one request. `stream` gives the request's own stream of a name, so that setting one fault does not
    /// change which requests another one hits.
    pub(crate) fn plan(&self, number: u64, stream: impl Fn(&str) -> Stream) -> FaultPlan {
        let applies = |trigger: Trigger, name: &str| trigger.applies(number, || stream(name));
        let place = |name: &str| stream(name).unit();
        let midway = [
            (self.reset, "fault.reset", MidwayFault::Reset),
            (self.cut, "fault.cut", MidwayFault::Cut),
            (self.inband, "fault.inband", MidwayFault::InbandError),
            (self.malformed, "fault.malformed", MidwayFault::Malformed),
        ];
        let fault = if number <= self.error_first || applies(self.error, "fault.error") {
            Some(Fault::Status(self.error_status))
        } else if applies(self.dropped, "fault.drop") {
            Some(Fault::Drop)
        } else if applies(self.empty, "fault.empty") {
            Some(Fault::Empty)
        } else {
            midway
                .into_iter()
                .find(|&(trigger, name, _)| applies(trigger, name))
                .map(|(_, _, kind)| Fault::Midway { kind, at: place("fault.place") })
        };
        let stall =
            applies(self.stall, "fault.stall").then(|| Stall { span: self.stall_span, at: place("fault.stall.place") });
        FaultPlan { fault, stall }
    }
}

/// The chunk before which something happens: never the first, as it is to happen part-way, unless there is only one.
pub(crate) fn chunk_at(share: f64, chunks: u32) -> u32 {
    if chunks < 2 { chunks } else { 1 + ((share * f64::from(chunks - 1)) as u32).min(chunks - 2) }
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;

    fn stream_of(request: u64) -> impl Fn(&str) -> Stream {
        move |name| Seed::fixed(3).stream(&format!("{request}.{name}"))
    }

    #[test]
    fn every_nth_request_fails_and_no_other() {
        let options = FaultOptions { error: Trigger { rate: 0.0, every: 3 }, ..FaultOptions::default() };
        let hit: Vec<u64> = (1..=9).filter(|&n| options.plan(n, stream_of(n)).fault.is_some()).collect();
        assert_eq!(hit, [3, 6, 9]);
    }

    #[test]
    fn a_server_that_is_not_ready_fails_the_first_requests_and_no_other() {
        let options = FaultOptions { error_first: 2, error_status: 503, ..FaultOptions::default() };
        let hit: Vec<u64> = (1..=9).filter(|&n| options.plan(n, stream_of(n)).fault.is_some()).collect();
        assert_eq!(hit, [1, 2]);
        assert_eq!(options.plan(1, stream_of(1)).fault, Some(Fault::Status(503)));
    }

    #[test]
    fn a_rate_strikes_about_its_share_and_the_same_requests_each_time() {
        let options = FaultOptions { cut: Trigger { rate: 0.2, every: 0 }, ..FaultOptions::default() };
        let struck = || (0..2_000).filter(|&n| options.plan(n, stream_of(n)).fault.is_some()).collect::<Vec<_>>();
        let first = struck();
        assert!((330..470).contains(&first.len()), "{}", first.len());
        assert_eq!(first, struck());
    }

    #[test]
    fn another_fault_does_not_change_whom_the_first_one_strikes() {
        let one = FaultOptions { reset: Trigger { rate: 0.3, every: 0 }, ..FaultOptions::default() };
        let two = FaultOptions { stall: Trigger { rate: 0.5, every: 0 }, ..one.clone() };
        for n in 0..200 {
            assert_eq!(one.plan(n, stream_of(n)).fault, two.plan(n, stream_of(n)).fault);
        }
    }

    #[test]
    fn the_place_is_part_way() {
        assert_eq!((chunk_at(0.0, 10), chunk_at(0.999_999, 10)), (1, 9));
        assert_eq!((chunk_at(0.9, 2), chunk_at(0.5, 1), chunk_at(0.5, 0)), (1, 1, 0));
    }
}
