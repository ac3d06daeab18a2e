//! The aggregated state of a run, from which snapshots are made.

use std::collections::VecDeque;
use std::sync::Arc;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_protocol::PhaseKind;

use super::notes::{Note, TransferSource};
use crate::aggregate::{ClientLoadWindow, ErrorList, PhaseList, PhaseStatistics, RequestSample, ServerRates};
use crate::event::LiveEventKind;
use crate::facts::RunPlan;
use crate::feed::{GaugeReading, RunGauges};
use crate::history::{History, HistoryLog};
use crate::snapshot::{
    CellProgress, CellState, ClientHealth, GpuState, Headline, LatencyHistogram, LogLine, MetricRow, PhaseProgress,
    PhaseStatus, RecordsProgress, RunEnd, RunState, ServerHeadline, Snapshot, Stage, StageName, StageState,
    SweepProgress,
};
use crate::verdict::{Evidence, VerdictWatch};

/// Log lines that a snapshot carries.
const LOG_LINES: usize = 200;
/// Seconds over which the rate of records is taken.
const RECORD_RATE_SECONDS: f64 = 5.0;

pub(crate) type TimedEvent = (i64, LiveEventKind);

#[derive(Debug)]
pub(crate) struct Model {
    anchor: WallAnchor,
    seq: u64,
    run: OneRun,
    sweep: Option<SweepProgress>,
    cell_began: Option<Mono>,
    log: VecDeque<LogLine>,
    result: Option<RunEnd>,
    transfers: Option<TransferSource>,
    events: Vec<TimedEvent>,
}

/// What starts again with every run of a sweep.
#[derive(Debug)]
struct OneRun {
    benchmark_id: String,
    gauges: Option<Arc<dyn RunGauges>>,
    reading: GaugeReading,
    stages: Vec<(Stage, Option<Mono>)>,
    phases: PhaseList,
    statistics: Option<PhaseStatistics>,
    /// Of phases that are over.
    returned_before: u64,
    history: HistoryLog,
    errors: ErrorList,
    client: ClientLoadWindow,
    server_rates: ServerRates,
    server: Vec<ServerHeadline>,
    gpus: Vec<GpuState>,
    verdicts: VerdictWatch,
    state_after: Option<RunState>,
    recorded: VecDeque<(Mono, u64)>,
    last_sign: Option<(u64, Mono)>,
    second: Option<Mono>,
    rows: Vec<MetricRow>,
    histogram: LatencyHistogram,
    headline: Headline,
    is_records_complete: bool,
}

impl Model {
    pub(crate) fn new(anchor: WallAnchor) -> Self {
        Self {
            anchor,
            seq: 0,
            run: OneRun::new(),
            sweep: None,
            cell_began: None,
            log: VecDeque::new(),
            result: None,
            transfers: None,
            events: Vec::new(),
        }
    }

    pub(crate) fn history(&self) -> &History {
        &self.run.history.history
    }

    /// Takes in what came and makes a snapshot, with the events since the last one.
    pub(crate) fn advance(
        &mut self,
        now: Mono,
        samples: Vec<RequestSample>,
        notes: Vec<Note>,
        dropped: u64,
    ) -> (Snapshot, Vec<TimedEvent>) {
        let mut samples = Some(samples);
        for note in notes {
            // What ends a run comes after all of its samples.
            if matches!(note, Note::State { .. } | Note::CellDone { .. } | Note::End(_))
                && let Some(samples) = samples.take()
            {
                self.read_gauges(now);
                self.add_samples(&samples);
            }
            self.take(note, now);
        }
        if let Some(samples) = samples {
            self.read_gauges(now);
            self.add_samples(&samples);
        }
        self.refresh(now);
        self.seq += 1;
        let snapshot = self.snapshot(now, dropped);
        (snapshot, std::mem::take(&mut self.events))
    }

    fn epoch(&self, at: Mono) -> i64 {
        self.anchor.epoch(at).0 as i64
    }

