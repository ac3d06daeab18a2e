//! Decides how a run ended, and explains it in one sentence.

use aiperf_clock::Nanos;
use aiperf_engine::{Outage, PhaseOutcome};
use aiperf_metrics::{Failure, FailureGroup, Summary};
use aiperf_protocol::{RunEnding, RunOutcome, StopReason};

use crate::conclude::advice::{Hints, advice, joined};

/// A server that refused this many connections over this time at the end of a run counts as gone.
const GONE_FOR: Nanos = Nanos(1_000_000_000);
const GONE_FAILURES: u64 = 10;

/// What decides how a run ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndEvidence<'a> {
    pub(crate) profiling: &'a Summary,
    pub(crate) warmup: Option<&'a Summary>,
    pub(crate) stopped: Option<StopReason>,
    /// Why an early-stop rule did not reach its target.
    pub(crate) unmet: Option<&'a str>,
    /// The last phase that was started.
    pub(crate) last: Option<&'a PhaseOutcome>,
    pub(crate) hints: &'a Hints,
}

/// How a run ended.
pub(crate) fn decide(evidence: EndEvidence<'_>) -> RunEnding {
    let EndEvidence { profiling, last, stopped, hints, .. } = evidence;
    if let Some(stopped) = stopped {
        return RunEnding { outcome: RunOutcome::Stopped(stopped), reason: evidence.stop_reason(stopped) };
    }
    if profiling.successful == 0 {
        let why = nothing_succeeded(evidence.failures(), profiling.failed + profiling.cut_off, hints);
        return RunEnding::because(RunOutcome::NothingSucceeded, why);
    }
    if let Some(why) = evidence.server_gone_at_end().or(evidence.unmet.map(str::to_owned)) {
        return RunEnding::because(RunOutcome::TargetMissed, why);
    }
    RunEnding { outcome: last.map_or(RunOutcome::Completed, |phase| phase.ended_by), reason: None }
}

impl<'a> EndEvidence<'a> {
    /// A sentence on why the run was stopped; `None` if the user did it.
    fn stop_reason(&self, stopped: StopReason) -> Option<String> {
        match stopped {
            // No run that is measured here is stopped for a reason that was read from files.
            StopReason::Interrupt | StopReason::Recorded => None,
            StopReason::FailedRequests => {
                let (failed, all) = (self.profiling.failed, self.profiling.failed + self.profiling.successful);
                Some(format!(
                    "{failed} of {all} requests failed, more than --failed-request-threshold allows. The error summary lists \
                     all errors."
                ))
            }
            StopReason::FailedWarmup => Some(self.failed_warmup()),
            StopReason::Unreachable => Some(self.lost_server()),
            StopReason::Defect => Some(
                "a worker thread of aiperf panicked, so the run was stopped; the files hold what had finished. This is a \
                 bug in aiperf: please report it with the message above."
                    .to_owned(),
            ),
            StopReason::Coordinator => {
                Some("the coordinator of the nodes stopped this node before its share was complete.".to_owned())
            }
            StopReason::SpillFailed => Some(
                "records could not be made as quickly as requests finished, and the responses that waited could not be spilled to \
                 disk (see the error above). Everything that finished is in the files. Free space in the artifact folder, raise \
                 AIPERF_RECORD_MEMORY_MB or --record-processors, or lower the rate."
                    .to_owned(),
            ),
        }
    }

    fn failed_warmup(&self) -> String {
        let failures = self.warmup.map_or(&[][..], |summary| summary.failures.as_slice());
        let failure = failures.first().map(|group| &group.failure);
        let why = failure.map_or("no answer", |failure| first_line(&failure.message));
        let advice = match failure {
            Some(failure) if failure.is_context_overflow() => {
                "Leave out longer sessions with --max-context-length.".to_owned()
            }
            Some(failure) => advice(failure, self.hints),
            None => "Raise --agentic-warmup-grace-period.".to_owned(),
        };
        format!("the warmup failed: a recorded session could not be brought to its start point ({why}). {advice}")
    }

    /// The failures of the profiling phase; those of the warmup if it has none.
    fn failures(&self) -> &'a [FailureGroup] {
        if self.profiling.failures.is_empty() {
            self.warmup.map_or(&[][..], |summary| summary.failures.as_slice())
        } else {
            self.profiling.failures.as_slice()
        }
    }

    /// The most frequent failure to connect.
    fn connection_failure(&self) -> Option<&'a Failure> {
        let connecting = |group: &&FailureGroup| group.failure.kind.is_about_connecting();
        self.failures().iter().filter(connecting).max_by_key(|group| group.count).map(|group| &group.failure)
    }

    fn outage(&self) -> Option<Outage> {
        self.last?.outage
    }

    fn lost_server(&self) -> String {
        let lasted = self.outage().map_or(Nanos::ZERO, |outage| outage.last.since(outage.since));
        let succeeded = self.profiling.successful + self.warmup.map_or(0, |summary| summary.successful);
        let what =
            if succeeded == 0 { "the server cannot be reached" } else { "the server stopped accepting connections" };
        let rule = format!(
            "{what}: every request failed to connect for {:.0} s (--unreachable-timeout)",
            lasted.as_secs_f64()
        );
        match self.connection_failure() {
            Some(failure) => joined(&format!("{rule}; {}", first_line(&failure.message)), &advice(failure, self.hints)),
            None => format!("{rule}."),
        }
    }

    /// Why a run did not measure the server to its end: its last requests could not connect.
    fn server_gone_at_end(&self) -> Option<String> {
        let outage = self.outage()?;
        let is_gone = outage.last.since(outage.since) >= GONE_FOR && outage.failures >= GONE_FAILURES;
        let before = self.last?.end.since(outage.since).as_secs_f64();
        let why = self.connection_failure().map_or("", |failure| first_line(&failure.message));
        let what = format!(
            "the server stopped accepting connections {before:.1} s before the end: the last {} requests failed; {why}",
            outage.failures
        );
        is_gone.then(|| joined(&what, "Check the server's log, and repeat the run."))
    }
}

fn nothing_succeeded(failures: &[FailureGroup], requests: u64, hints: &Hints) -> String {
    let Some(most) = failures.iter().max_by_key(|group| group.count) else {
        return "no request finished: give the run more time (--benchmark-duration, --benchmark-grace-period)"
            .to_owned();
    };
    let failure = &most.failure;
    let subject =
        if requests == 1 { "the only request failed".to_owned() } else { format!("all {requests} requests failed") };
    let what = match failure.code {
        Some(code) => format!("{code} {}: {}", failure.kind, first_line(&failure.message)),
        None => first_line(&failure.message).to_owned(),
    };
    joined(&format!("{subject}; {what}"), &advice(failure, hints))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end_matches('.')
}
