//! The record threads: each takes finished requests, parses the response, counts tokens, writes the record line and keeps the
//! metric values.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use aiperf_clock::WallAnchor;
use aiperf_config::PhaseKind;
use aiperf_engine::{Finished, FollowUp, FollowUpBodies, RecordQueue, RecordReader, RecordWork, WorkerGauge};
use aiperf_metrics::{Columns, Failure, LateReads, LostRecords, Metric, MetricContext, Observation, RecordValues};
use aiperf_protocol::{Reply, RequestOutcome};
use aiperf_redact::Secrets;
use aiperf_report::{
    ArtifactPaths, OutputText, OutputsFile, RawWriter, Record, RecordMetadata, RecordTable, RecordWriter, Redirect,
    ReportError, SpecDecodeRecord, StampCounts, SummaryFiles, WrittenFile,
};
use aiperf_transport::Exchange;

use crate::accuracy::answer_queue::{AnswerQueue, WaitingAnswer};
use crate::contents::sessions::Sessions;
use crate::error::RunError;
use crate::prepare::secrets::{hide_in_failure, hide_in_head};
use crate::record::live_output::{LiveOutput, RequestOrigin};
use crate::record::observe::Observer;
use crate::record::raw::RawSource;
use crate::record::request_log;
use crate::record::stamps::{self, AllStamps};
use crate::record::trace_data::Traced;
use crate::selftest::ClientTap;
use crate::watch::live::LiveFeed;
use crate::watch::monitor::{Monitor, RecordFiles};
use crate::watch::priority;
use crate::watch::threshold::FailureThreshold;

/// Bytes that a record thread keeps for the lines that it writes.
const SCRATCH: usize = 256 * 1024;

/// Everything that the record threads of a run share.
#[derive(Debug)]
pub(crate) struct RecordPipeline {
    pub(crate) observer: Observer,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) phases: Vec<RecordedPhase>,
    /// In an agentic replay a session ends when its prompts are too long for the model.
    pub(crate) is_agentic: bool,
    pub(crate) anchor: WallAnchor,
    pub(crate) secrets: Secrets,
    pub(crate) records: Option<RecordWriter>,
    pub(crate) raw: Option<(RawWriter, RawSource)>,
    pub(crate) table: Option<RecordTable>,
    pub(crate) outputs: Option<OutputsFile>,
    /// Headers are needed for the raw file and for HTTP traces.
    pub(crate) http_trace: Option<RawSource>,
    pub(crate) monitor: Arc<Monitor>,
    /// Context of the profiling phase.
    pub(crate) context: MetricContext,
    /// The last `Retry-After` of a 429 or 503 response.
    pub(crate) retry_after: Mutex<Option<String>>,
    /// Views of the run.
    pub(crate) live: LiveOutput,
    /// Where answers wait to be graded, if they are.
    pub(crate) grading: Option<Arc<AnswerQueue>>,
    /// Present in a self-test, with the metric context of each phase.
    pub(crate) tap: Option<(Arc<ClientTap>, Vec<MetricContext>)>,
}

/// What records say of a phase, and what is watched in it.
#[derive(Debug)]
pub(crate) struct RecordedPhase {
    pub(crate) name: Arc<str>,
    pub(crate) kind: PhaseKind,
    /// The results of the run are about it.
    pub(crate) is_measured: bool,
    pub(crate) profiling_index: Option<u32>,
    pub(crate) threshold: Option<FailureThreshold>,
    /// Feeds of the early-stop rules and of the load controller.
    pub(crate) feeds: Vec<Arc<LiveFeed>>,
}

/// The results of parsing one finished request.
#[derive(Clone, Copy)]
struct MeasuredRequest<'a> {
    observation: &'a Observation,
    values: &'a RecordValues,
    reply_text: Option<&'a str>,
    stamps: StampCounts,
}

/// The metric columns of each phase.
pub(crate) type PhaseColumns = Vec<Columns>;

pub(crate) struct RecordThreads {
    threads: Vec<JoinHandle<(PhaseColumns, AllStamps)>>,
}

impl RecordThreads {
    pub(crate) fn start(count: usize, pipeline: &Arc<RecordPipeline>, queue: &RecordQueue) -> Result<Self, RunError> {
        let threads = (0..count)
            .map(|index| {
                let (pipeline, reader) = (Arc::clone(pipeline), queue.reader(LateReads::WAIT));
                thread::Builder::new().name(format!("records-{index}")).spawn(move || pipeline.work(index, reader))
            })
            .collect::<Result<_, _>>()
            .map_err(|cause| RunError::Thread { name: "records", cause })?;
        Ok(Self { threads })
    }

