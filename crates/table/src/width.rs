//! How much room a text takes on the console: letters of East Asian scripts and emoji take two columns, accents that
//! join the letter before them none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of the console that a line takes.
pub(crate) fn display_width(line: &str) -> usize {
    line.width()
}

/// The lines of a text that is at most `width` columns wide. Lines break at spaces; a word that is too long breaks
/// anywhere.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut rest = word;
        if used > 0 && used + 1 + rest.width() > width {
            lines.push(String::new());
            used = 0;
        }
        while rest.width() > width {
            let (head, tail) = rest.split_at(fitting(rest, width));
            if tail.is_empty() {
                break;
            }
            push(&mut lines, &mut used, head);
            lines.push(String::new());
            used = 0;
            rest = tail;
        }
        push(&mut lines, &mut used, rest);
    }
    lines
}

/// Bytes of the longest beginning that fits: at least one letter, and accents stay with their letter.
fn fitting(word: &str, width: usize) -> usize {
    let mut used = 0;
    for (place, letter) in word.char_indices() {
        used += letter.width().unwrap_or(1);
        if used > width && place > 0 {
            return place;
        }
    }
    word.len()
}

fn push(lines: &mut [String], used: &mut usize, word: &str) {
    if let Some(line) = lines.last_mut() {
        if *used > 0 {
            line.push(' ');
            *used += 1;
        }
        line.push_str(word);
        *used += word.width();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_breaks_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn wide_letters_take_two_columns_and_accents_none() {
        assert_eq!(display_width("模型"), 4);
        assert_eq!(display_width("e\u{301}"), 1);
        assert_eq!(wrap("请求失败 了", 6), ["请求失", "败 了"]);
        assert_eq!(wrap("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(wrap("模型", 1), ["模", "型"], "a letter that is too wide stands alone");
    }
}