    fn tell(&mut self, at: Mono, kind: LiveEventKind) {
        let at_ns = self.epoch(at);
        self.events.push((at_ns, kind));
    }

    fn take(&mut self, note: Note, now: Mono) {
        match note {
            Note::Stage { at, name, state, text } => {
                if let Some(stage) = self.run.set_stage(at, name, state, text) {
                    self.tell(at, LiveEventKind::Stage { stage });
                }
            }
            Note::Begin { plan, gauges } => self.begin(plan, gauges, now),
            Note::Health(sample) => self.run.client.note(sample),
            Note::Gpu(gpu) => self.run.set_gpu(gpu),
            Note::Log(line) => {
                if self.log.len() == LOG_LINES {
                    self.log.pop_front();
                }
                self.log.push_back(line.clone());
                self.events.push((line.at_ns, LiveEventKind::Log { line }));
            }
            Note::Transfers(source) => self.transfers = Some(source),
            Note::State { at, state } => self.enter(at, state),
            Note::Cells(names) => {
                let cells: Vec<CellProgress> =
                    names.into_iter().map(|name| CellProgress { name, ..CellProgress::default() }).collect();
                self.sweep = Some(SweepProgress { total: cells.len(), cells, ..SweepProgress::default() });
            }
            Note::CellBegins { at, index } => {
                self.run = OneRun::new();
                self.cell_began = Some(at);
                if let Some(cell) = self.sweep.as_mut().and_then(|sweep| sweep.cells.get_mut(index)) {
                    cell.state = CellState::Running;
                }
            }
            Note::CellDone { index, cell } => self.finish_cell(index, cell, now),
            Note::End(result) => {
                self.end_phases(now);
                self.tell(now, LiveEventKind::RunEnd { result: result.clone() });
                self.result = Some(result);
            }
        }
    }

    fn begin(&mut self, plan: RunPlan, gauges: Arc<dyn RunGauges>, now: Mono) {
        let run = &mut self.run;
        run.benchmark_id.clone_from(&plan.benchmark_id);
        run.phases = PhaseList::new(plan.phases);
        run.gauges = Some(gauges);
        let phases = run.phases.progress().to_vec();
        let has_warmup = phases.iter().any(|phase| phase.kind == PhaseKind::Warmup);
        if !has_warmup {
            run.set_stage(now, StageName::Warmup, StageState::Skipped, "not asked for".to_owned());
        }
        self.tell(now, LiveEventKind::RunStart { benchmark_id: plan.benchmark_id, phases });
    }

    fn read_gauges(&mut self, now: Mono) {
        let Some(gauges) = self.run.gauges.clone() else { return };
        let reading = gauges.read();
        let changes = self.run.phases.read(&reading, now, &self.anchor);
        if let Some(done) = changes.completed {
            self.run.returned_before += self.run.phases.progress()[done].returned;
            let phase = self.run.phases.progress()[done].clone();
            self.tell(now, LiveEventKind::PhaseComplete { phase });
        }
        for index in changes.skipped {
            let phase = self.run.phases.progress()[index].clone();
            self.tell(now, LiveEventKind::PhaseStart { phase: phase.clone() });
            self.tell(now, LiveEventKind::PhaseComplete { phase });
        }
        if let Some(index) = changes.started {
            self.start_phase(index, now);
        }
        if let Some(index) = changes.sending_completed {
            let phase = self.run.phases.progress()[index].clone();
            self.tell(now, LiveEventKind::PhaseSendingComplete { phase });
        }
        let run = &mut self.run;
        if run.phases.ended().is_none() {
            if let Some((index, _)) = run.phases.current()
                && let Some(statistics) = run.statistics.as_mut()
            {
                statistics.seconds.note_in_flight(now, run.phases.progress()[index].in_flight);
            }
            run.server = run.server_rates.note(now, reading.server.clone());
        }
        run.recorded.push_back((now, reading.recorded));
        while run.recorded.len() > 2 && now.since(run.recorded[1].0).as_secs_f64() > RECORD_RATE_SECONDS {
            run.recorded.pop_front();
        }
        let is_idle = reading.sent <= reading.returned;
        if is_idle || run.last_sign.is_none_or(|(sign, _)| sign != reading.signs_of_life) {
            run.last_sign = Some((reading.signs_of_life, now));
        }
        run.reading = reading;
    }

