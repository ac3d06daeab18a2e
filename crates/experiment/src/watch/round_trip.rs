//! Measures the network round trip during the profiling phase, on the `round-trip` thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_address::Origin;
use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_config::{PhaseKind, RttProbing};
use aiperf_metrics::NetworkRtt;
use aiperf_report::{ArtifactPaths, RoundTrip, RoundTripWriter, WrittenFile};
use aiperf_transport::{Client, ClientSettings};
use tokio::runtime::Runtime;

use crate::error::RunError;
use crate::prepare::target::Targets;
use crate::watch::monitor::Monitor;

/// Time between two checks whether the profiling phase has begun.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Pause between measurements that are made after the run.
const TOP_UP_PAUSE: Duration = Duration::from_millis(10);

/// Measures until [`RttSampler::finish`].
pub(crate) struct RttSampler {
    stop: Sender<MissingSamples>,
    thread: JoinHandle<Vec<Nanos>>,
    file: WrittenFile,
}

/// What to do if there are too few measurements when the run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingSamples {
    Collect,
    /// The user interrupted the run and does not want to wait.
    Skip,
}

impl RttSampler {
    pub(crate) fn start(
        probing: RttProbing,
        targets: &Targets,
        client: &ClientSettings,
        monitor: &Arc<Monitor>,
        anchor: WallAnchor,
        paths: &ArtifactPaths,
    ) -> Result<Self, RunError> {
        let path = paths.network_latency();
        let writer = RoundTripWriter::create(&path)?;
        let mut servers: Vec<(Origin, String)> = Vec::new();
        for (target, base) in targets.requests.iter().zip(&targets.bases) {
            if !servers.iter().any(|(origin, _)| *origin == target.origin) {
                servers.push((target.origin.clone(), base.as_str().to_owned()));
            }
        }
        let (stop, stopped) = channel();
        let (settings, monitor) = (client.clone(), Arc::clone(monitor));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Runtime)?;
        let thread = thread::Builder::new()
            .name("round-trip".into())
            .spawn(move || {
                let prober = Prober {
                    probing,
                    servers,
                    client: Client::new(settings),
                    runtime,
                    anchor,
                    writer,
                    good: Vec::new(),
                };
                prober.work(&stopped, &monitor)
            })
            .map_err(|cause| RunError::Thread { name: "round-trip", cause })?;
        Ok(Self { stop, thread, file: WrittenFile { label: "Network Latency".into(), path } })
    }

    pub(crate) fn finish(self, missing: MissingSamples) -> (Option<NetworkRtt>, WrittenFile) {
        // Fails only if the thread has ended already.
        let _ = self.stop.send(missing);
        let measured = self.thread.join().unwrap_or_default();
        if measured.is_empty() {
            log::warn!("The network round trip could not be measured: no connection to a server was opened in time");
        }
        (NetworkRtt::measured(&measured), self.file)
    }
}

struct Prober {
    probing: RttProbing,
    servers: Vec<(Origin, String)>,
    client: Client,
    runtime: Runtime,
    anchor: WallAnchor,
    writer: RoundTripWriter,
    good: Vec<Nanos>,
}

impl Prober {
    fn work(mut self, stopped: &Receiver<MissingSamples>, monitor: &Monitor) -> Vec<Nanos> {
        let mut pause = CHECK_INTERVAL;
        let missing = loop {
            match stopped.recv_timeout(pause) {
                Ok(missing) => break missing,
                Err(RecvTimeoutError::Disconnected) => break MissingSamples::Skip,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if monitor.progress.phase() == Some(PhaseKind::Profiling) {
                self.round();
                pause = self.probing.interval;
            }
        };
        if missing == MissingSamples::Collect {
            self.top_up();
        }
        let lost = self.writer.finish().lost;
        if lost > 0 {
            log::error!("{lost} measurements of the network round trip could not be written");
        }
        self.good
    }

    fn top_up(&mut self) {
        let began = Mono::now();
        while self.good.len() < self.probing.min_samples && Mono::now().since(began).as_duration() < self.probing.top_up
        {
            self.round();
            thread::sleep(TOP_UP_PAUSE);
        }
    }

    /// Measures each server once.
    fn round(&mut self) {
        for (origin, url) in &self.servers {
            let limit = self.probing.connect_timeout;
            let at = Mono::now();
            let measured =
                self.runtime.block_on(async { tokio::time::timeout(limit, self.client.round_trip(origin)).await });
            let outcome = match measured {
                Ok(Ok(span)) => Ok(span.length()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(format!("no connection within {} s", limit.as_secs_f64())),
            };
            self.good.extend(outcome.as_ref().ok());
            let (at, host, port) = (self.anchor.epoch(at), &origin.host, origin.port);
            if let Err(error) = self.writer.write(&RoundTrip { at, url, host, port, outcome }) {
                log::error!("{error}; the run continues");
            }
        }
    }
}
