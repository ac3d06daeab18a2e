//! Threads whose work can wait get out of the way of those whose lateness would be measured.

/// About a tenth of what the others get where there is too little for all.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Every thread that has not called this comes before the calling one.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(cause) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS) {
        log::debug!("a thread keeps its priority: {cause}");
    }
}
