//! Statistics of what the server and its GPUs report, over the current phase: one sample for each second while the interface is on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aiperf_live::{GpuState, LogHistogram, Snapshot};
use serde_json::{Map, Value, json};
use tokio::time::{self, MissedTickBehavior};

use crate::state::ApiState;

const INTERVAL: Duration = Duration::from_secs(1);

/// Of one value of a GPU: name, title, unit and reading.
pub(crate) type GpuValue = (&'static str, &'static str, &'static str, Option<f64>);

pub(crate) fn readings(gpu: &GpuState) -> [GpuValue; 4] {
    [
        ("power_usage", "GPU Power Usage", "W", gpu.power_watts),
        ("gpu_utilization", "GPU Utilization", "%", gpu.utilization_percent),
        ("memory_used", "GPU Memory Used", "GB", gpu.memory_used_gb),
        ("temperature", "GPU Temperature", "°C", gpu.temperature_celsius),
    ]
}

/// Names one value of one GPU.
pub(crate) fn gpu_tag(gpu: &GpuState, name: &str) -> String {
    format!("{name}_gpu{}_{}", gpu.index, gpu.uuid.chars().take(12).collect::<String>())
}

#[derive(Debug, Default)]
pub(crate) struct GaugeStatistics {
    inner: Mutex<PhaseGauges>,
}

#[derive(Debug, Default)]
struct PhaseGauges {
    /// Run and number of the phase that the values belong to.
    phase: (String, usize),
    values: BTreeMap<String, LogHistogram>,
}

impl GaugeStatistics {
    /// Takes in the values of a snapshot.
    pub(crate) fn sample(&self, snapshot: &Snapshot) {
        let Some(current) = snapshot.current_phase() else { return };
        if snapshot.state.is_over() {
            return;
        }
        let mut inner = self.lock();
        if inner.phase.1 != current.index || inner.phase.0 != snapshot.benchmark_id {
            *inner = PhaseGauges { phase: (snapshot.benchmark_id.clone(), current.index), values: BTreeMap::new() };
        }
        for row in &snapshot.server {
            inner.values.entry(row.tag.to_owned()).or_default().add(row.value);
        }
        for gpu in &snapshot.gpus {
            for (name, _, _, value) in readings(gpu) {
                if let Some(value) = value {
                    inner.values.entry(gpu_tag(gpu, name)).or_default().add(value);
                }
            }
        }
    }

    /// The statistics of one value with the reference's names; what was read last if there is no sample.
    pub(crate) fn of(&self, tag: &str, current: f64) -> Map<String, Value> {
        let inner = self.lock();
        let mut alone = LogHistogram::default();
        alone.add(current);
        let values = inner.values.get(tag).unwrap_or(&alone);
        let mut map = Map::new();
        let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
        put("avg", json!(values.mean()));
        let names = ["p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"];
        if let Some(quantiles) = values.quantiles([0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]) {
            names.iter().zip(quantiles).for_each(|(name, value)| {
                put(name, json!(value));
            });
        }
        put("min", json!(values.min()));
        put("max", json!(values.max()));
        put("std", json!(values.std()));
        put("count", json!(values.count()));
        put("sum", json!(values.sum()));
        put("current", json!(current));
        map
    }

    fn lock(&self) -> MutexGuard<'_, PhaseGauges> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Samples until the runtime ends.
pub(crate) async fn follow(state: Arc<ApiState>) {
    let mut ticks = time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        state.gauges.sample(&state.live.snapshot());
    }
}

#[cfg(test)]
mod tests {
    use aiperf_live::LiveRun;

    use super::*;

    #[test]
    fn values_of_a_phase_have_statistics() {
        let gauges = GaugeStatistics::default();
        let mut snapshot = (*LiveRun::example().snapshot()).clone();
        for value in [10.0, 20.0, 30.0] {
            snapshot.server[0].value = value;
            gauges.sample(&snapshot);
        }
        let tag = snapshot.server[0].tag;
        let shown = gauges.of(tag, 30.0);
        assert_eq!((shown["count"].as_u64(), shown["avg"].as_f64()), (Some(3), Some(20.0)));
        assert_eq!((shown["min"].as_f64(), shown["max"].as_f64()), (Some(10.0), Some(30.0)));
        snapshot.benchmark_id = "another".to_owned();
        gauges.sample(&snapshot);
        assert_eq!(gauges.of(tag, 30.0)["count"], 1, "another run starts again");
        assert_eq!(gauges.of("unknown", 5.0)["avg"], 5.0);
    }
}
