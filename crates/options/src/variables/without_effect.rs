//! Environment variables of the reference that change nothing here, and why: in [`LIST`], so that a user who sets one is told.

use std::sync::LazyLock;

const LIST: &str = include_str!("without_effect.txt");

/// Variables with the same beginning and the same reason.
#[derive(Debug)]
pub struct WithoutEffect {
    pub(crate) prefix: &'static str,
    pub why: &'static str,
    /// What follows the prefix.
    names: Vec<&'static str>,
}

impl WithoutEffect {
    pub(crate) fn has(&self, name: &str) -> bool {
        name.strip_prefix(self.prefix).is_some_and(|rest| self.names.contains(&rest))
    }

    /// Whole names.
    pub fn variables(&self) -> impl Iterator<Item = String> {
        self.names.iter().map(|name| format!("{}{name}", self.prefix))
    }
}

/// All of them, in the order of the list.
pub fn variables_without_effect() -> &'static [WithoutEffect] {
    static GROUPS: LazyLock<Vec<WithoutEffect>> = LazyLock::new(|| read(LIST));
    &GROUPS
}

/// A line `PREFIX: reason` begins a group, and indented lines have its names; `#` begins a comment.
fn read(list: &'static str) -> Vec<WithoutEffect> {
    let mut groups: Vec<WithoutEffect> = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        if let Some((prefix, why)) = line.split_once(": ") {
            groups.push(WithoutEffect { prefix, why, names: Vec::new() });
        } else if let Some(group) = groups.last_mut() {
            group.names.extend(line.split_whitespace());
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_of_the_list_has_a_prefix_a_reason_and_names() {
        assert!(variables_without_effect().len() > 30);
        for group in variables_without_effect() {
            assert!(group.prefix.starts_with("AIPERF_") && group.prefix.ends_with('_'), "{}", group.prefix);
            assert!(!group.why.is_empty() && !group.names.is_empty(), "{}", group.prefix);
        }
    }
}
