//! From what clap could not match to a sentence that names the mistake and what to do about it.

use aiperf_options::catalogue::{Arity, OptionId, OptionSpec, ValueKind};
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::CliError;
use super::help::BRIEF;
use super::spelling::{Typed, id_of};

/// More names than this are a list, not a suggestion.
const MOST_SUGGESTIONS: usize = 3;
/// Fewer letters are a part of too many names.
const LETTERS_OF_A_WORD: usize = 3;

/// A command line as typed, and the command that could not read it.
pub(super) struct Mistake<'a> {
    pub(super) words: &'a [String],
    pub(super) typed: &'a Typed,
    pub(super) program: &'a Command,
}

impl Mistake<'_> {
    pub(super) fn explain(&self, error: &clap::Error) -> CliError {
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.clone()),
            Some(ContextValue::Strings(texts)) => texts.first().cloned(),
            _ => None,
        };
        let arg = text(ContextKind::InvalidArg).map(|arg| flag_of(&arg));
        match (error.kind(), arg) {
            (ErrorKind::UnknownArgument, Some(word)) if !word.starts_with('-') => self.stray(word),
            (ErrorKind::UnknownArgument, Some(flag)) => self.unknown_option(flag),
            (ErrorKind::InvalidSubcommand, _) => {
                self.unknown_command(text(ContextKind::InvalidSubcommand).unwrap_or_default())
            }
            (ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, _) => {
                let (level, command) = self.level();
                CliError::NoCommand { level, commands: commands(command) }
            }
            (ErrorKind::ArgumentConflict, Some(flag)) => CliError::Repeated(self.typed.all_spellings(&flag)),
            (ErrorKind::InvalidValue, Some(flag)) if text(ContextKind::InvalidValue).is_none_or(|v| v.is_empty()) => {
                CliError::MissingValue(self.typed.spelling_of(&flag))
            }
            _ => CliError::Other(first_paragraph(&error.to_string())),
        }
    }

    /// The innermost command that was named, and how.
    fn level(&self) -> (String, &Command) {
        let (mut name, mut command) = ("aiperf".to_owned(), self.program);
        for word in self.words.iter().skip(1) {
            let Some(inner) = command.find_subcommand(word) else { break };
            name.push_str(&format!(" {word}"));
            command = inner;
        }
        (name, command)
    }

    fn unknown_option(&self, flag: String) -> CliError {
        let (level, command) = self.level();
        if let Some(advice) = aiperf_genai_perf::advice(&flag).filter(|_| level == "aiperf profile") {
            return CliError::OptionOfGenaiPerf { flag, advice };
        }
        let known: Vec<&str> = command
            .get_arguments()
            .filter(|arg| !arg.is_hide_set())
            .flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default())
            .collect();
        let name = flag.trim_start_matches('-').to_ascii_lowercase();
        let advice = match alike(&name, &known).as_slice() {
            [] => format!("`{level} --help` lists all options"),
            names => {
                let names: Vec<String> = names.iter().map(|name| format!("--{name}")).collect();
                format!("did you mean {}?", names.join(" or "))
            }
        };
        CliError::UnknownOption { flag, level, advice }
    }

    fn unknown_command(&self, name: String) -> CliError {
        let (level, command) = self.level();
        let known = command.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name);
        let nearest = aiperf_option_table::nearest(&name, known, name.len());
        let advice = match nearest {
            Some(nearest) => format!("did you mean `{level} {nearest}`?"),
            None if level == "aiperf synthesize" => {
                "write `aiperf synthesize trace FILE` to change a trace, or `aiperf synthesize agentic-code` to make one"
                    .to_owned()
            }
            None => format!("its commands are {}", commands(command)),
        };
        CliError::UnknownCommand { level, name, advice }
    }

    /// A word that belongs to no option: most often a value too many.
    fn stray(&self, word: String) -> CliError {
        let advice = self.words.iter().enumerate().filter(|(_, known)| **known == word).find_map(|(at, _)| {
            let (place, option) = (1..at).rev().map(|place| (place, &self.words[place])).find(|(_, w)| is_option(w))?;
            let (name, tied) =
                option.split_once('=').map_or((option.as_str(), None), |(name, value)| (name, Some(value)));
            let spec = id_of(name).map(OptionId::spec)?;
            let given: Vec<&str> =
                tied.into_iter().chain(self.words[place + 1..at].iter().map(String::as_str)).collect();
            advice_on(spec, name, &given, &word)
        });
        advice.unwrap_or_else(|| CliError::StrayWord {
            word,
            advice: format!("`{} --help` shows what to give", self.level().0),
        })
    }
}

/// What to write instead of a value too many.
fn advice_on(spec: &OptionSpec, name: &str, given: &[&str], word: &str) -> Option<CliError> {
    if spec.value == ValueKind::Flag {
        return given.is_empty().then(|| CliError::FlagValue { flag: name.to_owned(), value: word.to_owned() });
    }
    if given.is_empty() {
        return None;
    }
    let all = |between: &str| [given, &[word]].concat().join(between);
    let advice = match spec.arity {
        Arity::List(form) if form.commas => format!("separate values with commas ({name} {})", all(",")),
        Arity::Sweep(_) => format!("separate the values of a sweep with commas ({name} {})", all(",")),
        _ if matches!(spec.value, ValueKind::Text | ValueKind::Path) => {
            format!("put quotes around a value with blanks ({name} \"{}\")", all(" "))
        }
        _ => format!("{name} takes one value"),
    };
    Some(CliError::StrayWord { word: word.to_owned(), advice })
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word.parse::<f64>().is_err()
}

/// The name that a slip of the pen stands for, or those that have the given words in them: of many only those that people
/// use most.
fn alike<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    if let Some(near) = aiperf_option_table::nearest(name, known.iter().copied(), name.len()) {
        return vec![near];
    }
    if name.len() < LETTERS_OF_A_WORD {
        return Vec::new();
    }
    let has_words = |known: &str| known.starts_with(name) || format!("-{known}-").contains(&format!("-{name}-"));
    let longer: Vec<&str> = known.iter().copied().filter(|known| has_words(known)).collect();
    let usual = |known: &&str| BRIEF.iter().flat_map(|(_, ids)| *ids).any(|id| id.spec().name() == *known);
    let used_most: Vec<&str> = longer.iter().copied().filter(usual).collect();
    let names = if used_most.is_empty() { longer } else { used_most };
    if names.len() <= MOST_SUGGESTIONS { names } else { Vec::new() }
}

fn commands(command: &Command) -> String {
    let names: Vec<&str> =
        command.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// `--isl <N>` as clap writes it, without what follows the name.
fn flag_of(arg: &str) -> String {
    arg.split([' ', '=', '[']).next().unwrap_or(arg).trim_end_matches("...").to_owned()
}

fn first_paragraph(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or(text);
    let words: Vec<&str> = paragraph.strip_prefix("error: ").unwrap_or(paragraph).split_whitespace().collect();
    words.join(" ")
}
