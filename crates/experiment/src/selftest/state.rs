//! The file with the results of self-tests: one per user, for all machines that share the folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use aiperf_config::Environment;
use aiperf_report::Certificate;
use serde::{Deserialize, Serialize};

use super::machine::this_machine;

const SCHEMA_VERSION: u32 = 1;

#[derive(Debug, Clone)]
pub struct StateFile {
    path: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct StateContents {
    schema_version: u32,
    tests: Vec<Certificate>,
}

impl StateFile {
    /// `aiperf/selftest.json` in `XDG_STATE_HOME` or `~/.local/state`; `None` where there is neither. As the XDG base
    /// directory specification has it, a relative path counts as none.
    pub fn of(environment: &Environment) -> Option<Self> {
        let absolute =
            |name: &str| environment.variables.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
        Some(Self { path: folder.join("aiperf/selftest.json") })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The tests of this version on this machine. A file that cannot be read is no reason not to run.
    pub fn tests(&self, version: &str) -> Vec<Certificate> {
        let machine = this_machine();
        let ours = |test: &Certificate| test.machine == machine && test.aiperf_version == version;
        match self.read() {
            Ok(contents) => contents.tests.into_iter().filter(ours).collect(),
            Err(error) => {
                log::warn!("cannot read {}: {error}; `aiperf selftest` will write it again", self.path.display());
                Vec::new()
            }
        }
    }

    /// Adds a test. Of those of its machine and version only the ones that still say something stay: a test that passed
    /// replaces all that had no more load, and of failures the latest is kept.
    pub fn keep(&self, test: &Certificate) -> io::Result<()> {
        let mut contents = self.read().unwrap_or_default();
        contents.schema_version = SCHEMA_VERSION;
        let same_client = |old: &Certificate| old.machine == test.machine && old.aiperf_version == test.aiperf_version;
        let covered_already =
            test.certifies() && contents.tests.iter().any(|old| same_client(old) && is_larger(old, test));
        contents.tests.retain(|old| !same_client(old) || !replaces(test, old));
        if !covered_already {
            contents.tests.push(test.clone());
        }
        self.write(&contents)
    }

    fn read(&self) -> io::Result<StateContents> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(StateContents::default()),
            Err(error) => Err(error),
        }
    }

    /// A reader sees the old file or the new one, never a part.
    fn write(&self, contents: &StateContents) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let draft = folder.join(format!(".selftest.json.{}", std::process::id()));
        let written = File::create(&draft).and_then(|mut file| {
            file.write_all(&serde_json::to_vec_pretty(contents)?)?;
            file.write_all(b"\n")?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&draft, &self.path)).inspect_err(|_| {
            // Whatever went wrong, the error that is reported is the first one.
            let _ = fs::remove_file(&draft);
        })
    }
}

/// Whether an old test certifies more than the new one, and more on at least one axis.
fn is_larger(old: &Certificate, new: &Certificate) -> bool {
    old.certifies() && old.covers(&new.load) && !new.covers(&old.load)
}

fn replaces(new: &Certificate, old: &Certificate) -> bool {
    if new.certifies() { new.covers(&old.load) } else { !old.certifies() }
}

#[cfg(test)]
mod tests {
    use aiperf_metrics::ClientLoad;
    use aiperf_report::{ErrorStats, Grade, Machine, TimedError};

    use super::*;

    fn test(date: &str, streams: u64, chunks: f64, verdict: Grade) -> Certificate {
        Certificate {
            machine: this_machine(),
            aiperf_version: "1.2.3".to_owned(),
            date: date.to_owned(),
            verdict,
            load: ClientLoad { in_flight: streams, chunks_per_second: chunks, requests_per_second: 10.0 },
            errors: [(
                TimedError::TimeToFirstToken,
                ErrorStats { count: 7, p50: 0.1, p99: 0.25, max: 0.3, mean: -0.1 },
            )]
            .into(),
        }
    }

