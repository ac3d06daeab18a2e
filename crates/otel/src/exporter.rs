//! The two threads of the exporter: one takes requests over and decides what is posted when, the other one posts and may wait for
//! the collector. Only one post is under way at a time.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::{OtelConfig, OtelSending};
use aiperf_live::{LiveRun, RequestConsumer, View};
use aiperf_redact::shown_url;

use crate::collector::{Collector, OtlpSignal, PostError};
use crate::described::DescribedRun;
use crate::message::OtlpSpan;
use crate::outbox::Outbox;
use crate::queue::DroppingQueue;
use crate::report::OtelReport;
use crate::request::{CallIntake, MeasuredCall};

/// Pause between two looks at a post that is under way while more is waiting.
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// Longest wait for the last counts of the run.
const LAST_SNAPSHOT: Duration = Duration::from_secs(1);

/// Sends the measurements of one run for as long as it exists. The result of the sending is part of the summary of the run.
#[derive(Debug)]
pub struct OtelExporter {
    live: Arc<LiveRun>,
    intake: Arc<dyn RequestConsumer>,
    queue: Arc<DroppingQueue<MeasuredCall>>,
}

impl OtelExporter {
    /// Call it before the run starts. `None` if nothing is to be sent.
    pub fn start(
        config: &OtelConfig,
        sending: OtelSending,
        run: &DescribedRun,
        live: &Arc<LiveRun>,
    ) -> io::Result<Option<Self>> {
        if config.streams.is_none() {
            return Ok(None);
        }
        let view = live.attach()?;
        let queue = Arc::new(DroppingQueue::new(sending.buffer));
        let (posts, to_post) = mpsc::sync_channel(1);
        let (posted, results) = mpsc::channel();
        let collector = Collector::new(config, sending.timeout);
        thread::Builder::new().name("otel-post".into()).spawn(move || {
            post_all(&collector, &to_post, &posted);
        })?;
        let anchor = WallAnchor::take();
        let post_loop = PostLoop {
            outbox: Outbox::new(run, config, sending.buffer, anchor.epoch(Mono::now()).0),
            queue: Arc::clone(&queue),
            live: Arc::clone(live),
            _view: view,
            anchor,
            sending,
            posts,
            results,
            under_way: None,
            has_succeeded: true,
            report: OtelReport { url: shown_url(config.metrics_url.as_str()), ..OtelReport::default() },
        };
        let thread = thread::Builder::new().name("otel".into()).spawn(move || post_loop.run())?;
        let intake: Arc<dyn RequestConsumer> =
            Arc::new(CallIntake::new(Arc::clone(&queue), config.streams.traces, thread));
        live.add_consumer(Arc::clone(&intake));
        Ok(Some(Self { live: Arc::clone(live), intake, queue }))
    }
}

/// A run that could not start has no last request; its threads end all the same.
impl Drop for OtelExporter {
    fn drop(&mut self) {
        self.live.remove_consumer(&self.intake);
        self.queue.close();
    }
}

/// A body for the collector.
#[derive(Debug)]
struct Post {
    signal: OtlpSignal,
    body: Vec<u8>,
}

fn post_all(collector: &Collector, posts: &Receiver<Post>, results: &mpsc::Sender<Result<u64, PostError>>) {
    while let Ok(post) = posts.recv() {
        if results.send(collector.post(post.signal, &post.body)).is_err() {
            return;
        }
    }
}

/// What is to be posted as soon as no other post is under way. Metrics that have to wait are not lost: they count from the start, so
/// that the next post has what this one would have had.
#[derive(Debug, Default)]
struct WantedPosts {
    metrics: bool,
    spans: bool,
}

/// The post that is under way, with what has to be sent again if it fails.
#[derive(Debug)]
enum UnderWay {
    Metrics,
    Spans(Vec<OtlpSpan>),
}

struct PostLoop {
    outbox: Outbox,
    queue: Arc<DroppingQueue<MeasuredCall>>,
    live: Arc<LiveRun>,
    _view: View,
    anchor: WallAnchor,
    sending: OtelSending,
    posts: SyncSender<Post>,
    results: Receiver<Result<u64, PostError>>,
    under_way: Option<UnderWay>,
    /// Whether the collector took the last post.
    has_succeeded: bool,
    report: OtelReport,
}

