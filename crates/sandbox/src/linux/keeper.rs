//! The process between the caller and the program: it leaves the namespaces of the caller, builds the file system, starts the program
//! and reports how it ended.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{getegid, geteuid, sethostname};

use super::report::{FailedStep, NamedStep, SandboxReport};
use super::{MARK, Order, Rights, SandboxProcess, file_system};

/// Runs the program of an order. The exit code is 0 if a report was written.
pub(super) fn keep(order: Order) -> i32 {
    let Ok(mut report) = File::create(&order.report) else { return 1 };
    match start(order) {
        Ok(Some(ended)) => ended.write(&mut report),
        // The program could not start, and has written the report itself.
        Ok(None) => {}
        Err(failed) => failed.report().write(&mut report),
    }
    0
}

fn start(order: Order) -> Result<Option<SandboxReport>, FailedStep> {
    set_pdeathsig(Signal::SIGKILL).step("signal at the end of the caller")?;
    enter_namespaces(order.rights)?;
    sethostname("sandbox").step("host name")?;
    file_system::build(&order)?;
    let order = Order { process: SandboxProcess::Program, ..order };
    let text = serde_json::to_string(&order).step("order")?;
    let status =
        Command::new("/proc/self/exe").args([MARK, &text]).env_clear().status().step("start of the program")?;
    if matches!(SandboxReport::read(&order.report), Some(SandboxReport::Failed { .. })) {
        return Ok(None);
    }
    Ok(Some(match (status.code(), status.signal()) {
        (Some(code), _) => SandboxReport::Exited(code),
        (None, signal) => SandboxReport::Killed(signal.unwrap_or_default()),
    }))
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
