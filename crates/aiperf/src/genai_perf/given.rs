//! From words to options of the tables, as GenAI-Perf's own parser reads them: unique beginnings of long names count, `=` ties a
//! value to its name, and of a repeated option the last counts.

use super::refusal::Refusal;
use super::table::{Becomes, Flag, Rule, Takes};

/// One option with its values.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) flag: &'static Flag,
    /// As typed.
    pub(super) typed: String,
    pub(super) values: Vec<String>,
}

/// All options, of both tables, each at most once unless its values add up.
#[derive(Debug, Default)]
pub(super) struct Asked(Vec<Given>);

impl Asked {
    /// Reads words by some tables; `program` is whose options they are.
    pub(super) fn read(
        &mut self,
        words: &[String],
        tables: &[&'static [Flag]],
        program: &'static str,
    ) -> Result<(), Refusal> {
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if !is_flag(word) {
                return Err(Refusal::StrayWord(word.to_owned()));
            }
            let (flag, typed, tied) = find(word, tables, program)?;
            let mut values: Vec<String> = tied.into_iter().map(str::to_owned).collect();
            match flag.takes {
                Takes::Nothing if tied.is_some() => return Err(Refusal::NoValue(typed)),
                Takes::One | Takes::Repeated if tied.is_none() => values.extend(value(&mut words)),
                Takes::OneOrMore | Takes::Any if tied.is_none() => {
                    values.extend(std::iter::from_fn(|| value(&mut words)));
                }
                _ => {}
            }
            if let Becomes::Refused(why) = flag.becomes {
                return Err(Refusal::Refused { flag: typed, why });
            }
            if values.is_empty() && !matches!(flag.takes, Takes::Nothing | Takes::Any) {
                return Err(Refusal::MissingValue(typed));
            }
            self.put(Given { flag, typed, values });
        }
        Ok(())
    }

    fn put(&mut self, given: Given) {
        if given.flag.takes != Takes::Repeated {
            self.0.retain(|earlier| !same(earlier.flag.becomes, given.flag.becomes));
        }
        self.0.push(given);
    }

    /// Gives an option its only value, whoever asked for it.
    pub(super) fn set(&mut self, flag: &'static Flag, typed: &str, value: &str) {
        self.put(Given { flag, typed: typed.to_owned(), values: vec![value.to_owned()] });
    }

    /// Takes over what was asked for elsewhere, which wins. Of options that exclude each other only the newer ones are kept.
    pub(super) fn override_with(&mut self, newer: Self, groups: &[&[Rule]]) {
        for group in groups {
            if group.iter().any(|rule| newer.has(*rule)) {
                self.0.retain(|given| !group.iter().any(|rule| given.is(*rule)));
            }
        }
        self.0.retain(|earlier| !newer.0.iter().any(|given| same(earlier.flag.becomes, given.flag.becomes)));
        self.0.extend(newer.0);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Given> {
        self.0.iter()
    }

    pub(super) fn get(&self, rule: Rule) -> Option<&Given> {
        self.0.iter().find(|given| given.is(rule))
    }

    pub(super) fn has(&self, rule: Rule) -> bool {
        self.get(rule).is_some()
    }

    pub(super) fn text(&self, rule: Rule) -> Option<&str> {
        self.get(rule)?.values.first().map(String::as_str)
    }

    /// A whole number.
    pub(super) fn count(&self, rule: Rule) -> Result<Option<u64>, Refusal> {
        let Some(given) = self.get(rule) else { return Ok(None) };
        given.values.first().map_or(Ok(None), |text| match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(given.bad(if text.contains(':') { super::table::ONE_VALUE } else { "give a whole number" })),
        })
    }

    pub(super) fn number(&self, rule: Rule) -> Result<Option<f64>, Refusal> {
        let Some(given) = self.get(rule) else { return Ok(None) };
        given.values.first().map_or(Ok(None), |text| match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(given.bad(if text.contains(':') { super::table::ONE_VALUE } else { "give a number" })),
        })
    }
}

impl Given {
    pub(super) fn is(&self, rule: Rule) -> bool {
        matches!(self.flag.becomes, Becomes::Rule(known, _) if known == rule)
    }

    pub(super) fn bad(&self, expected: &str) -> Refusal {
        let value = self.values.first().cloned().unwrap_or_default();
        Refusal::BadValue { flag: self.typed.clone(), value, expected: expected.to_owned() }
    }
}

/// The same option, in whichever table: what it becomes is what it means.
fn same(one: Becomes, other: Becomes) -> bool {
    match (one, other) {
        (Becomes::Rule(one, _), Becomes::Rule(other, _)) => one == other,
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
    tables: &[&'static [Flag]],
    program: &'static str,
) -> Result<(&'static Flag, String, Option<&'a str>), Refusal> {
    let all = || tables.iter().copied().flatten();
    let (name, tied) = match word.split_once('=') {
        Some((name, value)) if word.starts_with("--") => (name, Some(value)),
        _ => (word, None),
    };
    let exact = |name: &str| all().find(|flag| flag.names.contains(&name));
    if let Some(flag) = exact(name) {
        return Ok((flag, name.to_owned(), tied));
    }
    let unknown = || Refusal::UnknownFlag(name.to_owned(), program);
    if !name.starts_with("--") {
        // `-mNAME`: the value follows its letter at once.
        let (letter, value) = word.split_at_checked(2).ok_or_else(unknown)?;
        let flag = exact(letter).ok_or_else(unknown)?;
        return Ok((flag, letter.to_owned(), Some(value)));
    }
    let begun = |flag: &&Flag| flag.names.iter().any(|known| known.starts_with(name));
    let candidates: Vec<&'static Flag> = all().filter(begun).collect();
    match candidates.as_slice() {
        [] => Err(unknown()),
        [flag] => Ok((flag, flag.names[0].to_owned(), tied)),
        several => {
            let candidates = several.iter().map(|flag| flag.names[0]).collect::<Vec<_>>().join(" or ");
            Err(Refusal::Ambiguous { typed: name.to_owned(), candidates })
        }
    }
}
