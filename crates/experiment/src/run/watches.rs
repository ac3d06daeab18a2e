//! Starts the threads that follow a run: rules that end it, controllers of its load, graders, samplers, the spill file.

use std::sync::{Arc, PoisonError};

use aiperf_clock::WallAnchor;
use aiperf_config::{NetworkLatency, Pace};
use aiperf_engine::{ControlSource, RecordQueue, SpillThread};
use aiperf_live::{StageName, StageState};
use aiperf_protocol::StopReason;

use super::Run;
use crate::accuracy::grading_thread::GradingThread;
use crate::adaptive_scale;
use crate::error::RunError;
use crate::watch::early_stop::{EarlyStop, StopRule};
use crate::watch::load_control::{LoadControl, LoadController};
use crate::watch::monitor::Monitor;
use crate::watch::round_trip::RttSampler;
use crate::watch::server_metrics::ServerMetricsWatch;
use crate::watch::stable_windows::StableWindows;
use crate::watch::until_ci::UntilCi;

impl Run {
    /// One thread for each rule that may end the run early.
    pub(super) fn early_stops(
        &self,
        anchor: WallAnchor,
        monitor: &Arc<Monitor>,
        control: &ControlSource,
    ) -> Result<Vec<EarlyStop>, RunError> {
        let mut rules: Vec<Box<dyn StopRule>> = Vec::new();
        if let Some(windows) = self.config.phases.profiling().stop.windows {
            rules.push(Box::new(StableWindows::new(windows, anchor)));
        }
        if !self.config.until_ci.is_empty() {
            rules.push(Box::new(UntilCi::new(&self.config, self.profiling_context(), monitor)?));
        }
        let start = |rule| EarlyStop::start(rule, self.profiling_context().clone(), monitor, control.control());
        rules.into_iter().map(start).collect()
    }

    /// `None` unless answers are to be graded.
    pub(super) fn grading_thread(&mut self) -> Result<Option<GradingThread>, RunError> {
        let grader = self.grader.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(config), Some(keys), Some(grader)) = (&self.config.accuracy, &self.dataset.answer_keys, grader)
        else {
            return Ok(None);
        };
        GradingThread::start(config, keys, &self.dataset, grader, &self.paths).map(Some)
    }

    /// One thread for each controller of a load.
    pub(super) fn load_controls(
        &mut self,
        anchor: WallAnchor,
        monitor: &Arc<Monitor>,
        control: &ControlSource,
    ) -> Result<Vec<LoadControl>, RunError> {
        let scaled = adaptive_scale::controllers(&self.asked_phases, &self.contexts, &self.paths)?;
        let scaled =
            scaled.into_iter().map(|(phase, controller)| (phase, Box::new(controller) as Box<dyn LoadController>));
        let controllers = self.load_controllers.get_mut().unwrap_or_else(PoisonError::into_inner);
        let controllers = std::mem::take(controllers).into_iter().chain(scaled);
        let start = |(phase, controller): (usize, Box<dyn LoadController>)| {
            LoadControl::start(phase, controller, self.contexts[phase].clone(), anchor, monitor, control)
        };
        controllers.map(start).collect()
    }

    /// `None` unless the network round trip is to be measured.
    pub(super) fn rtt_sampler(
        &self,
        monitor: &Arc<Monitor>,
        anchor: WallAnchor,
    ) -> Result<Option<RttSampler>, RunError> {
        let Some(NetworkLatency::Measured(probing)) = self.config.network_latency else { return Ok(None) };
        RttSampler::start(probing, &self.targets, &self.client, monitor, anchor, &self.paths).map(Some)
    }

    /// The line of start-up about telemetry.
    pub(super) fn tell_telemetry(&self, pages: Option<&ServerMetricsWatch>, looks_for_gpus: bool, gpus: usize) {
        let pages = pages.map(|pages| match pages.first_pages_read() {
            (0, _) => "no metrics page of the server yet".to_owned(),
            (read, all) if read == all => "server metrics".to_owned(),
            (read, all) => format!("{read} of {all} metrics pages"),
        });
        let gpus = looks_for_gpus.then(|| match gpus {
            0 => "no GPUs".to_owned(),
            1 => "1 GPU".to_owned(),
            gpus => format!("{gpus} GPUs"),
        });
        let found: Vec<String> = pages.into_iter().chain(gpus).collect();
        let state = if found.is_empty() { StageState::Skipped } else { StageState::Done };
        let text = if found.is_empty() { "off".to_owned() } else { found.join(", ") };
        self.live.stage(StageName::Telemetry, state, text);
    }

    /// Writes finished requests to disk while record threads lag. A closed loop waits instead.
    pub(super) fn spill_thread(
        &self,
        queue: &RecordQueue,
        control: &ControlSource,
    ) -> Result<Option<SpillThread>, RunError> {
        if self.phases.iter().all(|phase| matches!(phase.pace, Pace::Concurrency(_))) {
            return Ok(None);
        }
        let (control, folder) = (control.control(), self.config.output.dir.clone());
        let shown = folder.display().to_string();
        let thread = SpillThread::start(queue, &folder, move |cause| {
            log::error!(
                "Records lag, and the responses that wait for them cannot be spilled to a temporary file in {shown}: {cause}. The run \
                 stops; everything that finished is kept."
            );
            control.stop(StopReason::SpillFailed);
        });
        thread.map(Some).map_err(|cause| RunError::Thread { name: "spill", cause })
    }
}
