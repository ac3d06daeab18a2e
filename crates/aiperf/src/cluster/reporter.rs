//! The reporter of a node: a small process that waits for the end of the node. If the node was killed, it sends what the node has left on
//! its disk, so that nothing of the run is lost with it.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{env, thread};

use aiperf_clock::Mono;
use aiperf_cluster::{Bus, NatsAccess, NatsBus, Remains, Shipped};

/// The first argument of a reporter; the second one is the folder of the process that it watches.
const MARK: &str = "--report-killed-node";
/// What a node says that has ended by itself.
const ENDED: &[u8] = b"ended";
/// The log of a reporter, in the folder of the process: nobody reads its standard error.
const LOG: &str = "reporter.log";
/// Pause before a failed call is repeated.
const RETRY: Duration = Duration::from_millis(300);

/// The reporter of this process.
#[derive(Debug)]
pub(super) struct Reporter {
    child: Child,
    /// Its end tells the reporter that this process is gone. It is closed when the process ends, however that happens, and no other
    /// program inherits it.
    pipe: Option<ChildStdin>,
}

impl Reporter {
    /// `place`: the folder of this process.
    pub(super) fn start(place: &Path) -> io::Result<Self> {
        let mut command = Command::new(own_program()?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, "aiperf");
        command.arg(MARK).arg(place).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        Ok(Self { pipe: child.stdin.take(), child })
    }

    /// This process has said itself how it ended.
    pub(super) fn dismiss(mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            let _ = pipe.write_all(ENDED);
        }
        let _ = self.child.wait();
    }
}

/// The file of this program, also if another one has taken its place since.
fn own_program() -> io::Result<PathBuf> {
    let itself = Path::new("/proc/self/exe");
    if itself.exists() { Ok(itself.to_owned()) } else { env::current_exe() }
}

/// Reports the node if this process was started for that.
pub(crate) fn report_if_asked() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next()? != MARK {
        return None;
    }
    let place = PathBuf::from(arguments.next()?);
    stand_apart();
    let mut word = Vec::new();
    // An error is an end, too: the node is gone.
    let _ = io::stdin().read_to_end(&mut word);
    if word == ENDED {
        return Some(ExitCode::SUCCESS);
    }
    match report(&place) {
        Ok(text) => note(&place, text),
        Err(error) => {
            note(&place, &crate::sentence(&error));
            return Some(ExitCode::FAILURE);
        }
    }
    Some(ExitCode::SUCCESS)
}

/// Signals for the node are not for its reporter.
fn stand_apart() {
    #[cfg(unix)]
    {
        use std::sync::atomic::AtomicBool;

        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

        // A session of its own: neither the terminal nor a signal to the process group of the node reaches it.
        let _ = rustix::process::setsid();
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
        }
    }
}

fn report(place: &Path) -> anyhow::Result<&'static str> {
    let Some(remains) = Remains::of_killed(place)? else { return Ok("There is nothing to report.") };
    let access = NatsAccess::read(remains.url(), &env::vars().collect())?;
    let (begun, mut told) = (Mono::now(), String::new());
    // Without the folder there is nothing left to send.
    while place.exists() {
        let bus = NatsBus::connect(&access, "aiperf node reporter").map(|bus| Arc::new(bus) as Arc<dyn Bus>);
        match bus.and_then(|bus| remains.ship(&bus)) {
            Ok(Shipped::Yes) => return Ok("The node was killed; the stream of the run has its records."),
            Ok(Shipped::RunIsGone) => return Ok("The node was killed, and its run is over; its records stay here."),
            Err(error) if Mono::now().since(begun).0 > remains.patience().as_nanos() as u64 => return Err(error.into()),
            Err(error) if told == error.to_string() => {}
            Err(error) => {
                told = error.to_string();
                note(place, &told);
            }
        }
        thread::sleep(RETRY);
    }
    Ok("The folder of the node is gone.")
}

fn note(place: &Path, text: &str) {
    if let Ok(mut log) = OpenOptions::new().create(true).append(true).open(place.join(LOG)) {
        let _ = writeln!(log, "{text}");
    }
}
