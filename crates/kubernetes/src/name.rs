//! Names of runs in a cluster, and of the objects that belong to a run.

use std::fmt;

/// The name of a run in its namespace: a DNS label that leaves room for what Kubernetes appends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunName(String);

/// Names of pods are made of the name of their Job and have at most 63 characters.
const LONGEST: usize = 40;

impl RunName {
    /// Reads a name that a user typed.
    pub fn parse(name: &str) -> Result<Self, String> {
        let of_label = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        if name.len() > LONGEST
            || !name.chars().all(of_label)
            || !edge(name.chars().next())
            || !edge(name.chars().last())
        {
            return Err(format!(
                "{name:?} cannot be the name of a run; use at most {LONGEST} lowercase letters, digits and dashes, with a letter or digit at both ends"
            ));
        }
        Ok(Self(name.to_owned()))
    }

    /// A name for a run of this model; `suffix` makes it unique.
    pub fn of_model(model: &str, suffix: &str) -> Self {
        let last = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let mut label = String::from("aiperf");
        for word in last.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            if label.len() + 1 + word.len() + 1 + suffix.len() > LONGEST {
                break;
            }
            label.push('-');
            label.push_str(word);
        }
        Self(format!("{label}-{suffix}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Configuration and data files.
    pub fn config_map(&self) -> String {
        format!("{}-config", self.0)
    }

    /// The token of the HTTP interface, and the secrets of the configuration.
    pub fn secret(&self) -> String {
        format!("{}-credentials", self.0)
    }

    /// The Job of the nodes, if another Job coordinates them.
    pub fn nodes(&self) -> String {
        format!("{}-nodes", self.0)
    }

    /// The NATS server of the run, and its Service.
    pub fn nats(&self) -> String {
        format!("{}-nats", self.0)
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_dns_labels() {
        for name in ["a", "my-run-1", "0", &"x".repeat(40)] {
            assert!(RunName::parse(name).is_ok(), "{name}");
        }
        for name in ["", "My-run", "-a", "a-", "a_b", "a.b", &"x".repeat(41), "ä"] {
            assert!(RunName::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_name_is_made_of_the_model() {
        let name = |model: &str| RunName::of_model(model, "x7k2p").to_string();
        assert_eq!(name("meta-llama/Llama-3.1-8B-Instruct"), "aiperf-llama-3-1-8b-instruct-x7k2p");
        assert_eq!(name("m"), "aiperf-m-x7k2p");
        assert_eq!(name("//"), "aiperf-x7k2p");
        let long = name("a-very-long-name-of-a-model-that-does-not-fit-into-a-label");
        assert!(RunName::parse(&long).is_ok(), "{long}");
    }
}
