//! `aiperf synthesize trace FILE` and `aiperf synthesize agentic-code`

use std::path::PathBuf;

use aiperf_config::{Environment, TraceSynthesis};
use aiperf_trace::Layout;
use clap::{Arg, ArgMatches, Command};

use super::{BLOCK_SIZE, block_size, given, layout, layout_arg, number, path, required, word};
use crate::cli::CliError;

/// A trace to change.
#[derive(Debug)]
pub(crate) struct ChangeTrace {
    pub(crate) input: PathBuf,
    pub(crate) layout: Option<Layout>,
    pub(crate) block_size: Option<u32>,
    pub(crate) output: PathBuf,
    pub(crate) synthesis: TraceSynthesis,
    pub(crate) seed: u64,
}

/// A trace to make.
#[derive(Debug)]
pub(crate) struct MakeSessions {
    pub(crate) sessions: usize,
    /// The folder that the run's folder goes into.
    pub(crate) output: PathBuf,
    /// `None`: the built-in settings.
    pub(crate) config: Option<PathBuf>,
    /// The settings that are called `default`.
    pub(crate) default_profile: bool,
    pub(crate) seed: u64,
    pub(crate) max_isl: Option<u64>,
    pub(crate) max_osl: Option<u64>,
}

const DEFAULT_SEED: u64 = 42;
const FACTORS: [(&str, &str); 4] = [
    ("synthesis-speedup-ratio", "Make the trace this many times faster: its times and pauses are divided by this"),
    ("synthesis-prefix-len-multiplier", "Factor for the lengths of the prefixes that requests share"),
    ("synthesis-prompt-len-multiplier", "Factor for the part of each prompt that no other request shares"),
    ("synthesis-output-len-multiplier", "Factor for the output lengths"),
];
const COUNTS: [(&str, &str); 3] = [
    ("synthesis-prefix-root-multiplier", "Number of independent copies of the trace's prefixes"),
    ("synthesis-max-isl", "Skip requests with a longer prompt than this"),
    ("synthesis-max-osl", "Upper limit for the output lengths"),
];

pub(super) fn command() -> Command {
    let option = |(name, help): (&'static str, &'static str)| {
        Arg::new(name).long(name).value_name("N").allow_negative_numbers(true).help(help)
    };
    let seed = || option(("seed", "Seed of everything random [default: 42]"));
    Command::new("synthesize")
        .about("Make a trace: by changing another one, or from settings")
        .after_help("Examples:\n  aiperf synthesize trace trace.jsonl --output fast.jsonl --synthesis-speedup-ratio 2\n  aiperf synthesize agentic-code --num-sessions 100")
        .disable_version_flag(true)
        .subcommand_required(true)
        .subcommand(
            Command::new("trace")
                .about("Change a trace and write it in the mooncake format")
                .disable_version_flag(true)
                .args(word(1, "input-file", "FILE", "Trace to change"))
                .arg(Arg::new("output").long("output").short('o').value_name("PATH").help("File to write the changed trace to"))
                .arg(layout_arg())
                .arg(option(("block-size", BLOCK_SIZE)))
                .args(FACTORS.map(option))
                .args(COUNTS.map(option))
                .arg(seed()),
        )
        .subcommand(
            Command::new("agentic-code")
                .about("Make a trace of coding sessions that share long contexts")
                .disable_version_flag(true)
                .arg(option(("num-sessions", "Number of sessions to make [default: 1000]")))
                .arg(Arg::new("output").long("output").value_name("FOLDER").help("Folder in which to create the folder of the trace [default: .]"))
                .arg(Arg::new("config").long("config").value_name("NAME_OR_PATH").help(
                    "Settings: `default`, a JSON file, or the manifest.json of an earlier trace [default: built in]",
                ))
                .arg(seed())
                .arg(option(("max-isl", "Upper limit for prompt lengths, history included")))
                .arg(option(("max-osl", "Upper limit for output lengths"))),
        )
}

pub(super) fn change(matches: &ArgMatches, environment: &Environment) -> Result<ChangeTrace, CliError> {
    let factor = |name: &'static str, accepts: fn(&f64) -> bool, expected: &str| {
        number::<f64>(name, matches.get_one::<String>(name), expected, accepts).map(|factor| factor.unwrap_or(1.0))
    };
    let count = |name: &'static str| {
        number::<u64>(name, matches.get_one::<String>(name), "a whole number of at least 1", |n| *n > 0)
    };
    let above: fn(&f64) -> bool = |factor| *factor > 0.0 && factor.is_finite();
    let not_below: fn(&f64) -> bool = |factor| *factor >= 0.0 && factor.is_finite();
    Ok(ChangeTrace {
        input: path(environment, required(matches, "input-file")?),
        layout: layout(matches)?,
        block_size: block_size(matches)?,
        output: path(environment, required(matches, "output")?),
        synthesis: TraceSynthesis {
            speedup: factor("synthesis-speedup-ratio", above, "a number above 0")?,
            prefix_len: factor("synthesis-prefix-len-multiplier", above, "a number above 0")?,
            prefix_roots: number(
                "synthesis-prefix-root-multiplier",
                matches.get_one::<String>("synthesis-prefix-root-multiplier"),
                "a whole number of at least 1",
                |n| *n > 0,
            )?
            .unwrap_or(1),
            prompt_len: factor("synthesis-prompt-len-multiplier", above, "a number above 0")?,
            output_len: factor("synthesis-output-len-multiplier", not_below, "a number of at least 0")?,
            max_isl: count("synthesis-max-isl")?,
            max_osl: count("synthesis-max-osl")?,
        },
        seed: seed(matches)?,
    })
}

pub(super) fn make(matches: &ArgMatches, environment: &Environment) -> Result<MakeSessions, CliError> {
    let count = |name: &'static str| {
        number::<u64>(name, matches.get_one::<String>(name), "a whole number of at least 1", |n| *n > 0)
    };
    let config = matches.get_one::<String>("config");
    let default_profile = config.is_some_and(|name| name == "default");
    Ok(MakeSessions {
        sessions: count("num-sessions")?.unwrap_or(1_000) as usize,
        output: path(environment, given(matches, "output").map_or(".", String::as_str)),
        config: config.filter(|_| !default_profile).map(|name| path(environment, name)),
        default_profile,
        seed: seed(matches)?,
        max_isl: count("max-isl")?,
        max_osl: count("max-osl")?,
    })
}

fn seed(matches: &ArgMatches) -> Result<u64, CliError> {
    let given = number("seed", matches.get_one::<String>("seed"), "a whole number, not negative", |_| true)?;
    Ok(given.unwrap_or(DEFAULT_SEED))
}
