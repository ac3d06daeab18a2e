//! What one row of the catalogue says.

use std::fmt;

use aiperf_config::Parameter;

use super::OptionId;

/// One option: its spellings, what it takes, and what it is for.
#[derive(Debug)]
pub struct OptionSpec {
    pub id: OptionId,
    /// Long spellings without dashes, the canonical one first.
    pub long: &'static [&'static str],
    /// Short spelling without its dash; `vv` is one of two letters.
    pub short: Option<&'static str>,
    /// Long spelling that switches a flag off.
    pub negative: Option<&'static str>,
    /// What that spelling does; empty where there is none.
    pub negative_help: &'static str,
    pub value: ValueKind,
    pub arity: Arity,
    pub range: Range,
    pub unit: Option<&'static str>,
    /// What applies when the option is not given; `None`: nothing, or off.
    pub default: Option<&'static str>,
    pub help: &'static str,
    pub support: Support,
    /// The reference has no such option.
    pub ours: bool,
    called: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Alone it means true; `=false` and the like switch it off.
    Flag,
    Int,
    Float,
    Text,
    Path,
    /// One of these in any case; `-` and `_` do not count.
    Choice(&'static [&'static str]),
    /// One of these exactly.
    Literal(&'static [&'static str]),
    /// `key:value` pairs or a JSON object.
    KeyValues,
}

/// How many values an option may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    One,
    /// One, or a comma list that makes a sweep of this parameter.
    Sweep(Parameter),
    /// Values add up over all occurrences.
    List(ListForm),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListForm {
    /// A token may hold several values with commas between them.
    pub commas: bool,
    /// How many tokens may follow one occurrence.
    pub tokens: Tokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    One,
    OneOrMore,
    Any,
}

/// The numbers an option takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub low: Bound,
    pub high: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    None,
    Inclusive(f64),
    Exclusive(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    Supported,
    /// Known, and refused by name until it is built.
    NotYet,
    /// Accepted with a warning that gives this reason: nothing that a run reports depends on it.
    Ignored(&'static str),
}

impl OptionSpec {
    pub(crate) const fn new(
        id: OptionId,
        long: &'static [&'static str],
        value: ValueKind,
        help: &'static str,
    ) -> OptionSpec {
        OptionSpec {
            id,
            long,
            short: None,
            negative: None,
            negative_help: "",
            value,
            arity: Arity::One,
            range: Range { low: Bound::None, high: Bound::None },
            unit: None,
            default: None,
            help,
            support: Support::NotYet,
            ours: false,
            called: None,
        }
    }

    /// The spelling that help and messages use, without dashes.
    pub const fn name(&self) -> &'static str {
        match self.called {
            Some(name) => name,
            None => self.long[0],
        }
    }

    /// The first sentence of the help: enough for a short page.
    pub fn summary(&self) -> &'static str {
        self.help.split_once(". ").map_or(self.help, |(first, _)| first).trim_end_matches('.')
    }

    /// The values of a closed set; empty where any text or number may be given.
    pub const fn members(&self) -> &'static [&'static str] {
        match self.value {
            ValueKind::Choice(members) | ValueKind::Literal(members) => members,
            _ => &[],
        }
    }

    pub const fn is_supported(&self) -> bool {
        matches!(self.support, Support::Supported)
    }

    /// Whether a run with this option starts.
    pub const fn is_accepted(&self) -> bool {
        matches!(self.support, Support::Supported | Support::Ignored(_))
    }

    pub(crate) const fn called(mut self, name: &'static str) -> Self {
        self.called = Some(name);
        self
    }

    pub(crate) const fn short(mut self, letters: &'static str) -> Self {
        self.short = Some(letters);
        self
    }

    pub(crate) const fn negative(mut self, name: &'static str, help: &'static str) -> Self {
        self.negative = Some(name);
        self.negative_help = help;
        self
    }

    pub(crate) const fn sweepable(mut self, parameter: Parameter) -> Self {
        self.arity = Arity::Sweep(parameter);
        self
    }

    /// Repeatable, commas between values.
    pub(crate) const fn list(mut self) -> Self {
        self.arity = Arity::List(ListForm { commas: true, tokens: Tokens::One });
        self
    }

    /// Repeatable, one whole value at a time.
    pub(crate) const fn repeatable(mut self) -> Self {
        self.arity = Arity::List(ListForm { commas: false, tokens: Tokens::One });
        self
    }

    /// Repeatable, commas between values, and several tokens after one flag.
    pub(crate) const fn several(mut self, tokens: Tokens) -> Self {
        self.arity = Arity::List(ListForm { commas: true, tokens });
        self
    }

    pub(crate) const fn without_commas(mut self) -> Self {
        if let Arity::List(form) = self.arity {
            self.arity = Arity::List(ListForm { commas: false, tokens: form.tokens });
        }
        self
    }

    pub(crate) const fn at_least(mut self, low: f64) -> Self {
        self.range.low = Bound::Inclusive(low);
        self
    }

    pub(crate) const fn above(mut self, low: f64) -> Self {
        self.range.low = Bound::Exclusive(low);
        self
    }

    pub(crate) const fn at_most(mut self, high: f64) -> Self {
        self.range.high = Bound::Inclusive(high);
        self
    }

    pub(crate) const fn below(mut self, high: f64) -> Self {
        self.range.high = Bound::Exclusive(high);
        self
    }

    pub(crate) const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = Some(unit);
        self
    }

    pub(crate) const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    pub(crate) const fn supported(mut self) -> Self {
        self.support = Support::Supported;
        self
    }

    pub(crate) const fn ours(mut self) -> Self {
        self.ours = true;
        self
    }

    pub(crate) const fn ignored(mut self, reason: &'static str) -> Self {
        self.support = Support::Ignored(reason);
        self
    }
}

impl Range {
    pub fn contains(&self, value: f64) -> bool {
        let above = match self.low {
            Bound::None => true,
            Bound::Inclusive(low) => value >= low,
            Bound::Exclusive(low) => value > low,
        };
        let below = match self.high {
            Bound::None => true,
            Bound::Inclusive(high) => value <= high,
            Bound::Exclusive(high) => value < high,
        };
        above && below
    }

    pub fn is_unbounded(&self) -> bool {
        self.low == Bound::None && self.high == Bound::None
    }
}

/// `at least 1 and below 2`; empty where everything goes.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low {
            Bound::None => {}
            Bound::Inclusive(low) => write!(f, "at least {low}")?,
            Bound::Exclusive(low) => write!(f, "above {low}")?,
        }
        if self.low != Bound::None && self.high != Bound::None {
            f.write_str(" and ")?;
        }
        match self.high {
            Bound::None => Ok(()),
            Bound::Inclusive(high) => write!(f, "at most {high}"),
            Bound::Exclusive(high) => write!(f, "below {high}"),
        }
    }
}
