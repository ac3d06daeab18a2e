//! The program under test as a child process.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::process::{Pid, kill_process};

use crate::command::{Command, Output, Signal};

const POLL: Duration = Duration::from_millis(5);

/// A started program. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    started: Instant,
    stdout: PathBuf,
    stderr: PathBuf,
    most_kib: u64,
}

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) seconds: f64,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) most_mib: u64,
}

impl Program {
    /// `words` are those of the command line, in `folder`; `number` tells its output files from those of others.
    pub(crate) fn start(
        binary: &Path,
        words: &[String],
        command: &Command,
        folder: &Path,
        number: usize,
    ) -> anyhow::Result<Self> {
        let mut process = if command.prelude.is_empty() {
            std::process::Command::new(binary)
        } else {
            let mut shell = std::process::Command::new("/bin/sh");
            shell.arg("-c").arg(format!("{}\nexec \"$0\" \"$@\"", command.prelude)).arg(binary);
            shell
        };
        let mut variables: BTreeMap<String, String> = BTreeMap::new();
        variables.insert("HOME".to_owned(), folder.display().to_string());
        variables.insert("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned());
        variables.extend(command.env.clone());
        variables.retain(|name, _| !command.without_env.contains(name));
        let path = |stream: &str| folder.join(format!("{stream}.{number}"));
        let output = |kind: Output, path: &Path| -> io::Result<Stdio> {
            Ok(match kind {
                Output::File => Stdio::from(File::create(path)?),
                // The end that could be read is closed here and now.
                Output::BrokenPipe => Stdio::from(io::pipe()?.1),
            })
        };
        let (stdout, stderr) = (path("stdout"), path("stderr"));
        process
            .args(words)
            .current_dir(folder)
            .env_clear()
            .envs(variables)
            .stdin(Stdio::null())
            .stdout(output(command.stdout, &stdout)?)
            .stderr(output(command.stderr, &stderr)?);
        let child = process.spawn().with_context(|| format!("cannot start {}", binary.display()))?;
        Ok(Self { child, started: Instant::now(), stdout, stderr, most_kib: 0 })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        use rustix::process::Signal as Sys;
        let signal = match signal {
            Signal::Int => Sys::INT,
            Signal::Term => Sys::TERM,
            Signal::Hup => Sys::HUP,
            Signal::Kill => Sys::KILL,
            Signal::Stop => Sys::STOP,
            Signal::Cont => Sys::CONT,
            Signal::Quit => Sys::QUIT,
            Signal::Usr1 => Sys::USR1,
            Signal::Pipe => Sys::PIPE,
        };
        kill_process(Pid::from_child(&self.child), signal).context("the program cannot be signalled")
    }

    pub(crate) fn stderr(&self) -> String {
        text_of(&self.stderr)
    }

    pub(crate) fn has_ended(&mut self) -> anyhow::Result<bool> {
        self.sample_memory();
        Ok(self.child.try_wait()?.is_some())
    }

    /// Waits for the end, at most so long after the start.
    pub(crate) fn end(mut self, within: Duration) -> anyhow::Result<Ended> {
        let status = loop {
            self.sample_memory();
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if self.started.elapsed() > within {
                bail!("still running after {} s", within.as_secs());
            }
            thread::sleep(POLL);
        };
        Ok(Ended {
            status,
            seconds: self.started.elapsed().as_secs_f64(),
            stdout: text_of(&self.stdout),
            stderr: self.stderr(),
            most_mib: self.most_kib / 1024,
        })
    }

    fn sample_memory(&mut self) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.trim().strip_suffix(" kB")?.parse().ok());
        self.most_kib = self.most_kib.max(peak.unwrap_or(0));
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has usually ended, and then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text_of(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Runs the commands of a shell in a folder; they must succeed.
pub(crate) fn shell(commands: &str, folder: &Path) -> anyhow::Result<()> {
    let output = std::process::Command::new("/bin/sh")
        .args(["-e", "-c", commands])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .context("cannot start /bin/sh")?;
    if !output.status.success() {
        bail!("{commands:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
