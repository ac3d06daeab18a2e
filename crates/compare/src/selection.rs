//! What is compared when nothing was asked for.

use aiperf_metrics::Metric;

use crate::{Quantity, Side};

/// Energy of all GPUs together, if the runs have it.
const EFFICIENCY: [Metric; 2] = [Metric::NvidiaEnergyPerOutputToken, Metric::AmdEnergyPerOutputToken];

const LATENCIES: [Metric; 3] = [Metric::TimeToFirstToken, Metric::InterTokenLatency, Metric::RequestLatency];

/// The usual numbers of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// For people: averages and percentiles.
    Wide,
    /// For a gate: what a run of bearable length can settle, and the server is answerable for.
    Gate,
}

impl Selection {
    /// All metrics that may be among them, and those that tell one workload from another.
    pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
        let others = [
            Metric::OutputTokenThroughput,
            Metric::RequestThroughput,
            Metric::RequestErrorRate,
            Metric::InputSequenceLength,
            Metric::OutputSequenceLength,
        ];
        LATENCIES.into_iter().chain(others).chain(EFFICIENCY)
    }

    /// Those that the baseline has: what a candidate lacks shall not go unseen.
    pub(crate) fn of(self, a: &Side, b: &Side) -> Vec<Quantity> {
        let mut quantities = Vec::new();
        for latency in LATENCIES {
            quantities.push(Quantity::average(latency));
            if self == Self::Wide {
                quantities.extend([50.0, 99.0].map(|percent| Quantity::percentile(latency, percent)));
            }
        }
        quantities.extend(self.throughput(a, b).into_iter().map(Quantity::average));
        if self == Self::Wide {
            quantities.extend(EFFICIENCY.map(Quantity::average));
        }
        quantities.push(Quantity::average(Metric::RequestErrorRate));
        quantities.retain(|quantity| a.evidence(*quantity).is_some());
        quantities
    }

    fn throughput(self, a: &Side, b: &Side) -> Vec<Metric> {
        let tokens = [a, b].iter().all(|side| side.has(Metric::OutputSequenceLength));
        match self {
            Self::Wide => vec![Metric::OutputTokenThroughput, Metric::RequestThroughput],
            // There it is the schedule's, not the server's.
            Self::Gate if a.is_open_loop() || b.is_open_loop() => Vec::new(),
            Self::Gate if tokens => vec![Metric::OutputTokenThroughput],
            Self::Gate => vec![Metric::RequestThroughput],
        }
    }
}
