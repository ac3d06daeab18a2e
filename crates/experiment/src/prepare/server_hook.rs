//! Calls to the servers around a run: resets prefix caches before it, and runs profilers during the profiling phase.

use std::time::Duration;

use aiperf_address::{ConnectionUse, RequestTarget};
use aiperf_clock::Mono;
use aiperf_config::{Config, PhaseConfig, PhaseKind, ResetKvCache, ServerProfiler};
use aiperf_engine::{ControlSource, PhaseHook};
use aiperf_redact as redact;
use aiperf_redact::Secrets;
use aiperf_transport::{Client, ClientSettings, Exchange, NoObserver, Request, TransportError};
use bytes::Bytes;

use crate::error::RunError;
use crate::prepare::readiness::stopped;
use crate::prepare::secrets::secrets_of;
use crate::prepare::settings;
use crate::prepare::target::Targets;

/// First and longest pause before a busy server is called again; the pause doubles each time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

const RESET: &str = "--reset-kv-cache";
const PROFILER: &str = "--server-profiler";

/// The servers to call, and the headers to send.
#[derive(Debug)]
struct HookCaller {
    /// One target for each server, even if it has several URLs.
    servers: Vec<RequestTarget>,
    headers: Vec<(String, String)>,
    client: ClientSettings,
    secrets: Secrets,
}

/// Why a call failed.
struct HookRefused {
    reason: String,
    /// A retry may succeed.
    passing: bool,
}

impl HookCaller {
    fn new(config: &Config, targets: &Targets, client: &ClientSettings) -> Self {
        let mut servers: Vec<RequestTarget> = Vec::new();
        for target in &targets.requests {
            if servers.iter().all(|known| known.origin != target.origin) {
                servers.push(target.clone());
            }
        }
        let mut headers = settings::own_headers(&config.endpoint);
        headers.push(("Accept".into(), "*/*".into()));
        Self { servers, headers, client: client.clone(), secrets: secrets_of(config) }
    }

    async fn post(&self, server: &RequestTarget, path: &str, timeout: Duration) -> Result<(), HookRefused> {
        let host = [("Host", server.host_header.as_str())];
        let own = self.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("host"));
        let lines = host.into_iter().chain(own.map(|(name, value)| (name.as_str(), value.as_str())));
        let request = Request::post(&server.origin, path, lines, Bytes::new());
        let client = Client::new(self.client.clone());
        let mut exchange = Exchange::default();
        match tokio::time::timeout(timeout, client.send(&request, ConnectionUse::Never, &mut exchange, &NoObserver))
            .await
        {
            Err(_) => {
                // Whoever set a limit does not want to wait for it again and again.
                Err(HookRefused {
                    reason: format!("did not answer within {} s", timeout.as_secs_f64()),
                    passing: false,
                })
            }
            Ok(Err(error)) => {
                let reason = self.secrets.hide(format!("failed: {error}").into()).into_owned();
                Err(HookRefused { reason, passing: may_pass(&error) })
            }
            Ok(Ok(())) if exchange.is_success() => Ok(()),
            Ok(Ok(())) => {
                let status = exchange.status.unwrap_or_default();
                let reason = self.secrets.hide(format!("answered {status} {}", exchange.reason).into());
                Err(HookRefused {
                    reason: reason.trim_end().to_owned(),
                    passing: matches!(status, 409 | 423 | 429 | 503),
                })
            }
        }
    }
}

/// Whether the server may be there later.
fn may_pass(error: &TransportError) -> bool {
    !matches!(
        error,
        TransportError::Tls { .. }
            | TransportError::Protocol(_)
            | TransportError::NotHttp(_)
            | TransportError::NotHttp2(_)
            | TransportError::SwitchedProtocol(_)
            | TransportError::Redirect(_)
    )
}

fn url(server: &RequestTarget, path: &str) -> String {
    format!("POST {}{}", server.origin, redact::shown_url(path))
}