    /// Waits for the last record and merges the columns and counts of all threads.
    pub(crate) fn finish(self, phases: usize) -> Result<(PhaseColumns, AllStamps), RunError> {
        let mut merged: Option<PhaseColumns> = None;
        let mut stamps = AllStamps::default();
        for thread in self.threads {
            let (columns, counts) = thread.join().map_err(|_| RunError::RecordThreadGone)?;
            stamps += counts;
            match &mut merged {
                // The columns of a long run are most of its memory: the first thread's are extended, not copied.
                None => merged = Some(columns),
                Some(merged) => merged.iter_mut().zip(columns).for_each(|(all, more)| all.merge(more)),
            }
        }
        Ok((merged.unwrap_or_else(|| (0..phases).map(|_| Columns::new()).collect()), stamps))
    }
}

impl RecordPipeline {
    fn work(&self, index: usize, mut queue: RecordReader) -> (PhaseColumns, AllStamps) {
        // A worker that cannot read for longer than the gap between two chunks loses the time of a chunk. A record can wait,
        // unless the next turn of its session waits for it, or a decision about the load: a search that learns late that a step is
        // complete sends requests for nothing until then.
        let is_decided_from = self.phases.iter().any(|phase| !phase.feeds.is_empty());
        if !self.sessions.may_wait_for_replies() && !is_decided_from {
            priority::lower_priority();
        }
        let mut all_stamps = AllStamps::default();
        let mut columns: PhaseColumns = self.phases.iter().map(|_| Columns::new()).collect();
        let processor = format!("record_processor_{index}");
        let mut scratch = Vec::new();
        while let Some(RecordWork { mut finished, read }) = queue.receive() {
            let mut facts = self.sessions.turn(finished.session.conversation, finished.turn);
            if finished.is_single_token {
                facts.max_tokens = Some(1);
            }
            hide_in_head(&self.secrets, &mut finished.exchange);
            self.note_retry_after(&finished.exchange);
            let answer = self.observer.read(&finished, read.reader);
            // The next turn of a session waits for this, so it comes before tokens are counted.
            if let Some(follow_up) = finished.follow_up.take() {
                self.follow_up(follow_up, &finished, answer.as_ref());
            }
            let reply_text = self.reply_text(&finished, answer.as_ref().ok());
            let waiting = self.waiting_answer(&finished, answer.as_ref().ok());
            let mut observation = self.observer.observe(&finished, facts, answer);
            if let Some(failure) = &mut observation.failure {
                hide_in_failure(&self.secrets, failure);
            }
            self.hand_to_grader(waiting, &observation);
            let values = RecordValues::compute(&observation);
            columns[finished.phase].push(&observation, &values);
            let phase = &self.phases[finished.phase];
            self.update_monitor(phase.kind, &observation, &values);
            self.live.note(&finished, &observation, &values, || RequestOrigin {
                kind: phase.kind,
                conversation_id: self.sessions.session_id(finished.session.conversation),
                processor: index,
                anchor: &self.anchor,
            });
            if let Some(threshold) = &phase.threshold {
                threshold.note(observation.outcome());
            }
            if phase.is_measured && observation.failure.is_none() {
                all_stamps.late += stamps::late_reads(&read.reads, &observation.chunks);
            }
            phase.feeds.iter().for_each(|feed| feed.note(&observation, &values));
            if let Some((tap, contexts)) = &self.tap {
                tap.note(phase.kind, &finished, &observation, &values, &contexts[finished.phase]);
            }
            let stamps = stamps::of_exchange(&read.reads, &observation.chunks);
            all_stamps += stamps;
            let record = MeasuredRequest {
                observation: &observation,
                values: &values,
                reply_text: reply_text.as_deref(),
                stamps,
            };
            request_log::write(&finished, observation.failure.as_ref());
            self.write(&finished, record, &processor, &mut scratch);
            // One long answer must not take memory for the rest of the run.
            scratch.clear();
            scratch.shrink_to(SCRATCH);
            self.monitor.recorded.fetch_add(1, Ordering::Relaxed);
        }
        (columns, all_stamps)
    }

    /// Updates the live counters that the progress line shows.
    fn update_monitor(&self, phase: PhaseKind, observation: &Observation, values: &RecordValues) {
        if observation.failure.is_some() {
            self.monitor.add_failed(phase);
        } else if phase == PhaseKind::Profiling {
            let value = |metric| values.get(metric, &self.context);
            self.monitor.note_times(value(Metric::RequestLatency), value(Metric::TimeToFirstToken));
        }
    }

