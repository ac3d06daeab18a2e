//! What is known of the run that left a folder, in addition to its records: from its summary, or from the note it left when it
//! did not live to write one.

use aiperf_clock::{EpochNanos, Nanos};
use aiperf_metrics::{GpuEnergy, GpuVendor, Level, MetricContext, NetworkRtt, PhaseAccounting, Sending};
use aiperf_protocol::{EndpointKind, PhaseKind, RunEnding, RunOutcome, StopReason};
use aiperf_report::{ProgramBuild, RunNote, RunPlace, Variation};
use serde_json::{Map, Value, json};

use crate::seen_metrics::SeenMetrics;
use crate::{ArtifactError, Folder};

const NANOS_PER_MS: f64 = 1e6;

#[derive(Debug, Default)]
pub(crate) struct RunOrigin {
    pub(crate) summary: Option<Value>,
    pub(crate) manifest: Option<Value>,
    note: Option<RunNote>,
    /// What one of several runs was to be.
    run_config: Option<Value>,
    /// The run said itself that something could not be written.
    pub(crate) was_partial: bool,
}

impl RunOrigin {
    pub(crate) fn find(folder: &Folder) -> Self {
        let paths = folder.paths();
        let note = Folder::json(&paths.run_note()).and_then(|note| serde_json::from_value(note).ok());
        let summary = Folder::json(&paths.summary_json());
        // A folder that was used before: the summary in it is of another run than the records.
        let note: Option<RunNote> = note;
        let stale = |summary: &Value| note.as_ref().is_some_and(|note| summary["benchmark_id"] != note.benchmark_id);
        let summary = summary.filter(|summary| !stale(summary));
        let manifest = Folder::json(&paths.phase_manifest()).filter(|_| summary.is_some());
        let marker = Folder::json(&paths.ready_marker()).filter(|_| summary.is_some());
        let was_partial = marker.is_some_and(|marker| marker["partial"] == true);
        let run_config = Folder::json(&paths.run_config());
        Self { summary, manifest, note, run_config, was_partial }
    }

    /// What a summary alone says.
    pub(crate) fn of_summary(summary: Value) -> Self {
        Self { summary: Some(summary), ..Self::default() }
    }

    pub(crate) fn input_config(&self) -> Value {
        let noted = || self.note.as_ref().map(|note| note.input_config.clone());
        let summarised = self.summary.as_ref().map(|summary| summary["input_config"].clone());
        summarised.or_else(noted).filter(Value::is_object).unwrap_or_else(|| Value::Object(Map::new()))
    }

    pub(crate) fn version(&self) -> Option<String> {
        self.text("aiperf_version").or_else(|| self.note.as_ref().map(|note| note.aiperf_version.clone()))
    }

    /// What the program was built from, as a section of the summary, if the note says it.
    pub(crate) fn noted_build(&self) -> Map<String, Value> {
        let build = self.note.as_ref().and_then(|note| note.build.as_ref());
        build.map(|build| (ProgramBuild::KEY.to_owned(), json!(build))).into_iter().collect()
    }

    pub(crate) fn benchmark_id(&self) -> Option<String> {
        self.text("benchmark_id").or_else(|| self.note.as_ref().map(|note| note.benchmark_id.clone()))
    }

    pub(crate) fn cli_command(&self) -> Option<String> {
        let run_info = self.summary.as_ref().map(|summary| &summary["run_info"]["cli_command"]);
        let summarised = run_info.and_then(Value::as_str).map(ToOwned::to_owned);
        summarised.or_else(|| self.note.as_ref().map(|note| note.cli_command.clone()))
    }

    pub(crate) fn random_seed(&self) -> Option<u64> {
        let run_info = self.summary.as_ref().and_then(|summary| summary["run_info"]["random_seed"].as_u64());
        run_info.or_else(|| self.note.as_ref().and_then(|note| note.random_seed))
    }

    /// Where the run stood among others, if there were others.
    pub(crate) fn place(&self) -> Option<RunPlace> {
        self.place_by_summary().or_else(|| self.place_by_config())
    }

    fn place_by_summary(&self) -> Option<RunPlace> {
        let info = &self.summary.as_ref()?["run_info"];
        place(info, [&info["run_label"], &info["variation_label"], &info["variation_index"], &info["variation_values"]])
    }

