//! From the options of GenAI-Perf to the words of `aiperf profile`.

use std::path::Path;

use crate::endpoint::EndpointChoice;
use crate::error::GenaiPerfError;
use crate::given::GivenFlags;
use crate::input_file;
use crate::table::{Becomes, FlagRule, Takes};

/// At this percentage and above its check of stability takes any result.
const ANYTHING_GOES: f64 = 999.0;
const LEAST_REQUESTS: u64 = 10;

/// Words in the making.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Words(pub(crate) Vec<String>);

impl Words {
    pub(crate) fn flag(&mut self, name: &str) {
        self.0.push(name.to_owned());
    }

    /// Tied together: a value may begin with a dash.
    pub(crate) fn option(&mut self, name: &str, value: &str) {
        self.0.push(format!("{name}={value}"));
    }

    pub(crate) fn maybe(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.option(name, value);
        }
    }
}

/// What to run, and a file that must be there before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Translation {
    /// Without the names of program and command.
    pub(crate) words: Vec<String>,
    /// Input rows in our shape, and where they go; relative to the working folder.
    pub(crate) rows: Option<(String, String)>,
}

/// Options of which there may be one.
pub(crate) const GROUPS: [&[FlagRule]; 2] = [
    &[FlagRule::Concurrency, FlagRule::RequestRate, FlagRule::FixedSchedule, FlagRule::SessionConcurrency],
    &[FlagRule::Interval, FlagRule::RequestCount],
];

/// `suffix` is the end of the folder's name, where a sweep has one.
pub(crate) fn translate(asked: &GivenFlags, current_dir: &Path, suffix: &str) -> Result<Translation, GenaiPerfError> {
    GROUPS.into_iter().try_for_each(|group| exclude(asked, group))?;
    let model = asked
        .get(FlagRule::Model)
        .ok_or(GenaiPerfError::Needs { flag: "genai-perf profile".to_owned(), needed: "--model" })?;
    let endpoint = EndpointChoice::of(asked)?;
    let mut words = Words::default();
    words.option("--model", &model.values.join(","));
    endpoint.write(asked, &mut words);
    let folder = run_folder(asked, &endpoint, &model.values)? + suffix;
    let input = input_file::read(asked, &endpoint, current_dir, &folder)?;
    words.0.extend(input.words);
    endpoint.lengths(asked, input.generated, &mut words)?;
    load(asked, &mut words)?;
    for given in asked.iter() {
        match given.flag.becomes {
            Becomes::UnlessZero(_) if given.values.first().is_some_and(|value| value == "0") => {}
            Becomes::Same(name) | Becomes::UnlessZero(name) if given.flag.takes == Takes::Nothing => words.flag(name),
            Becomes::Same(name) | Becomes::UnlessZero(name) => {
                given.values.iter().for_each(|value| words.option(name, value));
            }
            Becomes::Joined(name, between) if !given.values.is_empty() => {
                words.option(name, &given.values.join(between));
            }
            Becomes::FlagRule(FlagRule::Goodput, _) => words.option("--goodput", &objectives(&given.values)),
            Becomes::FlagRule(FlagRule::ExtraInputs, _) => words.option("--extra-inputs", &extra(&given.values[0])),
            Becomes::Joined(..) | Becomes::FlagRule(..) | Becomes::Refused(_) => {}
        }
    }
    if let Some(format) = image_format(asked) {
        words.option("--image-format", format);
    }
    match asked.text(FlagRule::VerifyPeer) {
        Some("0") => words.flag("--insecure"),
        None | Some("1") => {}
        Some(_) => return Err(bad(asked, FlagRule::VerifyPeer, "give 0 or 1")),
    }
    words.option("--random-seed", asked.text(FlagRule::Seed).unwrap_or("0"));
    words.option("--artifact-dir", &folder);
    match prefix(asked)? {
        Some(prefix) => words.option("--profile-export-prefix", &prefix),
        // Its file of records holds bodies and times of all responses.
        None => words.option("--export-level", "raw"),
    }
    words.flag("--export-genai-perf");
    Ok(Translation { words: words.0, rows: input.rows })
}

/// Start of the names of files.
pub(crate) fn prefix(asked: &GivenFlags) -> Result<Option<String>, GenaiPerfError> {
    match asked.text(FlagRule::ExportFile) {
        Some(name) if name.contains('/') => {
            let expected = "must be a name without a folder; give the folder with --artifact-dir";
            Err(bad(asked, FlagRule::ExportFile, expected))
        }
        name => Ok(name.map(|name| name.strip_suffix(".json").unwrap_or(name).to_owned())),
    }
}

fn bad(asked: &GivenFlags, rule: FlagRule, expected: &str) -> GenaiPerfError {
    asked.get(rule).map_or(GenaiPerfError::NoCommand, |given| given.bad(expected))
}

fn exclude(asked: &GivenFlags, rules: &[FlagRule]) -> Result<(), GenaiPerfError> {
    let given: Vec<_> = rules.iter().filter_map(|rule| asked.get(*rule)).collect();
    match given.as_slice() {
        [one, other, ..] => Err(GenaiPerfError::Exclusive { one: one.typed.clone(), other: other.typed.clone() }),
        _ => Ok(()),
    }
}

