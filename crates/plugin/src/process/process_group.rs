//! The group of processes that a plugin leads, so that all of them end with it. Other systems than Unix have none: there only the plugin itself
//! is ended.

use std::process::{Child, Command};

/// Ctrl-C is for the run; the program ends when its stdin does.
#[cfg(unix)]
pub(super) fn lead(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(super) fn lead(_: &mut Command) {}

/// Ends what the program started, and the program.
#[cfg(unix)]
pub(super) fn kill(leader: &Child) {
    if let Some(group) = i32::try_from(leader.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
pub(super) fn kill(_: &Child) {}