fn blocking<T>(work: impl Future<Output = T>) -> Result<T, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Runtime)?;
    // HTTP/2 connections run as tasks of their own on this thread.
    Ok(tokio::task::LocalSet::new().block_on(&runtime, work))
}

/// Empties the prefix cache of each server. Returns early, without an error, when `control` says stop.
pub(crate) fn reset_caches(
    reset: &ResetKvCache,
    config: &Config,
    targets: &Targets,
    client: &ClientSettings,
    control: &ControlSource,
) -> Result<(), RunError> {
    let caller = HookCaller::new(config, targets, client);
    blocking(async {
        tokio::select! {
            done = caller.reset_all(reset) => done,
            () = stopped(control) => Ok(()),
        }
    })?
}

impl HookCaller {
    async fn reset_all(&self, reset: &ResetKvCache) -> Result<(), RunError> {
        for server in &self.servers {
            let start = Mono::now();
            let mut pause = FIRST_PAUSE;
            while let Err(refused) = self.post(server, &reset.path, reset.timeout).await {
                let waited = Mono::now().since(start).as_duration();
                if !refused.passing || waited + pause > reset.max_retry {
                    let (url, reason) = (url(server, &reset.path), refused.reason);
                    return Err(RunError::Hook { hook: RESET, url, reason });
                }
                log::info!("{} {}; retrying in {} s", url(server, &reset.path), refused.reason, pause.as_secs());
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            log::info!("Reset the prefix cache of {}", server.origin);
        }
        Ok(())
    }
}

/// Runs the servers' profilers for as long as the profiling phase lasts.
#[derive(Debug)]
pub(crate) struct ProfilerHook {
    caller: HookCaller,
    profiler: ServerProfiler,
    /// How many of the servers have been started.
    started: usize,
}

impl ProfilerHook {
    pub(crate) fn new(profiler: &ServerProfiler, config: &Config, targets: &Targets, client: &ClientSettings) -> Self {
        Self { caller: HookCaller::new(config, targets, client), profiler: profiler.clone(), started: 0 }
    }

    async fn start(&mut self) -> Result<(), String> {
        for server in &self.caller.servers {
            let path = &self.profiler.start_path;
            if let Err(refused) = self.caller.post(server, path, self.profiler.timeout).await {
                return Err(format!("{PROFILER}: {} {}", url(server, path), refused.reason));
            }
            self.started += 1;
            log::info!("Started the profiler of {}", server.origin);
        }
        Ok(())
    }

    async fn stop(&mut self) {
        let path = &self.profiler.stop_path;
        for server in &self.caller.servers[..std::mem::take(&mut self.started)] {
            match self.caller.post(server, path, self.profiler.timeout).await {
                Ok(()) => log::info!("Stopped the profiler of {}", server.origin),
                Err(refused) => {
                    log::warn!("{PROFILER}: {} {}; stop the profiler by hand", url(server, path), refused.reason);
                }
            }
        }
    }
}

impl PhaseHook for ProfilerHook {
    fn before(&mut self, phase: &PhaseConfig) -> Result<(), String> {
        if phase.kind != PhaseKind::Profiling {
            return Ok(());
        }
        let started = blocking(async {
            let started = self.start().await;
            if started.is_err() {
                self.stop().await;
            }
            started
        });
        started.map_err(|error| error.to_string())?
    }

    fn after(&mut self, phase: &PhaseConfig) {
        if phase.kind == PhaseKind::Profiling
            && let Err(error) = blocking(self.stop())
        {
            log::warn!("{PROFILER}: {error}");
        }
    }

    /// One profile covers profiling phases that follow each other without a pause.
    fn between(&mut self, ended: &PhaseConfig, begins: &PhaseConfig) -> Result<(), String> {
        if ended.kind == begins.kind {
            return Ok(());
        }
        self.after(ended);
        self.before(begins)
    }
}
