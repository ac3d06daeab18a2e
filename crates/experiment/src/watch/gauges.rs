//! What views may read of a run while it goes on: the counters of the engine and the last page of the server.

use std::sync::Arc;

use aiperf_config::{GracePeriod, PhaseConfig};
use aiperf_live::{GaugeReading, PhasePlan, RunGauges, ServerHeadline};
use aiperf_metrics::MetricContext;
use aiperf_telemetry::server::EngineMetric;

use crate::watch::monitor::Monitor;

/// Reads the monitor of a run for the live model.
#[derive(Debug)]
pub(crate) struct MonitorGauges(pub(crate) Arc<Monitor>);

/// The rows that views show, with their units. The live model turns counters into rates by their unit.
const SERVER_ROWS: [(EngineMetric, &str, &str, f64); 8] = [
    (EngineMetric::RunningRequests, "Running", "requests", 1.0),
    (EngineMetric::WaitingRequests, "Waiting", "requests", 1.0),
    (EngineMetric::KvCacheUsage, "KV cache", "%", 100.0),
    (EngineMetric::PrefixCacheHitRate, "Prefix cache hits", "%", 100.0),
    (EngineMetric::PromptTokens, "Input", "tokens/s", 1.0),
    (EngineMetric::GenerationTokens, "Output", "tokens/s", 1.0),
    (EngineMetric::FinishedRequests, "Finished", "requests/s", 1.0),
    (EngineMetric::Preemptions, "Preemptions", "count", 1.0),
];

impl RunGauges for MonitorGauges {
    fn read(&self) -> GaugeReading {
        let monitor = &self.0;
        let progress = &monitor.progress;
        let server = |(metric, title, unit, scale): &(EngineMetric, &'static str, &'static str, f64)| {
            let value = monitor.server_metrics.get(*metric)?;
            Some(ServerHeadline { tag: metric.tag(), title, unit, value: value * scale })
        };
        GaugeReading {
            phase: progress.phase_index(),
            sent: progress.sent(),
            returned: progress.returned(),
            expected: progress.expected(),
            sending_ended: progress.sending_ended(),
            sessions_sent: progress.sessions_sent(),
            sessions_completed: progress.sessions_completed(),
            recorded: monitor.recorded(),
            signs_of_life: monitor.signs_of_life(),
            note: monitor.note(),
            capacity: monitor.capacity(),
            server: SERVER_ROWS.iter().filter_map(server).collect(),
            nodes: Vec::new(),
        }
    }
}

/// What the live model must know of a phase.
pub(crate) fn phase_plan(phase: &PhaseConfig, context: &MetricContext) -> PhasePlan {
    PhasePlan {
        name: phase.name.to_string(),
        kind: phase.kind,
        requests: phase.stop.requests,
        sessions: phase.stop.sessions,
        duration: phase.stop.duration.map(|duration| duration.as_secs_f64()),
        grace: match phase.grace {
            GracePeriod::Limited(grace) => Some(grace.as_secs_f64()),
            GracePeriod::Unlimited => None,
        },
        context: context.clone(),
    }
}
