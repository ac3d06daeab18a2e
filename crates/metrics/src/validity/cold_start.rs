//! Whether the first requests of a phase were much slower than later ones: a server that compiles, loads or fills its
//! caches for them.

use super::ValidityNote;
use super::pacing::median;
use crate::MetricContext;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};

/// Times the median of later ones. A loaded server makes some requests wait that long, so that the first ones must also
/// be slower than nearly all of the later half.
pub const FACTOR: f64 = 3.0;
/// Nanoseconds: what setting up a connection may add.
const LEAST_EXCESS: f64 = 50e6;
/// Of all time to first token: less moves no mean.
const LEAST_SHARE: f64 = 0.01;
/// Fewer have no later half to compare with.
const LEAST_REQUESTS: usize = 20;

/// Nanoseconds, all of the time to first content or, without streaming, of the latency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ColdStart {
    /// How many count as the first: those of the first wave, at most a tenth.
    requests: usize,
    first: f64,
    /// Of the later half: median and p99.
    later: f64,
    later_p99: f64,
    /// The part of all waiting that the first ones had beyond what they would have had later.
    excess_share: f64,
}

impl ColdStart {
    pub(super) fn of(columns: &Columns, context: &MetricContext) -> Option<Self> {
        let measured = if context.streaming { Fact::FirstContent } else { Fact::LastContent };
        let successful = columns.rows().filter(Facts::succeeded);
        let mut timed: Vec<(u64, u64)> =
            successful.filter_map(|row| row.fact(Fact::Start).zip(row.fact(measured))).collect();
        let count = timed.len();
        if count < LEAST_REQUESTS {
            return None;
        }
        let wave = usize::try_from(context.concurrency.unwrap_or(1)).unwrap_or(usize::MAX);
        let requests = wave.clamp(1, count / 10);
        timed.select_nth_unstable(count / 2);
        timed[..count / 2].select_nth_unstable(requests - 1);
        let spans = |part: &[(u64, u64)]| part.iter().map(|(_, span)| *span).collect::<Vec<_>>();
        let (first, mut half) = (median(spans(&timed[..requests])), spans(&timed[count / 2..]));
        let later = median(half.clone());
        let p99 = (half.len() - 1) * 99 / 100;
        let later_p99 = *half.select_nth_unstable(p99).1 as f64;
        let all: f64 = timed.iter().map(|(_, span)| *span as f64).sum();
        let excess_share = (first - later) * requests as f64 / all.max(1.0);
        Some(Self { requests, first, later, later_p99, excess_share })
    }

    pub(super) fn noticeable(&self) -> Option<ValidityNote> {
        let slow = self.first > FACTOR * self.later
            && self.first > self.later_p99
            && self.first - self.later > LEAST_EXCESS
            && self.excess_share > LEAST_SHARE;
        slow.then_some(ValidityNote::WarmupMissing {
            requests: self.requests as u64,
            first: self.first * 1e-6,
            later: self.later * 1e-6,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: ColdStart = ColdStart { requests: 4, first: 900e6, later: 100e6, later_p99: 150e6, excess_share: 0.2 };

    #[test]
    fn slow_first_requests_are_told_from_a_slow_tail_and_from_a_slow_handshake() {
        assert_eq!(SLOW.noticeable(), Some(ValidityNote::WarmupMissing { requests: 4, first: 900.0, later: 100.0 }));
        assert_eq!(ColdStart { later_p99: 1e9, ..SLOW }.noticeable(), None);
        assert_eq!(ColdStart { first: 290e6, ..SLOW }.noticeable(), None);
        assert_eq!(ColdStart { first: 45e6, later: 5e6, later_p99: 6e6, ..SLOW }.noticeable(), None);
        assert_eq!(ColdStart { excess_share: 0.005, ..SLOW }.noticeable(), None);
    }
}
