//! Comma-separated values as RFC 4180 has them: cells in quotes if they must be, lines that end in CR LF.

/// The end of each line.
pub const LINE_END: &str = "\r\n";

/// A text as a cell, in quotes if it would be taken for several.
pub fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// A number with two decimals; empty if there is none. An infinite one is `inf`, which parsers of numbers read.
pub fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.2}"))
}

/// Whole lines, each with its end.
pub fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().flat_map(|line| [line, LINE_END.to_owned()]).collect()
}

/// The cells of a line that [`cell`] made: quotes are taken off, and doubled ones are one.
pub fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = match letter {
            '"' if quoted && letters.peek() == Some(&'"') => letters.next(),
            '"' => {
                quoted = !quoted;
                None
            }
            ',' if !quoted => {
                cells.push(String::new());
                None
            }
            letter => Some(letter),
        };
        if let (Some(letter), Some(last)) = (cell, cells.last_mut()) {
            last.push(letter);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_only_if_it_must_be() {
        assert_eq!(cell("Request Latency (ms)"), "Request Latency (ms)");
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(
            (number(Some(2.0)), number(None), number(Some(f64::INFINITY))),
            ("2.00".into(), String::new(), "inf".into())
        );
    }

    #[test]
    fn cells_come_back_as_they_were() {
        let texts = ["a", "b, \"c\"", ""];
        let line = texts.map(cell).join(",");
        assert_eq!(cells(&format!("{line}\r")), texts);
    }
}
