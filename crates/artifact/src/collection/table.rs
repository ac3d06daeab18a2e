//! Rows of comma-separated files.

/// The cells of a row; quotes are taken off, and doubled ones are one.
pub(super) fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = row.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                push(&mut cells, '"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => push(&mut cells, letter),
        }
    }
    cells
}

fn push(cells: &mut [String], letter: char) {
    if let Some(last) = cells.last_mut() {
        last.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_commas_together() {
        assert_eq!(cells("a,\"b, \"\"c\"\"\",\r"), ["a", "b, \"c\"", ""]);
    }
}
