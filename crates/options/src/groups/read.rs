//! Typed reading of single options; ranges and members come from the catalogue.

use std::time::Duration;

use aiperf_config::{GracePeriod, with_subject};

use crate::catalogue::{Arity, OptionId, ValueKind};
use crate::grammar::number;
use crate::{ConfigError, RawOptions};

impl RawOptions {
    pub fn is_given(&self, id: OptionId) -> bool {
        self.get(id).is_some()
    }

    pub(super) fn text(&self, id: OptionId) -> Option<&str> {
        self.get(id)?.values.first().map(String::as_str)
    }

    /// All values, split at commas where the option takes lists that way; blank ones are kept out.
    pub(super) fn list(&self, id: OptionId) -> Vec<&str> {
        let commas = matches!(id.spec().arity, Arity::List(form) if form.commas);
        let Some(given) = self.get(id) else { return Vec::new() };
        let tokens = given.values.iter().map(String::as_str);
        if commas {
            tokens.flat_map(|token| token.split(',')).map(str::trim).filter(|piece| !piece.is_empty()).collect()
        } else {
            tokens.collect()
        }
    }

    /// The tokens as they were typed.
    pub(super) fn tokens(&self, id: OptionId) -> &[String] {
        self.get(id).map_or(&[], |given| &given.values)
    }

    pub(super) fn flag(&self, id: OptionId) -> Result<bool, ConfigError> {
        let Some(text) = self.text(id) else { return Ok(false) };
        number::truth(text).ok_or_else(|| self.bad(id, text, "must be true, yes, 1, false, no or 0"))
    }

    pub(super) fn int<T: TryFrom<i128>>(&self, id: OptionId) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.scalar(id)? else { return Ok(None) };
        let value = number::int(text).ok_or_else(|| self.bad(id, text, "must be a whole number"))?;
        self.check_range(id, text, value as f64)?;
        T::try_from(value).map(Some).map_err(|_| self.bad(id, text, "the number is too large"))
    }

    /// A number that may be `inf`.
    pub(super) fn float_or_inf(&self, id: OptionId) -> Result<Option<f64>, ConfigError> {
        let Some(text) = self.scalar(id)? else { return Ok(None) };
        let value = number::float(text)
            .ok_or_else(|| self.bad(id, text, "must be a number without a unit, such as 5, 0.5 or 1e3"))?;
        self.check_range(id, text, value)?;
        Ok(Some(value))
    }

    pub(super) fn float(&self, id: OptionId) -> Result<Option<f64>, ConfigError> {
        let value = self.float_or_inf(id)?;
        match value {
            Some(number) if number.is_infinite() => Err(self.bad(id, &number.to_string(), "must be a finite number")),
            _ => Ok(value),
        }
    }

    pub(super) fn seconds(&self, id: OptionId) -> Result<Option<Duration>, ConfigError> {
        let Some(seconds) = self.float(id)? else { return Ok(None) };
        Duration::try_from_secs_f64(seconds)
            .map(Some)
            .map_err(|_| self.bad(id, &seconds.to_string(), "the time is too long; give a number of seconds"))
    }

    /// A wait in seconds; `inf` waits without a limit.
    pub(super) fn wait(&self, id: OptionId) -> Result<Option<GracePeriod>, ConfigError> {
        match self.float_or_inf(id)? {
            Some(seconds) if seconds.is_infinite() => Ok(Some(GracePeriod::Unlimited)),
            _ => Ok(self.seconds(id)?.map(GracePeriod::Limited)),
        }
    }

    /// The catalogue's spelling of the member that was meant.
    pub(super) fn choice(&self, id: OptionId) -> Result<Option<&'static str>, ConfigError> {
        let Some(text) = self.text(id) else { return Ok(None) };
        let (members, found) = match id.spec().value {
            ValueKind::Choice(members) => {
                // The reference also splits a size from its unit: `1-k` is `1k`.
                let plain = |name: &str| name.to_ascii_lowercase().replace(['_', '-'], "");
                (members, members.iter().find(|member| plain(member) == plain(text)))
            }
            ValueKind::Literal(members) => (members, members.iter().find(|member| **member == text)),
            _ => (&[] as &[&str], None),
        };
        found.copied().map(Some).ok_or_else(|| self.bad(id, text, &choose_one_of(members, text)))
    }

    pub(super) fn bad(&self, id: OptionId, value: &str, expected: &str) -> ConfigError {
        let (flag, value, expected) = (self.spelling(id), value.to_owned(), expected.to_owned());
        ConfigError::BadValue { flag, value, expected }
    }

    /// "It" in the reason is the first of the two.
    pub(super) fn conflict(&self, first: OptionId, second: OptionId, why: &str) -> ConfigError {
        let (first, second) = (self.spelling(first), self.spelling(second));
        let why = with_subject(why, &first);
        ConfigError::Conflict { first, second, why }
    }

    pub(super) fn needs(&self, id: OptionId, other: OptionId, why: &str) -> ConfigError {
        self.needs_text(id, &self.spelling(other), why)
    }

    /// "It" in the reason is the option that needs something.
    pub(super) fn needs_text(&self, id: OptionId, needs: &str, why: &str) -> ConfigError {
        let flag = self.spelling(id);
        let why = with_subject(why, &flag);
        ConfigError::Needs { flag, needs: needs.to_owned(), why }
    }

    /// One value, where a comma list would be a sweep; a comma at the end is harmless.
    fn scalar(&self, id: OptionId) -> Result<Option<&str>, ConfigError> {
        let Some(text) = self.text(id) else { return Ok(None) };
        if !matches!(id.spec().arity, Arity::Sweep(_)) || !text.contains(',') {
            return Ok(Some(text));
        }
        let mut pieces = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
        match (pieces.next(), pieces.next()) {
            (Some(only), None) => Ok(Some(only)),
            (None, _) => Ok(Some(text)),
            (Some(_), Some(_)) => Err(ConfigError::List { flag: self.spelling(id), value: text.to_owned() }),
        }
    }

    pub(super) fn check_range(&self, id: OptionId, text: &str, value: f64) -> Result<(), ConfigError> {
        let range = id.spec().range;
        if range.contains(value) { Ok(()) } else { Err(self.bad(id, text, &format!("must be {range}"))) }
    }
}

/// All members, and the one that was perhaps meant.
pub(super) fn choose_one_of(members: &[&str], given: &str) -> String {
    let all = members.join(", ");
    match aiperf_option_table::nearest(&given.to_ascii_lowercase(), members, given.len()) {
        Some(meant) => format!("choose one of {all}; did you mean {meant}?"),
        None => format!("choose one of {all}"),
    }
}
