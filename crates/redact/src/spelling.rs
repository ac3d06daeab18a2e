//! How a server may write a value that it sends back: as it is, or within JSON, which each library escapes in its own way.

use std::fmt::Write as _;

/// JSON within JSON is as deep as servers go.
const DEPTH: usize = 2;

/// The value itself first.
pub(crate) fn spellings(value: &str) -> Vec<String> {
    let mut all = vec![value.to_owned()];
    let mut last = all.clone();
    for _ in 0..DEPTH {
        let escaped = last.iter().flat_map(|text| in_json(text));
        let mut next: Vec<String> = escaped.filter(|text| !all.contains(text)).collect();
        next.sort();
        next.dedup();
        all.extend_from_slice(&next);
        last = next;
    }
    all
}

/// Within a JSON string: in UTF-8, and in ASCII with digits of either case; each also with its slashes escaped.
fn in_json(text: &str) -> Vec<String> {
    let plain = escaped(text, String::push);
    let lower = escaped(text, |out, letter| units(letter).for_each(|unit| _ = write!(out, "\\u{unit:04x}")));
    let upper = escaped(text, |out, letter| units(letter).for_each(|unit| _ = write!(out, "\\u{unit:04X}")));
    let with_slashes = [plain.replace('/', "\\/"), lower.replace('/', "\\/"), upper.replace('/', "\\/")];
    [plain, lower, upper].into_iter().chain(with_slashes).collect()
}

fn escaped(text: &str, beyond_ascii: impl Fn(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\t' => out.push_str("\\t"),
            letter if letter.is_ascii() => out.push(letter),
            letter => beyond_ascii(&mut out, letter),
        }
    }
    out
}

/// Its UTF-16 units, by which JSON numbers letters.
fn units(letter: char) -> impl Iterator<Item = u16> {
    let mut units = [0; 2];
    let count = letter.encode_utf16(&mut units).len();
    units.into_iter().take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_key_has_one_spelling() {
        assert_eq!(spellings("sk-123_456.7"), ["sk-123_456.7"]);
    }

    #[test]
    fn letters_beyond_the_first_plane_are_two_units() {
        assert!(spellings("🔑").contains(&r"\ud83d\udd11".to_owned()));
    }
}
