//! Lowers the priority of threads whose work can wait, so that they do not delay threads that take times.

/// Gives a thread about a tenth of the processor time of the others if there is not enough for all.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lowers the priority of the calling thread.
pub(crate) fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(cause) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS) {
        log::debug!("a thread keeps its priority: {cause}");
    }
}