/// How fast, and for how long.
fn load(asked: &GivenFlags, words: &mut Words) -> Result<(), GenaiPerfError> {
    let concurrency = match asked.count(FlagRule::Concurrency)? {
        Some(number) => Some(number),
        None => asked.count(FlagRule::SessionConcurrency)?,
    };
    match asked.number(FlagRule::RequestRate)? {
        Some(_) => {
            words.maybe("--request-rate", asked.text(FlagRule::RequestRate));
            words.option("--arrival-pattern", asked.text(FlagRule::Distribution).unwrap_or("constant"));
        }
        None if asked.has(FlagRule::Distribution) => {
            let flag = asked.get(FlagRule::Distribution).map(|given| given.typed.clone()).unwrap_or_default();
            return Err(GenaiPerfError::Needs { flag, needed: "--request-rate" });
        }
        None => {}
    }
    let scheduled = asked.has(FlagRule::FixedSchedule);
    if let Some(number) = concurrency {
        words.option("--concurrency", &number.to_string());
    }
    let sessions = asked.count(FlagRule::Sessions)?.filter(|number| *number > 0);
    if let Some(number) = sessions {
        words.option("--num-sessions", &number.to_string());
    }
    match (asked.number(FlagRule::Interval)?, asked.count(FlagRule::RequestCount)?) {
        (Some(ms), _) if ms <= 0.0 => return Err(bad(asked, FlagRule::Interval, "give milliseconds above 0")),
        (Some(_), _) => {
            words.maybe("--measurement-interval", asked.text(FlagRule::Interval));
            let most = ANYTHING_GOES.to_string();
            words.option("--stability-percentage", asked.text(FlagRule::Stability).unwrap_or(&most));
            words.maybe("--max-trials", asked.text(FlagRule::MaxTrials));
            return Ok(());
        }
        (None, Some(number)) => words.option("--request-count", &number.to_string()),
        (None, None) if scheduled || sessions.is_some() => {}
        (None, None) => {
            let number = LEAST_REQUESTS.max(concurrency.unwrap_or(1).saturating_mul(2));
            words.option("--request-count", &number.to_string());
        }
    }
    one_window(asked)
}

/// Nothing is compared where there is one window.
fn one_window(asked: &GivenFlags) -> Result<(), GenaiPerfError> {
    let needed =
        "--measurement-interval: a number of requests makes one window, and there is nothing to compare it with";
    let strict = asked.number(FlagRule::Stability)?.is_some_and(|percentage| percentage < ANYTHING_GOES);
    let given = asked.get(FlagRule::Stability).filter(|_| strict).or_else(|| asked.get(FlagRule::MaxTrials));
    given.map_or(Ok(()), |given| Err(GenaiPerfError::Needs { flag: given.typed.clone(), needed }))
}

/// The first token of GenAI-Perf is the first one of the answer, reasoning left out.
fn objectives(given: &[String]) -> String {
    let ours = |objective: &str| match objective.split_once(':') {
        Some(("time_to_first_token", limit)) => format!("time_to_first_output_token:{limit}"),
        _ => objective.to_owned(),
    };
    given.iter().flat_map(|words| words.split_whitespace()).map(ours).collect::<Vec<_>>().join(" ")
}

/// A name alone stands for null.
fn extra(text: &str) -> String {
    if text.contains(':') || text.trim_start().starts_with('{') {
        return text.to_owned();
    }
    serde_json::json!({ text: null }).to_string()
}

/// Images are made where they have a size.
fn image_format(asked: &GivenFlags) -> Option<&str> {
    let sized = |name: &'static str| {
        asked.iter().any(|given| {
            given.flag.becomes == Becomes::UnlessZero(name) && given.values.first().is_some_and(|value| value != "0")
        })
    };
    let made = sized("--image-width-mean") || sized("--image-height-mean");
    asked.text(FlagRule::ImageFormat).or(made.then_some("png"))
}

/// The kind of load and its size.
pub(crate) fn stimulus(asked: &GivenFlags) -> Result<(String, f64), GenaiPerfError> {
    let (name, value) = if let Some(rate) = asked.number(FlagRule::RequestRate)? {
        ("request_rate", rate)
    } else if asked.has(FlagRule::FixedSchedule) {
        ("fixed_schedule", 1.0)
    } else if let Some(number) = asked.count(FlagRule::SessionConcurrency)? {
        ("session_concurrency", number as f64)
    } else {
        ("concurrency", asked.count(FlagRule::Concurrency)?.unwrap_or(1) as f64)
    };
    Ok((name.to_owned(), value))
}

/// `<artifact-dir>/<model>-<part>-<load>`
fn run_folder(asked: &GivenFlags, endpoint: &EndpointChoice<'_>, models: &[String]) -> Result<String, GenaiPerfError> {
    let load = match stimulus(asked)? {
        (name, rate) if name == "request_rate" => format!("{name}{rate:?}"),
        (name, _) if name == "fixed_schedule" => name,
        (name, number) => format!("{name}{number}"),
    };
    let several = if models.len() > 1 { "_multi" } else { "" };
    let model = models.first().map(|name| name.replace('/', "_")).unwrap_or_default();
    let parent = asked.text(FlagRule::Folder).unwrap_or("artifacts");
    Ok(format!("{}/{model}{several}-{}-{load}", parent.trim_end_matches('/'), endpoint.folder_infix()))
}
