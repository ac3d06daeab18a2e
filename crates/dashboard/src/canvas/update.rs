//! The escape sequences that turn one picture into the next.

use std::fmt::Write as _;

use super::frame::Frame;
use super::text::Style;

/// What to write to a terminal that shows `before`. Without it, or if its size differs, everything is drawn again.
pub(crate) fn update(before: Option<&Frame>, after: &Frame) -> String {
    let area = after.area();
    let before = before.filter(|before| before.area() == area);
    let mut text = String::new();
    if before.is_none() {
        text.push_str("\x1b[0m\x1b[2J");
    }
    let mut style = None;
    let mut cursor = None;
    for y in 0..area.height {
        let known = before.map(|before| before.row(y));
        for (x, cell) in after.row(y).iter().enumerate() {
            let is_known = known.map_or(*cell == blank(), |known| known[x] == *cell);
            let Some(letter) = cell.letter.filter(|_| !is_known) else { continue };
            if cursor != Some((x, y)) {
                let _ = write!(text, "\x1b[{};{}H", y + 1, x + 1);
            }
            if style != Some(cell.style) {
                text.push_str(&sequence(cell.style));
                style = Some(cell.style);
            }
            text.push(letter);
            let is_wide = after.row(y).get(x + 1).is_some_and(|next| next.letter.is_none());
            cursor = Some((x + 1 + usize::from(is_wide), y));
        }
    }
    if style.is_some_and(|style| style != Style::new()) {
        text.push_str("\x1b[0m");
    }
    text
}

fn blank() -> super::frame::Cell {
    super::frame::Cell { letter: Some(' '), style: Style::new() }
}

fn sequence(style: Style) -> String {
    let mut codes = "\x1b[0".to_owned();
    if style.is_bold {
        codes.push_str(";1");
    }
    if style.is_dim {
        codes.push_str(";2");
    }
    if style.is_reversed {
        codes.push_str(";7");
    }
    if let Some(colour) = style.colour {
        let _ = write!(codes, ";{}", colour as u8);
    }
    codes.push('m');
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{Color, Line, Span};

    fn frame(text: &str, style: Style) -> Frame {
        let mut frame = Frame::new(8, 2);
        frame.write(frame.area(), 1, &Line::from(Span::styled(text, style)));
        frame
    }

    #[test]
    fn only_cells_that_changed_are_written() {
        let before = frame("rate 21", Style::new());
        assert_eq!(update(Some(&before), &before), "");
        assert_eq!(update(Some(&before), &frame("rate 22", Style::new())), "\x1b[2;7H\x1b[0m2");
        let red = Style::new().colour(Color::Red).bold();
        assert_eq!(update(Some(&before), &frame("rate", red)), "\x1b[2;1H\x1b[0;1;31mrate\x1b[2;6H\x1b[0m  ");
    }

    #[test]
    fn a_new_size_draws_everything() {
        let text = update(Some(&Frame::new(3, 3)), &frame("漢x", Style::new()));
        assert_eq!(text, "\x1b[0m\x1b[2J\x1b[2;1H\x1b[0m漢x");
    }
}
