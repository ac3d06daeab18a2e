//! The other end: a forked process that writes chunks at an even pace and then closes all streams.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::{CHUNK, Load};

/// Connects all streams and forks the process that writes to them. Returns the client's ends.
pub fn start(load: &Load) -> io::Result<Vec<TcpStream>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..load.streams {
        ours.push(TcpStream::connect(address)?);
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        theirs.push(stream);
    }
    // SAFETY: the process has one thread, and the child only writes to its streams and exits.
    if unsafe { libc::fork() } == 0 {
        drop(ours);
        write_all(&theirs, load);
        std::process::exit(0);
    }
    Ok(ours)
}

fn write_all(streams: &[TcpStream], load: &Load) {
    let chunk = [b'x'; CHUNK];
    let start = Instant::now() + Duration::from_millis(200);
    let rounds = load.seconds * 1_000_000 / load.gap_us;
    for round in 0..rounds {
        for (place, mut stream) in streams.iter().enumerate() {
            let due = start + Duration::from_nanos(1_000 * load.gap_us * round + 1_000 * load.gap_us * place as u64 / streams.len() as u64);
            let now = Instant::now();
            // What is due within the next 50 µs is written together: a timer is not more exact than that.
            if due > now + Duration::from_micros(50) {
                std::thread::sleep(due - now);
            }
            let _ = stream.write_all(&chunk);
        }
    }
}
