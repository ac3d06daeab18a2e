//! The pattern of the vocabulary by hand, for pieces of ASCII: most of most texts, and several times as quick as the
//! regular expression.

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    /// White space other than line ends.
    Blank,
    LineEnd,
    Other,
    /// Part of a character that is not ASCII.
    Foreign,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Foreign; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            b'\n' | b'\r' => Class::LineEnd,
            b'\t' | 0x0B | 0x0C | b' ' => Class::Blank,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// The length of the first piece; `None` where a character that is not ASCII has a say in it. `bytes` must not be empty.
pub(crate) fn piece(bytes: &[u8]) -> Option<usize> {
    let prefix = usize::from(matches!(class(bytes, 0), Some(Class::Blank | Class::Other)));
    if let Some(Class::Upper | Class::Lower) = class(bytes, prefix) {
        return word(bytes, prefix);
    }
    match class(bytes, 0)? {
        Class::Digit => digits(bytes),
        Class::Other => others(bytes, 0),
        Class::Blank if bytes[0] == b' ' && class(bytes, 1) == Some(Class::Other) => others(bytes, 1),
        Class::Blank | Class::LineEnd => blanks(bytes),
        Class::Upper | Class::Lower | Class::Foreign => None,
    }
}

fn class(bytes: &[u8], at: usize) -> Option<Class> {
    bytes.get(at).map(|&byte| CLASSES[usize::from(byte)])
}

/// Where the bytes of the wanted classes that start at `at` end; `None` if what follows is not ASCII.
fn run(bytes: &[u8], at: usize, wanted: impl Fn(Class) -> bool) -> Option<usize> {
    let end = bytes[at..].iter().position(|&byte| !wanted(CLASSES[usize::from(byte)])).map_or(bytes.len(), |n| at + n);
    (class(bytes, end) != Some(Class::Foreign)).then_some(end)
}

/// Capitals, then small letters, then a contraction.
fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let end = run(bytes, at, |class| class == Class::Upper)?;
    let end = run(bytes, end, |class| class == Class::Lower)?;
    if bytes.get(end) != Some(&b'\'') {
        return Some(end);
    }
    // A letter that is not ASCII may be the other case of one that is.
    if bytes[end + 1..].iter().take(2).any(|byte| !byte.is_ascii()) {
        return None;
    }
    let first = bytes.get(end + 1).map(u8::to_ascii_lowercase);
    let second = bytes.get(end + 2).map(u8::to_ascii_lowercase);
    Some(match (first, second) {
        (Some(b's' | b't' | b'm' | b'd'), _) => end + 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => end + 3,
        _ => end,
    })
}

/// Up to three.
fn digits(bytes: &[u8]) -> Option<usize> {
    let few = &bytes[..bytes.len().min(3)];
    if few.iter().all(u8::is_ascii_digit) { Some(few.len()) } else { run(few, 0, |class| class == Class::Digit) }
}

/// Signs, then line ends and slashes.
fn others(bytes: &[u8], at: usize) -> Option<usize> {
    let end = run(bytes, at, |class| class == Class::Other)?;
    let tail = bytes[end..].iter().position(|byte| !matches!(byte, b'\r' | b'\n' | b'/'));
    Some(tail.map_or(bytes.len(), |n| end + n))
}

/// Up to the last line end; without one, all but the last, which goes with what follows.
fn blanks(bytes: &[u8]) -> Option<usize> {
    let end = run(bytes, 0, |class| matches!(class, Class::Blank | Class::LineEnd))?;
    let last_line_end = bytes[..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    Some(match last_line_end {
        Some(at) => at + 1,
        None if end < bytes.len() && end > 1 => end - 1,
        None => end,
    })
}
