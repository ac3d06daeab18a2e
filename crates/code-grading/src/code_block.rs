//! The program of an answer.

/// The lines between the last two lines with a fence (three backticks); `None` if there are less than two, or nothing between them.
pub fn last_code_block(answer: &str) -> Option<String> {
    let lines: Vec<&str> = answer.split('\n').collect();
    let mut fences = (0..lines.len()).rev().filter(|line| lines[*line].contains("```"));
    let (last, first) = (fences.next()?, fences.next()?);
    let code = lines[first + 1..last].join("\n");
    (!code.trim().is_empty()).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_block_counts_whatever_its_language() {
        let block = |answer: &str| last_code_block(answer).unwrap_or_default();
        assert_eq!(block("```python\na\n```\nbetter:\n```py\n  b\nc\n```\n"), "  b\nc");
        assert_eq!(block("```\na\n```"), "a");
        for none in ["text", "```python\na", "x ```python\na``` y", "```python\n```", ""] {
            assert_eq!(last_code_block(none), None, "{none}");
        }
    }
}