    fn note_retry_after(&self, exchange: &Exchange) {
        /// Longer than any HTTP date.
        const LONGEST: usize = 40;
        if !matches!(exchange.status, Some(429 | 503)) {
            return;
        }
        if let Some(wait) = exchange.header("retry-after").filter(|wait| wait.len() <= LONGEST) {
            *self.retry_after.lock().unwrap_or_else(PoisonError::into_inner) = Some(wait.trim().to_owned());
        }
    }

    pub(crate) fn retry_after(&self) -> Option<String> {
        self.retry_after.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn follow_up(&self, follow_up: FollowUp, finished: &Finished, answer: Result<&Reply, &Failure>) {
        if !self.sessions.goes_on_from_reply(finished.session.conversation, finished.turn) {
            let overflowed = answer.is_err_and(Failure::is_context_overflow);
            return follow_up.resume(FollowUpBodies { failed: answer.is_err(), overflowed, ..Default::default() });
        }
        let reply = answer.ok();
        let message = reply.and_then(|reply| self.observer.endpoint.assistant_message(reply));
        follow_up.resume(self.sessions.after(&finished.session, finished.turn, message, reply.is_none()));
    }

    /// The text of a reply if it is exported: as received, reasoning first.
    fn reply_text(&self, finished: &Finished, reply: Option<&Reply>) -> Option<String> {
        let record_files = self.outputs.is_some() && self.phases[finished.phase].is_measured;
        let text = reply.filter(|_| record_files).map(|reply| format!("{}{}", reply.reasoning_text, reply.output_text));
        text.map(|text| self.secrets.hide_in_content(text.into()).into_owned())
    }

    /// What the grader needs of a request, if answers are graded.
    fn waiting_answer(&self, finished: &Finished, reply: Option<&Reply>) -> Option<WaitingAnswer> {
        if self.grading.is_none() || !self.phases[finished.phase].is_measured {
            return None;
        }
        let hidden = |text: Option<&str>| text.map(|text| self.secrets.hide_in_content(text.into()).into_owned());
        Some(WaitingAnswer {
            session_num: finished.number,
            conversation: finished.session.conversation,
            x_request_id: finished.request_id.to_string(),
            worker: finished.worker,
            ended_ns: self.anchor.epoch(finished.end).0,
            output: hidden(reply.and_then(|reply| reply.outputs().next())).unwrap_or_default(),
            thinking: hidden(reply.and_then(|reply| reply.reasonings().next())),
            error: None,
        })
    }

    /// Hands an answer over, unless the client itself ended the request: then there is nothing to grade or count.
    fn hand_to_grader(&self, waiting: Option<WaitingAnswer>, observation: &Observation) {
        let (Some(queue), Some(mut answer)) = (&self.grading, waiting) else { return };
        if observation.outcome().is_cancelled() {
            return;
        }
        answer.error = observation.failure.as_ref().map(|failure| failure.message.clone());
        queue.push(&answer);
    }

    fn write(&self, finished: &Finished, recorded: MeasuredRequest<'_>, processor: &str, scratch: &mut Vec<u8>) {
        let MeasuredRequest { observation, values, reply_text, stamps } = recorded;
        if self.records.is_none() && self.raw.is_none() && self.outputs.is_none() {
            return;
        }
        let request_id = finished.request_id.to_string();
        let worker = format!("worker_{}", finished.worker);
        let metadata = self.metadata(finished, observation, &request_id, &worker, processor);
        let failure = observation.failure.as_ref();
        if let Some(writer) = &self.records {
            let traced = self.http_trace.as_ref().map(|source| Traced::of(finished, source, &self.anchor, stamps));
            let trace = traced.as_ref().map(Traced::data);
            let usage_tokens = observation.usage.and_then(|usage| usage.completion_tokens);
            let spec_decode = observation.spec_decode.as_ref().map(|spec| SpecDecodeRecord { spec, usage_tokens });
            let record = Record { metadata: &metadata, values, failure, spec_decode, trace: trace.as_ref() };
            log_error(writer.write(scratch, &record));
            if let Some(table) = &self.table {
                log_error(table.write(&record));
            }
        }
        if let Some((writer, source)) = &self.raw {
            log_error(source.write(writer, scratch, finished, &metadata, failure));
        }
        if let Some(outputs) = self.outputs.as_ref().filter(|_| self.phases[finished.phase].is_measured) {
            log_error(outputs.write(scratch, &OutputText { metadata: &metadata, values, text: reply_text }));
        }
    }

    fn metadata<'a>(
        &'a self,
        finished: &'a Finished,
        observation: &Observation,
        request_id: &'a str,
        worker: &'a str,
        processor: &'a str,
    ) -> RecordMetadata<'a> {
        let phase = &self.phases[finished.phase];
        let cut = observation.outcome().is_cancelled();
        let epoch = |at| self.anchor.epoch(at);
        let origin = self.sessions.origin(finished.session.conversation, finished.turn);
        RecordMetadata {
            session_num: finished.number,
            x_request_id: request_id,
            x_correlation_id: &finished.session.correlation_id,
            conversation_id: self.sessions.session_id(finished.session.conversation),
            turn_index: finished.turn as u32,
            source_trace_id: origin.map(|origin| &*origin.trace),
            source_outer_idx: origin.map(|origin| origin.place.entry),
            source_inner_idx: origin.and_then(|origin| origin.place.inner),
            source_kind: origin.map(|origin| origin.line.name()),
            credit_issued_ns: epoch(finished.issued),
            request_start_ns: epoch(finished.start),
            request_ack_ns: observation.headers_received.map(epoch),
            request_end_ns: epoch(finished.end),
            worker_id: worker,
            record_processor_id: processor,
            // Whoever looks for `profiling` here finds what the results are about.
            benchmark_phase: if phase.is_measured { PhaseKind::Profiling } else { PhaseKind::Warmup },
            phase_index: finished.phase as u32,
            profiling_index: phase.profiling_index,
            phase_name: &phase.name,
            phase_kind: phase.kind,
            was_cancelled: cut,
            cancellation_time_ns: cut.then(|| epoch(finished.end)),
            context_overflow_skip: self.is_agentic && observation.outcome() == RequestOutcome::ContextOverflow,
            agent_depth: finished.session.depth,
            parent_correlation_id: finished.session.parent_correlation_id.as_deref(),
            root_correlation_id: &finished.session.root_correlation_id,
            redirects: redirects(&finished.exchange),
            resent: NonZeroU32::new(finished.exchange.resent),
        }
    }
}

