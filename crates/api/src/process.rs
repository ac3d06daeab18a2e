//! What the system says about this process, in the words of the reference's worker health.

use std::fs;
use std::sync::{Mutex, PoisonError};

use aiperf_clock::Mono;
use serde_json::{Value, json};

/// Follows the processor time of this process.
#[derive(Debug)]
pub(crate) struct ProcessHealth {
    began: Mono,
    /// When the processor time was last read, what it was, and the share since the reading before.
    last: Mutex<(Mono, f64, f64)>,
}

impl ProcessHealth {
    pub(crate) fn new(now: Mono) -> Self {
        let used = cpu_times().map_or(0.0, |[user, system]| user + system);
        Self { began: now, last: Mutex::new((now, used, 0.0)) }
    }

    /// `null` where the system has no `/proc`.
    pub(crate) fn read(&self, now: Mono, epoch_seconds: f64) -> Value {
        let Some([user, system]) = cpu_times() else { return Value::Null };
        let cpu = self.cpu_percent(now, user + system);
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| number_after(&status, name).unwrap_or(0);
        let io = fs::read_to_string("/proc/self/io").unwrap_or_default();
        let io = ["syscr:", "syscw:", "read_bytes:", "write_bytes:", "rchar:", "wchar:"]
            .map(|name| number_after(&io, name).unwrap_or(0));
        let uptime = now.since(self.began).as_secs_f64();
        json!({
            "pid": std::process::id(),
            "create_time": epoch_seconds - uptime,
            "uptime": uptime,
            "cpu_usage": cpu,
            "memory_usage": field("VmRSS:") * 1024,
            "io_counters": io,
            "cpu_times": [user, system, 0.0],
            "num_ctx_switches": [field("voluntary_ctxt_switches:"), field("nonvoluntary_ctxt_switches:")],
            "num_threads": field("Threads:"),
        })
    }

    /// Of one processor, since the reading before; at least half a second lies between two readings.
    fn cpu_percent(&self, now: Mono, used: f64) -> f64 {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = now.since(last.0).as_secs_f64();
        if passed >= 0.5 {
            *last = (now, used, 100.0 * (used - last.1) / passed);
        }
        last.2
    }
}

/// Seconds in user and in system mode.
#[cfg(not(unix))]
const fn cpu_times() -> Option<[f64; 2]> {
    None
}

/// Seconds in user and in system mode.
#[cfg(unix)]
fn cpu_times() -> Option<[f64; 2]> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may have blanks in it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).map(str::parse::<u64>);
    let ticks = rustix::param::clock_ticks_per_second().max(1) as f64;
    let mut next = || Some(fields.next()?.ok()? as f64 / ticks);
    Some([next()?, next()?])
}

fn number_after(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_their_names() {
        let status = "Name:\taiperf\nThreads:\t12\nvoluntary_ctxt_switches:\t7\n";
        assert_eq!(number_after(status, "Threads:"), Some(12));
        assert_eq!(number_after(status, "VmRSS:"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_threads_and_memory() {
        let health = ProcessHealth::new(Mono::now());
        let read = health.read(Mono::now(), 1.8e9);
        assert!(read["num_threads"].as_u64().unwrap() >= 1, "{read}");
        assert!(read["memory_usage"].as_u64().unwrap() > 100_000, "{read}");
    }
}