    /// A run that was killed has no summary, but its configuration was written at the start.
    fn place_by_config(&self) -> Option<RunPlace> {
        let config = self.run_config.as_ref()?;
        let ours = self.note.as_ref().is_none_or(|note| config["benchmark_id"] == note.benchmark_id);
        let variation = &config["variation"];
        let parts = [&config["label"], &variation["label"], &variation["index"], &variation["values"]];
        if ours { place(config, parts) } else { None }
    }

    /// `lost`: requests that were sent and have no record.
    pub(crate) fn ending(&self, records: u64, lost: u64) -> RunEnding {
        let incomplete = |why: String| RunEnding::because(RunOutcome::TargetMissed, why);
        let Some(summary) = &self.summary else {
            let why =
                format!("The run ended before it wrote its summary; this one was made from its {records} records.");
            return incomplete(why);
        };
        let reason = summary["incomplete_reason"].as_str();
        match (summary["was_cancelled"].as_bool(), reason) {
            (Some(true), Some(reason)) if RunEnding::INTERRUPTED.incomplete_reason() != Some(reason) => {
                RunEnding::because(RunOutcome::Stopped(StopReason::Recorded), reason)
            }
            (Some(true), _) => RunEnding::INTERRUPTED,
            (_, Some(reason)) => incomplete(reason.to_owned()),
            _ if lost > 0 => incomplete(format!(
                "{lost} of the requests that were sent have no record; this summary was made from the other {records}."
            )),
            _ => RunEnding::COMPLETED,
        }
    }

    /// What a phase has. `seen`: the metrics that some of its records have.
    pub(crate) fn context(
        &self,
        (kind, name): (PhaseKind, &str),
        endpoint: Option<EndpointKind>,
        goodput: Option<&[(String, f64)]>,
        seen: SeenMetrics,
    ) -> Result<MetricContext, ArtifactError> {
        let config = self.input_config();
        let section = &config["endpoint"];
        let flag = |name: &str| section[name].as_bool().unwrap_or(false);
        let named = section["type"].as_str().and_then(EndpointKind::from_name);
        let streaming = seen.first_token || flag("streaming");
        let produces = seen.first_token || seen.output_tokens;
        let likely = if produces { EndpointKind::Chat } else { EndpointKind::Embeddings };
        let mut context = MetricContext::new(endpoint.or(named).unwrap_or(likely), streaming);
        context.server_token_count = flag("use_server_token_count");
        context.per_chunk_usage = flag("per_chunk_usage");
        let phases = config["phases"].as_array().map_or(&[][..], Vec::as_slice);
        let named = phases.iter().find(|phase| phase["name"] == name);
        let phase = named.or_else(|| phases.iter().find(|phase| phase["kind"] == kind.name())).unwrap_or(&Value::Null);
        // Only our records say when a request was due.
        context.open_loop = seen.schedule_lag && (phases.len() < 2 || phase["type"] != "concurrency");
        context.fixed_schedule = context.open_loop && phase["type"] == "fixed_schedule";
        context.sending = sending(phase, context.open_loop);
        context.concurrency = phase["concurrency"].as_u64();
        context.confidence = self.confidence_level();
        context.show_internal = seen.internal;
        context.show_experimental = seen.experimental;
        let rtt = self.summary.as_ref().and_then(|summary| summary["network_rtt"]["avg"].as_f64());
        context.network_rtt = rtt.map(|ms| NetworkRtt::given(Nanos((ms * NANOS_PER_MS).round() as u64)));
        if kind == PhaseKind::Profiling {
            context.gpu_energy = self.gpu_energy();
            context.cost_per_hour = self.cost_per_hour();
            let found = objectives(&config);
            for (tag, limit) in goodput.unwrap_or(&found) {
                let slo = context.slo(tag, *limit)?;
                context.slos.push(slo);
            }
        }
        Ok(context)
    }

