//! Linux rounds a thread's timeouts up by its timer slack, 50 µs by default. A thread that keeps time asks for 1 ns.

/// Lets timed waits of the calling thread end when they are due. Does nothing where the platform has no such setting.
pub fn tighten_timer_slack() {
    #[cfg(target_os = "linux")]
    {
        // A kernel that refuses leaves the default slack: waits end a little late, and the lag metric shows it.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    }
}
