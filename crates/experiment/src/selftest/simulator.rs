//! The simulator as a process of its own, so that it takes its time on a processor of its own too.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos};

use super::SelfTestError;

/// Long enough to write out the truth of a large run.
const PATIENCE: Nanos = Nanos(30_000_000_000);
const STEP: Duration = Duration::from_millis(5);

/// A running simulator. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Simulator {
    child: Child,
    url: String,
    // Open for as long as the child may write to it.
    _stdout: BufReader<ChildStdout>,
}

impl Simulator {
    /// Runs `program sim` on a free port of the loopback and waits until it listens.
    pub(super) fn start(program: &Path, truth: &Path, settings: &[(&str, String)]) -> Result<Self, SelfTestError> {
        let mut command = Command::new(program);
        command.args(["sim", "--port", "0", "--truth"]).arg(truth);
        for (flag, value) in settings {
            command.arg(format!("--{flag}")).arg(value);
        }
        let failed = |source| SelfTestError::Spawn { program: program.to_owned(), source };
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut line = String::new();
        let Some(mut stdout) = child.stdout.take().map(BufReader::new) else {
            return Err(SelfTestError::NoUrl(line));
        };
        let read = stdout.read_line(&mut line);
        // From here on a failure leaves no child behind.
        let mut simulator = Self { child, url: String::new(), _stdout: stdout };
        match (read, line.split_whitespace().find(|word| word.starts_with("http://"))) {
            (Ok(_), Some(url)) => url.clone_into(&mut simulator.url),
            _ => return Err(SelfTestError::NoUrl(line.trim().to_owned())),
        }
        Ok(simulator)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    #[cfg(unix)]
    fn ask_to_end(&mut self) {
        use rustix::process::{Pid, Signal, kill_process};
        // Fails only when it has ended already, and then its status says how.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
    }

    #[cfg(not(unix))]
    fn ask_to_end(&mut self) {
        let _ = self.child.kill();
    }

    /// Asks it to end, and waits until the truth is on disk.
    pub(super) fn stop(mut self) -> Result<(), SelfTestError> {
        self.ask_to_end();
        let given_up = Mono::now() + PATIENCE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(SelfTestError::SimulatorEnded(status.to_string())),
                Ok(None) if Mono::now() < given_up => thread::sleep(STEP),
                Ok(None) => return Err(SelfTestError::SimulatorEnded("it did not stop when asked".to_owned())),
                Err(error) => return Err(SelfTestError::SimulatorEnded(error.to_string())),
            }
        }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
