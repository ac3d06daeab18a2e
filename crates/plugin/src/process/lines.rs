//! Reads lines of a limited length from a program, on a thread of its own. The queue between them is bounded: a program that writes
//! without being asked waits, and nothing grows.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Lines that wait to be read.
const WAITING: usize = 64;
/// Bytes of a line of stderr that are logged.
const LOGGED_BYTES: usize = 4 << 10;
/// Lines of stderr that are logged; more are counted.
const LOGGED_LINES: usize = 200;

/// What the reader found.
#[derive(Debug)]
pub(super) enum PluginLine {
    Text(Vec<u8>),
    TooLong,
}

/// Lines of a stream until its end.
pub(super) fn lines(stream: impl Read + Send + 'static, limit: usize) -> io::Result<Receiver<PluginLine>> {
    let (sender, receiver) = sync_channel(WAITING);
    thread::Builder::new().name("plugin-stdout".to_owned()).spawn(move || {
        let mut reader = BufReader::new(stream);
        while let Ok(Some(line)) = next_line(&mut reader, limit) {
            let is_last = matches!(line, PluginLine::TooLong);
            if sender.send(line).is_err() || is_last {
                break;
            }
        }
    })?;
    Ok(receiver)
}

fn next_line(reader: &mut impl BufRead, limit: usize) -> io::Result<Option<PluginLine>> {
    let mut line = Vec::new();
    let read = reader.by_ref().take(limit as u64 + 1).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > limit {
        return Ok(Some(PluginLine::TooLong));
    }
    Ok(Some(PluginLine::Text(line)))
}

/// Passes stderr on to the log; returns the last line when the stream ends.
pub(super) fn log_stderr(stream: impl Read + Send + 'static, label: String) -> io::Result<thread::JoinHandle<String>> {
    thread::Builder::new().name("plugin-stderr".to_owned()).spawn(move || {
        let mut reader = BufReader::new(stream);
        let (mut count, mut last) = (0, String::new());
        while let Ok(Some(line)) = next_line(&mut reader, LOGGED_BYTES) {
            let PluginLine::Text(line) = line else { continue };
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if text.is_empty() {
                continue;
            }
            count += 1;
            if count <= LOGGED_LINES {
                log::info!("plugin {label}: {text}");
            } else if count == LOGGED_LINES + 1 {
                log::info!("plugin {label}: more lines on stderr are not logged");
            }
            last = text;
        }
        last
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_newlines_and_at_their_limit() {
        let read = |text: &'static str| -> Vec<String> {
            let found = lines(text.as_bytes(), 4).unwrap();
            let text = |line| match line {
                PluginLine::Text(line) => String::from_utf8(line).unwrap(),
                PluginLine::TooLong => "too long".to_owned(),
            };
            found.iter().map(text).collect()
        };
        assert_eq!(read("ab\n\nabcd\nx"), ["ab", "", "abcd", "x"]);
        assert_eq!(read("ab\nabcde\nab"), ["ab", "too long"]);
    }
}
