//! Runs many scenarios, some at a time, and says which of them did not come out as expected.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, bail};

use crate::options::RunOptions;
use crate::scenario::{self, Need, Scenario};
use crate::trial::{self, TrialSetup};

#[derive(Debug)]
enum ScenarioOutcome {
    Passed,
    Failed(Vec<String>),
    /// With what is missing here.
    Skipped(&'static str),
}

/// Whether all passed.
pub(crate) fn run(options: &RunOptions) -> anyhow::Result<bool> {
    let scenarios = chosen(options)?;
    if options.list {
        for scenario in &scenarios {
            println!("{}/{}: {}", scenario.family, scenario.name, scenario.about);
        }
        println!("{} scenarios", scenarios.len());
        return Ok(true);
    }
    let begun = Instant::now();
    let bench = trial::bench(&options.binary)?;
    let (alone, together): (Vec<_>, Vec<_>) = scenarios.into_iter().partition(|scenario| scenario.alone);
    let mut outcomes = in_parallel(together, options.jobs, &bench, options);
    outcomes.extend(in_parallel(alone, 1, &bench, options));
    Ok(report(&outcomes, options.skip_fails, begun))
}

fn chosen(options: &RunOptions) -> anyhow::Result<Vec<Scenario>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = scenario::load(&root.join("servers"))?;
    all.extend(scenario::load(&root.join("process"))?);
    scenario::check_names(&all)?;
    all.retain(|scenario| {
        let wanted = |word: &String| scenario.name.contains(word.as_str()) || scenario.family.contains(word.as_str());
        options.filter.as_ref().is_none_or(wanted) && (scenario.fast || !options.fast)
    });
    if all.is_empty() {
        bail!("no scenario is chosen: check --filter");
    }
    Ok(all)
}

/// With how long each took.
type Outcomes = Vec<(Scenario, ScenarioOutcome, f64)>;

fn in_parallel(scenarios: Vec<Scenario>, jobs: usize, bench: &TrialSetup, options: &RunOptions) -> Outcomes {
    let queue = Mutex::new(VecDeque::from(scenarios));
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(scenario) = next else { return };
                    let begun = Instant::now();
                    let outcome = try_one(&scenario, bench, options.keep.as_deref());
                    let entry = (scenario, outcome, begun.elapsed().as_secs_f64());
                    done.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn try_one(scenario: &Scenario, bench: &TrialSetup, keep: Option<&Path>) -> ScenarioOutcome {
    if let Some(missing) = scenario.needs.iter().find_map(|need| missing(*need)) {
        return ScenarioOutcome::Skipped(missing);
    }
    let run = || -> anyhow::Result<Vec<String>> {
        let folder = tempfile::Builder::new().prefix("aiperf-fault-").tempdir().context("no temporary folder")?;
        let findings = trial::run(scenario, bench, folder.path());
        let went_well = findings.as_ref().is_ok_and(Vec::is_empty);
        if let Some(keep) = keep.filter(|_| !went_well) {
            let kept = keep.join(&scenario.name);
            fs::create_dir_all(keep)?;
            let _ = fs::remove_dir_all(&kept);
            copy(folder.path(), &kept)?;
        }
        findings
    };
    match run() {
        Ok(findings) if findings.is_empty() => ScenarioOutcome::Passed,
        Ok(findings) => ScenarioOutcome::Failed(findings),
        Err(error) => ScenarioOutcome::Failed(vec![format!("{error:#}")]),
    }
}

/// What a scenario needs and this machine does not have.
fn missing(need: Need) -> Option<&'static str> {
    let works = |commands: &str| {
        let mut shell = std::process::Command::new("/bin/sh");
        let status = shell.args(["-c", commands]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    match need {
        Need::Mount => {
            let trial = "d=$(mktemp -d) && mount -t tmpfs -o size=16k lab $d && umount $d && rmdir $d";
            (!works(trial)).then_some("mounting a tmpfs needs root")
        }
    }
}

fn copy(from: &Path, to: &PathBuf) -> anyhow::Result<()> {
    let status = std::process::Command::new("cp").arg("-r").arg(from).arg(to).status().context("cp does not start")?;
    if !status.success() {
        bail!("{} cannot be copied to {}", from.display(), to.display());
    }
    Ok(())
}

/// Whether nothing failed.
fn report(outcomes: &Outcomes, skip_fails: bool, begun: Instant) -> bool {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (scenario, outcome, _) in outcomes {
        let name = format!("{}/{}", scenario.family, scenario.name);
        match outcome {
            ScenarioOutcome::Passed => passed += 1,
            ScenarioOutcome::Failed(findings) => {
                failed += 1;
                for finding in findings {
                    println!("FAILED {name}: {finding}");
                }
            }
            ScenarioOutcome::Skipped(missing) => {
                println!("SKIPPED {name}: {missing}");
                skipped += 1;
            }
        }
    }
    let slowest = outcomes.iter().max_by(|one, other| one.2.total_cmp(&other.2));
    if let Some((scenario, _, seconds)) = slowest {
        println!(
            "{:.0} s in all; the slowest was {} with {seconds:.1} s",
            begun.elapsed().as_secs_f64(),
            scenario.name
        );
    }
    if skipped > 0 {
        println!(
            "{skipped} skipped{}",
            if skip_fails { ", which AIPERF_TEST_REQUIRE_TOOLS makes a failure" } else { "" }
        );
        failed += if skip_fails { skipped } else { 0 };
    }
    println!("{passed} passed, {failed} failed");
    failed == 0
}
