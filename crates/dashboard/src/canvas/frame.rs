//! The cells of a screen, and how text gets into them.

use unicode_width::UnicodeWidthChar;

use super::text::{Line, Style};

/// A part of the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: u16,
    pub(crate) y: u16,
    pub(crate) width: u16,
    pub(crate) height: u16,
}

impl Rect {
    pub(crate) const fn bottom(self) -> u16 {
        self.y + self.height
    }

    /// Without its border.
    pub(crate) const fn inner(self) -> Self {
        Self {
            x: self.x.saturating_add(1),
            y: self.y.saturating_add(1),
            width: self.width.saturating_sub(2),
            height: self.height.saturating_sub(2),
        }
    }
}

/// What stands in one cell. The right half of a wide letter has no letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) letter: Option<char>,
    pub(crate) style: Style,
}

const EMPTY: Cell = Cell { letter: Some(' '), style: Style::new() };

/// One picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    width: u16,
    height: u16,
    cells: Vec<Cell>,
}

impl Frame {
    pub(crate) fn new(width: u16, height: u16) -> Self {
        Self { width, height, cells: vec![EMPTY; usize::from(width) * usize::from(height)] }
    }

    pub(crate) fn area(&self) -> Rect {
        Rect { x: 0, y: 0, width: self.width, height: self.height }
    }

    pub(crate) fn row(&self, y: u16) -> &[Cell] {
        let start = usize::from(y) * usize::from(self.width);
        &self.cells[start..start + usize::from(self.width)]
    }

    fn set(&mut self, x: u16, y: u16, cell: Cell) {
        if x < self.width && y < self.height {
            self.cells[usize::from(y) * usize::from(self.width) + usize::from(x)] = cell;
        }
    }

    /// Writes a line into a row of an area; what does not fit is left out.
    pub(crate) fn write(&mut self, area: Rect, row: u16, line: &Line) {
        if row >= area.height {
            return;
        }
        let mut x = area.x;
        let end = area.x + area.width;
        for span in &line.0 {
            for letter in span.text.chars() {
                // Control characters would move the cursor, and accents without a letter have no cell.
                let wide = letter.width().unwrap_or(0) as u16;
                if wide == 0 {
                    continue;
                }
                if x + wide > end {
                    return;
                }
                self.set(x, area.y + row, Cell { letter: Some(letter), style: span.style });
                if wide == 2 {
                    self.set(x + 1, area.y + row, Cell { letter: None, style: span.style });
                }
                x += wide;
            }
        }
    }

    /// Replaces what a terminal without Unicode cannot show.
    pub(crate) fn make_ascii(&mut self) {
        for cell in &mut self.cells {
            cell.letter = match cell.letter {
                Some('…') => Some('~'),
                Some(letter) if !letter.is_ascii() => Some('?'),
                // The right half of a wide letter, whose left half is one column wide now.
                letter => letter.or(Some(' ')),
            };
        }
    }

    pub(crate) fn clear(&mut self, area: Rect) {
        for y in area.y..area.bottom() {
            (area.x..area.x + area.width).for_each(|x| self.set(x, y, EMPTY));
        }
    }

    /// A border, from the six characters horizontal, vertical and the corners from top left in reading order.
    pub(crate) fn border(&mut self, area: Rect, [horizontal, vertical, corners @ ..]: [char; 6], style: Style) {
        if area.width < 2 || area.height < 2 {
            return;
        }
        let (right, bottom) = (area.x + area.width - 1, area.bottom() - 1);
        let cell = |letter| Cell { letter: Some(letter), style };
        for x in area.x..=right {
            self.set(x, area.y, cell(horizontal));
            self.set(x, bottom, cell(horizontal));
        }
        for y in area.y..=bottom {
            self.set(area.x, y, cell(vertical));
            self.set(right, y, cell(vertical));
        }
        let places = [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)];
        places.into_iter().zip(corners).for_each(|((x, y), corner)| self.set(x, y, cell(corner)));
    }
}

#[cfg(test)]
impl Frame {
    /// The letters without their styles.
    pub(crate) fn text(&self) -> String {
        let line = |y| self.row(y).iter().filter_map(|cell| cell.letter).collect::<String>();
        (0..self.height).map(|y| line(y).trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Span;

    #[test]
    fn wide_letters_take_two_cells_and_nothing_leaves_its_area() {
        let mut frame = Frame::new(6, 2);
        let area = Rect { x: 1, y: 0, width: 4, height: 1 };
        frame.write(area, 0, &Line::from(Span::raw("a\x1b\u{301}漢字")));
        frame.write(area, 1, &Line::from(Span::raw("below")));
        assert_eq!(frame.text(), " a漢\n");
    }

    #[test]
    fn a_terminal_without_unicode_gets_ascii_only() {
        let mut frame = Frame::new(6, 1);
        frame.write(frame.area(), 0, &Line::from(Span::raw("a漢…b")));
        frame.make_ascii();
        assert_eq!(frame.text(), "a? ~b");
    }

    #[test]
    fn a_border_without_room_is_not_drawn() {
        let mut frame = Frame::new(4, 3);
        frame.border(Rect { x: 0, y: 0, width: 4, height: 3 }, ['-', '|', '+', '+', '+', '+'], Style::new());
        assert_eq!(frame.text(), "+--+\n|  |\n+--+");
        frame.clear(frame.area());
        frame.border(Rect { x: 3, y: 2, width: 1, height: 9 }, ['-', '|', '+', '+', '+', '+'], Style::new());
        assert_eq!(frame.text(), "\n\n");
    }
}
