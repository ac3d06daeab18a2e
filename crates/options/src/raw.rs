//! What was typed: options and their values as text, before anything is known of what they mean.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::ConfigError;
use crate::catalogue::{OptionId, options};

/// All options given, in the order typed. It notes which ones were asked for, so that a test can find an option that is
/// accepted and then forgotten.
#[derive(Debug, Clone, Default)]
pub struct RawOptions {
    given: Vec<Given>,
    /// What was typed, if names of plugin packs were replaced since.
    typed: Option<Vec<Given>>,
    asked: RefCell<BTreeSet<OptionId>>,
}

/// One option with all its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub id: OptionId,
    /// As typed, dashes included.
    pub spelling: String,
    /// The tokens, not yet split at commas; for a flag its truth value.
    pub values: Vec<String>,
}

impl RawOptions {
    /// Options by name, without hyphens, with one value each; a flag has `true` or `false`.
    pub fn of_pairs<V: AsRef<str>>(pairs: &[(&str, V)]) -> Result<Self, ConfigError> {
        let mut raw = Self::default();
        for (name, value) in pairs {
            let flag = format!("--{name}");
            let Some(spec) = options().find(|spec| spec.long.contains(name)) else {
                return Err(ConfigError::Unknown { flag });
            };
            raw.push(spec.id, flag, vec![value.as_ref().to_owned()]);
        }
        Ok(raw)
    }

    /// No options.
    pub const fn new() -> Self {
        Self { given: Vec::new(), typed: None, asked: RefCell::new(BTreeSet::new()) }
    }

    /// Gives an option these values, whether it was given before or not.
    pub fn set(&mut self, id: OptionId, spelling: impl Into<String>, values: Vec<String>) {
        self.given.retain(|given| given.id != id);
        self.push(id, spelling, values);
    }

    /// Forgets an option.
    pub fn remove(&mut self, id: OptionId) {
        self.given.retain(|given| given.id != id);
    }

    /// Adds the options of another list that this one does not have.
    pub fn extend(&mut self, other: Self) {
        for given in other.given {
            if !self.given.iter().any(|own| own.id == given.id) {
                self.given.push(given);
            }
        }
    }

    /// The command that has these options, with secrets redacted and with the environment variables that change a run.
    pub fn repeat(&self, variables: &BTreeMap<String, String>) -> String {
        crate::command_line::repeat(self, variables)
    }

    /// The options by name, without hyphens, with their values; secrets are redacted.
    pub fn stored(&self) -> Vec<(String, Vec<String>)> {
        crate::command_line::stored(self)
    }

    /// Options that [`Self::stored`] gave. An option that was given a secret is an error: it was not stored.
    pub fn restore(stored: &[(String, Vec<String>)]) -> Result<Self, ConfigError> {
        let mut raw = Self::default();
        for (name, values) in stored {
            let flag = format!("--{name}");
            if values.iter().any(|value| value.contains(aiperf_redact::REDACTED)) {
                return Err(ConfigError::SecretNotStored { flag });
            }
            let Some(spec) = options().find(|spec| spec.long.contains(&name.as_str())) else {
                return Err(ConfigError::Unknown { flag });
            };
            raw.push(spec.id, flag, values.clone());
        }
        Ok(raw)
    }

    /// The same options, with secrets taken out of their values.
    #[must_use]
    pub fn redacted(&self) -> Self {
        let mut shown = Self::new();
        for given in &self.given {
            let values = given.values.iter().flat_map(|value| crate::command_line::without_secrets(given.id, value));
            shown.push(given.id, given.spelling.clone(), values.collect());
        }
        shown
    }

    /// Gives an option one more value.
    pub fn append(&mut self, id: OptionId, spelling: impl Into<String>, value: String) {
        match self.given.iter_mut().find(|given| given.id == id) {
            Some(given) => given.values.push(value),
            None => self.push(id, spelling, vec![value]),
        }
    }

    pub fn push(&mut self, id: OptionId, spelling: impl Into<String>, values: Vec<String>) {
        self.given.push(Given { id, spelling: spelling.into(), values });
    }

    /// Puts one more value to an option, given or not.
    pub(crate) fn add(&mut self, id: OptionId, value: &str) {
        match self.given.iter_mut().find(|given| given.id == id) {
            Some(given) => given.values.push(value.to_owned()),
            None => self.push(id, id.flag(), vec![value.to_owned()]),
        }
    }

    /// Puts this value in place of those of an option that was given.
    pub(crate) fn replace(&mut self, id: OptionId, value: String) {
        if let Some(given) = self.given.iter_mut().find(|given| given.id == id) {
            given.values = vec![value];
        }
    }

    /// The option that names a configuration file, whose settings these options are laid over.
    pub fn config_file(&self) -> Option<&Given> {
        self.get(OptionId::Config)
    }

    pub fn given(&self) -> &[Given] {
        &self.given
    }

    /// The options as typed, with the names of plugin packs that stand for other options now.
    pub(crate) fn typed(&self) -> &[Given] {
        self.typed.as_deref().unwrap_or(&self.given)
    }

    /// Keeps what was typed, which is `options`, next to what it stands for.
    pub(crate) fn remember_typed(&mut self, options: &Self) {
        self.typed.get_or_insert_with(|| options.given.clone());
    }

    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    pub fn get(&self, id: OptionId) -> Option<&Given> {
        self.asked.borrow_mut().insert(id);
        self.given.iter().find(|given| given.id == id)
    }

    /// The options that anything has asked for so far.
    pub fn asked(&self) -> BTreeSet<OptionId> {
        self.asked.borrow().clone()
    }

    /// How the user spells this option, or how we do when it was not given.
    pub(crate) fn spelling(&self, id: OptionId) -> String {
        self.given.iter().find(|given| given.id == id).map_or_else(|| id.flag(), |given| given.spelling.clone())
    }
}
