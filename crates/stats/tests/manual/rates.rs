//! Streams of events with a known rate.

use aiperf_seed::Stream;
use aiperf_stats::CountedEvent;

#[derive(Debug, Clone, Copy)]
pub(crate) enum ArrivalProcess {
    /// Gaps of a gamma distribution: 1 is Poisson, more is more regular.
    Renewal(f64),
    /// Two states that last for an exponential time, with different rates.
    Bursts,
    /// Requests of a Poisson stream, each with a lognormal number of tokens.
    Tokens,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Traffic {
    pub(crate) name: &'static str,
    pub(crate) arrivals: ArrivalProcess,
    /// Seconds, at about ten events a second.
    pub(crate) length: f64,
}

impl Traffic {
    pub(crate) fn truth(&self) -> f64 {
        match self.arrivals {
            ArrivalProcess::Renewal(_) | ArrivalProcess::Bursts => 10.0,
            ArrivalProcess::Tokens => 10.0 * 100.0 * 0.125_f64.exp(),
        }
    }

    pub(crate) fn run(&self, stream: &mut Stream) -> Vec<CountedEvent> {
        let one = |at| CountedEvent { at, amount: 1.0 };
        let events: Vec<CountedEvent> = match self.arrivals {
            ArrivalProcess::Renewal(shape) => {
                times(-50.0, self.length, || stream.gamma(shape, 0.1 / shape)).into_iter().map(one).collect()
            }
            ArrivalProcess::Tokens => {
                let at = times(0.0, self.length, || stream.exponential(0.1));
                at.into_iter()
                    .map(|at| CountedEvent { at, amount: 100.0 * (0.5 * stream.standard_normal()).exp() })
                    .collect()
            }
            ArrivalProcess::Bursts => {
                let mut busy = stream.unit() < 0.5;
                let mut events = Vec::new();
                let mut since = 0.0;
                while since < self.length {
                    let until = (since + stream.exponential(5.0)).min(self.length);
                    let gap = if busy { 1.0 / 16.0 } else { 0.25 };
                    events.extend(times(since, until, || stream.exponential(gap)).into_iter().map(one));
                    (since, busy) = (until, !busy);
                }
                events
            }
        };
        events.into_iter().filter(|event| event.at >= 0.0).collect()
    }
}

fn times(start: f64, end: f64, mut gap: impl FnMut() -> f64) -> Vec<f64> {
    let mut times = Vec::new();
    let mut at = start + gap();
    while at < end {
        times.push(at);
        at += gap();
    }
    times
}