    fn file() -> (tempfile::TempDir, StateFile) {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFile { path: folder.path().join("deep/aiperf/selftest.json") };
        (folder, state)
    }

    fn dates(state: &StateFile) -> Vec<String> {
        state.tests("1.2.3").into_iter().map(|test| test.date).collect()
    }

    #[test]
    fn what_is_kept_comes_back_on_the_same_machine_with_the_same_version() {
        let (_folder, state) = file();
        assert_eq!(state.tests("1.2.3"), []);
        let kept = test("2026-01-01", 100, 9_000.0, Grade::Pass);
        state.keep(&kept).unwrap();
        let elsewhere = Machine { host: "elsewhere".to_owned(), ..this_machine() };
        state.keep(&Certificate { machine: elsewhere, ..kept.clone() }).unwrap();
        assert_eq!(state.tests("1.2.3"), [kept]);
        assert_eq!(state.tests("1.2.4"), []);
        let names: Vec<_> = fs::read_dir(state.path().parent().unwrap()).unwrap().collect();
        assert_eq!(names.len(), 1, "no draft is left behind");
    }

    #[test]
    fn a_larger_load_replaces_a_smaller_one_and_different_ones_stay_side_by_side() {
        let (_folder, state) = file();
        state.keep(&test("a", 100, 9_000.0, Grade::Pass)).unwrap();
        state.keep(&test("b", 200, 18_000.0, Grade::Warn)).unwrap();
        assert_eq!(dates(&state), ["b"]);
        state.keep(&test("c", 50, 4_500.0, Grade::Pass)).unwrap();
        assert_eq!(dates(&state), ["b"], "less than is certified already");
        state.keep(&test("d", 1_000, 9_000.0, Grade::Pass)).unwrap();
        assert_eq!(dates(&state), ["b", "d"]);
        state.keep(&test("e", 1_000, 9_100.0, Grade::Pass)).unwrap();
        assert_eq!(dates(&state), ["b", "e"], "the same again is newer");
    }

    #[test]
    fn the_latest_failure_stays_until_as_much_load_passes() {
        let (_folder, state) = file();
        state.keep(&test("a", 100, 9_000.0, Grade::Pass)).unwrap();
        state.keep(&test("b", 100, 8_000.0, Grade::Fail)).unwrap();
        state.keep(&test("c", 90, 8_000.0, Grade::Fail)).unwrap();
        assert_eq!(dates(&state), ["a", "c"]);
        state.keep(&test("d", 100, 9_000.0, Grade::Pass)).unwrap();
        assert_eq!(dates(&state), ["d"]);
    }

    #[test]
    fn a_broken_file_is_passed_over_and_written_anew() {
        let (_folder, state) = file();
        fs::create_dir_all(state.path().parent().unwrap()).unwrap();
        fs::write(state.path(), "{not json").unwrap();
        assert_eq!(state.tests("1.2.3"), []);
        state.keep(&test("a", 1, 1.0, Grade::Pass)).unwrap();
        assert_eq!(dates(&state), ["a"]);
    }

    #[test]
    fn the_file_is_where_state_belongs() {
        let path = |variables: &[(&str, &str)]| {
            let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let environment = Environment { variables, ..Environment::default() };
            StateFile::of(&environment).map(|state| state.path().display().to_string())
        };
        let home = ("HOME", "/home/me");
        assert_eq!(path(&[home]).as_deref(), Some("/home/me/.local/state/aiperf/selftest.json"));
        assert_eq!(path(&[home, ("XDG_STATE_HOME", "/s")]).as_deref(), Some("/s/aiperf/selftest.json"));
        assert_eq!(
            path(&[home, ("XDG_STATE_HOME", "relative")]).as_deref(),
            Some("/home/me/.local/state/aiperf/selftest.json")
        );
        assert_eq!(path(&[]), None);
    }
}
