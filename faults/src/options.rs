//! The command line of the lab.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail};

#[derive(Debug)]
pub(crate) enum Options {
    Run(RunOptions),
    Soak(SoakOptions),
}

#[derive(Debug)]
pub(crate) struct RunOptions {
    /// Only the fast subset.
    pub(crate) fast: bool,
    /// Only scenarios with this word in their name or family.
    pub(crate) filter: Option<String>,
    pub(crate) binary: PathBuf,
    pub(crate) jobs: usize,
    /// Where to leave the folders of scenarios that fail.
    pub(crate) keep: Option<PathBuf>,
    pub(crate) list: bool,
    /// A scenario that cannot run here fails.
    pub(crate) skip_fails: bool,
}

#[derive(Debug)]
pub(crate) struct SoakOptions {
    pub(crate) binary: PathBuf,
    pub(crate) minutes: f64,
    pub(crate) streams: u32,
    pub(crate) keep: Option<PathBuf>,
}

const USAGE: &str = "usage: faults/run [--fast] [--filter WORD] [--jobs N] [--keep FOLDER] [--list] [--binary PATH]
       faults/soak [--minutes 30] [--streams 2000] [--keep FOLDER] [--binary PATH]";

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let command = words.next().unwrap_or_default();
        if !["run", "soak"].contains(&command.as_str()) {
            bail!("{USAGE}");
        }
        let jobs = 2 * std::thread::available_parallelism().map_or(2, usize::from);
        let mut run = RunOptions {
            fast: false,
            filter: None,
            binary: PathBuf::new(),
            jobs,
            keep: None,
            list: false,
            skip_fails: std::env::var_os("AIPERF_TEST_REQUIRE_TOOLS").is_some(),
        };
        let (mut minutes, mut streams) = (30.0, 2_000);
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value\n{USAGE}"));
            match (command.as_str(), word.as_str()) {
                (_, "--binary") => run.binary = PathBuf::from(value()?),
                (_, "--keep") => run.keep = Some(PathBuf::from(value()?)),
                ("run", "--fast") => run.fast = true,
                ("run", "--list") => run.list = true,
                ("run", "--filter") => run.filter = Some(value()?),
                ("run", "--jobs") => run.jobs = number::<usize>(&word, &value()?)?.max(1),
                ("soak", "--minutes") => minutes = number(&word, &value()?)?,
                ("soak", "--streams") => streams = number(&word, &value()?)?,
                _ => bail!("unknown option {word}\n{USAGE}"),
            }
        }
        if run.binary.as_os_str().is_empty() {
            bail!("--binary is missing: the path of the aiperf program to test");
        }
        run.binary = run.binary.canonicalize().with_context(|| format!("cannot find {}", run.binary.display()))?;
        if command == "run" {
            return Ok(Self::Run(run));
        }
        Ok(Self::Soak(SoakOptions { binary: run.binary, minutes, streams, keep: run.keep }))
    }
}

fn number<T: FromStr>(option: &str, text: &str) -> anyhow::Result<T> {
    text.parse().map_err(|_| anyhow::anyhow!("{option} {text}: not a number"))
}
