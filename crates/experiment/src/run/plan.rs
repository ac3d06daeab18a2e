//! What the engine is told about a run.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::ExportLevel;
use aiperf_engine::{Bodies, PhaseHook, Plan, SendSettings, Timing, Workload};

use super::Run;
use super::thread_counts::workers;
use crate::prepare::server_hook::ProfilerHook;
use crate::prepare::start_time::{self};
use crate::watch::server_metrics::{PhaseHooks, ServerMetricsWatch};

impl Run {
    pub(super) fn plan(&self, server_metrics: Option<&ServerMetricsWatch>, start: Option<Mono>) -> Plan {
        let mut sampler = self.dataset.sampler(self.data_seed);
        let tuning = &self.config.tuning;
        Plan {
            workers: workers(&self.config, &self.phases),
            workload: Workload {
                phases: self.phases.clone(),
                conversations: self.sessions.for_engine().into(),
                bodies: Arc::clone(&self.sessions) as Arc<dyn Bodies>,
                next_conversation: Box::new(move || sampler.draw().0),
                fixed_schedule: self.fixed_schedule.clone(),
                seed: self.seed,
                timing: Timing {
                    cut_drain: tuning.cancel_drain,
                    rate_ramp_interval: tuning.rate_ramp_interval,
                    dag_fail_fast: tuning.dag_fail_fast,
                    unreachable_limit: self.config.unreachable_timeout,
                },
                preconnect: self.config.endpoint.preconnect,
            },
            sending: SendSettings {
                targets: self.targets.requests.clone().into(),
                headers: Arc::clone(&self.headers),
                endpoint: Arc::clone(&self.endpoint),
                request_timeout: self.config.endpoint.request_timeout.map(Nanos::from),
                send_limit: tuning.cancellation_send_timeout.into(),
                reuse: self.config.endpoint.connection_reuse,
                client: self.client.clone(),
                wire: self.config.endpoint.wire,
                reads_while_arriving: self.config.output.level < ExportLevel::Raw
                    && !self.config.output.export_http_trace,
            },
            hook: self.hook(server_metrics, start),
        }
    }

    /// What is done between phases. Pages are scraped last before a phase, so that they show its start.
    fn hook(&self, server_metrics: Option<&ServerMetricsWatch>, start: Option<Mono>) -> Option<Box<dyn PhaseHook>> {
        let mut hooks: Vec<Box<dyn PhaseHook>> = Vec::new();
        if let Some(profiler) = &self.config.endpoint.server_profiler {
            hooks.push(Box::new(ProfilerHook::new(profiler, &self.config, &self.targets, &self.client)));
        }
        hooks.extend(server_metrics.map(ServerMetricsWatch::hook));
        hooks.extend(start.map(start_time::hook));
        (!hooks.is_empty()).then(|| Box::new(PhaseHooks(hooks)) as Box<dyn PhaseHook>)
    }
}
