//! What one chunk costs a client that receives it alone, with its kernel timestamp: by `epoll_wait` and `recvmsg`, and by
//! `io_uring` with multishot `recvmsg` and provided buffers.
//!
//!     receive-cost epoll|uring [streams] [gap in ms] [seconds] [batch in µs]
//!
//! A forked process writes one chunk to every stream in each gap, spread evenly. The client sleeps `batch` microseconds
//! between two looks at its sockets, as aiperf's workers do; 0 waits for each chunk.

mod epoll;
mod server;
mod stamps;
mod uring;

use std::time::Instant;

/// Bytes of a chunk, about as many as an event of a chat stream has.
pub const CHUNK: usize = 220;

/// What a client counted.
#[derive(Default)]
pub struct Received {
    pub chunks: u64,
    pub stamped: u64,
    /// Reads that brought more than one chunk.
    pub merged: u64,
    pub waits: u64,
}

pub struct Load {
    pub streams: usize,
    pub gap_us: u64,
    pub seconds: u64,
    pub batch_us: u64,
}

fn cpu_seconds() -> (f64, f64) {
    // SAFETY: `usage` is a plain struct of integers that the call fills.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: u64| words.get(place).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let load = Load {
        streams: number(1, 1_000) as usize,
        gap_us: number(2, 10) * 1_000,
        seconds: number(3, 5),
        batch_us: number(4, 0),
    };
    let sockets = server::start(&load)?;
    let (before, start) = (cpu_seconds(), Instant::now());
    let received = match words.first().map(String::as_str) {
        Some("uring") => uring::receive(sockets, &load)?,
        Some("epoll") => epoll::receive(sockets, &load)?,
        _ => panic!("say epoll or uring"),
    };
    let (after, wall) = (cpu_seconds(), start.elapsed().as_secs_f64());
    let Received { chunks, stamped, merged, waits } = received;
    let micros = |seconds: f64| seconds * 1e6 / chunks as f64;
    println!(
        "{:6} {:6} streams, batch {:4} us: {:8} chunks, {:.2} us CPU each ({:.2} user + {:.2} system), {:.1} chunks per wait, \
         {:.3} % merged, {:.1} % stamped, {wall:.1} s",
        words[0],
        load.streams,
        load.batch_us,
        chunks,
        micros(after.0 + after.1 - before.0 - before.1),
        micros(after.0 - before.0),
        micros(after.1 - before.1),
        chunks as f64 / waits as f64,
        100.0 * merged as f64 / chunks as f64,
        100.0 * stamped as f64 / chunks as f64,
    );
    Ok(())
}
