//! A table in box-drawing characters that fits the console.

use crate::columns::{pad, widths};
use crate::{Align, Emphasis, TextStyle, Width, display_width, wrap};

/// The narrowest that a wrapped column becomes.
const NARROWEST: usize = 10;

/// The heading of a column, and where its cells lean.
#[derive(Debug, Clone)]
pub struct TableColumn {
    pub header: String,
    pub align: Align,
}

impl TableColumn {
    pub fn left(header: &str) -> Self {
        Self { header: header.to_owned(), align: Align::Left }
    }

    pub fn right(header: &str) -> Self {
        Self { header: header.to_owned(), align: Align::Right }
    }
}

/// A cell's text and what it is to the reader. It may have several lines.
#[derive(Debug, Clone)]
pub struct TableCell {
    pub text: String,
    pub emphasis: Emphasis,
}

impl TableCell {
    pub fn new(text: impl Into<String>, emphasis: Emphasis) -> Self {
        Self { text: text.into(), emphasis }
    }

    pub fn name(text: impl Into<String>) -> Self {
        Self::new(text, Emphasis::Name)
    }

    pub fn value(text: impl Into<String>) -> Self {
        Self::new(text, Emphasis::Value)
    }

    /// A number with two decimals, or what stands for one that is missing or infinite.
    pub fn number(value: Option<f64>) -> Self {
        match value {
            None => Self::new("N/A", Emphasis::Faint),
            Some(value) if value.is_infinite() => Self::new("inf", Emphasis::Failure),
            Some(value) => Self::value(crate::grouped(value)),
        }
    }
}

/// A table with a title above its box. If it is wider than the console, the cells of one column are wrapped.
#[derive(Debug, Clone)]
pub struct ConsoleTable {
    pub title: String,
    pub columns: Vec<TableColumn>,
    pub rows: Vec<Vec<TableCell>>,
    /// Index of the column that is wrapped.
    pub flexible: usize,
}

/// A border and a space on each side of every cell, and the last border.
const fn frame(columns: usize) -> usize {
    3 * columns + 1
}

impl ConsoleTable {
    /// Width with nothing wrapped.
    pub fn natural_width(&self) -> usize {
        self.natural_widths().iter().sum::<usize>() + frame(self.columns.len())
    }

    /// Width without the cells of the column that can be wrapped.
    pub fn rigid_width(&self) -> usize {
        self.natural_width() - self.natural_widths()[self.flexible]
    }

    /// The lines of the table, without a line end after the last.
    pub fn render(mut self, width: Width, style: TextStyle) -> String {
        let room = width.0.saturating_sub(self.rigid_width()).max(NARROWEST);
        for row in &mut self.rows {
            let cell = &mut row[self.flexible].text;
            // If a line must be broken anyway, the next line moves up to it.
            if cell.lines().any(|line| display_width(line) > room) {
                *cell = wrap(&cell.replace('\n', " "), room).join("\n");
            }
        }
        let widths = self.natural_widths();
        let total = widths.iter().sum::<usize>() + frame(widths.len());
        let rule = |left: &str, fill: &str, cross: &str, right: &str| {
            let parts: Vec<_> = widths.iter().map(|width| fill.repeat(width + 2)).collect();
            format!("{left}{}{right}", parts.join(cross))
        };
        let indent = total.saturating_sub(display_width(&self.title)) / 2;
        let headers: Vec<_> =
            self.columns.iter().map(|column| TableCell::new(&column.header, Emphasis::Head)).collect();
        let mut lines = vec![format!("{}{}", " ".repeat(indent), style.paint(&self.title, Emphasis::Title))];
        lines.push(rule("┏", "━", "┳", "┓"));
        lines.extend(self.row_lines(&headers, &widths, "┃", style));
        lines.push(rule("┡", "━", "╇", "┩"));
        for row in &self.rows {
            lines.extend(self.row_lines(row, &widths, "│", style));
        }
        lines.push(rule("└", "─", "┴", "┘"));
        lines.join("\n")
    }

    fn row_lines(&self, cells: &[TableCell], widths: &[usize], border: &str, style: TextStyle) -> Vec<String> {
        let height = cells.iter().map(|cell| cell.text.lines().count()).max().unwrap_or(1).max(1);
        let line = |index: usize| {
            let parts: Vec<_> = cells
                .iter()
                .zip(widths)
                .zip(&self.columns)
                .map(|((cell, width), column)| {
                    let text = cell.text.lines().nth(index).unwrap_or("");
                    pad(text, style.paint(text, cell.emphasis), *width, column.align)
                })
                .collect();
            format!("{border} {} {border}", parts.join(&format!(" {border} ")))
        };
        (0..height).map(line).collect()
    }

    fn natural_widths(&self) -> Vec<usize> {
        let headers = self.columns.iter().map(|column| column.header.as_str()).enumerate();
        let cells = self.rows.iter().flat_map(|row| row.iter().map(|cell| cell.text.as_str()).enumerate());
        widths(self.columns.len(), headers.chain(cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Colour;

    fn table(message: &str) -> ConsoleTable {
        let row = |message: &str, count: &str| vec![TableCell::value(message), TableCell::value(count)];
        ConsoleTable {
            title: "Errors".to_owned(),
            columns: vec![TableColumn::left("Message"), TableColumn::right("Count")],
            rows: vec![row(message, "1"), row("timeout", "20")],
            flexible: 0,
        }
    }

    #[test]
    fn a_box_of_ascii_text() {
        let lines = [
            "      Errors",
            "┏━━━━━━━━━┳━━━━━━━┓",
            "┃ Message ┃ Count ┃",
            "┡━━━━━━━━━╇━━━━━━━┩",
            "│ refused │     1 │",
            "│ timeout │    20 │",
            "└─────────┴───────┘",
        ];
        let plain = TextStyle::new(Colour::Plain);
        assert_eq!(table("refused").render(Width(80), plain), lines.join("\n"));
    }

    #[test]
    fn wide_letters_do_not_break_the_box() {
        for (message, width) in [("模型不存在", 80), ("请求失败：模型不存在或已下线", 24), ("cafe\u{301} 🙂", 80)]
        {
            let text = table(message).render(Width(width), TextStyle::new(Colour::Plain));
            let widths: Vec<usize> = text.lines().skip(1).map(display_width).collect();
            assert!(widths.iter().all(|width| *width == widths[0]), "{widths:?}\n{text}");
            assert!(widths[0] <= width, "{text}");
        }
    }

    #[test]
    fn missing_and_infinite_numbers_have_words() {
        assert_eq!(TableCell::number(None).text, "N/A");
        assert_eq!(TableCell::number(Some(f64::INFINITY)).text, "inf");
        assert_eq!(TableCell::number(Some(1_234.5)).text, "1,234.50");
    }
}