impl PostLoop {
    fn run(mut self) -> OtelReport {
        let mut next_flush = Mono::now() + self.sending.flush_interval.into();
        let mut wanted = WantedPosts::default();
        loop {
            let until_flush = next_flush.since(Mono::now()).as_duration();
            let pause = if self.under_way.is_some() { until_flush.min(BUSY_PAUSE) } else { until_flush };
            let is_closed = self.queue.wait(pause);
            self.take_over();
            if is_closed {
                return self.flush();
            }
            if !self.note_result(Duration::ZERO) && self.under_way.is_none() {
                // The collector gets a rest until the next flush.
                wanted = WantedPosts::default();
            } else if self.outbox.waiting_spans() >= self.sending.batch && self.has_succeeded {
                wanted.spans = true;
            }
            if Mono::now() >= next_flush {
                wanted = WantedPosts { metrics: true, spans: true };
                next_flush = Mono::now() + self.sending.flush_interval.into();
            }
            if self.under_way.is_none() && std::mem::take(&mut wanted.metrics) {
                self.post_metrics();
            }
            if self.under_way.is_none() && std::mem::take(&mut wanted.spans) {
                self.post_spans();
            }
        }
    }

    /// The end of the run: everything that is left, within the time limit of one post.
    fn flush(mut self) -> OtelReport {
        let deadline = Mono::now() + self.sending.timeout.into();
        let left = || deadline.since(Mono::now()).as_duration();
        // The second snapshot from now on was begun after the last request.
        let seen = self.live.snapshot().seq;
        self.live.wait_newer(seen + 1, left().min(LAST_SNAPSHOT));
        self.note_result(left());
        let has_metrics = self.under_way.is_none() && self.post_metrics();
        self.report.end_is_missing = match self.under_way {
            Some(_) => !self.note_result(left()),
            None => has_metrics,
        };
        while self.under_way.is_none() && self.outbox.waiting_spans() > 0 && !left().is_zero() {
            self.post_spans();
            if !self.note_result(left()) {
                break;
            }
        }
        let unsent = match self.under_way.take() {
            Some(UnderWay::Spans(spans)) => spans.len(),
            _ => 0,
        };
        self.report.dropped_requests = self.queue.dropped();
        self.report.dropped_spans += self.outbox.dropped_spans + (self.outbox.waiting_spans() + unsent) as u64;
        self.report
    }

    fn take_over(&mut self) {
        while self.queue.len() > 0 {
            for call in self.queue.take(self.sending.batch) {
                self.outbox.take_over(&call);
            }
        }
    }

    /// Whether there was anything to post.
    fn post_metrics(&mut self) -> bool {
        let now_ns = self.anchor.epoch(Mono::now()).0;
        let Some(body) = self.outbox.metrics(&self.live.snapshot(), now_ns) else { return false };
        self.post(Post { signal: OtlpSignal::Metrics, body }, UnderWay::Metrics);
        true
    }

    fn post_spans(&mut self) {
        let spans = self.outbox.take_spans(self.sending.batch);
        if spans.is_empty() {
            return;
        }
        let body = self.outbox.traces(&spans, &self.live.snapshot().benchmark_id);
        self.post(Post { signal: OtlpSignal::Traces, body }, UnderWay::Spans(spans));
    }

    fn post(&mut self, post: Post, under_way: UnderWay) {
        self.report.posts += 1;
        self.under_way = Some(under_way);
        if self.posts.try_send(post).is_err() {
            let gone = PostError::Final("the thread that posts has ended".to_owned());
            self.note(Err(gone));
        }
    }

