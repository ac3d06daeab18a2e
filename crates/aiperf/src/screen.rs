//! Lines that must not be written while the dashboard has the terminal: they are held until it is closed.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// Lines that may wait. A run with more warnings than these has them all in its log file.
const MOST: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

static HELD: Mutex<Vec<(Stream, String)>> = Mutex::new(Vec::new());

/// Whether a stream belongs to the dashboard now. A stream that goes to a file never does.
pub(crate) fn is_taken(stream: Stream) -> bool {
    aiperf_dashboard::is_on_screen()
        && match stream {
            Stream::Stdout => io::stdout().is_terminal(),
            Stream::Stderr => io::stderr().is_terminal(),
        }
}

/// Keeps a text for [`release`].
pub(crate) fn hold(stream: Stream, text: String) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held.len() < MOST {
        held.push((stream, text));
    }
}

/// Writes what was held, in its order. Call it when the terminal is as it was.
pub(crate) fn release() {
    let held = std::mem::take(&mut *HELD.lock().unwrap_or_else(PoisonError::into_inner));
    for (stream, text) in held {
        // A terminal that is gone has nobody to tell.
        let _ = match stream {
            Stream::Stdout => io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()),
            Stream::Stderr => io::stderr().write_all(text.as_bytes()),
        };
    }
}
