//! Example runs with plausible numbers and fixed times, for tests and pictures of views. They go through the same aggregation as a
//! real run.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_metrics::{
    DescriptorUse, Failure, FailureKind, HealthSample, MetricContext, Observation, RecordValues, ThreadLoad,
    ThreadRole, TokenCounts,
};
use aiperf_protocol::{ContentChunk, EndpointKind, PhaseKind};

use crate::facts::{PhasePlan, RunFacts, RunPlan, SloLimit};
use crate::feed::{GaugeReading, RunGauges};
use crate::run::LiveRun;
use crate::run::notes::Note;
use crate::snapshot::{
    CellProgress, CellState, GpuState, LogLine, RunEnd, RunFile, RunState, ServerHeadline, StageName, StageState,
    SummaryRow,
};

/// Monday, 2 March 2026, 09:30 UTC.
const WALL: u64 = 1_772_443_800_000_000_000;
const ZERO: Mono = Mono::from_nanos(1_000_000_000_000);
const CONCURRENCY: u64 = 64;
const WARMUP_REQUESTS: u64 = 64;

/// What an example run shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scene {
    /// The data set is being made.
    Start,
    Steady,
    /// The server answers some requests with errors.
    Errors,
    /// The server's queue grows, and latencies with it.
    Saturated,
    End,
    /// The fourth of five runs.
    Sweep,
}

#[derive(Debug, Default)]
struct ExampleGauges(Mutex<GaugeReading>);

impl RunGauges for ExampleGauges {
    fn read(&self) -> GaugeReading {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl LiveRun {
    /// A run under steady load.
    pub fn example() -> Arc<Self> {
        Self::example_of(Scene::Steady)
    }

    /// A run that stands still at the given scene.
    pub fn example_of(scene: Scene) -> Arc<Self> {
        let cell = (scene == Scene::Sweep).then(|| "Run 4 of 5 (concurrency 64)".to_owned());
        let run = Arc::new(Self::anchored(facts(cell), WallAnchor::at(ZERO, EpochNanos(WALL))));
        // Notes are taken in, and no thread changes the numbers.
        run.views.store(1, Ordering::Release);
        ExampleRun { run: &run, scene, gauges: Arc::default(), number: 0 }.play();
        run
    }
}

struct ExampleRun<'a> {
    run: &'a LiveRun,
    scene: Scene,
    gauges: Arc<ExampleGauges>,
    /// Of the next random number.
    number: u64,
}

fn at(seconds: f64) -> Mono {
    ZERO + Nanos::from_secs_f64(seconds)
}

impl ExampleRun<'_> {
    fn play(&mut self) {
        if self.scene == Scene::Sweep {
            self.earlier_cells();
        }
        self.log(0.1, "INFO", "GPU telemetry: 2 GPUs (NVIDIA H100 80GB HBM3) from http://localhost:9400/metrics");
        self.stage(
            0.1,
            StageName::Tokenizer,
            StageState::Working { done: 0, of: 0 },
            "meta-llama/Llama-3.1-8B-Instruct",
        );
        self.stage(1.3, StageName::Tokenizer, StageState::Done, "meta-llama/Llama-3.1-8B-Instruct");
        self.stage(1.3, StageName::Dataset, StageState::Working { done: 0, of: 1_000 }, "synthetic prompts");
        if self.scene == Scene::Start {
            self.stage(2.4, StageName::Dataset, StageState::Working { done: 420, of: 1_000 }, "");
            return self.run.tick(at(2.4));
        }
        self.stage(3.7, StageName::Dataset, StageState::Done, "1,000 conversations, 1,000 turns");
        self.stage(3.7, StageName::Endpoint, StageState::Working { done: 0, of: 0 }, "http://localhost:8000");
        self.stage(3.8, StageName::Endpoint, StageState::Done, "http://localhost:8000 answers");
        self.stage(3.8, StageName::Telemetry, StageState::Working { done: 0, of: 0 }, "");
        self.stage(4.6, StageName::Telemetry, StageState::Done, "server metrics (vLLM), 2 GPUs");
        self.begin();
        self.log(5.0, "INFO", "Phase warmup started | target: 64 requests");
        self.phase(PhaseKind::Warmup, 5.0, 8.0);
        self.log(8.0, "INFO", "Phase warmup complete | completed=64, cancelled=0 | elapsed=2.98s");
        self.log(8.1, "INFO", "Phase profiling started | target: 120 s duration");
        let end = if self.scene == Scene::End { 128.0 } else { 55.0 };
        self.phase(PhaseKind::Profiling, 8.0, end);
        if self.scene == Scene::End {
            self.finish(end);
        }
        self.run.tick(at(end + 0.4));
    }

