//! Server-Sent Events: the fields of each event, and the byte at which it was complete. The result is the same
//! however the network cut them.

mod scanner;

use std::borrow::Cow;

use memchr::memchr2;

pub use scanner::{SseFrame, SseScanner};

/// One event of a stream. A field that came without value, or not at all, is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// Values of the `data` lines, joined by a newline.
    pub data: Option<Cow<'a, str>>,
    /// Value of the last `event` line.
    pub name: Option<Cow<'a, str>>,
    /// Text of the comment lines, joined by a newline.
    pub comment: Option<Cow<'a, str>>,
    /// See [`SseFrame::complete_at`].
    pub complete_at: usize,
}

impl<'a> SseEvent<'a> {
    /// Reads the lines of `frame`, which must have been found in `body`.
    pub fn read(body: &'a [u8], frame: &SseFrame) -> Self {
        let mut event = Self { data: None, name: None, comment: None, complete_at: frame.complete_at };
        let mut rest = body.get(frame.lines.clone()).unwrap_or_default();
        let mut json = JsonProgress::default();
        while !rest.is_empty() {
            let (line, after) = split_line(rest);
            rest = after;
            event.take_line(line, &mut json);
        }
        event
    }

    fn take_line(&mut self, line: &'a [u8], json: &mut JsonProgress) {
        if line.is_empty() {
            return;
        }
        let colon = memchr::memchr(b':', line);
        let (name, value) = match colon {
            Some(at) => (line[..at].trim_ascii(), &line[at + 1..]),
            None => (line.trim_ascii(), &[][..]),
        };
        if name != b"data" && self.data.as_deref().is_some_and(|data| json.is_inside_string(data)) {
            // A server that put a raw newline into a JSON string: the rest of that string came as a line of its own.
            append(&mut self.data, "\\n", decoded(line));
            return;
        }
        let value = decoded(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"data" => append(&mut self.data, "\n", value),
            b"event" => self.name = Some(trimmed(value)),
            b"" if colon.is_some() => append(&mut self.comment, "\n", trimmed(value)),
            _ => {}
        }
    }
}

/// All events of a complete body, the last one included that no blank line closes.
pub fn events(body: &[u8]) -> impl Iterator<Item = SseEvent<'_>> {
    let mut scanner = SseScanner::new();
    std::iter::from_fn(move || {
        let frame = scanner.next_frame(body).or_else(|| scanner.last_frame(body))?;
        Some(SseEvent::read(body, &frame))
    })
}

fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr2(b'\n', b'\r', text) {
        Some(end) if text[end..].starts_with(b"\r\n") => (&text[..end], &text[end + 2..]),
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &[]),
    }
}

fn append<'a>(to: &mut Option<Cow<'a, str>>, separator: &str, more: Cow<'a, str>) {
    match to {
        None => *to = Some(more),
        Some(text) => {
            let text = text.to_mut();
            text.push_str(separator);
            text.push_str(&more);
        }
    }
}

/// Invalid bytes become U+FFFD. The check comes first because it is several times as fast as a lossy reading.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// How far the data of one event has been looked at as JSON, so that many broken lines cost no second look.
#[derive(Debug, Default)]
struct JsonProgress {
    looked_at: usize,
    inside_string: bool,
    after_backslash: bool,
}

impl JsonProgress {
    /// Whether `data` is a JSON object whose last string is still open. Legal JSON never breaks a line there.
    fn is_inside_string(&mut self, data: &str) -> bool {
        if !data.trim_start().starts_with('{') {
            return false;
        }
        for byte in data.bytes().skip(self.looked_at) {
            match byte {
                _ if self.after_backslash => self.after_backslash = false,
                b'\\' if self.inside_string => self.after_backslash = true,
                b'"' => self.inside_string = !self.inside_string,
                _ => {}
            }
        }
        self.looked_at = data.len();
        self.inside_string
    }
}

#[cfg(test)]
mod tests;
