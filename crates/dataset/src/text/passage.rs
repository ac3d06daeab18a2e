//! Passages of the user's text. A passage starts at a random word and continues at the beginning after the end.

use aiperf_seed::Stream;

use super::boundary;

/// The number of bytes that are added at a time.
const PIECE: usize = 2_048;
/// How far to look for the beginning of a word; scripts without spaces start anywhere.
const LONGEST_WORD: usize = 64;

/// A random offset at which a word begins.
pub(super) fn start(corpus: &str, stream: &mut Stream) -> usize {
    let place = boundary::at_or_after(corpus, stream.below(corpus.len() as u64) as usize);
    let ahead = &corpus[place..boundary::at_or_after(corpus, place + LONGEST_WORD)];
    let begun = place == 0 || corpus[..place].ends_with(char::is_whitespace);
    let place = match ahead.find(char::is_whitespace) {
        Some(blank) if !begun => place + blank,
        _ => place,
    };
    let blanks = corpus[place..].len() - corpus[place..].trim_start().len();
    if place + blanks < corpus.len() { place + blanks } else { corpus.len() - corpus.trim_start().len() }
}

/// Adds the next piece to a text.
pub(super) fn add(corpus: &str, place: &mut usize, text: &mut String) {
    let end = boundary::at_or_after(corpus, *place + PIECE);
    text.push_str(&corpus[*place..end]);
    *place = end;
    if end == corpus.len() {
        if !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
        *place = corpus.len() - corpus.trim_start().len();
    }
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_can_be_begun_anywhere_and_read_round(corpus in "\\PC{0,30}[a-zä七] ?\\PC{0,30}", seed: u64) {
            let mut place = start(&corpus, &mut Seed::fixed(seed).stream("passage"));
            prop_assert!(corpus[place..].starts_with(|c: char| !c.is_whitespace()));
            let mut text = String::new();
            for _ in 0..3 {
                add(&corpus, &mut place, &mut text);
                prop_assert!(!text.is_empty());
            }
        }
    }
}