    /// Between 0 and 1, the same for every run.
    fn random(&mut self) -> f64 {
        self.number += 1;
        // The finalizer of SplitMix64: neighbours have nothing in common.
        let mut bits = self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal, with mean 0 and deviation 1.
    fn normal(&mut self) -> f64 {
        (0..6).map(|_| self.random()).sum::<f64>() * 2.0_f64.sqrt() - 3.0 * 2.0_f64.sqrt()
    }

    fn stage(&self, seconds: f64, name: StageName, state: StageState, text: &str) {
        self.run.note(Note::Stage { at: at(seconds), name, state, text: text.to_owned() });
    }

    fn log(&self, seconds: f64, level: &'static str, message: &str) {
        let at_ns = WALL as i64 + (seconds * 1e9) as i64;
        self.run.note(Note::Log(LogLine { at_ns, level, message: message.to_owned() }));
    }

    fn begin(&self) {
        let plan = |kind: PhaseKind, requests, duration| PhasePlan {
            name: kind.name().to_owned(),
            kind,
            requests,
            sessions: None,
            duration,
            grace: Some(30.0),
            context: context(),
        };
        let phases =
            vec![plan(PhaseKind::Warmup, Some(WARMUP_REQUESTS), None), plan(PhaseKind::Profiling, None, Some(120.0))];
        let gauges = Arc::clone(&self.gauges) as Arc<dyn RunGauges>;
        self.run.note(Note::Begin { plan: RunPlan { benchmark_id: "5f0c9a7b21de".to_owned(), phases }, gauges });
    }

    fn set_reading(&self, change: impl FnOnce(&mut GaugeReading)) {
        change(&mut self.gauges.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Plays a phase in steps of a fifth of a second.
    fn phase(&mut self, kind: PhaseKind, from: f64, to: f64) {
        let index = usize::from(kind == PhaseKind::Profiling);
        let mut finished = 0;
        let steps = ((to - from) * 5.0) as u32;
        for step in 1..=steps {
            let elapsed = f64::from(step) / 5.0;
            let now = from + elapsed;
            let target = match kind {
                PhaseKind::Warmup => (WARMUP_REQUESTS as f64 * f64::from(step) / f64::from(steps)) as u64,
                PhaseKind::Profiling => (elapsed * 21.3 + 2.0 * (elapsed / 3.0).sin()).max(0.0) as u64,
            };
            let in_flight = match kind {
                PhaseKind::Warmup => WARMUP_REQUESTS - target,
                PhaseKind::Profiling => self.in_flight(elapsed),
            };
            let server = self.server(elapsed, target);
            self.set_reading(|reading| {
                reading.phase = Some((index, at(from)));
                reading.sent = target + in_flight;
                reading.returned = target;
                reading.expected = (kind == PhaseKind::Warmup).then_some(WARMUP_REQUESTS);
                reading.signs_of_life = u64::from(step);
                reading.recorded = target + if index == 0 { 0 } else { WARMUP_REQUESTS };
                reading.server = server;
            });
            // The phase must be known before its requests come.
            if step == 1 {
                self.run.tick(at(now - 0.2));
            }
            while finished < target {
                finished += 1;
                self.request(index, now, elapsed);
            }
            self.measurements(now, elapsed);
            self.run.tick(at(now));
        }
    }

    fn in_flight(&mut self, elapsed: f64) -> u64 {
        match self.scene {
            Scene::Saturated => 64 + (elapsed * 6.0) as u64,
            _ => CONCURRENCY - (self.random() * 2.0) as u64,
        }
    }

    fn request(&mut self, phase: usize, now: f64, elapsed: f64) {
        let slow = if self.scene == Scene::Saturated { 1.0 + elapsed / 12.0 } else { 1.0 };
        let ttft = 0.142 * (0.32 * self.normal()).exp() * slow;
        let itl = 0.0213 * (0.08 * self.normal()).exp() * (1.0 + (slow - 1.0) / 4.0);
        let tokens = (120.0 + 20.0 * self.normal()).max(8.0) as u64;
        let latency = ttft + itl * (tokens - 1) as f64;
        let end = at(now - 0.2 * self.random());
        let start = end - Nanos::from_secs_f64(latency);
        let mut seen = Observation::new(start, end);
        seen.client_send_delay = Some(Nanos(180_000));
        seen.tokens =
            TokenCounts { input: Some(548 + (self.random() * 8.0) as u64), output: Some(tokens), reasoning: None };
        let fails = self.scene == Scene::Errors && elapsed > 12.0 && self.random() < 0.27;
        if fails {
            seen.failure = Some(self.failure());
        } else {
            let chunk = |token: u64| ContentChunk {
                at: start + Nanos::from_secs_f64(ttft + itl * token as f64),
                has_output: true,
                has_reasoning: false,
                usage_completion_tokens: None,
            };
            seen.headers_received = Some(start + Nanos::from_secs_f64(0.3 * ttft));
            seen.chunks = (0..tokens).map(chunk).collect();
        }
        let values = RecordValues::compute(&seen);
        self.run.push(phase, &seen, &values);
    }

    fn failure(&mut self) -> Failure {
        match (self.random() * 10.0) as u32 {
            0..6 => Failure::new(
                Some(503),
                FailureKind::from("Service Unavailable".to_owned()),
                r#"{"error":{"message":"The server is overloaded. Please retry later.","type":"overloaded_error"}}"#,
            ),
            6..9 => Failure::new(
                Some(429),
                FailureKind::from("Too Many Requests".to_owned()),
                r#"{"error":{"message":"Rate limit reached for requests","type":"rate_limit_error"}}"#,
            ),
            _ => Failure::new(None, FailureKind::Connect, "connection reset by peer"),
        }
    }

    fn server(&mut self, elapsed: f64, finished: u64) -> Vec<ServerHeadline> {
        let is_full = self.scene == Scene::Saturated;
        let waiting = if is_full { 4.0 + elapsed * 5.5 } else { 0.0 };
        let cache = if is_full { (70.0 + elapsed).min(99.6) } else { 46.0 + 2.0 * (elapsed / 4.0).sin() };
        let row = |tag, title, unit, value| ServerHeadline { tag, title, unit, value };
        vec![
            row("running_requests", "Running", "requests", 62.0),
            row("waiting_requests", "Waiting", "requests", waiting.floor()),
            row("kv_cache_usage", "KV cache", "%", cache),
            row("prefix_cache_hit_rate", "Prefix cache hits", "%", 31.0),
            row("prompt_tokens", "Input", "tokens/s", finished as f64 * 550.0),
            row("generation_tokens", "Output", "tokens/s", finished as f64 * 120.0),
        ]
    }

    fn measurements(&mut self, now: f64, elapsed: f64) {
        let micros = |micros: f64| Nanos((micros * 1e3) as u64);
        self.run.note(Note::Health(HealthSample {
            at: at(now),
            cpu_share: 0.11 + 0.02 * self.random(),
            busiest_thread: Some(ThreadLoad { role: ThreadRole::Worker, share: 0.23 + 0.03 * self.random() }),
            schedule_lag: micros(140.0 + 60.0 * self.random()),
            arrival_to_read_delay_p99: micros(310.0 + 40.0 * self.random()),
            descriptors: Some(DescriptorUse { open: 94, limit: 1_048_576 }),
            record_queue_bytes: 12_000,
            record_queue_budget: 256 << 20,
            ..HealthSample::default()
        }));
        for index in 0..2_u32 {
            let wave = (elapsed / 5.0 + f64::from(index)).sin();
            self.run.note(Note::Gpu(GpuState {
                index,
                model: "NVIDIA H100 80GB HBM3".to_owned(),
                source: "http://localhost:9400/metrics".to_owned(),
                uuid: format!("GPU-{index}"),
                power_watts: Some(612.0 + 18.0 * wave),
                utilization_percent: Some(97.0 + wave),
                memory_used_gb: Some(71.4),
                temperature_celsius: Some(63.0 + wave),
            }));
        }
    }

    fn finish(&mut self, end: f64) {
        self.set_reading(|reading| {
            reading.sending_ended = Some(at(end - 1.0));
            reading.returned = reading.sent;
        });
        self.run.tick(at(end));
        self.run.note(Note::State { at: at(end), state: RunState::Exporting });
        self.log(end + 0.1, "INFO", "Phase profiling complete | completed=2556, cancelled=0 | elapsed=121.04s");
        self.run.tick(at(end + 0.2));
        let snapshot = self.run.snapshot();
        let rows = snapshot.metrics.iter().take(9).map(|row| SummaryRow {
            tag: row.tag,
            header: row.header,
            unit: row.unit,
            avg: row.avg,
            p50: Some(row.p50),
            p99: Some(row.p99),
        });
        let file = |label: &str, path: &str| RunFile { label: label.to_owned(), path: path.to_owned() };
        self.run.note(Note::End(RunEnd {
            outcome: RunState::Complete,
            reason: None,
            duration: Some(121.04),
            rows: rows.collect(),
            files: vec![
                file("Records Export", "profile_export.jsonl"),
                file("JSON Export", "profile_export_aiperf.json"),
                file("CSV Export", "profile_export_aiperf.csv"),
                file("Server Metrics JSON", "server_metrics_export.json"),
                file("GPU Telemetry", "gpu_telemetry_export.jsonl"),
                file("Inputs JSON", "inputs.json"),
                file("Log File", "logs/aiperf.log"),
            ],
            notes: Vec::new(),
        }));
    }

    fn earlier_cells(&mut self) {
        let levels = [8_u32, 16, 32, 64, 128];
        let names = levels.iter().map(|level| format!("concurrency {level}")).collect();
        self.run.note(Note::Cells(names));
        for (index, level) in levels.into_iter().enumerate().take(3) {
            let load = f64::from(level);
            let rate = 21.3 * load / (load + 20.0) * 1.3;
            self.run.note(Note::CellBegins { at: at(0.0), index });
            self.run.note(Note::CellDone {
                index,
                cell: CellProgress {
                    name: String::new(),
                    state: CellState::Complete,
                    seconds: 124.2,
                    requests_per_second: Some(rate),
                    output_tokens_per_second: Some(rate * 120.0),
                    ttft_p50: Some(58.0 + load),
                    ttft_p99: Some(120.0 + 3.0 * load),
                    itl_p50: Some(11.0 + load / 6.0),
                    itl_p99: Some(13.0 + load / 5.0),
                    latency_p50: Some(1_400.0 + 20.0 * load),
                    latency_p99: Some(1_900.0 + 26.0 * load),
                    error_share: Some(0.0),
                },
            });
            self.run.tick(at(0.05));
        }
        self.run.note(Note::CellBegins { at: at(0.05), index: 3 });
        self.run.tick(at(0.06));
    }
}

fn context() -> MetricContext {
    let mut context = MetricContext::new(EndpointKind::Chat, true);
    let slos = slos().into_iter().filter_map(|slo| context.slo(&slo.tag, slo.limit).ok()).collect();
    context.slos = slos;
    context
}

fn slos() -> Vec<SloLimit> {
    let slo = |tag: &str, limit| SloLimit { tag: tag.to_owned(), limit };
    vec![slo("time_to_first_token", 250.0), slo("inter_token_latency", 25.0)]
}

fn facts(cell: Option<String>) -> RunFacts {
    RunFacts {
        version: "0.1.0".to_owned(),
        models: vec!["meta-llama/Llama-3.1-8B-Instruct".to_owned()],
        endpoint_type: "chat".to_owned(),
        urls: vec!["http://localhost:8000".to_owned()],
        streaming: true,
        load: "concurrency 64".to_owned(),
        slos: slos(),
        artifact_dir: "artifacts/llama-chat-concurrency64".to_owned(),
        input_config: serde_json::json!({ "endpoint": { "type": "chat" } }),
        command_line: "aiperf profile -m meta-llama/Llama-3.1-8B-Instruct --streaming --concurrency 64".to_owned(),
        cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::VerdictCode;

    #[test]
    fn the_steady_run_has_plausible_numbers_everywhere() {
        let run = LiveRun::example();
        let snapshot = run.snapshot();
        assert_eq!(snapshot.state, RunState::Profiling);
        let headline = &snapshot.headline;
        assert!((headline.requests_per_second - 21.3).abs() < 1.0, "{headline:?}");
        let (window, phase) = (headline.ttft.window.unwrap(), headline.ttft.phase.unwrap());
        assert!((100.0..200.0).contains(&window.p50) && window.p99 > window.p50 && phase.p99 > phase.p50);
        assert!(headline.goodput.as_ref().unwrap().share > 0.5);
        assert!(snapshot.metrics.len() > 10 && snapshot.server.len() == 6 && snapshot.gpus.len() == 2);
        assert!(snapshot.verdicts.is_empty(), "{:?}", snapshot.verdicts);
        let history = run.history();
        assert!(history.points.len() > 40 && history.points.iter().all(|point| point.requests_per_second > 10.0));
        assert!(serde_json::to_string(&*snapshot).unwrap().len() > 1_000);
        let [warmup, profiling] = &snapshot.phases[..] else { panic!() };
        assert_eq!((warmup.completed, profiling.sent - profiling.returned), (64, profiling.in_flight));
    }

    #[test]
    fn the_other_scenes_show_what_they_are_named_for() {
        let errors = LiveRun::example_of(Scene::Errors).snapshot();
        assert!(errors.errors.len() == 3 && errors.headline.window_error_share > 0.2);
        assert_eq!(errors.verdicts[0].code, VerdictCode::HighErrorRate);
        let saturated = LiveRun::example_of(Scene::Saturated).snapshot();
        assert!(saturated.verdicts.iter().any(|verdict| verdict.code == VerdictCode::QueueGrows), "{saturated:?}");
        let start = LiveRun::example_of(Scene::Start).snapshot();
        assert_eq!((start.state, start.stages[0].state), (RunState::Preparing, StageState::Done));
        let ended = LiveRun::example_of(Scene::End);
        assert_eq!(ended.snapshot().state, RunState::Complete);
        let kinds: Vec<String> = ended
            .events_after(0)
            .iter()
            .map(|event| serde_json::to_value(&event.kind).unwrap()["event"].as_str().unwrap().to_owned())
            .collect();
        for kind in
            ["run_start", "phase_start", "phase_sending_complete", "phase_complete", "records_complete", "run_end"]
        {
            assert!(kinds.iter().any(|known| known == kind), "{kind} is missing from {kinds:?}");
        }
        let sweep = LiveRun::example_of(Scene::Sweep).snapshot().sweep.clone().unwrap();
        assert_eq!((sweep.done, sweep.total, sweep.cells[3].state), (3, 5, CellState::Running));
        assert!(sweep.eta.unwrap() > 100.0);
    }
}
