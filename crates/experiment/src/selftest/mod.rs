//! Verifies on this machine that the client measures correctly: runs the real engine against a simulator in another process
//! that records the true times, and compares both.

mod compare;
mod grade;
mod machine;
mod options;
mod setup;
mod simulator;
mod state;
mod tap;
mod truth;

use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, thread};

use aiperf_clock::{Mono, Nanos, WallAnchor, process_cpu};
use aiperf_config::{Config, Environment};
use aiperf_engine::ControlSource;
use aiperf_hub::{Hub, HubEnvironment};
use aiperf_live::{LiveRun, RunFacts};
use aiperf_report::{ClientCpu, LocalZone, SelfTestReport};
use thiserror::Error;

pub use options::{SELFTEST_OPTIONS, SelfTestFormat, SelfTestOption, SelfTestOptionError, SelfTestOptions};
pub use state::StateFile;
pub(crate) use tap::ClientTap;

use crate::error::RunError;
use crate::run::Run;
use crate::watch::monitor::Monitor;
use setup::Setup;
use simulator::Simulator;

const TRUTH_FILE: &str = "truth.jsonl";

#[derive(Debug, Error)]
pub enum SelfTestError {
    #[error(
        "the self-test needs a clock that processes share, which this platform does not have; run it on Linux or macOS"
    )]
    Platform,
    #[error(transparent)]
    Option(#[from] SelfTestOptionError),
    #[error("{0}")]
    Config(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot start the simulator with {}: {source}", program.display())]
    Spawn { program: PathBuf, source: io::Error },
    #[error("the simulator did not report its URL; it printed {0:?}")]
    NoUrl(String),
    #[error("the simulator failed: {0}")]
    SimulatorEnded(String),
    #[error("cannot read the truth file {}: {reason}", path.display())]
    Truth { path: PathBuf, reason: String },
    #[error("cannot create {}: {source}; choose a writable folder with --artifact-dir", path.display())]
    TestFolder { path: PathBuf, source: io::Error },
    #[error("the self-test was interrupted")]
    Interrupted,
}

/// Resolves options of `aiperf profile`, each a name without hyphens and its value.
pub type ResolveOptions<'a> =
    dyn Fn(&[(&'static str, String)]) -> Result<Config, Box<dyn std::error::Error + Send + Sync>> + 'a;

/// A self-test that is ready to start.
#[derive(Debug)]
pub struct SelfTest<'a> {
    pub options: &'a SelfTestOptions,
    pub environment: &'a Environment,
    pub version: &'a str,
    /// This program, which is the simulator too.
    pub program: PathBuf,
}

impl SelfTest<'_> {
    /// How long requests will be sent.
    pub fn seconds(&self) -> Result<f64, SelfTestOptionError> {
        Ok(Setup::new(self.options)?.pace().ramp.as_secs_f64() + self.options.duration)
    }

    /// Runs it on the calling thread. Nothing is kept; [`StateFile::keep`] does that. The run's options go through the
    /// rules of `aiperf profile` in `resolve`.
    pub fn execute(
        &self,
        resolve: &ResolveOptions<'_>,
        control: &ControlSource,
        monitor: &Arc<Monitor>,
    ) -> Result<SelfTestReport, SelfTestError> {
        if cfg!(not(unix)) {
            return Err(SelfTestError::Platform);
        }
        let setup = Setup::new(self.options)?;
        let folder = TestFolder::open(self.options.artifact_dir.clone())?;
        let truth_file = folder.path.join(TRUTH_FILE);
        let simulator = Simulator::start(&self.program, &truth_file, &setup.simulator_settings())?;
        let options = setup.run_options(simulator.url(), &folder.path);
        let config = resolve(&options).map_err(SelfTestError::Config)?;
        let hub = Hub::new(HubEnvironment::from_variables(|name| self.environment.variables.get(name).cloned()));
        let mut run = Run::prepare(config, self.version, &hub, &LiveRun::new(RunFacts::default()))?;
        let tap = Arc::new(ClientTap::default());
        run.tap = Some(Arc::clone(&tap));
        let before = (Mono::now(), process_cpu());
        let result = run.execute(self.version, control, monitor)?;
        let cpu = cpu_since(before);
        if result.report.ending.outcome.is_interrupted() {
            return Err(SelfTestError::Interrupted);
        }
        simulator.stop()?;
        let compared = compare::compare(&tap.take(), &truth::read(&truth_file)?, setup.pace());
        let limits = grade::limits(setup.load, self.options.max_ttft_error);
        let evidence = grade::GradeInput {
            load: setup.load,
            duration: self.options.duration,
            counts: &compared.counts,
            reached: &compared.reached,
            errors: &compared.errors,
            limits: &limits,
            simulator_lag: compared.simulator_lag.as_ref(),
            health: result.report.client_health.as_ref(),
        };
        let problems = evidence.problems();
        Ok(SelfTestReport {
            aiperf_version: self.version.to_owned(),
            date: LocalZone::utc_seconds(WallAnchor::take().epoch(Mono::now())),
            machine: machine::this_machine(),
            asked: setup.asked(),
            reached: compared.reached,
            requests: compared.counts,
            client_cpu: cpu,
            simulator_lag: compared.simulator_lag,
            errors: compared.errors,
            limits,
            verdict: grade::grade_of(&problems),
            problems,
            kept_in: None,
        })
    }
}

/// Where the files of the run go; one of our own goes away in the end.
#[derive(Debug)]
struct TestFolder {
    path: PathBuf,
    _own: Option<tempfile::TempDir>,
}

impl TestFolder {
    fn open(wanted: Option<PathBuf>) -> Result<Self, SelfTestError> {
        match wanted {
            Some(path) => match fs::create_dir_all(&path) {
                Ok(()) => Ok(Self { path, _own: None }),
                Err(source) => Err(SelfTestError::TestFolder { path, source }),
            },
            None => match tempfile::Builder::new().prefix("aiperf-selftest-").tempdir() {
                Ok(own) => Ok(Self { path: own.path().to_owned(), _own: Some(own) }),
                Err(source) => Err(SelfTestError::TestFolder { path: std::env::temp_dir(), source }),
            },
        }
    }
}

fn cpu_since((began, before): (Mono, Nanos)) -> ClientCpu {
    let cpu_seconds = Nanos(process_cpu().0.saturating_sub(before.0)).as_secs_f64();
    let wall_seconds = Mono::now().since(began).as_secs_f64();
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let percent = 100.0 * cpu_seconds / wall_seconds.max(1e-9) / processors as f64;
    ClientCpu { cpu_seconds, wall_seconds, processors, percent }
}
