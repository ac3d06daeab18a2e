//! Starts a sandbox, feeds it, and ends it at a limit.

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, geteuid};

use super::report::SandboxReport;
use super::{MARK, Order, Rights, START_OF_PYTHON, SandboxProcess};
use crate::{Ending, Finished, Python, SandboxError, SandboxLimits, SandboxProgram};

/// Users above this number exist on no machine.
const FIRST_USER: u32 = 1_900_000_000;

/// Counts sandboxes, so that each of those that run at once has its own user and its own count of threads.
static SANDBOXES: AtomicU32 = AtomicU32::new(0);

/// What ends the wait for a program.
enum Event {
    OutputEnded,
    TooMuchOutput,
}

pub(crate) fn run(
    python: &Python,
    program: &SandboxProgram<'_>,
    limits: &SandboxLimits,
) -> Result<Finished, SandboxError> {
    let folder = tempfile::Builder::new().prefix("aiperf-sandbox-").tempdir()?;
    let (root, files, report) = (folder.path().join("root"), folder.path().join("files"), folder.path().join("report"));
    fs::create_dir(&root)?;
    fs::create_dir(&files)?;
    for (name, content) in program.files {
        fs::write(files.join(name), content)?;
        fs::set_permissions(files.join(name), Permissions::from_mode(0o444))?;
    }
    fs::set_permissions(&files, Permissions::from_mode(0o755))?;
    let order = Order {
        process: SandboxProcess::Keeper,
        root,
        files,
        report: report.clone(),
        progress: folder.path().join("progress"),
        folders: python.folders().to_vec(),
        interpreter: python.interpreter().to_owned(),
        arguments: program.arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        limits: *limits,
        rights: rights(),
    };
    let order = serde_json::to_string(&order).map_err(std::io::Error::from)?;
    let keeper = Command::new("/proc/self/exe")
        .args([MARK, &order])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let mut finished = watch(keeper, program.stdin, limits)?;
    if matches!(finished.ending, Ending::OutOfTime | Ending::TooMuchOutput) {
        return Ok(finished);
    }
    finished.ending = match SandboxReport::read(&report) {
        Some(SandboxReport::Exited(code)) => Ending::Exited(code),
        Some(SandboxReport::Killed(signal)) => Ending::Killed(signal),
        Some(SandboxReport::Failed { step, reason }) if step == START_OF_PYTHON => {
            let interpreter = python.interpreter().display().to_string();
            return Err(SandboxError::UnusablePython { interpreter, reason });
        }
        Some(SandboxReport::Failed { step, reason }) => return Err(SandboxError::Unavailable { step, reason }),
        None => {
            let reason = format!("it ended without a report: {}", String::from_utf8_lossy(&finished.stderr).trim());
            return Err(SandboxError::Unavailable { step: "start of the sandbox".to_owned(), reason });
        }
    };
    Ok(finished)
}

fn rights() -> Rights {
    let number = SANDBOXES.fetch_add(1, Ordering::Relaxed) % 1_000;
    let user = FIRST_USER + (std::process::id() % 100_000) * 1_000 + number;
    if geteuid().is_root() && user_exists_here(user) { Rights::Root { user } } else { Rights::UserNamespace }
}

/// Whether a process can become the user with this number. In a container without root it cannot.
fn user_exists_here(user: u32) -> bool {
    let table = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    table.lines().any(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u32>);
        let (Some(Ok(first)), Some(Ok(_)), Some(Ok(count))) = (numbers.next(), numbers.next(), numbers.next()) else {
            return false;
        };
        user.checked_sub(first).is_some_and(|position| position < count)
    })
}

/// Feeds the program, collects its output, and waits for its end or for a limit.
fn watch(mut keeper: Child, input: &[u8], limits: &SandboxLimits) -> Result<Finished, SandboxError> {
    let (stdin, stdout, stderr) = (keeper.stdin.take(), keeper.stdout.take(), keeper.stderr.take());
    let written = AtomicUsize::new(0);
    let (events, ended) = channel();
    thread::scope(|scope| {
        let feeder = scope.spawn(move || {
            // A program may end before it has read its input.
            let _ = stdin.map(|mut stdin| stdin.write_all(input));
        });
        let (first, second) = (events.clone(), events);
        let written = &written;
        let stdout = scope.spawn(move || stdout.map(|pipe| collect(pipe, written, limits.output_bytes, &first)));
        let stderr = scope.spawn(move || stderr.map(|pipe| collect(pipe, written, limits.output_bytes, &second)));
        let mut open_pipes = 2;
        let ending = loop {
            match ended.recv_timeout(limits.time) {
                Ok(Event::OutputEnded) if open_pipes > 1 => open_pipes -= 1,
                Ok(Event::OutputEnded) | Err(RecvTimeoutError::Disconnected) => break None,
                Ok(Event::TooMuchOutput) => break Some(Ending::TooMuchOutput),
                Err(RecvTimeoutError::Timeout) => break Some(Ending::OutOfTime),
            }
        };
        if ending.is_some() {
            end(&keeper);
        }
        // Pipes end with the program; what is left is that the keeper reports.
        let status = keeper.wait();
        let _ = feeder.join();
        let output =
            |pipe: thread::ScopedJoinHandle<'_, Option<Vec<u8>>>| pipe.join().ok().flatten().unwrap_or_default();
        let (stdout, stderr) = (output(stdout), output(stderr));
        status?;
        Ok(Finished { ending: ending.unwrap_or(Ending::Exited(0)), stdout, stderr })
    })
}

/// Kills the keeper, and with it the program: the kernel sends the program a signal when the keeper ends.
fn end(keeper: &Child) {
    if let Ok(group) = i32::try_from(keeper.id()) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

/// Reads a pipe to its end. Of what is over the limit nothing is kept.
fn collect(mut pipe: impl Read, written: &AtomicUsize, limit: usize, events: &Sender<Event>) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        let before = written.fetch_add(count, Ordering::Relaxed);
        kept.extend_from_slice(&buffer[..count.min(limit.saturating_sub(before))]);
        if before + count > limit {
            let _ = events.send(Event::TooMuchOutput);
        }
    }
    let _ = events.send(Event::OutputEnded);
    kept
}
