//! Why a set of options cannot be run.

use thiserror::Error;

/// The first rule that was broken, in words that name the options and the way out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigError {
    #[error("there is no option {flag}")]
    Unknown { flag: String },
    #[error("{flag} is not supported yet; leave it out")]
    NotYet { flag: String },
    #[error("{flag} {value}: a list of values starts a sweep, which only `aiperf profile` supports; give one value")]
    List { flag: String, value: String },
    #[error("{flag} {value:?}: {expected}")]
    BadValue { flag: String, value: String, expected: String },
    #[error("{first} and {second} cannot be combined: {why}")]
    Conflict { first: String, second: String, why: String },
    #[error("{flag} needs {needs}: {why}")]
    Needs { flag: String, needs: String, why: String },
    #[error(
        "{flag} was given a secret, which is not stored with the plan; give the whole command again in addition to --resume"
    )]
    SecretNotStored { flag: String },
    #[error("{flag}: cannot read {path}: {reason}")]
    Unreadable { flag: String, path: String, reason: String },
    #[error("environment variable {name} {value:?}: {expected}")]
    BadVariable { name: String, value: String, expected: String },
    #[error(
        "--scenario {name} does not allow:\n  {violations}\nLeave these settings out, or keep them with \
         --unsafe-override; the results are then marked as not valid for submission"
    )]
    Scenario { name: &'static str, violations: String },
    #[error(
        "no model given: name it with --model (-m), for example `--model my-model --url http://localhost:8000`, or try \
         `--url sim:`, which needs no model"
    )]
    NoModel,
    #[error("no profiling phase counts in the results; leave out `excludeFromResults` of one of them")]
    NoMeasuredPhase,
}

impl ConfigError {
    /// The same with the options under other names, for those who typed the options of another program.
    #[must_use]
    pub fn rename(mut self, name: impl Fn(&str) -> Option<String>) -> Self {
        for flag in self.flags() {
            if let Some(name) = name(flag) {
                *flag = name;
            }
        }
        self
    }

    fn flags(&mut self) -> Vec<&mut String> {
        match self {
            Self::Unknown { flag }
            | Self::NotYet { flag }
            | Self::SecretNotStored { flag }
            | Self::List { flag, .. }
            | Self::BadValue { flag, .. }
            | Self::Unreadable { flag, .. } => vec![flag],
            Self::Conflict { first, second, .. } => vec![first, second],
            Self::Needs { flag, needs, .. } => vec![flag, needs],
            Self::BadVariable { .. } | Self::Scenario { .. } | Self::NoModel | Self::NoMeasuredPhase => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_may_name_the_options_of_another_program() {
        let error = ConfigError::NotYet { flag: "--auto-plot".to_owned() };
        let renamed = error.rename(|flag| (flag == "--auto-plot").then(|| "--generate-plots".to_owned()));
        assert_eq!(renamed.to_string(), "--generate-plots is not supported yet; leave it out");
    }
}
