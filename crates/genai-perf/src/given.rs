//! From words to options of the tables, as GenAI-Perf's own parser reads them: unique beginnings of long names count, `=` ties a
//! value to its name, and of a repeated option the last counts.

use crate::error::GenaiPerfError;
use crate::table::{Becomes, FlagRule, GenaiPerfFlag, Takes};

/// One option with its values.
#[derive(Debug)]
pub(crate) struct GivenFlag {
    pub(crate) flag: &'static GenaiPerfFlag,
    /// As typed.
    pub(crate) typed: String,
    pub(crate) values: Vec<String>,
}

/// All options, of both tables, each at most once unless its values add up.
#[derive(Debug, Default)]
pub(crate) struct GivenFlags(Vec<GivenFlag>);

impl GivenFlags {
    /// Reads words by some tables; `program` is whose options they are.
    pub(crate) fn read(
        &mut self,
        words: &[String],
        tables: &[&'static [GenaiPerfFlag]],
        program: &'static str,
    ) -> Result<(), GenaiPerfError> {
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if !is_flag(word) {
                return Err(GenaiPerfError::StrayWord(word.to_owned()));
            }
            let (flag, typed, tied) = find(word, tables, program)?;
            let mut values: Vec<String> = tied.into_iter().map(str::to_owned).collect();
            match flag.takes {
                Takes::Nothing if tied.is_some() => return Err(GenaiPerfError::NoValue(typed)),
                Takes::One | Takes::Repeated if tied.is_none() => values.extend(value(&mut words)),
                Takes::OneOrMore | Takes::Any if tied.is_none() => {
                    values.extend(std::iter::from_fn(|| value(&mut words)));
                }
                _ => {}
            }
            if let Becomes::Refused(why) = flag.becomes {
                return Err(GenaiPerfError::Refused { flag: typed, why });
            }
            if values.is_empty() && !matches!(flag.takes, Takes::Nothing | Takes::Any) {
                return Err(GenaiPerfError::MissingValue(typed));
            }
            self.put(GivenFlag { flag, typed, values });
        }
        Ok(())
    }

    fn put(&mut self, given: GivenFlag) {
        if given.flag.takes != Takes::Repeated {
            self.0.retain(|earlier| !same(earlier.flag.becomes, given.flag.becomes));
        }
        self.0.push(given);
    }

    /// Gives an option its only value, whoever asked for it.
    pub(crate) fn set(&mut self, flag: &'static GenaiPerfFlag, typed: &str, value: &str) {
        self.put(GivenFlag { flag, typed: typed.to_owned(), values: vec![value.to_owned()] });
    }

    /// Takes over what was asked for elsewhere, which wins. Of options that exclude each other only the newer ones are kept.
    pub(crate) fn override_with(&mut self, newer: Self, groups: &[&[FlagRule]]) {
        for group in groups {
            if group.iter().any(|rule| newer.has(*rule)) {
                self.0.retain(|given| !group.iter().any(|rule| given.is(*rule)));
            }
        }
        self.0.retain(|earlier| !newer.0.iter().any(|given| same(earlier.flag.becomes, given.flag.becomes)));
        self.0.extend(newer.0);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &GivenFlag> {
        self.0.iter()
    }

    pub(crate) fn get(&self, rule: FlagRule) -> Option<&GivenFlag> {
        self.0.iter().find(|given| given.is(rule))
    }

    pub(crate) fn has(&self, rule: FlagRule) -> bool {
        self.get(rule).is_some()
    }

    pub(crate) fn text(&self, rule: FlagRule) -> Option<&str> {
        self.get(rule)?.values.first().map(String::as_str)
    }

    /// A whole number.
    pub(crate) fn count(&self, rule: FlagRule) -> Result<Option<u64>, GenaiPerfError> {
        let Some(given) = self.get(rule) else { return Ok(None) };
        given.values.first().map_or(Ok(None), |text| match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(given.bad(if text.contains(':') { super::table::ONE_VALUE } else { "give a whole number" })),
        })
    }

    pub(crate) fn number(&self, rule: FlagRule) -> Result<Option<f64>, GenaiPerfError> {
        let Some(given) = self.get(rule) else { return Ok(None) };
        given.values.first().map_or(Ok(None), |text| match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(given.bad(if text.contains(':') { super::table::ONE_VALUE } else { "give a number" })),
        })
    }
}

impl GivenFlag {
    pub(crate) fn is(&self, rule: FlagRule) -> bool {
        matches!(self.flag.becomes, Becomes::FlagRule(known, _) if known == rule)
    }

    pub(crate) fn bad(&self, expected: &str) -> GenaiPerfError {
        let value = self.values.first().cloned().unwrap_or_default();
        GenaiPerfError::BadValue { flag: self.typed.clone(), value, expected: expected.to_owned() }
    }
}

/// The same option, in whichever table: what it becomes is what it means.
fn same(one: Becomes, other: Becomes) -> bool {
    match (one, other) {
        (Becomes::FlagRule(one, _), Becomes::FlagRule(other, _)) => one == other,
        _ => one == other,
    }
}

/// A dash in front makes an option, unless it is that of a number.
fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word.parse::<f64>().is_err()
}

fn value<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Option<String> {
    words.next_if(|word| !is_flag(word)).map(str::to_owned)
}

fn find<'a>(
    word: &'a str,
    tables: &[&'static [GenaiPerfFlag]],
    program: &'static str,
) -> Result<(&'static GenaiPerfFlag, String, Option<&'a str>), GenaiPerfError> {
    let all = || tables.iter().copied().flatten();
    let (name, tied) = match word.split_once('=') {
        Some((name, value)) if word.starts_with("--") => (name, Some(value)),
        _ => (word, None),
    };
    let exact = |name: &str| all().find(|flag| flag.names.contains(&name));
    if let Some(flag) = exact(name) {
        return Ok((flag, name.to_owned(), tied));
    }
    let unknown = || GenaiPerfError::UnknownFlag(name.to_owned(), program);
    if !name.starts_with("--") {
        // `-mNAME`: the value follows its letter at once.
        let (letter, value) = word.split_at_checked(2).ok_or_else(unknown)?;
        let flag = exact(letter).ok_or_else(unknown)?;
        return Ok((flag, letter.to_owned(), Some(value)));
    }
    let begun = |flag: &&GenaiPerfFlag| flag.names.iter().any(|known| known.starts_with(name));
    let candidates: Vec<&'static GenaiPerfFlag> = all().filter(begun).collect();
    match candidates.as_slice() {
        [] => Err(unknown()),
        [flag] => Ok((flag, flag.names[0].to_owned(), tied)),
        several => {
            let candidates = several.iter().map(|flag| flag.names[0]).collect::<Vec<_>>().join(" or ");
            Err(GenaiPerfError::Ambiguous { typed: name.to_owned(), candidates })
        }
    }
}
