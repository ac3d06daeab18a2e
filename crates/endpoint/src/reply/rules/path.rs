//! Paths: names with dots between them, `[2]` for an item of a list, `[*]` for each item, `"a.b"` for a name with other characters.
//!
//! Every path is a `JMESPath` expression with the same meaning, except that what it selects is taken item by item.

/// A place in a document, from its root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldPath(pub(super) Vec<PathStep>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathStep {
    Name(String),
    Index(usize),
    Each,
}

/// More levels than any API has.
const MOST_STEPS: usize = 32;

impl FieldPath {
    /// `None` if the text is not a path.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let (item, after) = inside.split_once(']')?;
                steps.push(if item == "*" { PathStep::Each } else { PathStep::Index(item.parse().ok()?) });
                rest = after;
            } else {
                let name = if steps.is_empty() { rest } else { rest.strip_prefix('.')? };
                let (step, after) = name_of(name)?;
                steps.push(PathStep::Name(step));
                rest = after;
            }
        }
        (!steps.is_empty() && steps.len() <= MOST_STEPS).then_some(Self(steps))
    }
}

/// A name at the start of the text, and what follows it.
fn name_of(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, after) = quoted.split_once('"')?;
        return (!name.contains('\\')).then(|| (name.to_owned(), after));
    }
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !is_inside(c)).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts_well && (after.is_empty() || after.starts_with(['.', '[']))).then(|| (name.to_owned(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_names_items_and_quoted_names() {
        let name = |name: &str| PathStep::Name(name.to_owned());
        let path = FieldPath::parse("choices[*].delta.content").unwrap();
        assert_eq!(path.0, [name("choices"), PathStep::Each, name("delta"), name("content")]);
        let path = FieldPath::parse("[0].\"a.b\"[12]").unwrap();
        assert_eq!(path.0, [PathStep::Index(0), name("a.b"), PathStep::Index(12)]);
        for other in ["", ".", "a.", "a..b", "a[", "a[-1]", "a[x]", "a b", "a|b", "1a", "a[*]b", "\"a", "length(a)"] {
            assert_eq!(FieldPath::parse(other), None, "{other}");
        }
    }
}