    fn start_phase(&mut self, index: usize, now: Mono) {
        let run = &mut self.run;
        let (Some(plan), Some((_, began))) = (run.phases.plan(index), run.phases.current()) else { return };
        run.statistics = Some(PhaseStatistics::new(index, began, plan.context.clone()));
        run.history = HistoryLog::new(&plan.name);
        (run.rows, run.histogram) = (Vec::new(), LatencyHistogram::default());
        let phase = run.phases.progress()[index].clone();
        self.tell(began.max(now), LiveEventKind::PhaseStart { phase });
    }

    fn add_samples(&mut self, samples: &[RequestSample]) {
        for sample in samples {
            if let Some(error) = &sample.error {
                let at_ns = self.epoch(sample.end);
                if let Some(error) = self.run.errors.note(error, at_ns).cloned() {
                    self.events.push((at_ns, LiveEventKind::Error { error }));
                }
            }
            self.run.phases.count(sample.phase_index, sample.outcome);
            let Some(statistics) = self.run.statistics.as_mut() else { continue };
            if statistics.index == sample.phase_index {
                statistics.note(sample);
            }
        }
    }

    fn enter(&mut self, at: Mono, state: RunState) {
        if state == RunState::Exporting && !self.run.is_records_complete {
            self.run.is_records_complete = true;
            let records = self.run.reading.recorded;
            self.tell(at, LiveEventKind::RecordsComplete { records });
        }
        self.end_phases(at);
        self.run.state_after = Some(state);
    }

    fn end_phases(&mut self, at: Mono) {
        if let Some(done) = self.run.phases.end(at, &self.anchor) {
            let phase = self.run.phases.progress()[done].clone();
            self.tell(at, LiveEventKind::PhaseComplete { phase });
        }
    }

    fn finish_cell(&mut self, index: usize, cell: CellProgress, now: Mono) {
        self.end_phases(now);
        let Some(sweep) = self.sweep.as_mut() else { return };
        if let Some(slot) = sweep.cells.get_mut(index) {
            let known = std::mem::replace(slot, cell);
            if slot.name.is_empty() {
                slot.name = known.name;
            }
            let cell = slot.clone();
            sweep.done += 1;
            self.tell(now, LiveEventKind::CellDone { cell });
        }
        self.cell_began = None;
    }

    /// Once a second: history, verdicts and the tables, which cost more than the rest.
    fn refresh(&mut self, now: Mono) {
        let at = self.run.phases.ended().unwrap_or(now).min(now);
        let run = &mut self.run;
        if let Some(sweep) = &mut self.sweep {
            sweep.eta = sweep_eta(sweep, self.cell_began.map(|began| now.since(began).as_secs_f64()));
        }
        run.refresh_stages(now);
        if let Some((name, done, of)) = self.transfers.as_ref().and_then(|transfers| (transfers.0)()) {
            run.show_transfer(&name, done, of);
        }
        let Some(statistics) = run.statistics.as_mut() else { return };
        let in_flight = run.phases.progress().get(statistics.index).map_or(0, |phase| phase.in_flight);
        run.headline = statistics.headline(at, in_flight);
        let points = statistics.seconds.take_points(at);
        let is_over = run.phases.ended().is_some();
        let is_new_second = run.second.is_none_or(|second| now.since(second).as_secs_f64() >= 1.0);
        for mut point in points {
            point.server = run.server.iter().map(|value| (value.tag, value.value)).collect();
            let watts: Vec<f64> = run.gpus.iter().filter_map(|gpu| gpu.power_watts).collect();
            point.gpu_watts = (!watts.is_empty()).then(|| watts.iter().sum());
            run.history.push(point);
        }
        if !is_new_second && !is_over {
            return;
        }
        run.second = Some(now);
        run.rows = statistics.rows();
        run.histogram = statistics.latency_histogram();
        if is_over {
            return;
        }
        let window = statistics.seconds.window(at);
        let client = run.client.state(now);
        let history = &run.history.history;
        // Points that stand for more than a second are too coarse to judge by, and the phase has been judged for an hour.
        let points = if history.step > 1.0 { &[][..] } else { &history.points[..] };
        let evidence = Evidence {
            points,
            headline: &run.headline,
            errors_in_window: window.sum.failed as f64,
            client: &client,
            server: &run.server,
            silent_seconds: run.last_sign.map_or(0.0, |(_, since)| now.since(since).as_secs_f64()),
        };
        let new = run.verdicts.check(&evidence, self.anchor.epoch(now).0 as i64);
        for verdict in new {
            self.tell(now, LiveEventKind::Verdict { verdict });
        }
    }