impl RecordPipeline {
    /// Handles with which a second Ctrl-C brings finished records to disk.
    pub(crate) fn record_files(&self, gauge: &Arc<WorkerGauge>) -> RecordFiles {
        RecordFiles {
            gauge: Arc::clone(gauge),
            records: self.records.as_ref().map(RecordWriter::handle),
            raw: self.raw.as_ref().map(|(raw, _)| raw.handle()),
        }
    }

    /// Closes the files and lists them. All record threads have ended, so this is the last reference to the pipeline.
    pub(crate) fn close(self: Arc<Self>, paths: &ArtifactPaths) -> ClosedFiles {
        let mut closed = ClosedFiles::default();
        let Some(pipeline) = Arc::into_inner(self) else { return closed };
        let files = &mut closed.files;
        if let Some(records) = pipeline.records {
            let count = files.note_lines("Records Export", paths.records(), &records.finish());
            closed.lost = LostRecords { count, are_counted: true };
        }
        if let Some((raw, _)) = pipeline.raw {
            files.note_lines("Raw Records", paths.raw(), &raw.finish());
        }
        let mut note = |label: &str, path, finished: Result<(), ReportError>| match finished {
            Ok(()) => files.written.push(WrittenFile { label: label.into(), path }),
            Err(error) => files.failed.push(error),
        };
        if let Some(table) = pipeline.table {
            note("Records Parquet", paths.records_parquet(), table.finish());
        }
        if let Some(outputs) = pipeline.outputs {
            note("Outputs JSON", paths.outputs(), outputs.finish());
        }
        closed
    }
}

/// The per-request files after the last record.
#[derive(Debug, Default)]
pub(crate) struct ClosedFiles {
    pub(crate) files: SummaryFiles,
    pub(crate) lost: LostRecords,
}

fn redirects(exchange: &Exchange) -> Vec<Redirect<'_>> {
    exchange.redirects.iter().map(|hop| Redirect { status: hop.status, url: &hop.to }).collect()
}

/// Logs an error of a writer. Writers return the first error only and count the records lost after it; the run continues.
fn log_error(written: Result<(), ReportError>) {
    if let Err(error) = written {
        log::error!("{error}; the run continues, and the summary will be written");
    }
}
