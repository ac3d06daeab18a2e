//! The round trip of the network, and what latencies are without it.

use aiperf_clock::Nanos;

use crate::record::columns::Columns;
use crate::summary::values;
use crate::{Metric, MetricContext, Percentile, Stats};

/// How long the network takes there and back: one given length, or what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkRtt {
    stats: Stats,
    typical: f64,
}

impl NetworkRtt {
    /// From the user, who knows it.
    pub fn given(rtt: Nanos) -> Self {
        Self::of(&[rtt.0 as f64])
    }

    /// From measurements; `None` when there are none.
    pub fn measured(samples: &[Nanos]) -> Option<Self> {
        (!samples.is_empty()).then(|| Self::of(&samples.iter().map(|rtt| rtt.0 as f64).collect::<Vec<_>>()))
    }

    fn of(nanos: &[f64]) -> Self {
        let stats = Stats::of(nanos.to_vec()).unwrap_or_default();
        // A probe that had to wait for its thread is an outlier: it must not move every request of the run.
        let typical = stats.percentile(Percentile::P50).unwrap_or(0.0);
        Self { stats: Stats { count: None, ..stats }, typical }
    }

    /// What is taken off every latency, in nanoseconds: the median.
    pub fn typical(&self) -> f64 {
        self.typical
    }
}

/// A metric of [`MetricKind::Network`](crate::MetricKind::Network).
pub(crate) fn statistics(metric: Metric, columns: &Columns, context: &MetricContext) -> Option<Stats> {
    let rtt = context.network_rtt.as_ref()?;
    let plain = match metric {
        Metric::NetworkRtt => return Some(rtt.stats),
        Metric::NetworkAdjustedRequestLatency => Metric::RequestLatency,
        Metric::NetworkAdjustedTimeToFirstToken => Metric::TimeToFirstToken,
        Metric::NetworkAdjustedTimeToFirstOutputToken => Metric::TimeToFirstOutputToken,
        _ => return None,
    };
    let adjusted = values(plain, columns, context).into_iter().map(|nanos| (nanos - rtt.typical).max(0.0));
    Stats::of(adjusted.collect()).map(|stats| Stats { count: None, ..stats })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_probe_does_not_move_what_is_taken_off() {
        let rtt = NetworkRtt::measured(&[Nanos(3_000), Nanos(200), Nanos(100)]).unwrap();
        assert_eq!((rtt.typical(), rtt.stats.avg, rtt.stats.max), (200.0, Some(1_100.0), Some(3_000.0)));
        assert_eq!(NetworkRtt::measured(&[]), None);
        assert_eq!(NetworkRtt::given(Nanos(5_000_000)).stats.std, Some(0.0));
    }
}