    /// Waits for the post that is under way. Whether it succeeded; true if there was none.
    fn note_result(&mut self, limit: Duration) -> bool {
        if self.under_way.is_none() {
            return true;
        }
        match self.results.recv_timeout(limit) {
            Ok(result) => self.note(result),
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                self.note(Err(PostError::Final("the thread that posts has ended".to_owned())))
            }
        }
    }

    fn note(&mut self, result: Result<u64, PostError>) -> bool {
        let under_way = self.under_way.take();
        self.has_succeeded = result.is_ok();
        match result {
            Ok(rejected) => {
                self.report.rejected += rejected;
                if let Some(UnderWay::Spans(spans)) = under_way {
                    self.report.sent_spans += spans.len() as u64;
                }
                true
            }
            Err(error) => {
                self.warn(&error);
                if let Some(UnderWay::Spans(spans)) = under_way {
                    match error {
                        PostError::Passing(_) => self.outbox.put_back(spans),
                        PostError::Final(_) => self.report.dropped_spans += spans.len() as u64,
                    }
                }
                false
            }
        }
    }

    /// Says once that the collector cannot be reached.
    fn warn(&mut self, error: &PostError) {
        self.report.failed_posts += 1;
        if self.report.last_failure.is_none() {
            log::warn!(
                "Cannot send measurements to the OpenTelemetry collector at {}: {error}. The run goes on; what is lost is counted.",
                self.report.url
            );
        }
        self.report.last_failure = Some(error.to_string());
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::EpochNanos;
    use aiperf_config::OtelStreams;
    use aiperf_live::{FinishedRequest, RunFacts};
    use aiperf_metrics::{MetricContext, Observation, RecordValues};
    use aiperf_protocol::{EndpointKind, PhaseKind};
    use aiperf_test_server::{AfterReply, TestReply, TestServer};

    use super::*;

    const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    fn sending(timeout_ms: u64) -> OtelSending {
        OtelSending {
            flush_interval: Duration::from_millis(100),
            batch: 10,
            buffer: 20,
            timeout: Duration::from_millis(timeout_ms),
        }
    }

    fn start(server: &TestServer, streams: OtelStreams, sending: OtelSending) -> (Arc<LiveRun>, OtelExporter) {
        let url = format!("{}/v1/metrics", server.url());
        let config = OtelConfig {
            metrics_url: aiperf_address::Address::parse(&url, aiperf_address::Scheme::Http).unwrap(),
            streams,
            resource_attributes: Vec::new(),
            provider: None,
            headers: Vec::new(),
        };
        let run =
            DescribedRun { version: "1".into(), endpoint: EndpointKind::Chat, models: vec!["m".into()], server: None };
        let live = LiveRun::new(RunFacts::default());
        let exporter = OtelExporter::start(&config, sending, &run, &live).unwrap().unwrap();
        (live, exporter)
    }

    fn finish_requests(live: &LiveRun, count: u64) {
        let observation = Observation::new(Mono::from_nanos(5), Mono::from_nanos(25));
        let (values, context) = (RecordValues::compute(&observation), MetricContext::new(EndpointKind::Chat, true));
        for number in 0..count {
            let request = FinishedRequest {
                phase: PhaseKind::Profiling,
                phase_index: 0,
                observation: &observation,
                values: &values,
                context: &context,
                session_num: number,
                x_request_id: "01234567-89ab-4def-8123-456789abcdef",
                x_correlation_id: "c",
                conversation_id: "s",
                turn_index: 0,
                worker: 0,
                record_processor: 0,
                credit_issued: EpochNanos(4),
                start: EpochNanos(5),
                end: EpochNanos(25),
            };
            live.consumers().iter().for_each(|consumer| consumer.finished(&request));
        }
    }

    fn section(live: &LiveRun) -> serde_json::Value {
        live.consumers()[0].all_finished().section.unwrap().1
    }

    const ALL: OtelStreams = OtelStreams { metrics: true, timing: true, traces: true };

    #[test]
    fn a_few_spans_do_not_wait_for_the_end_of_the_run() {
        let server = TestServer::start(|_, _| TestReply::new(OK));
        let (live, exporter) = start(&server, ALL, sending(60_000));
        finish_requests(&live, 3);
        while !server.received().iter().any(|post| post.target == "/v1/traces") {
            thread::sleep(Duration::from_millis(5));
        }
        let told = section(&live);
        assert_eq!((&told["sent_spans"], &told["complete"]), (&3.into(), &true.into()), "{told}");
        drop(exporter);
        assert!(live.consumers().is_empty());
    }

    #[test]
    fn spans_beyond_the_buffer_are_dropped_and_counted() {
        let server = TestServer::start(|_, _| TestReply::silence().then(AfterReply::Ignore));
        let (live, _exporter) = start(&server, OtelStreams { traces: true, ..OtelStreams::NONE }, sending(300));
        for _ in 0..10 {
            finish_requests(&live, 10);
            thread::sleep(Duration::from_millis(10));
        }
        let told = section(&live);
        let lost = |name: &str| told[name].as_u64().unwrap();
        assert_eq!(lost("dropped_spans") + lost("dropped_requests") + lost("sent_spans"), 100, "{told}");
        assert_eq!((lost("sent_spans"), &told["complete"]), (0, &false.into()), "{told}");
    }
}
