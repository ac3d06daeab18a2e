//! The paths of all rules as one tree: a node says what the value at its place is for, and which parts of it to look at.

use super::Role;
use super::path::{FieldPath, PathStep};

/// A tree of places. Node 0 is the root of the document.
#[derive(Debug, Default)]
pub(super) struct RuleTree {
    nodes: Vec<RuleNode>,
}

#[derive(Debug, Default)]
pub(super) struct RuleNode {
    pub(super) roles: Vec<Role>,
    names: Vec<(String, usize)>,
    /// Items of a list that rules name by number; what is for each item is for these, too.
    items: Vec<(usize, usize)>,
    /// All other items.
    each: Option<usize>,
    /// A choice begins here: its number is its place in the list, unless a rule finds another one in it.
    pub(super) begins_choice: bool,
}

/// A path that is still to be followed from some node.
type Rest<'a> = (Role, &'a [PathStep]);

impl RuleTree {
    pub(super) fn new(paths: &[(Role, FieldPath)]) -> Self {
        let mut tree = Self::default();
        let choices: Vec<Vec<PathStep>> = paths
            .iter()
            .filter(|(role, _)| *role == Role::Choice)
            .filter_map(|(_, path)| {
                let last = path.0.iter().rposition(|step| *step == PathStep::Each)?;
                Some(path.0[..=last].to_vec())
            })
            .collect();
        let rests: Vec<Rest<'_>> = paths.iter().map(|(role, path)| (*role, path.0.as_slice())).collect();
        let choices: Vec<&[PathStep]> = choices.iter().map(Vec::as_slice).collect();
        tree.grow(&rests, &choices);
        tree
    }

    /// Adds a node for what is left of these paths; returns its number.
    fn grow(&mut self, rests: &[Rest<'_>], choices: &[&[PathStep]]) -> usize {
        let at = self.nodes.len();
        self.nodes.push(RuleNode::default());
        let begins_choice = choices.iter().any(|choice| choice.is_empty());
        let is_number = |role: Role| !(role == Role::Choice && begins_choice);
        let roles = rests.iter().filter(|(role, rest)| rest.is_empty() && is_number(*role)).map(|(role, _)| *role);
        let mut node = RuleNode { roles: roles.collect(), begins_choice, ..RuleNode::default() };
        let firsts = rests.iter().filter_map(|(_, rest)| rest.first());
        let mut known: Vec<&PathStep> = Vec::new();
        for step in firsts {
            if known.contains(&step) {
                continue;
            }
            known.push(step);
            let leads =
                |other: &PathStep| other == step || (*other == PathStep::Each && matches!(step, PathStep::Index(_)));
            let below: Vec<Rest<'_>> = rests
                .iter()
                .filter_map(|(role, rest)| {
                    rest.split_first().filter(|(first, _)| leads(first)).map(|(_, rest)| (*role, rest))
                })
                .collect();
            let choices: Vec<&[PathStep]> = choices
                .iter()
                .filter_map(|rest| rest.split_first().filter(|(first, _)| leads(first)).map(|(_, rest)| rest))
                .collect();
            let child = self.grow(&below, &choices);
            match step {
                PathStep::Name(name) => node.names.push((name.clone(), child)),
                PathStep::Index(index) => node.items.push((*index, child)),
                PathStep::Each => node.each = Some(child),
            }
        }
        self.nodes[at] = node;
        at
    }

    pub(super) fn node(&self, at: usize) -> &RuleNode {
        &self.nodes[at]
    }
}

impl RuleNode {
    pub(super) fn named(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, node)| *node)
    }

    pub(super) fn item(&self, index: usize) -> Option<usize> {
        self.items.iter().find(|(known, _)| *known == index).map(|(_, node)| *node).or(self.each)
    }

    pub(super) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    pub(super) fn has_items(&self) -> bool {
        !self.items.is_empty() || self.each.is_some()
    }

    pub(super) fn is_leaf(&self) -> bool {
        !self.has_names() && !self.has_items()
    }
}
