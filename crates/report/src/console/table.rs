//! A table in box-drawing characters that fits the console.

use super::style::{Style, Tone, Width};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) header: String,
    pub(super) align: Align,
}

/// A cell's text and what it is to the reader.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) tone: Tone,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }

    pub(super) fn name(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Name)
    }

    pub(super) fn value(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Value)
    }
}

/// Cells may have several lines. One column gives way when the table is too wide: its cells are wrapped.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) title: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// Index of the column that is wrapped.
    pub(super) flexible: usize,
}

/// A border and a space on each side of every cell, and the last border.
const fn frame(columns: usize) -> usize {
    3 * columns + 1
}

impl Table {
    /// Width with nothing wrapped.
    pub(super) fn natural_width(&self) -> usize {
        self.natural_widths().iter().sum::<usize>() + frame(self.columns.len())
    }

    /// Width without the flexible column's cells.
    pub(super) fn rigid_width(&self) -> usize {
        self.natural_width() - self.natural_widths()[self.flexible]
    }

    pub(super) fn render(mut self, width: Width, style: Style) -> String {
        let room = width.0.saturating_sub(self.rigid_width()).max(10);
        for row in &mut self.rows {
            let cell = &mut row[self.flexible].text;
            // Where a line must be broken anyway, what stands below it moves up.
            if cell.lines().any(|line| line.chars().count() > room) {
                *cell = wrap(&cell.replace('\n', " "), room).join("\n");
            }
        }
        let widths = self.natural_widths();
        let total = widths.iter().sum::<usize>() + frame(widths.len());
        let rule = |left: &str, fill: &str, cross: &str, right: &str| {
            let parts: Vec<_> = widths.iter().map(|width| fill.repeat(width + 2)).collect();
            format!("{left}{}{right}", parts.join(cross))
        };
        let indent = total.saturating_sub(self.title.chars().count()) / 2;
        let headers: Vec<_> = self.columns.iter().map(|column| Cell::new(&column.header, Tone::Head)).collect();
        let mut lines = vec![format!("{}{}", " ".repeat(indent), style.tone(&self.title, Tone::Title))];
        lines.push(rule("┏", "━", "┳", "┓"));
        lines.extend(self.row_lines(&headers, &widths, "┃", style));
        lines.push(rule("┡", "━", "╇", "┩"));
        for row in &self.rows {
            lines.extend(self.row_lines(row, &widths, "│", style));
        }
        lines.push(rule("└", "─", "┴", "┘"));
        lines.join("\n")
    }

    fn row_lines(&self, cells: &[Cell], widths: &[usize], border: &str, style: Style) -> Vec<String> {
        let height = cells.iter().map(|cell| cell.text.lines().count()).max().unwrap_or(1).max(1);
        let line = |index: usize| {
            let parts: Vec<_> = cells
                .iter()
                .zip(widths)
                .zip(&self.columns)
                .map(|((cell, width), column)| {
                    let text = cell.text.lines().nth(index).unwrap_or("");
                    pad(text, style.tone(text, cell.tone), *width, column.align)
                })
                .collect();
            format!("{border} {} {border}", parts.join(&format!(" {border} ")))
        };
        (0..height).map(line).collect()
    }

    fn natural_widths(&self) -> Vec<usize> {
        let widest = |column: usize| {
            let cells = self.rows.iter().flat_map(|row| row[column].text.lines());
            cells.map(|line| line.chars().count()).max().unwrap_or(0).max(self.columns[column].header.chars().count())
        };
        (0..self.columns.len()).map(widest).collect()
    }
}

/// `painted` is `text` with what colours it, which takes no room.
fn pad(text: &str, painted: String, width: usize, align: Align) -> String {
    let room = " ".repeat(width.saturating_sub(text.chars().count()));
    match align {
        Align::Left => painted + &room,
        Align::Right => room + &painted,
    }
}

/// Breaks at spaces; a word that is too long is broken anywhere.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut letters: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + letters.len() > width {
            lines.push(String::new());
            used = 0;
        }
        while letters.len() > width {
            let rest = letters.split_off(width);
            push(&mut lines, &mut used, &letters);
            lines.push(String::new());
            used = 0;
            letters = rest;
        }
        push(&mut lines, &mut used, &letters);
    }
    lines
}

fn push(lines: &mut [String], used: &mut usize, word: &[char]) {
    if let Some(line) = lines.last_mut() {
        if *used > 0 {
            line.push(' ');
            *used += 1;
        }
        line.extend(word);
        *used += word.len();
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
}
