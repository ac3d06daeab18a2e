//! Reads all sources of GPU telemetry during a run, on the `gpu-telemetry` thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos};
use aiperf_protocol::PhaseKind;

use crate::gpu::collected::CollectedSource;
use crate::gpu::field::{FieldTable, power_and_energy};
use crate::gpu::reading::GpuReading;
use crate::gpu::source::{GpuSource, SourceError};

/// How often the start of a phase is looked for.
const LOOK_UP: Duration = Duration::from_millis(20);
/// The time between readings just before and just after the run: dense enough to see how often a GPU renews its counters.
const DENSE: Duration = Duration::from_millis(40);
/// How long readings are dense before the run.
const DENSE_FOR: Nanos = Nanos(2_000_000_000);
/// How long a user who interrupted the run waits for a reading that is under way.
const SKIP_LIMIT: Duration = Duration::from_secs(1);
/// How long idle power is measured at least.
pub const IDLE_FOR: Duration = Duration::from_secs(1);

/// When a collector reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectorSettings {
    /// Between two readings in the run.
    pub interval: Duration,
    /// How long to wait after the run for the next new value of each energy counter, which closes the window.
    pub grace: Duration,
    /// How long the end of the run waits for a source that does not answer.
    pub shutdown: Duration,
}

/// A source as it was looked for: open, or the reason why it is not.
#[derive(Debug)]
pub struct FoundSource {
    pub url: String,
    pub opened: Result<Box<dyn GpuSource>, SourceError>,
}

/// The phase that the run is in.
pub type CurrentPhase = Box<dyn Fn() -> Option<PhaseKind> + Send>;
/// Takes each reading, with the URL of its source.
pub type ReadingSink = Box<dyn FnMut(&str, &GpuReading) + Send>;

/// What a collector needs to know of the run and tells it.
#[allow(missing_debug_implementations, reason = "functions have nothing to show")]
pub struct CollectorHooks {
    /// Looks for sources; called once, on the thread.
    pub open: Box<dyn FnOnce() -> Vec<FoundSource> + Send>,
    /// The phase that the run is in.
    pub phase: CurrentPhase,
    /// Takes each reading, with the URL of its source.
    pub sink: ReadingSink,
}

/// Whether the end of the run may take a moment longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastReading {
    Wait,
    /// The user interrupted the run and does not want to wait.
    Skip,
}

/// Reads until [`GpuCollector::finish`].
#[derive(Debug)]
pub struct GpuCollector {
    stop: Sender<LastReading>,
    opened: Receiver<OpenedSources>,
    done: Receiver<Vec<CollectedSource>>,
    settings: CollectorSettings,
}

/// What looking for sources came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedSources {
    /// URL, GPUs and the name of the first one, of each source that answers.
    pub answering: Vec<(String, usize, String)>,
    /// URL and reason of each source that does not.
    pub silent: Vec<(String, String)>,
    /// When idle power could first be measured.
    pub since: Mono,
}

impl GpuCollector {
    /// Starts the thread. It ends by itself if no source answers and none may answer later.
    pub fn start(settings: CollectorSettings, fields: Arc<FieldTable>, hooks: CollectorHooks) -> std::io::Result<Self> {
        let (stop, stopped) = channel();
        let (tell_opened, opened) = channel();
        let (tell_done, done) = channel();
        thread::Builder::new().name("gpu-telemetry".into()).spawn(move || {
            let reader = Reader::open(fields, hooks);
            // Fails only if the run does not wait for the answer.
            let _ = tell_opened.send(reader.opened());
            let _ = tell_done.send(reader.work(settings, &stopped));
        })?;
        Ok(Self { stop, opened, done, settings })
    }

    /// Waits until all sources were looked for; `None` if that takes longer than `limit`.
    pub fn wait_until_open(&self, limit: Duration) -> Option<OpenedSources> {
        self.opened.recv_timeout(limit).ok()
    }

    /// What was collected; `None` if a source keeps the thread from ending.
    pub fn finish(self, last: LastReading) -> Option<Vec<CollectedSource>> {
        // Fails only if the thread has ended already.
        let _ = self.stop.send(last);
        let limit = match last {
            LastReading::Wait => self.settings.shutdown + self.settings.grace,
            LastReading::Skip => self.settings.shutdown.min(SKIP_LIMIT),
        };
        self.done.recv_timeout(limit).ok()
    }
}

/// A source that answered once, and when it is read again if it fails.
struct OpenSource {
    source: Box<dyn GpuSource>,
    failed_in_a_row: u32,
    not_before: Option<Mono>,
}

/// The pause after the first failure of a source; it doubles with each further one.
const FIRST_PAUSE: Nanos = Nanos(500_000_000);
/// The pause grows to 32 times the first one at most.
const MOST_DOUBLINGS: u32 = 5;

