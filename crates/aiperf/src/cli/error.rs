//! Why a command line was not understood, in one sentence each.

use aiperf_config::ConfigError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use thiserror::Error;

use super::spelling::Typed;

#[derive(Debug, Error)]
pub(crate) enum CliError {
    #[error("aiperf {0} is not supported yet")]
    CommandNotYet(String),
    #[error(
        "there is no command {name:?}; the commands are profile, chat, selftest, sim, report, compare, gate, \
         analyze-trace, synthesize, validate, genai-perf and completions"
    )]
    UnknownCommand { name: String },
    #[error("{flag} is not an option{nearest}; --help lists them all")]
    UnknownOption { flag: String, nearest: String },
    #[error("{0:?} belongs to no option; --help shows what each option takes")]
    StrayWord(String),
    #[error("{0} needs a value")]
    MissingValue(String),
    #[error("{0} was given more than once")]
    Repeated(String),
    #[error("{0:?} is not valid UTF-8")]
    NotText(String),
    #[error(
        "aiperf profile needs to know what to measure: give a model and the URL of its server, for example `aiperf profile \
         --model my-model --url http://localhost:8000 --streaming`, or try `aiperf profile --url sim: --streaming`"
    )]
    NothingToProfile,
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{0}")]
    Completion(String),
    #[error("{option} has no effect with --quick, which sends one message; leave it out")]
    QuickTalk { option: &'static str },
    #[error("--quick needs a message, such as --quick 'Hello'; leave it out to talk")]
    NothingToSay,
    #[error("aiperf chat needs to know whom to talk to: give the server's model with --model NAME, or try --url sim:")]
    NobodyToTalkTo,
    #[error("aiperf compare needs two folders or more, the baseline first: aiperf compare A B")]
    TooFewFolders,
    #[error("aiperf gate needs a baseline and one folder to judge: aiperf gate --baseline A B")]
    NoGate,
    #[error("{option}: {problem}")]
    TraceOption { option: &'static str, problem: String },
    #[error("{0}")]
    Other(String),
}

impl CliError {
    pub(super) fn from_clap(error: &clap::Error, typed: &Typed) -> CliError {
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.clone()),
            Some(ContextValue::Strings(texts)) => texts.first().cloned(),
            _ => None,
        };
        let arg = text(ContextKind::InvalidArg).map(|arg| flag_of(&arg));
        match (error.kind(), arg) {
            (ErrorKind::UnknownArgument, Some(word)) if !word.starts_with('-') => CliError::StrayWord(word),
            (ErrorKind::UnknownArgument, Some(flag)) => {
                let nearest =
                    text(ContextKind::SuggestedArg).map(|flag| format!(" (did you mean {}?)", flag_of(&flag)));
                CliError::UnknownOption { flag, nearest: nearest.unwrap_or_default() }
            }
            (ErrorKind::InvalidSubcommand, _) => {
                CliError::UnknownCommand { name: text(ContextKind::InvalidSubcommand).unwrap_or_default() }
            }
            (ErrorKind::ArgumentConflict, Some(flag)) => CliError::Repeated(typed.all_spellings(&flag)),
            (ErrorKind::InvalidValue, Some(flag)) if text(ContextKind::InvalidValue).is_none_or(|v| v.is_empty()) => {
                CliError::MissingValue(typed.spelling_of(&flag))
            }
            _ => CliError::Other(first_paragraph(&error.to_string())),
        }
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
