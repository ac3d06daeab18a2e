//! Writes the fields of a section from the options that they stand for.

use std::collections::BTreeSet;

use aiperf_options::catalogue::{Arity, OptionId, ValueKind};
use aiperf_options::{Given, RawOptions, read_goodput, read_headers, read_key_values, read_tags};
use serde_json::{Map, Value};

use super::value::{distribution, is_on, literal, literals, number, scalar};
use super::{is_not_of_a_file, is_of_warmup, name_of};
use crate::FileError;
use crate::field::{Field, Form};

/// Options on their way into a file. It notes which ones were written, so that none is forgotten.
pub(super) struct Writer<'a> {
    options: &'a RawOptions,
    /// Options that have lists of values, which stand under `sweep`.
    swept: &'a [OptionId],
    written: BTreeSet<OptionId>,
}

impl<'a> Writer<'a> {
    pub(super) const fn new(options: &'a RawOptions, swept: &'a [OptionId]) -> Self {
        Self { options, swept, written: BTreeSet::new() }
    }

    pub(super) const fn options(&self) -> &'a RawOptions {
        self.options
    }

    pub(super) fn is_swept(&self, id: OptionId) -> bool {
        self.swept.contains(&id)
    }

    /// An option that is not written yet.
    pub(super) fn take(&mut self, id: OptionId) -> Option<&'a Given> {
        let given = self.options.get(id)?;
        self.written.insert(id).then_some(given)
    }

    /// Writes one option under this key.
    pub(super) fn put(&mut self, map: &mut Map<String, Value>, key: &str, id: OptionId) {
        if let Some(value) = self.one(id) {
            map.insert(key.to_owned(), value);
        }
    }

    /// The value of an option that is a number, a text or a flag.
    pub(super) fn one(&mut self, id: OptionId) -> Option<Value> {
        let given = self.take(id)?;
        if id.spec().value == ValueKind::Flag {
            return Some(Value::Bool(is_on(&given.values)));
        }
        given.values.first().map(|text| scalar(id, text))
    }

    pub(super) fn section(&mut self, fields: &'static [Field]) -> Map<String, Value> {
        let mut map = Map::new();
        for field in fields {
            if let Some(value) = self.field(field) {
                map.insert(name_of(field, &value), value);
            }
        }
        map
    }

    pub(super) fn field(&mut self, field: &Field) -> Option<Value> {
        match field.form {
            Form::Scalar(id) | Form::Flag(id) | Form::Duration(id) => self.one(id),
            Form::NegatedFlag(id) => self.take(id).map(|given| Value::Bool(!is_on(&given.values))),
            Form::List(id) => self.list(id),
            Form::Map(id) => self.take(id).map(|given| literals(map(id, &given.values))),
            Form::Pairs(id) => self.take(id).map(|given| literals(Value::Object(pairs(id, &given.values)))),
            Form::Thresholds(id) => {
                let given = self.take(id)?;
                let limits = given.values.iter().flat_map(|text| read_goodput(text).unwrap_or_default());
                Some(Value::Object(limits.map(|(metric, limit)| (metric, number(&limit.to_string()))).collect()))
            }
            Form::Distribution(mean, stddev) => self.distribution(mean, stddev),
            Form::Section(fields) => {
                let section = self.section(fields);
                (!section.is_empty()).then_some(Value::Object(section))
            }
            Form::Own(form) => self.own(form),
            Form::Refused(_) | Form::WithoutEffect(_) => None,
        }
    }

    fn list(&mut self, id: OptionId) -> Option<Value> {
        let given = self.take(id)?;
        let commas = matches!(id.spec().arity, Arity::List(form) if form.commas);
        let pieces = given.values.iter().flat_map(|token| {
            let pieces: Vec<&str> = if commas { token.split(',').map(str::trim).collect() } else { vec![token] };
            pieces.into_iter().filter(|piece| !piece.is_empty()).collect::<Vec<_>>()
        });
        let mut values: Vec<Value> = pieces.map(|piece| scalar(id, piece)).collect();
        Some(if values.len() == 1 { values.remove(0) } else { Value::Array(values) })
    }

    fn distribution(&mut self, mean: OptionId, stddev: OptionId) -> Option<Value> {
        let first = |given: &Given| given.values.first().map(|text| distribution(text));
        let mean = self.take(mean).and_then(first);
        let stddev = self.take(stddev).and_then(first);
        match (mean, stddev) {
            (mean, None) => mean,
            (mean, Some(stddev)) => {
                let mean = mean.map(|mean| ("mean".to_owned(), mean));
                Some(Value::Object(mean.into_iter().chain([("stddev".to_owned(), stddev)]).collect()))
            }
        }
    }

    /// An option that has no field is named rather than lost.
    pub(super) fn check_that_all_is_written(&self) -> Result<(), FileError> {
        let forgotten = self.options.given().iter().find(|given| {
            let is_off = given.id.spec().value == ValueKind::Flag && !is_on(&given.values);
            !self.written.contains(&given.id) && !is_not_of_a_file(given.id) && !is_of_warmup(given.id) && !is_off
        });
        match forgotten {
            Some(given) => Err(FileError::new(format!(
                "{} has no field in a configuration file; give it on the command line next to -f",
                given.spelling
            ))),
            None => Ok(()),
        }
    }
}

/// Names with values at any depth.
fn map(id: OptionId, tokens: &[String]) -> Value {
    if id == OptionId::Header {
        let mut headers = Vec::new();
        for token in tokens {
            // The options were resolved before, so each token can be read.
            let _ = read_headers(&mut headers, token);
        }
        return Value::Object(headers.into_iter().map(|(name, value)| (name, Value::from(value))).collect());
    }
    let mut values = Map::new();
    for token in tokens {
        let _ = read_key_values(&mut values, token);
    }
    Value::Object(values)
}

/// Names with texts.
fn pairs(id: OptionId, tokens: &[String]) -> Map<String, Value> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for token in tokens {
        if id == OptionId::MlflowTag {
            let _ = read_tags(&mut pairs, token);
            continue;
        }
        let commas = matches!(id.spec().arity, Arity::List(form) if form.commas);
        let pieces: Vec<&str> = if commas { token.split(',').collect() } else { vec![token] };
        for (name, value) in pieces.into_iter().filter_map(|piece| piece.split_once('=')) {
            pairs.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
    pairs.into_iter().map(|(name, value)| (name, Value::from(value))).collect()
}

/// Points of a series, or the name of its file.
pub(super) fn rate_series(text: &str) -> Value {
    if text.trim_start().starts_with(['[', '{']) {
        return serde_json::from_str(text).unwrap_or_else(|_| literal(text));
    }
    serde_json::json!({ "path": literal(text) })
}