    fn state(&self) -> RunState {
        if let Some(result) = &self.result {
            return result.outcome;
        }
        if let Some(state) = self.run.state_after {
            return state;
        }
        let current = self.run.phases.current().map(|(index, _)| &self.run.phases.progress()[index]);
        match current.map(|phase: &PhaseProgress| (phase.kind, phase.state)) {
            None => RunState::Preparing,
            Some((PhaseKind::Warmup, _)) => RunState::Warmup,
            Some((PhaseKind::Profiling, PhaseStatus::Draining)) => RunState::Grace,
            Some((PhaseKind::Profiling, _)) => RunState::Profiling,
        }
    }

    fn snapshot(&mut self, now: Mono, dropped: u64) -> Snapshot {
        let state = self.state();
        let at_ns = self.epoch(now);
        let run = &mut self.run;
        let client: ClientHealth = run.client.state(now);
        Snapshot {
            seq: self.seq,
            at_ns,
            benchmark_id: run.benchmark_id.clone(),
            state,
            stages: run.stages.iter().map(|(stage, _)| stage.clone()).collect(),
            phases: run.phases.progress().to_vec(),
            records: run.records(),
            headline: run.headline.clone(),
            metrics: run.rows.clone(),
            latency_histogram: run.histogram.clone(),
            client,
            errors: run.errors.list(),
            server: run.server.clone(),
            gpus: run.gpus.clone(),
            nodes: run.reading.nodes.clone(),
            verdicts: if state.is_over() { Vec::new() } else { run.verdicts.verdicts().to_vec() },
            log: self.log.iter().cloned().collect(),
            note: run.reading.note.clone(),
            capacity: run.reading.capacity.as_deref().cloned(),
            result: self.result.clone(),
            sweep: self.sweep.clone(),
            dropped_samples: dropped,
        }
    }
}

impl OneRun {
    fn new() -> Self {
        let stage = |name| Stage { name, state: StageState::Waiting, text: String::new(), seconds: 0.0 };
        Self {
            benchmark_id: String::new(),
            gauges: None,
            reading: GaugeReading::default(),
            stages: StageName::ALL.into_iter().map(|name| (stage(name), None)).collect(),
            phases: PhaseList::default(),
            statistics: None,
            returned_before: 0,
            history: HistoryLog::default(),
            errors: ErrorList::default(),
            client: ClientLoadWindow::default(),
            server_rates: ServerRates::default(),
            server: Vec::new(),
            gpus: Vec::new(),
            verdicts: VerdictWatch::default(),
            state_after: None,
            recorded: VecDeque::new(),
            last_sign: None,
            second: None,
            rows: Vec::new(),
            histogram: LatencyHistogram::default(),
            headline: Headline::default(),
            is_records_complete: false,
        }
    }

