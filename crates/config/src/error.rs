//! Why a set of options cannot be run.

use thiserror::Error;

/// A reason with the option that it speaks of in the place of a leading "it".
pub fn with_subject(why: &str, subject: &str) -> String {
    why.strip_prefix("it ").map_or_else(|| why.to_owned(), |rest| format!("{subject} {rest}"))
}

/// The first rule that was broken, in words that name the options and the way out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigError {
    #[error("{flag} is not supported yet; leave it out")]
    NotYet { flag: String },
    #[error("{flag} {value}: a list of values is a sweep, and only `aiperf profile` makes one; give one value")]
    List { flag: String, value: String },
    #[error("{flag} was given {value:?}: {expected}")]
    BadValue { flag: String, value: String, expected: String },
    #[error("{first} and {second} do not go together: {why}")]
    Conflict { first: String, second: String, why: String },
    #[error("{flag} needs {needs}: {why}")]
    Needs { flag: String, needs: String, why: String },
    #[error("{flag} cannot read {path}: {reason}")]
    Unreadable { flag: String, path: String, reason: String },
    #[error("{name} in the environment is {value:?}: {expected}")]
    BadVariable { name: String, value: String, expected: String },
    #[error(
        "--scenario {name} does not allow:\n  {violations}\nLeave these settings out, or keep them with --unsafe-override; the results are then marked as no valid submission"
    )]
    Scenario { name: &'static str, violations: String },
    #[error(
        "no model: give its name with --model (-m), for example `--model my-model --url http://localhost:8000`, or try \
         `--url sim:`, which needs none"
    )]
    NoModel,
}
