//! Spellings that clap does not know: `_` for `-` in option names, and `-vv` as an option of its own. It also notes how
//! each option was spelled, so that messages can use the user's own words.

use aiperf_options::catalogue::{OptionId, options};

/// The long options and `-vv` as typed, in order.
#[derive(Debug, Default)]
pub(super) struct Typed(Vec<(OptionId, String)>);

impl Typed {
    pub(super) fn of(&self, id: OptionId) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, spelling)| spelling.as_str())
    }

    /// The user's spelling of the option that goes by this name in the parser.
    pub(super) fn spelling_of(&self, flag: &str) -> String {
        id_of(flag).and_then(|id| self.of(id)).unwrap_or(flag).to_owned()
    }

    /// All the user's spellings of that option: `--isl (also as --synthetic-input-tokens-mean)`.
    pub(super) fn all_spellings(&self, flag: &str) -> String {
        let mut spellings: Vec<&str> =
            self.0.iter().filter(|(id, _)| id_of(flag) == Some(*id)).map(|(_, spelling)| spelling.as_str()).collect();
        spellings.dedup();
        match spellings.split_first() {
            None => flag.to_owned(),
            Some((first, [])) => (*first).to_owned(),
            Some((first, others)) => format!("{first} (also as {})", others.join(", ")),
        }
    }
}

/// Rewrites the words after the command into what the parser knows.
pub(super) fn normalise(words: Vec<String>) -> (Vec<String>, Typed) {
    let mut typed = Typed::default();
    let mut result = Vec::with_capacity(words.len());
    for word in words {
        if word == "--" {
            continue;
        }
        result.push(normalise_word(word, &mut typed));
    }
    (result, typed)
}

fn normalise_word(word: String, typed: &mut Typed) -> String {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word.as_str(), None),
    };
    let long = if name == "-vv" { OptionId::ExtraVerbose.flag() } else { name.replace('_', "-") };
    if !long.starts_with("--") {
        return word;
    }
    if let Some(id) = id_of(&long) {
        typed.0.push((id, if name == "-vv" { name.to_owned() } else { long.clone() }));
    }
    match value {
        Some(value) => format!("{long}={value}"),
        None => long,
    }
}

pub(super) fn id_of(flag: &str) -> Option<OptionId> {
    if let Some(name) = flag.strip_prefix("--") {
        return options().find(|spec| spec.long.contains(&name) || spec.negative == Some(name)).map(|spec| spec.id);
    }
    let short = flag.strip_prefix('-')?;
    options().find(|spec| spec.short == Some(short)).map(|spec| spec.id)
}
