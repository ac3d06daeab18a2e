//! The process that becomes Python: it enters its file system, gives up its rights, and takes its limits.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::Write;

use nix::sys::prctl::{set_no_new_privs, set_pdeathsig};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Gid, Uid, execve, setgroups, setresgid, setresuid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use super::report::{FailedStep, NamedStep};
use super::{Order, PREPARED, Rights, START_OF_PYTHON, file_system, system_calls};

/// Open files of a program, at most.
const MAX_FILES: u64 = 64;

/// What a Python program finds in its environment. The seed of hashes is fixed, so that a program does the same in every run.
const ENVIRONMENT: [&str; 6] = [
    "PATH=/usr/bin:/bin",
    "HOME=/task",
    "LANG=C.UTF-8",
    "PYTHONDONTWRITEBYTECODE=1",
    "PYTHONHASHSEED=0",
    "PYTHONIOENCODING=utf-8",
];

/// Becomes Python. It returns only if that fails, and then reports why.
pub(super) fn become_program(order: &Order) -> i32 {
    // Opened in the file system of the caller, and closed by the kernel when Python starts.
    let Ok(mut progress) = OpenOptions::new().write(true).open(&order.progress) else { return 1 };
    let Err(failed) = prepare(order, &mut progress);
    failed.report().write(&mut progress);
    1
}

fn prepare(order: &Order, progress: &mut File) -> Result<std::convert::Infallible, FailedStep> {
    let text = |text: &str| CString::new(text).step("arguments");
    let interpreter = text(&order.interpreter.to_string_lossy())?;
    let mut arguments = vec![interpreter.clone(), text("-B")?, text("-s")?];
    for argument in &order.arguments {
        arguments.push(text(argument)?);
    }
    let environment = ENVIRONMENT.iter().map(|variable| text(variable)).collect::<Result<Vec<_>, _>>()?;

    file_system::enter(&order.root)?;
    set_limits(order)?;
    give_up_rights(order.rights)?;
    // After the change of the user, which resets it.
    set_pdeathsig(Signal::SIGKILL).step("signal at the end of the keeper")?;
    // A keeper that ended before sends no signal, and does not read the pipe.
    progress.write_all(PREPARED.as_bytes()).step("end of the keeper")?;
    set_no_new_privs().step("no new privileges")?;
    system_calls::restrict().step("filter of system calls")?;
    execve(&interpreter, &arguments, &environment).step(START_OF_PYTHON)
}

fn give_up_rights(rights: Rights) -> Result<(), FailedStep> {
    if let Rights::Root { user } = rights {
        let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
        setgroups(&[]).step("groups")?;
        setresgid(group, group, group).step("group")?;
        setresuid(user, user, user).step("user")?;
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none }).step("capabilities")
}

fn set_limits(order: &Order) -> Result<(), FailedStep> {
    let limits = &order.limits;
    let stack = (limits.memory_bytes / 4).min(512 << 20);
    for (resource, limit) in [
        (Resource::RLIMIT_CPU, limits.cpu_seconds),
        (Resource::RLIMIT_AS, limits.memory_bytes),
        (Resource::RLIMIT_DATA, limits.memory_bytes),
        (Resource::RLIMIT_STACK, stack),
        (Resource::RLIMIT_NPROC, limits.threads),
        (Resource::RLIMIT_NOFILE, MAX_FILES),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_MEMLOCK, 0),
        (Resource::RLIMIT_MSGQUEUE, 0),
        (Resource::RLIMIT_SIGPENDING, 64),
    ] {
        setrlimit(resource, limit, limit).step("limits")?;
    }
    Ok(())
}