    /// What GPU telemetry of the run came to: records do not have it.
    fn gpu_energy(&self) -> Vec<GpuEnergy> {
        let Some(summary) = &self.summary else { return Vec::new() };
        let vendors = [(GpuVendor::Nvidia, "nvidia"), (GpuVendor::Amd, "amd")];
        let one = |(vendor, name): (GpuVendor, &str)| {
            let metric = |tag: &str| summary[format!("{name}_{tag}")]["avg"].as_f64();
            let percent = summary["telemetry_data"]["summary"]["energy"][name]["error_percent"].as_f64();
            GpuEnergy {
                watts: metric("total_gpu_power"),
                joules: metric("total_gpu_energy"),
                relative_error: percent.unwrap_or(0.0) / 100.0,
                idle_watts: metric("idle_gpu_power"),
                ..GpuEnergy::unknown(vendor)
            }
        };
        let is_known = |energy: &GpuEnergy| energy.watts.or(energy.joules).or(energy.idle_watts).is_some();
        vendors.into_iter().map(one).filter(is_known).collect()
    }

    /// What all GPUs cost in an hour, from the cost and the throughput of the earlier summary.
    fn cost_per_hour(&self) -> Option<f64> {
        let summary = self.summary.as_ref()?;
        let per_thousand = summary["cost_per_thousand_requests"]["avg"].as_f64()?;
        let per_second = summary["request_throughput"]["avg"].as_f64()?;
        Some(per_thousand / 1e3 * per_second * 3_600.0)
    }

    /// That of the earlier summary's intervals, else the usual one.
    fn confidence_level(&self) -> Option<Level> {
        let mut metrics = self.summary.iter().filter_map(Value::as_object).flat_map(|summary| summary.values());
        let level = metrics.find_map(|metric| metric["ci"]["level"].as_f64());
        level.and_then(|level| Level::new(level).ok()).or(Some(Level::default()))
    }

    /// Requests and sessions of each phase, as the run counted them.
    pub(crate) fn accounting(&self) -> Vec<PhaseAccounting> {
        let phases = self.summary.as_ref().and_then(|summary| summary["phase_accounting"].as_array());
        phases.into_iter().flatten().map(accounting).collect()
    }

    pub(crate) fn object(&self, key: &str) -> Option<Value> {
        self.summary.as_ref().map(|summary| summary[key].clone()).filter(Value::is_object)
    }

    fn text(&self, key: &str) -> Option<String> {
        self.summary.as_ref()?[key].as_str().map(ToOwned::to_owned)
    }
}

/// `parts`: label of the run; label, index and values of its variation.
fn place(whole: &Value, [label, varied, index, values]: [&Value; 4]) -> Option<RunPlace> {
    Some(RunPlace {
        sweep_id: whole["sweep_id"].as_str()?.to_owned(),
        trial: whole["trial"].as_u64().and_then(|trial| u32::try_from(trial).ok())?,
        label: label.as_str()?.to_owned(),
        variation: Variation {
            index: index.as_u64().unwrap_or(0) as usize,
            label: varied.as_str()?.to_owned(),
            values: values.as_object().cloned().unwrap_or_default(),
        },
    })
}

/// What said when to send, from the configuration of a phase.
pub(crate) fn sending(phase: &Value, has_schedule: bool) -> Sending {
    let given = |name: &str| !phase[name].is_null();
    match phase["type"].as_str() {
        Some(kind) if kind != "concurrency" => Sending::Scheduled,
        _ if has_schedule => Sending::Scheduled,
        _ if given("duration") && !given("requests") && !given("sessions") => Sending::UntilTime,
        _ => Sending::UntilCount,
    }
}

fn objectives(config: &Value) -> Vec<(String, f64)> {
    let slos = config["slos"].as_object();
    slos.into_iter().flatten().filter_map(|(tag, limit)| Some((tag.clone(), limit.as_f64()?))).collect()
}

fn accounting(phase: &Value) -> PhaseAccounting {
    let count = |name: &str| phase[name].as_u64().unwrap_or(0);
    PhaseAccounting {
        phase: phase["phase_name"].as_str().unwrap_or_default().to_owned(),
        started: EpochNanos(count("start_ns")),
        ended: EpochNanos(count("end_ns")),
        sent: count("sent"),
        completed: count("completed"),
        errors: count("errors"),
        cut: count("cancelled"),
        sessions_sent: count("sessions_sent"),
        sessions_completed: count("sessions_completed"),
        sessions_cancelled: count("sessions_cancelled"),
        arrivals_delayed: count("arrivals_delayed"),
        arrivals_dropped: count("arrivals_dropped"),
    }
}
