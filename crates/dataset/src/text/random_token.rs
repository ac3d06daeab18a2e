//! Tokens in the order of the vocabulary, from a drawn one on: `(start + j) mod n`. Such text rarely encodes to the
//! tokens that it was made of, so it is corrected until its count is right.

use super::exact::{ExactText, Fitter};
use super::writer::TextStart;

/// The most corrections before the rest is filled with words.
const ROUNDS: usize = 10;

pub(super) fn write(fitter: &Fitter, ids: &[u32], start: TextStart<'_>, tokens: usize, first: u64) -> ExactText {
    let tokenizer = fitter.tokenizer();
    let at = |place: usize| ids[((first % ids.len() as u64) as usize + place) % ids.len()];
    let wanted = start.tokens + tokens;
    let mut own: Vec<u32> = (0..tokens).map(at).collect();
    let mut next = tokens;
    let mut text = String::new();
    for _ in 0..ROUNDS {
        text.clear();
        text.push_str(start.text);
        text.push_str(&tokenizer.decode(&own));
        let count = tokenizer.count(&text);
        if count == wanted {
            return ExactText { text, exact: true };
        }
        if count > wanted {
            // Encode the text again, so that the cut removes the right number of tokens.
            own = tokenizer.encode(&text[start.text.len()..]);
            own.truncate(own.len().saturating_sub(count - wanted));
        } else {
            own.extend((0..wanted - count).map(|step| at(next + step)));
            next += wanted - count;
        }
    }
    fitter.fit(text, start, tokens, first)
}