struct Reader {
    sources: Vec<OpenSource>,
    collected: Vec<CollectedSource>,
    fields: Arc<FieldTable>,
    phase: CurrentPhase,
    sink: ReadingSink,
}

impl Reader {
    fn open(fields: Arc<FieldTable>, hooks: CollectorHooks) -> Self {
        let CollectorHooks { open, phase, sink } = hooks;
        let mut reader = Self { sources: Vec::new(), collected: Vec::new(), fields, phase, sink };
        let mut silent = Vec::new();
        for FoundSource { url, opened } in open() {
            match opened {
                Ok(source) => {
                    reader.collected.push(CollectedSource {
                        url,
                        renewal: source.renewal(),
                        scope: source.scope(),
                        ..CollectedSource::default()
                    });
                    reader.sources.push(OpenSource { source, failed_in_a_row: 0, not_before: None });
                }
                Err(error) => silent.push(CollectedSource {
                    url,
                    failures: 1,
                    last_failure: Some(error.reason),
                    ..CollectedSource::default()
                }),
            }
        }
        reader.read_all();
        // Sources that are open stand first: they are at the same places as their readers.
        reader.collected.extend(silent);
        reader
    }

    fn opened(&self) -> OpenedSources {
        let name =
            |source: &CollectedSource| source.series.gpus.first().map_or("", |series| &series.gpu.model).to_owned();
        let (answering, silent): (Vec<_>, Vec<_>) = self.collected.iter().partition(|source| source.is_reachable());
        OpenedSources {
            answering: answering
                .into_iter()
                .map(|source| (source.url.clone(), source.series.gpus.len(), name(source)))
                .collect(),
            silent: silent
                .into_iter()
                .map(|source| (source.url.clone(), source.last_failure.clone().unwrap_or_default()))
                .collect(),
            since: Mono::now(),
        }
    }

    fn work(mut self, settings: CollectorSettings, stopped: &Receiver<LastReading>) -> Vec<CollectedSource> {
        if self.sources.is_empty() {
            return self.collected;
        }
        let began = Mono::now();
        let mut phase = (self.phase)();
        let last = loop {
            let is_before = phase.is_none() && Mono::now().since(began) < DENSE_FOR;
            let interval = if is_before { DENSE } else { settings.interval };
            let due = Mono::now() + interval.into();
            let before = phase;
            if let Some(last) = self.wait_until(due, &mut phase, stopped) {
                break last;
            }
            if phase != before {
                let now = Mono::now();
                self.collected.iter_mut().for_each(|source| source.series.phase_begins(now));
            }
            self.read_all();
        };
        let ended = Mono::now();
        self.read_all();
        let grace = if last == LastReading::Wait { Nanos::from(settings.grace) } else { Nanos::ZERO };
        while !self.has_news_since(ended) && Mono::now().since(ended) < grace {
            thread::sleep(DENSE);
            self.read_all();
        }
        self.collected
    }

