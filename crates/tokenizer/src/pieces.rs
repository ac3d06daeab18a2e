//! Cuts long texts into pieces that are encoded one by one. A `tokenizer.json` needs some hundred bytes of memory per byte of
//! text that is encoded at once: a text of 10 MB would need gigabytes.

/// The longest text in bytes that is encoded at once.
const PIECE: usize = 64 << 10;
/// The longest text in bytes that is encoded at once if cuts may change the number of tokens.
const UNSURE_PIECE: usize = 1 << 20;
/// How far before the end of a piece a good position for a cut is searched.
const REACH: usize = 16 << 10;

/// What happens to the space at which a text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PieceCut {
    /// It begins the next piece: spaces belong to the word after them (byte-level BPE).
    BeforeBlank,
    /// It is dropped: the tokenizer adds a marker before each piece (`SentencePiece`), or its tokens contain no spaces.
    WithoutBlank,
    /// Both may change the tokens. The count may be off by one per megabyte.
    Unsure,
}

impl PieceCut {
    /// Finds the way to cut that does not change the number of tokens, by trying both.
    pub(crate) fn probe(count: impl Fn(&str) -> usize) -> Self {
        let fits = |cut: Self| {
            PROBES.iter().all(|text| {
                let whole = count(text);
                blanks(text.as_bytes()).all(|at| {
                    let next = if cut == Self::BeforeBlank { at } else { at + 1 };
                    count(&text[..at]) + count(&text[next..]) == whole
                })
            })
        };
        [Self::BeforeBlank, Self::WithoutBlank].into_iter().find(|cut| fits(*cut)).unwrap_or(Self::Unsure)
    }

    /// The pieces of a text; the text itself if it is short.
    pub(crate) fn pieces(self, text: &str) -> impl Iterator<Item = &str> {
        let most = if self == Self::Unsure { UNSURE_PIECE } else { PIECE };
        self.pieces_of(text, most)
    }

    fn pieces_of(self, text: &str, most: usize) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            if rest.len() <= most {
                return Some(std::mem::take(&mut rest));
            }
            let (piece, after) = self.split(rest, most);
            rest = after;
            Some(piece)
        })
    }

    /// Cuts at the last space between two letters within reach; otherwise after a line end; otherwise between characters,
    /// where a token may be cut in two.
    fn split(self, text: &str, most: usize) -> (&str, &str) {
        let end = boundary(text, most);
        let from = boundary(text, end.saturating_sub(REACH));
        // Include one character after the end: a space may be the first byte that does not fit.
        let seen = &text.as_bytes()[from..text.len().min(end + 2)];
        if let Some(at) = blanks(seen).next_back().map(|at| from + at).filter(|at| *at > 0) {
            let next = if self == Self::WithoutBlank { at + 1 } else { at };
            return (&text[..at], &text[next..]);
        }
        let after_line = text[from..end].rfind('\n').map(|at| from + at + 1).filter(|at| *at < end);
        text.split_at(after_line.unwrap_or(end.max(1)))
    }
}

/// The last character boundary up to this offset.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The spaces between two ASCII letters, across which tokenizers do not merge.
fn blanks(bytes: &[u8]) -> impl DoubleEndedIterator<Item = usize> {
    memchr::memchr_iter(b' ', bytes).filter(move |at| {
        let letter = |place: Option<usize>| place.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
        letter(at.checked_sub(1)) && letter(Some(at + 1))
    })
}

const PROBES: [&str; 4] = [
    "The river rose while Anna slept and in an hour all of it was over",
    "So it was, then. If a b c were 1 and 2, what then?\nA new line begins here  with two blanks\n\n and an end.",
    "fn main() { let x = y as u8; } // done\tand Done again Https or nothing",
    "été où naïve words go ÀÉ then Größe of it 中文 mixed with text",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn glued(cut: PieceCut, text: &str, most: usize) -> String {
        let between = if cut == PieceCut::WithoutBlank { " " } else { "" };
        cut.pieces_of(text, most).collect::<Vec<_>>().join(between)
    }

    #[test]
    fn a_short_text_is_one_piece() {
        assert_eq!(PieceCut::BeforeBlank.pieces("a b c").collect::<Vec<_>>(), ["a b c"]);
        assert_eq!(PieceCut::BeforeBlank.pieces("").count(), 0);
    }

    #[test]
    fn cuts_are_at_blanks_between_letters_where_there_are_any() {
        let text = "one two 3 four five";
        assert_eq!(PieceCut::BeforeBlank.pieces_of(text, 16).collect::<Vec<_>>(), ["one two 3 four", " five"]);
        assert_eq!(PieceCut::WithoutBlank.pieces_of(text, 16).collect::<Vec<_>>(), ["one two 3 four", "five"]);
        assert_eq!(PieceCut::BeforeBlank.pieces_of("1234\n5678901", 8).collect::<Vec<_>>(), ["1234\n", "5678901"]);
        assert_eq!(PieceCut::BeforeBlank.pieces_of("中文中文", 7).collect::<Vec<_>>(), ["中文", "中文"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_every_piece_is_short(text in "[ab é中\n]{0,60}", most in 4_usize..20) {
            prop_assert_eq!(glued(PieceCut::BeforeBlank, &text, most), text.clone());
            for cut in [PieceCut::BeforeBlank, PieceCut::WithoutBlank, PieceCut::Unsure] {
                prop_assert!(cut.pieces_of(&text, most).all(|piece| !piece.is_empty() && piece.len() <= most));
            }
        }

        #[test]
        fn the_built_in_tokens_are_the_same_in_pieces(text in "[a-zA-Z0-9 .,!?'éß中\n-]{0,400}", most in 8_usize..64) {
            let whole = aiperf_o200k::count(&text);
            let cut = PieceCut::probe(aiperf_o200k::count);
            prop_assert_eq!(cut, PieceCut::BeforeBlank);
            // Where a piece has no blank between letters a token may be cut: such texts prove nothing.
            let at_blanks = cut.pieces_of(&text, most).skip(1).all(|piece| piece.starts_with(' ') && piece.len() > 1);
            if at_blanks {
                prop_assert_eq!(cut.pieces_of(&text, most).map(aiperf_o200k::count).sum::<usize>(), whole);
            }
        }
    }
}
