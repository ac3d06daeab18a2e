//! `analyze`: which option changes from run to run, and the values that it takes.

use crate::error::GenaiPerfError;
use crate::given::{GivenFlag, GivenFlags};
use crate::table::{FlagRule, GenaiPerfFlag, PROFILE};

/// More would be a mistake in the range.
const MOST_RUNS: usize = 10_000;

/// What a sweep changes.
#[derive(Debug)]
pub(crate) struct SweepParameter {
    /// As `--sweep-type`, the file of settings and folders have it.
    pub(crate) name: &'static str,
    /// The option of `profile`.
    option: &'static str,
    spacing: Spacing,
    /// Range where none is given.
    usual: Option<(u64, u64)>,
}

/// What lies between the ends of a range without a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spacing {
    /// Both ends are powers of two, and so is all between them.
    PowersOfTwo,
    /// The powers of two that lie between the ends.
    PowersBetween,
    OneByOne,
}

pub(crate) const PARAMETERS: [SweepParameter; 5] = [
    SweepParameter { name: "batch_size", option: "--batch-size", spacing: Spacing::PowersOfTwo, usual: None },
    SweepParameter {
        name: "concurrency",
        option: "--concurrency",
        spacing: Spacing::PowersOfTwo,
        usual: Some((1, 1024)),
    },
    SweepParameter {
        name: "input_sequence_length",
        option: "--isl",
        spacing: Spacing::PowersBetween,
        usual: Some((100, 1000)),
    },
    SweepParameter {
        name: "num_dataset_entries",
        option: "--num-dataset-entries",
        spacing: Spacing::OneByOne,
        usual: Some((100, 1000)),
    },
    SweepParameter {
        name: "request_rate",
        option: "--request-rate",
        spacing: Spacing::PowersOfTwo,
        usual: Some((16, 8192)),
    },
];

/// A parameter with its values.
#[derive(Debug)]
pub(crate) struct LoadSweep {
    pub(crate) parameter: &'static SweepParameter,
    /// As they are given to the option.
    pub(crate) values: Vec<String>,
}

impl SweepParameter {
    pub(crate) fn of_name(name: &str) -> Option<&'static Self> {
        let name = if name == "runtime_batch_size" { "batch_size" } else { name };
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }

    pub(crate) fn flag(&self) -> Option<&'static GenaiPerfFlag> {
        PROFILE.iter().find(|flag| flag.names.contains(&self.option))
    }

    /// The end of the folder's name, where the load does not say it.
    pub(crate) fn suffix(&self, value: &str) -> String {
        if ["concurrency", "request_rate"].contains(&self.name) {
            return String::new();
        }
        format!("-{}{value}", self.name)
    }
}

impl LoadSweep {
    pub(crate) fn of(asked: &GivenFlags) -> Result<Self, GenaiPerfError> {
        let name = asked.text(FlagRule::SweepType).unwrap_or("concurrency");
        let Some(parameter) = SweepParameter::of_name(name) else {
            let names = PARAMETERS.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
            let given = asked.get(FlagRule::SweepType);
            return Err(given.map_or(GenaiPerfError::NoCommand, |given| given.bad(&format!("choose one of {names}"))));
        };
        let fixed = parameter.flag().and_then(|flag| asked.iter().find(|given| given.flag.names == flag.names));
        if let Some(fixed) = fixed {
            let other = format!("--sweep-type {}", parameter.name);
            return Err(GenaiPerfError::Exclusive { one: fixed.typed.clone(), other });
        }
        let values = match (asked.get(FlagRule::SweepList), asked.get(FlagRule::SweepRange)) {
            (Some(list), Some(range)) => {
                return Err(GenaiPerfError::Exclusive { one: list.typed.clone(), other: range.typed.clone() });
            }
            (Some(list), None) => listed(list)?,
            (None, Some(range)) => parameter.range(range)?,
            (None, None) => parameter.usual_values()?,
        };
        Ok(Self { parameter, values })
    }
}

impl SweepParameter {
    fn usual_values(&self) -> Result<Vec<String>, GenaiPerfError> {
        let flag = format!("--sweep-type {}", self.name);
        let (low, high) = self.usual.ok_or(GenaiPerfError::Needs { flag, needed: "--sweep-range or --sweep-list" })?;
        Ok(self.between(low, high))
    }

