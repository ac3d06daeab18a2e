//! Cells padded to columns, with or without a box around them.

use crate::display_width;

/// The side of a column that its cells lean to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// The width of each column: that of its widest line.
pub(crate) fn widths<'a>(columns: usize, cells: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let mut widths = vec![0; columns];
    for (column, text) in cells {
        let widest = text.lines().map(display_width).max().unwrap_or(0);
        if let Some(width) = widths.get_mut(column) {
            *width = widest.max(*width);
        }
    }
    widths
}

/// `painted` is `text` with the escape codes that colour it, which take no room.
pub(crate) fn pad(text: &str, painted: String, width: usize, align: Align) -> String {
    let room = " ".repeat(width.saturating_sub(display_width(text)));
    match align {
        Align::Left => painted + &room,
        Align::Right => room + &painted,
    }
}

/// Rows without a box: two spaces between columns, no spaces at the end of a line.
pub fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]], align: [Align; COLUMNS]) -> Vec<String> {
    let cells = rows.iter().flat_map(|row| row.iter().map(String::as_str).enumerate());
    let widths = widths(COLUMNS, cells);
    let line = |row: &[String; COLUMNS]| {
        let padded =
            row.iter().zip(&widths).zip(align).map(|((cell, width), align)| pad(cell, cell.clone(), *width, align));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_a_box_are_aligned_by_what_the_console_shows() {
        let rows = [["model".to_owned(), "n".to_owned()], ["模型甲".to_owned(), "12".to_owned()]];
        assert_eq!(aligned(&rows, [Align::Left, Align::Right]), ["model    n", "模型甲  12"]);
        assert_eq!(aligned(&rows, [Align::Right, Align::Left]), [" model  n", "模型甲  12"]);
    }
}
