//! The graphics protocol of kitty: a PNG in pieces of base64.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// Most bytes of one piece, by the protocol.
const PIECE: usize = 4096;

pub(super) fn escape(png: &[u8]) -> String {
    let data = BASE64_STANDARD.encode(png);
    let pieces: Vec<&[u8]> = data.as_bytes().chunks(PIECE).collect();
    let mut text = String::with_capacity(data.len() + pieces.len() * 16);
    for (index, piece) in pieces.iter().enumerate() {
        let head = if index == 0 { "a=T,f=100,q=2," } else { "" };
        let more = u8::from(index + 1 < pieces.len());
        text.push_str(&format!("\u{1b}_G{head}m={more};{}\u{1b}\\", String::from_utf8_lossy(piece)));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_piece_says_that_it_is_the_last() {
        let text = escape(&[7; 5000]);
        assert!(text.starts_with("\u{1b}_Ga=T,f=100,q=2,m=1;"), "{}", &text[..30]);
        assert_eq!(text.matches("\u{1b}_Gm=0;").count(), 1);
        assert!(text.ends_with("\u{1b}\\\n"));
    }
}