    /// Returns the stage if its state changed in kind.
    fn set_stage(&mut self, at: Mono, name: StageName, state: StageState, text: String) -> Option<Stage> {
        let (stage, began) = self.stages.iter_mut().find(|(stage, _)| stage.name == name)?;
        let is_same = std::mem::discriminant(&stage.state) == std::mem::discriminant(&state);
        if matches!(state, StageState::Working { .. }) {
            began.get_or_insert(at);
        }
        if let Some(began) = began {
            stage.seconds = at.since(*began).as_secs_f64();
        }
        stage.state = state;
        if !text.is_empty() {
            stage.text = text;
        }
        (!is_same).then(|| stage.clone())
    }

    /// The warmup is a stage and a phase; work that goes on takes longer with every look.
    fn refresh_stages(&mut self, now: Mono) {
        let warmup = self.phases.progress().iter().find(|phase| phase.kind == PhaseKind::Warmup).cloned();
        if let Some(phase) = warmup {
            let goal = match (phase.expected_requests, phase.duration) {
                (Some(requests), _) => format!("{} of {requests} requests", phase.returned),
                (None, Some(duration)) => format!("{:.0} of {duration:.0} s", phase.elapsed.min(duration)),
                (None, None) => format!("{} requests", phase.returned),
            };
            let state = match phase.state {
                PhaseStatus::Waiting => StageState::Waiting,
                PhaseStatus::Complete => StageState::Done,
                PhaseStatus::Sending | PhaseStatus::Draining => {
                    StageState::Working { done: phase.returned, of: phase.expected_requests.unwrap_or(0) }
                }
            };
            let is_known = self.stages.iter().any(|(stage, _)| stage.name == StageName::Warmup && stage.state == state);
            if !is_known || phase.state != PhaseStatus::Complete {
                self.set_stage(now, StageName::Warmup, state, goal);
            }
        }
        for (stage, began) in &mut self.stages {
            if let (StageState::Working { .. }, Some(began)) = (stage.state, *began) {
                stage.seconds = now.since(began).as_secs_f64();
            }
        }
    }

    /// A download is part of the stage that is being worked on.
    fn show_transfer(&mut self, name: &str, done: u64, of: Option<u64>) {
        let working = self.stages.iter_mut().find(|(stage, _)| matches!(stage.state, StageState::Working { .. }));
        if let Some((stage, _)) = working {
            let megabytes = |bytes: u64| bytes as f64 / 1e6;
            stage.text = match of {
                Some(of) => format!("downloading {name}: {:.1} of {:.1} MB", megabytes(done), megabytes(of)),
                None => format!("downloading {name}: {:.1} MB", megabytes(done)),
            };
            stage.state = StageState::Working { done, of: of.unwrap_or(0) };
        }
    }

    fn set_gpu(&mut self, gpu: GpuState) {
        if let Some(known) = self.gpus.iter_mut().find(|known| known.index == gpu.index && known.source == gpu.source) {
            *known = gpu;
        } else {
            self.gpus.push(gpu);
            self.gpus.sort_by(|one, other| (&one.source, one.index).cmp(&(&other.source, other.index)));
        }
    }

    fn records(&self) -> RecordsProgress {
        let (Some((from, before)), Some((to, last))) = (self.recorded.front(), self.recorded.back()) else {
            return RecordsProgress::default();
        };
        let seconds = to.since(*from).as_secs_f64();
        RecordsProgress {
            processed: *last,
            expected: self.returned_before + self.reading.returned,
            per_second: if seconds > 0.0 { last.saturating_sub(*before) as f64 / seconds } else { 0.0 },
        }
    }
}

/// The mean time of the runs that are over, for those that are not.
fn sweep_eta(sweep: &SweepProgress, current: Option<f64>) -> Option<f64> {
    let is_over = |cell: &&CellProgress| !matches!(cell.state, CellState::Waiting | CellState::Running);
    let done: Vec<f64> = sweep.cells.iter().filter(is_over).map(|cell| cell.seconds).collect();
    let mean = (!done.is_empty()).then(|| done.iter().sum::<f64>() / done.len() as f64)?;
    let left = sweep.total.saturating_sub(done.len()) as f64;
    Some((mean * left - current.unwrap_or(0.0).min(mean)).max(0.0))
}
