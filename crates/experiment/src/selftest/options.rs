//! What a self-test can be told. One table: flags, help and documentation come from it.

use std::path::PathBuf;

use aiperf_option_table::{OptionRow, Setter, above_zero, at_least_one, at_least_zero, option_row as option};
use aiperf_sim::Distribution;
use thiserror::Error;

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfTestOptions {
    pub streams: Option<u64>,
    /// Requests per second.
    pub request_rate: Option<f64>,
    /// Of each stream.
    pub tokens_per_second: f64,
    /// Milliseconds, in the notation of the simulator.
    pub ttft: String,
    pub output_tokens: u32,
    /// Seconds at full load.
    pub duration: f64,
    /// Seconds over which the streams start; `None`: the time of one request.
    pub ramp: Option<f64>,
    /// Milliseconds that the p99 of the error may be.
    pub max_ttft_error: f64,
    pub export_level: String,
    pub workers_max: Option<u32>,
    pub artifact_dir: Option<PathBuf>,
    pub format: SelfTestFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfTestFormat {
    Text,
    Json,
}

/// Streams when nothing is said of the load.
const DEFAULT_STREAMS: u64 = 100;

impl Default for SelfTestOptions {
    fn default() -> Self {
        Self {
            streams: None,
            request_rate: None,
            tokens_per_second: 100.0,
            ttft: "50".to_owned(),
            output_tokens: 100,
            duration: 10.0,
            ramp: None,
            max_ttft_error: 5.0,
            export_level: "records".to_owned(),
            workers_max: None,
            artifact_dir: None,
            format: SelfTestFormat::Text,
        }
    }
}

/// How requests come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Load {
    Streams(u64),
    /// Requests per second.
    Rate(f64),
}

impl SelfTestOptions {
    /// Sets one option by its flag, without the leading hyphens.
    pub fn set(&mut self, flag: &str, value: &str) -> Result<(), SelfTestOptionError> {
        let option = SELFTEST_OPTIONS
            .iter()
            .find(|option| option.name == flag)
            .ok_or_else(|| SelfTestOptionError::Unknown(flag.to_owned()))?;
        (option.action)(self, value).map_err(|reason| SelfTestOptionError::Value {
            flag: option.name,
            value: value.to_owned(),
            reason,
        })
    }

    pub(super) fn load(&self) -> Result<Load, SelfTestOptionError> {
        match (self.streams, self.request_rate) {
            (Some(_), Some(_)) => Err(SelfTestOptionError::TwoLoads),
            (None, Some(rate)) => Ok(Load::Rate(rate)),
            (streams, None) => Ok(Load::Streams(streams.unwrap_or(DEFAULT_STREAMS))),
        }
    }

    /// Milliseconds between two tokens of a stream.
    pub(super) fn itl(&self) -> f64 {
        1e3 / self.tokens_per_second
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum SelfTestOptionError {
    #[error("aiperf selftest has no option --{0}")]
    Unknown(String),
    #[error("--{flag} {value:?}: {reason}")]
    Value { flag: &'static str, value: String, reason: String },
    #[error("--streams and --request-rate cannot be used together: they are two kinds of load")]
    TwoLoads,
}

/// One option; a value is read into [`SelfTestOptions`].
pub type SelfTestOption = OptionRow<Setter<SelfTestOptions>>;

/// Every option, in the order in which help and documentation show them.
pub static SELFTEST_OPTIONS: &[SelfTestOption] = &[
    option!("streams", "N", "100", "Streams to keep in flight; a new one starts as soon as one ends", |o, v| {
        o.streams = Some(at_least_one(v)?);
    }),
    option!("request-rate", "PER_SECOND", "", "Poisson arrivals at this rate instead of --streams", |o, v| {
        o.request_rate = Some(above_zero(v)?);
    }),
    option!("tokens-per-second", "N", "100", "Tokens per second of each stream, one per chunk", |o, v| {
        o.tokens_per_second = above_zero(v)?;
    }),
    option!("ttft", "MS", "50", "Time to the first token; distributions as for aiperf sim", |o, v| {
        v.parse::<Distribution>()?;
        v.clone_into(&mut o.ttft);
    }),
    option!("osl", "TOKENS", "100", "Tokens of each response, at least 2", |o, v| {
        o.output_tokens = match at_least_one(v)? {
            1 => return Err("a reply of one token has no gap to measure; give at least 2".to_owned()),
            tokens => tokens,
        };
    }),
    option!("duration", "SECONDS", "10", "How long to send at full load", |o, v| o.duration = above_zero(v)?),
    option!(
        "ramp",
        "SECONDS",
        "",
        "Time over which the streams start; 0 starts all at once [default: the time of one request]",
        |o, v| o.ramp = Some(at_least_zero(v)?)
    ),
    option!("max-ttft-error-ms", "MS", "5", "Fail if the p99 of the TTFT error is above this", |o, v| {
        o.max_ttft_error = above_zero(v)?;
    }),
    option!(
        "export-level",
        "summary|records|raw",
        "records",
        "What the client exports while it measures, as for aiperf profile",
        |o, v| {
            o.export_level = match v {
                "summary" | "records" | "raw" => v.to_owned(),
                _ => return Err("must be summary, records or raw".to_owned()),
            };
        }
    ),
    option!("workers-max", "N", "", "Maximum number of worker threads of the client, as for aiperf profile", |o, v| {
        o.workers_max = Some(at_least_one(v)?);
    }),
    option!(
        "artifact-dir",
        "PATH",
        "",
        "Folder in which to keep the files of the run and the simulator's truth",
        |o, v| {
            o.artifact_dir = if v.is_empty() { None } else { Some(v.into()) };
        }
    ),
    option!("format", "text|json", "text", "Format in which to print the result", |o, v| {
        o.format = match v {
            "text" => SelfTestFormat::Text,
            "json" => SelfTestFormat::Json,
            _ => return Err("must be text or json".to_owned()),
        };
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn set(flag: &str, value: &str) -> Result<SelfTestOptions, SelfTestOptionError> {
        let mut options = SelfTestOptions::default();
        options.set(flag, value).map(|()| options)
    }

    #[test]
    fn the_defaults_in_the_table_are_the_defaults() {
        for option in SELFTEST_OPTIONS.iter().filter(|option| !option.default.is_empty() && option.name != "streams") {
            assert_eq!(set(option.name, option.default).unwrap(), SelfTestOptions::default(), "{}", option.name);
        }
        assert_eq!(SelfTestOptions::default().load(), Ok(Load::Streams(100)));
    }

    #[test]
    fn a_bad_value_names_the_flag_the_value_and_what_fits() {
        let message = set("streams", "0").unwrap_err().to_string();
        assert_eq!(message, "--streams \"0\": must be a whole number of at least 1");
        for (flag, value) in [("osl", "1"), ("duration", "-1"), ("ttft", "fast"), ("format", "xml"), ("ramp", "inf")] {
            assert!(set(flag, value).unwrap_err().to_string().contains(value), "{flag}");
        }
        assert!(set("stream", "1").unwrap_err().to_string().contains("--stream"));
    }

    #[test]
    fn two_kinds_of_load_are_refused() {
        let mut options = set("streams", "5").unwrap();
        options.set("request-rate", "2.5").unwrap();
        assert_eq!(options.load(), Err(SelfTestOptionError::TwoLoads));
        assert_eq!(set("request-rate", "2.5").unwrap().load(), Ok(Load::Rate(2.5)));
    }
}
