//! What keys do.

use crate::view_state::Page;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Show(Page),
    /// Back to the overview, or out of help and filter.
    Back,
    HideLog,
    CopyLog,
    Help,
    Filter,
    Pause,
    /// Leaves the dashboard; the run goes on.
    Quit,
    Scroll {
        rows: i32,
        columns: i32,
    },
    ToTop,
    ToBottom,
    /// A letter of the filter.
    Type(char),
    Erase,
    Accept,
}

/// A key of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Letter(char),
    Escape,
    Enter,
    Backspace,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
}

/// Sequences that terminals send for keys without a letter, without the escape.
const SEQUENCES: [(&[u8], Key); 18] = [
    (b"[A", Key::Up),
    (b"[B", Key::Down),
    (b"[C", Key::Right),
    (b"[D", Key::Left),
    (b"OA", Key::Up),
    (b"OB", Key::Down),
    (b"OC", Key::Right),
    (b"OD", Key::Left),
    (b"[5~", Key::PageUp),
    (b"[6~", Key::PageDown),
    (b"[H", Key::Home),
    (b"[F", Key::End),
    (b"OH", Key::Home),
    (b"OF", Key::End),
    (b"[1~", Key::Home),
    (b"[4~", Key::End),
    (b"[7~", Key::Home),
    (b"[8~", Key::End),
];

/// The keys in what a terminal sent. Sequences that are not known are left out.
pub(crate) fn keys_of(mut bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let Some((first, rest)) = bytes.split_first() {
        bytes = rest;
        match first {
            0x1b => {
                if let Some((sequence, key)) = SEQUENCES.iter().find(|(sequence, _)| rest.starts_with(sequence)) {
                    keys.push(*key);
                    bytes = &rest[sequence.len()..];
                } else if matches!(rest.first(), Some(b'[' | b'O')) {
                    // Parameters, and a letter at the end.
                    let end = rest.iter().skip(1).position(|byte| (0x40..=0x7e).contains(byte));
                    bytes = &rest[end.map_or(rest.len(), |end| end + 2)..];
                } else {
                    keys.push(Key::Escape);
                }
            }
            b'\r' | b'\n' => keys.push(Key::Enter),
            0x7f | 0x08 => keys.push(Key::Backspace),
            0..0x20 => {}
            0x20..0x7f => keys.push(Key::Letter(char::from(*first))),
            0x80.. => {
                // The rest of a letter beyond ASCII: its bytes go together.
                let whole = std::iter::once(first).chain(rest.iter().take_while(|byte| (0x80..0xc0).contains(*byte)));
                let whole: Vec<u8> = whole.copied().collect();
                bytes = &rest[whole.len() - 1..];
                keys.extend(std::str::from_utf8(&whole).ok().and_then(|text| text.chars().next()).map(Key::Letter));
            }
        }
    }
    keys
}

/// What a key does; `typing`: the filter is being written.
pub(crate) fn action(key: Key, typing: bool) -> Option<Action> {
    let scroll = |rows, columns| Some(Action::Scroll { rows, columns });
    match key {
        Key::Escape => Some(Action::Back),
        Key::Enter => Some(Action::Accept),
        Key::Backspace => typing.then_some(Action::Erase),
        Key::Letter(letter) if typing => Some(Action::Type(letter)),
        Key::Letter('1') => Some(Action::Show(Page::Overview)),
        Key::Letter('2') => Some(Action::Show(Page::Progress)),
        Key::Letter('3') => Some(Action::Show(Page::Metrics)),
        Key::Letter('4') => Some(Action::Show(Page::Client)),
        Key::Letter('5') => Some(Action::Show(Page::Server)),
        Key::Letter('6') => Some(Action::Show(Page::Log)),
        Key::Letter('l') => Some(Action::HideLog),
        Key::Letter('c') => Some(Action::CopyLog),
        Key::Letter('?' | 'h') => Some(Action::Help),
        Key::Letter('/') => Some(Action::Filter),
        Key::Letter('p' | ' ') => Some(Action::Pause),
        Key::Letter('q') => Some(Action::Quit),
        Key::Up | Key::Letter('k') => scroll(-1, 0),
        Key::Down | Key::Letter('j') => scroll(1, 0),
        Key::Left => scroll(0, -8),
        Key::Right => scroll(0, 8),
        Key::PageUp => scroll(-10, 0),
        Key::PageDown => scroll(10, 0),
        Key::Home | Key::Letter('g') => Some(Action::ToTop),
        Key::End | Key::Letter('G') => Some(Action::ToBottom),
        Key::Letter(_) => None,
    }
}

/// The keys of the help page.
pub(crate) const HELP: [(&str, &str); 14] = [
    ("1", "overview"),
    ("2", "progress: phases, start-up, errors, runs of a sweep"),
    ("3", "metrics: every metric of the phase"),
    ("4", "client: load of this machine"),
    ("5", "server and GPUs"),
    ("6", "log"),
    ("Esc", "back to the overview"),
    ("arrows, Pg, Home", "scroll"),
    ("/", "show only metrics, errors and log lines with a text"),
    ("p or space", "pause the view; the run goes on"),
    ("l", "hide or show the log in the overview"),
    ("c", "copy the log to the clipboard of the terminal"),
    ("q", "leave the dashboard; the run goes on, with one line"),
    ("Ctrl-C", "cancel the run and write its results; twice: at once"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(bytes: &[u8], typing: bool) -> Vec<Action> {
        keys_of(bytes).into_iter().filter_map(|key| action(key, typing)).collect()
    }

    #[test]
    fn keys_of_the_reference_do_what_they_do_there() {
        assert_eq!(
            pressed(b"3lc\x1b", false),
            [Action::Show(Page::Metrics), Action::HideLog, Action::CopyLog, Action::Back]
        );
    }

    #[test]
    fn sequences_of_terminals_are_keys_and_unknown_ones_are_left_out() {
        use Key::{Down, End, Escape, Letter, PageUp, Up};
        assert_eq!(keys_of(b"\x1b[A\x1bOB\x1b[5~\x1b[4~x"), [Up, Down, PageUp, End, Letter('x')]);
        assert_eq!(keys_of(b"\x1b[15;2~\x1b[<0;3;4M\x1b"), [Escape]);
        assert_eq!(keys_of("é\u{6f22}a".as_bytes()), [Letter('é'), Letter('漢'), Letter('a')]);
        assert_eq!(keys_of(b"\xff\xc3"), []);
        for length in 0..6 {
            let _ = keys_of(&b"\x1b[1;5D"[..length]);
        }
    }

    #[test]
    fn letters_are_text_while_the_filter_is_written() {
        assert_eq!(pressed(b"q\x7f\r", true), [Action::Type('q'), Action::Erase, Action::Accept]);
        assert_eq!(pressed(b"q\x7fz", false), [Action::Quit]);
    }
}