    /// Waits for the next reading; a phase that begins makes it due at once. Returns something if the run is over.
    fn wait_until(
        &self,
        due: Mono,
        phase: &mut Option<PhaseKind>,
        stopped: &Receiver<LastReading>,
    ) -> Option<LastReading> {
        loop {
            let left = due.since(Mono::now()).as_duration();
            // The profiling phase is the last one: only its end is waited for, and that is told.
            let pause = if *phase == Some(PhaseKind::Profiling) { left } else { left.min(LOOK_UP) };
            match stopped.recv_timeout(pause) {
                Ok(last) => return Some(last),
                Err(RecvTimeoutError::Disconnected) => return Some(LastReading::Skip),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = (self.phase)();
            if now != *phase {
                *phase = now;
                return None;
            }
            if Mono::now() >= due {
                return None;
            }
        }
    }

    fn read_all(&mut self) {
        for (open, collected) in self.sources.iter_mut().zip(&mut self.collected) {
            let began = Mono::now();
            // A source that does not answer must not hold up the others with each reading.
            if open.not_before.is_some_and(|later| began < later) {
                continue;
            }
            match open.source.read() {
                Ok(readings) => {
                    (open.failed_in_a_row, open.not_before) = (0, None);
                    collected.reads += 1;
                    for reading in &readings {
                        collected.series.push(reading, &self.fields);
                        (self.sink)(&collected.url, reading);
                    }
                }
                Err(error) => {
                    let pause = Nanos(FIRST_PAUSE.0 << open.failed_in_a_row.min(MOST_DOUBLINGS));
                    open.failed_in_a_row += 1;
                    open.not_before = Some(Mono::now() + pause);
                    collected.failures += 1;
                    collected.last_failure = Some(error.reason);
                }
            }
            collected.longest_read = collected.longest_read.max(Mono::now().since(began));
        }
    }

    /// Whether each energy counter, or power gauge if there is no counter, has a value that is newer than `since`.
    fn has_news_since(&self, since: Mono) -> bool {
        self.collected.iter().flat_map(|source| &source.series.gpus).all(|series| {
            let (power, energy) = power_and_energy(series.gpu.platform);
            let field = if series.field(energy).is_empty() { power } else { energy };
            let mut latest = series.field(field).points().rev();
            match latest.next() {
                Some((at, value)) => {
                    let held = latest.take_while(|(earlier, _)| *earlier >= since).last();
                    at >= since && held.is_some_and(|(_, first)| first.to_bits() != value.to_bits())
                }
                None => true,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::gpu::cadence::Renewal;
    use crate::gpu::field::{FieldId, Platform};
    use crate::gpu::reading::GpuIdentity;

    /// A GPU whose counter goes up with each reading, or fails.
    #[derive(Debug)]
    struct Scripted {
        gpu: Arc<GpuIdentity>,
        readings: u32,
        fails_from: u32,
    }

    impl Scripted {
        fn new(fails_from: u32) -> Self {
            Self { gpu: Arc::new(GpuIdentity::new(Platform::Nvidia, 0, "GPU-a", "H200")), readings: 0, fails_from }
        }
    }

    impl GpuSource for Scripted {
        fn url(&self) -> &'static str {
            "scripted://"
        }

        fn renewal(&self) -> Renewal {
            Renewal::ByField
        }

        fn read(&mut self) -> Result<Vec<GpuReading>, SourceError> {
            self.readings += 1;
            if self.readings >= self.fails_from {
                return Err(SourceError::new("gone"));
            }
            let values = vec![(FieldId::POWER, 300.0), (FieldId::ENERGY, f64::from(self.readings))];
            Ok(vec![GpuReading { gpu: Arc::clone(&self.gpu), at: Mono::now(), values }])
        }
    }

    fn settings() -> CollectorSettings {
        CollectorSettings {
            interval: Duration::from_millis(50),
            grace: Duration::from_millis(200),
            shutdown: Duration::from_secs(20),
        }
    }

    fn hooks(
        open: impl FnOnce() -> Vec<FoundSource> + Send + 'static,
        profiling: &Arc<AtomicBool>,
        lines: &Arc<Mutex<u32>>,
    ) -> CollectorHooks {
        let (profiling, lines) = (Arc::clone(profiling), Arc::clone(lines));
        CollectorHooks {
            open: Box::new(open),
            phase: Box::new(move || profiling.load(Ordering::Relaxed).then_some(PhaseKind::Profiling)),
            sink: Box::new(move |_, _| *lines.lock().unwrap() += 1),
        }
    }

    fn found(url: &str, opened: Result<Scripted, SourceError>) -> FoundSource {
        FoundSource { url: url.to_owned(), opened: opened.map(|source| Box::new(source) as Box<dyn GpuSource>) }
    }

    #[test]
    fn each_reading_goes_to_the_series_and_to_the_sink() {
        let (profiling, lines) = (Arc::default(), Arc::default());
        let sources = || {
            vec![
                found("a", Ok(Scripted::new(u32::MAX))),
                found("b", Err(SourceError::new("refused"))),
                found("c", Ok(Scripted::new(3))),
            ]
        };
        let collector = GpuCollector::start(settings(), Arc::default(), hooks(sources, &profiling, &lines)).unwrap();
        let opened = collector.wait_until_open(Duration::from_secs(20)).unwrap();
        assert_eq!(opened.answering.len(), 2);
        assert_eq!(opened.silent, [("b".to_owned(), "refused".to_owned())]);
        profiling.store(true, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(300));
        let collected = collector.finish(LastReading::Wait).unwrap();
        let [a, c, b] = &collected[..] else { panic!("{collected:?}") };
        assert_eq!((a.url.as_str(), b.url.as_str(), c.url.as_str()), ("a", "b", "c"));
        assert_eq!(a.series.gpus[0].times().len() as u64, a.reads);
        assert_eq!((c.reads, c.last_failure.as_deref()), (2, Some("gone")));
        assert!(c.failures > 0 && !b.is_reachable());
        assert_eq!(u64::from(*lines.lock().unwrap()), a.reads + c.reads);
    }

    #[test]
    fn a_run_without_sources_ends_at_once() {
        let (profiling, lines) = (Arc::default(), Arc::default());
        let collector = GpuCollector::start(settings(), Arc::default(), hooks(Vec::new, &profiling, &lines)).unwrap();
        let opened = collector.wait_until_open(Duration::from_secs(20)).unwrap();
        assert!(opened.answering.is_empty() && opened.silent.is_empty());
        assert!(collector.finish(LastReading::Wait).unwrap().is_empty());
    }
}
