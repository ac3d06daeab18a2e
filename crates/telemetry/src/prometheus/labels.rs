//! Label sets.

use std::borrow::Cow;

/// Names and values of one series, sorted by name, each name once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Labels(Box<[(String, String)]>);

impl Labels {
    /// If a name occurs twice, the last value counts.
    pub fn new(mut pairs: Vec<(String, String)>) -> Self {
        pairs.reverse();
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        pairs.dedup_by(|later, kept| later.0 == kept.0);
        Self(pairs.into_boxed_slice())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes one label out: the set without it, and its value.
    pub(crate) fn split_off(self, name: &str) -> (Self, Option<String>) {
        let mut pairs = self.0.into_vec();
        let value = pairs.iter().position(|(own, _)| own == name).map(|at| pairs.remove(at).1);
        (Self(pairs.into_boxed_slice()), value)
    }
}

/// A quoted text without its escapes. `\\`, `\"` and `\n` are escapes; any other backslash stands for itself.
pub(crate) fn unescaped(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => text.push('\n'),
            Some(c @ ('\\' | '"')) => text.push(c),
            Some(other) => text.extend(['\\', other]),
            None => text.push('\\'),
        }
    }
    Cow::Owned(text)
}
