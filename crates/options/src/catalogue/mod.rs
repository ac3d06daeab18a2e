//! The option catalogue: one row for every option of `aiperf profile`, whether built or not. Parsing, help, completions,
//! the manual and the test that every option has a consumer all come from these rows.

mod groups;
mod id;
mod spec;

pub use id::OptionId;
pub use spec::{Arity, Bound, ListForm, OptionSpec, Range, Support, Tokens, ValueKind};

/// Options that belong together, under one heading.
#[derive(Debug)]
pub struct Group {
    pub title: &'static str,
    pub options: &'static [OptionSpec],
}

/// All groups in the order in which they are shown.
pub fn groups() -> &'static [Group] {
    groups::GROUPS
}

/// All options, group by group.
pub fn options() -> impl Iterator<Item = &'static OptionSpec> {
    groups().iter().flat_map(|group| group.options)
}

impl OptionId {
    /// The row of this option.
    #[expect(clippy::expect_used, reason = "a test checks that each id has its row")]
    pub fn spec(self) -> &'static OptionSpec {
        options().find(|spec| spec.id == self).expect("each id has a row")
    }

    /// The spelling that messages use, dashes included.
    pub fn flag(self) -> String {
        format!("--{}", self.spec().name())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The reference has 264 options with 312 spellings; three more spellings were published but never built there.
    #[test]
    fn the_catalogue_holds_every_option_and_spelling_of_the_reference() {
        let theirs = || options().filter(|o| !o.ours);
        let spellings: usize = theirs().map(|o| o.long.len() + usize::from(o.short.is_some())).sum();
        assert_eq!(theirs().count(), 264);
        assert_eq!(spellings, 312 + 3);
        assert_eq!(theirs().filter(|o| o.negative.is_some()).count(), 9);
    }

    #[test]
    fn no_id_and_no_spelling_stands_for_two_options() {
        let mut seen = HashSet::new();
        for option in options() {
            assert!(seen.insert(format!("{:?}", option.id)), "{:?} twice", option.id);
            assert_eq!(option.id.spec().id, option.id);
            for name in option.long.iter().chain(&option.negative) {
                assert!(seen.insert(format!("--{name}")), "--{name} twice");
            }
            if let Some(short) = option.short {
                assert!(seen.insert(format!("-{short}")), "-{short} twice");
            }
        }
    }

    #[test]
    fn each_name_shown_is_one_of_the_spellings_and_each_help_is_a_sentence() {
        for option in options() {
            assert!(option.long.contains(&option.name()), "{:?}", option.id);
            assert!(option.help.ends_with('.'), "{:?}", option.id);
            assert_eq!(option.negative.is_some(), option.negative_help.ends_with('.'), "{:?}", option.id);
        }
    }

    /// A reader finds an option by its name and reads that line alone.
    #[test]
    fn no_help_text_leans_on_the_line_above_it() {
        let leaning =
            ["The same", "that length", "that call", "that pause", "that number", "that limit", "those ", "Or "];
        for option in options() {
            for text in [option.help, option.negative_help] {
                assert!(leaning.iter().all(|words| !text.contains(words)), "{:?}: {text}", option.id);
            }
        }
    }

    #[test]
    fn the_first_sentence_of_a_help_text_is_its_summary() {
        assert_eq!(OptionId::Streaming.spec().summary(), "Ask for streamed responses");
        assert_eq!(OptionId::WorkersMax.spec().summary(), "Maximum number of worker threads that send requests");
    }
}
