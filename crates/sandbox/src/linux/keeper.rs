//! The process between the caller and the program: it leaves the namespaces of the caller, builds the file system, starts the program
//! and reports how it ended.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::stat::{Mode, umask};
use nix::unistd::{getegid, geteuid, mkfifo, sethostname};

use super::report::{FailedStep, NamedStep, SandboxReport};
use super::{MARK, Order, PREPARED, Rights, SandboxProcess, file_system};

/// Runs the program of an order. The exit code is 0 if a report was written.
pub(super) fn keep(order: Order) -> i32 {
    let Ok(mut report) = File::create(&order.report) else { return 1 };
    let ended = start(order).unwrap_or_else(FailedStep::report);
    ended.write(&mut report);
    0
}

fn start(order: Order) -> Result<SandboxReport, FailedStep> {
    set_pdeathsig(Signal::SIGKILL).step("signal at the end of the caller")?;
    // The program is another user than the owner of the folders that are made here.
    umask(Mode::from_bits_truncate(0o022));
    mkfifo(&order.progress, Mode::S_IRUSR | Mode::S_IWUSR).step("pipe for the report")?;
    // Without waiting for the other end, which is opened by the program.
    let progress = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&order.progress);
    let mut progress = progress.step("pipe for the report")?;
    enter_namespaces(order.rights)?;
    sethostname("sandbox").step("host name")?;
    file_system::build(&order)?;
    let order = Order { process: SandboxProcess::Program, ..order };
    let text = serde_json::to_string(&order).step("order")?;
    let status =
        Command::new("/proc/self/exe").args([MARK, &text]).env_clear().status().step("start of the program")?;
    let mut said = String::new();
    progress.read_to_string(&mut said).step("pipe for the report")?;
    if said != PREPARED {
        return Ok(not_started(&said));
    }
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => SandboxReport::Exited(code),
        (None, signal) => SandboxReport::Killed(signal.unwrap_or_default()),
    })
}

/// Why Python did not start. A process that ended without a word was not even able to open the pipe.
fn not_started(said: &str) -> SandboxReport {
    let report = said.strip_prefix(PREPARED).unwrap_or(said);
    serde_json::from_str(report).unwrap_or_else(|_| SandboxReport::Failed {
        step: "start of the program".to_owned(),
        reason: "it ended before it was prepared".to_owned(),
    })
}

fn enter_namespaces(rights: Rights) -> Result<(), FailedStep> {
    let namespaces = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    match rights {
        Rights::Root { .. } => unshare(namespaces).step("namespaces as root"),
        Rights::UserNamespace => {
            let (user, group) = (geteuid(), getegid());
            unshare(namespaces | CloneFlags::CLONE_NEWUSER).step("namespaces of a user")?;
            // A process that may not call setgroups may map its own group.
            fs::write("/proc/self/setgroups", "deny").step("groups of the user namespace")?;
            fs::write("/proc/self/uid_map", format!("0 {user} 1")).step("users of the user namespace")?;
            fs::write("/proc/self/gid_map", format!("0 {group} 1")).step("groups of the user namespace")
        }
    }
}