    fn range(&self, given: &GivenFlag) -> Result<Vec<String>, GenaiPerfError> {
        let text = given.values.first().map_or("", String::as_str);
        let form = "give MIN:MAX or MIN:MAX:STEP in whole numbers of at least 1";
        let numbers = text.split(':').map(|part| part.trim().parse().ok().filter(|number| *number > 0));
        let numbers: Vec<u64> = numbers.collect::<Option<_>>().ok_or_else(|| given.bad(form))?;
        let (low, high, step) = match *numbers.as_slice() {
            [low, high] => (low, high, None),
            [low, high, step] => (low, high, Some(step)),
            _ => return Err(given.bad(form)),
        };
        if low > high {
            return Err(given.bad("the first number is above the second"));
        }
        if step.is_none() && self.spacing == Spacing::PowersOfTwo && !(low.is_power_of_two() && high.is_power_of_two())
        {
            return Err(
                given.bad("both ends must be powers of two, such as 1:64; for other values give a step, MIN:MAX:STEP")
            );
        }
        let values = match step {
            Some(step) => in_steps(low, high, step),
            None => self.between(low, high),
        };
        match values.len() {
            0 => Err(given.bad("there is no power of two in this range; give a step, MIN:MAX:STEP")),
            runs if runs > MOST_RUNS => Err(given.bad("this makes more than 10000 runs; give a larger step")),
            _ => Ok(values),
        }
    }

    fn between(&self, low: u64, high: u64) -> Vec<String> {
        if self.spacing == Spacing::OneByOne {
            return in_steps(low, high, 1);
        }
        let powers = (0..u64::BITS).map(|exponent| 1_u64 << exponent);
        powers.filter(|power| (low..=high).contains(power)).map(|power| power.to_string()).collect()
    }
}

fn in_steps(low: u64, high: u64, step: u64) -> Vec<String> {
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    (low..=high).step_by(step).take(MOST_RUNS + 1).map(|value| value.to_string()).collect()
}

/// Rates may have a fraction; whether a value fits its option is said by the option.
fn listed(given: &GivenFlag) -> Result<Vec<String>, GenaiPerfError> {
    let text = given.values.first().map_or("", String::as_str);
    let values: Vec<String> = text.split(',').map(|value| value.trim().to_owned()).collect();
    let numbers =
        values.iter().all(|value| value.parse::<f64>().is_ok_and(|number| number.is_finite() && number > 0.0));
    if numbers { Ok(values) } else { Err(given.bad("must be numbers above 0, separated by commas")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::ANALYZE;

    fn values(words: &str) -> Result<String, String> {
        let mut asked = GivenFlags::default();
        let words: Vec<String> = words.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        asked.read(&words, &[PROFILE, ANALYZE], "test").map_err(|error| error.to_string())?;
        LoadSweep::of(&asked).map(|sweep| sweep.values.join(" ")).map_err(|error| error.to_string())
    }

    #[test]
    fn ranges_are_in_powers_of_two_or_in_the_steps_given() {
        for (words, expected) in [
            ("", "1 2 4 8 16 32 64 128 256 512 1024"),
            ("--sweep-range 2:16", "2 4 8 16"),
            ("--sweep-range 10:50:20", "10 30 50"),
            ("--sweep-list 1,3,9", "1 3 9"),
            ("--sweep-type request_rate --sweep-range 16:32", "16 32"),
            ("--sweep-type request_rate --sweep-list 0.5,2", "0.5 2"),
            ("--sweep-type input_sequence_length", "128 256 512"),
            ("--sweep-type input_sequence_length --sweep-range 100:300:100", "100 200 300"),
            ("--sweep-type num_dataset_entries --sweep-range 3:5", "3 4 5"),
            ("--sweep-type batch_size --sweep-range 1:4", "1 2 4"),
        ] {
            assert_eq!(values(words).as_deref(), Ok(expected), "{words}");
        }
        assert_eq!(values("--sweep-type num_dataset_entries").unwrap().split(' ').count(), 901);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (words, part) in [
            ("--sweep-range 3:8", "powers of two"),
            ("--sweep-range 8:2", "above the second"),
            ("--sweep-range 8", "MIN:MAX"),
            ("--sweep-range 0:8:2", "at least 1"),
            ("--sweep-range 1:100000:1", "10000 runs"),
            ("--sweep-type input_sequence_length --sweep-range 5:7", "no power of two"),
            ("--sweep-list 1,x", "numbers above 0"),
            ("--sweep-list 1 --sweep-range 1:2", "cannot be combined"),
            ("--sweep-type batch_size", "needs --sweep-range or --sweep-list"),
            ("--sweep-type weather", "choose one of batch_size, concurrency"),
            ("--concurrency 4", "--concurrency and --sweep-type concurrency cannot be combined"),
        ] {
            let refused = values(words).unwrap_err();
            assert!(refused.contains(part), "{words}: {refused}");
        }
    }
}
