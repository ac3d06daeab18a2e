//! What the process and its threads ask of the kernel: processor time used, and timed waits that end on time.

use crate::Nanos;
use crate::system::process_cpu_nanos;

/// Processor time of all threads of this process together, since it started; zero on platforms that do not tell (Windows).
pub fn process_cpu() -> Nanos {
    Nanos(process_cpu_nanos())
}

/// Lets timed waits of the calling thread end when they are due: Linux rounds them up by the thread's timer slack, 50 µs
/// by default, and this sets it to 1 ns. Does nothing on platforms without such a setting.
pub fn tighten_timer_slack() {
    #[cfg(target_os = "linux")]
    {
        // A kernel that refuses leaves the default slack: waits end a little late, and the lag metric shows it.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    }
}
