//! `\boxed{...}` and `\fbox{...}` with balanced braces.

/// One box: where it starts and ends, and what it contains.
struct MathBox<'t> {
    start: usize,
    end: usize,
    content: &'t str,
}

/// The content of the last box of a text. A box without its closing brace reaches to the end.
pub(crate) fn last_boxed(text: &str) -> Option<&str> {
    last_box_before(text, text.len()).map(|found| found.content)
}

fn last_box_before(text: &str, limit: usize) -> Option<MathBox<'_>> {
    let head = &text[..limit];
    let (start, command) = match (head.rfind("\\boxed"), head.rfind("\\fbox")) {
        (Some(boxed), Some(fbox)) if fbox > boxed => (fbox, "\\fbox"),
        (Some(boxed), _) => (boxed, "\\boxed"),
        (None, fbox) => (fbox?, "\\fbox"),
    };
    let after = start + command.len();
    let rest = &head[after..];
    let opening = rest.len() - rest.trim_start().len();
    if !rest[opening..].starts_with('{') {
        // `\boxed 5` is a box of one symbol.
        return Some(MathBox { start, end: limit, content: rest.trim() });
    }
    let inner = after + opening + 1;
    let mut depth = 1_usize;
    for (at, character) in head[inner..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(MathBox { start, end: inner + at + 1, content: head[inner..inner + at].trim() });
        }
    }
    Some(MathBox { start, end: limit, content: head[inner..].trim() })
}

/// The contents of the boxes of a formula, separated by commas; the formula itself if it has no box. With `only_last` the boxes
/// before the last one count only if nothing but a comma, `and` or `or` is between them.
pub(crate) fn without_boxes(formula: &str, only_last: bool) -> String {
    let mut contents: Vec<&str> = Vec::new();
    let mut limit = formula.len();
    while contents.len() < 50 {
        let Some(found) = last_box_before(formula, limit) else { break };
        let between = formula[found.end.min(limit)..limit].trim();
        if only_last && !contents.is_empty() && !matches!(between, "and" | "or" | ",") {
            break;
        }
        contents.push(found.content);
        limit = found.start;
    }
    if contents.is_empty() {
        return formula.to_owned();
    }
    contents.reverse();
    contents.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_box_counts_and_its_braces_are_balanced() {
        assert_eq!(last_boxed(r"\boxed{1} so \boxed{\frac{1}{2}}."), Some(r"\frac{1}{2}"));
        assert_eq!(last_boxed(r"\boxed{\frac{1}{2}"), Some(r"\frac{1}{2}"));
        assert_eq!(last_boxed("none"), None);
    }

    #[test]
    fn boxes_next_to_each_other_are_a_list() {
        assert_eq!(without_boxes(r"\boxed{1} and \boxed{2}", true), "1,2");
        assert_eq!(without_boxes(r"\boxed{1} but then \boxed{2}", true), "2");
        assert_eq!(without_boxes(r"\boxed{1} but then \boxed{2}", false), "1,2");
        assert_eq!(without_boxes("x + 1", true), "x + 1");
    }
}
