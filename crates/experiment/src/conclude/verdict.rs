//! How a run ended, in one sentence.

use aiperf_clock::Nanos;
use aiperf_engine::{Outage, PhaseOutcome, StopReason};
use aiperf_metrics::{Failure, FailureGroup, Summary};

use crate::conclude::advice::{Hints, advice, joined};

/// A server that refused connections at the end of a run was gone if it did so for this long, and so often.
const GONE_FOR: Nanos = Nanos(1_000_000_000);
const GONE_FAILURES: u64 = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// At least one request succeeded and all that was asked for was done.
    Complete,
    /// The user stopped it; what had finished is in the files.
    Cancelled,
    /// Too many requests failed, or the client itself did, and the run was ended for it.
    GivenUp(String),
    /// No connection to the server could be made for so long that the run was ended.
    Unreachable(String),
    /// Ran to its end with results, but not to what was asked for: it did not become steady, for example.
    Unmet(String),
    /// Not one request succeeded. The sentence says what stood in the way.
    NothingSucceeded(String),
}

/// What a run is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending<'a> {
    pub(crate) profiling: &'a Summary,
    pub(crate) warmup: Option<&'a Summary>,
    pub(crate) stopped: Option<StopReason>,
    /// The last phase that was begun.
    pub(crate) last: Option<&'a PhaseOutcome>,
    pub(crate) hints: &'a Hints,
}

impl Verdict {
    pub(crate) fn of(ending: Ending<'_>) -> Self {
        let Ending { profiling, warmup, stopped, hints, .. } = ending;
        match stopped {
            Some(StopReason::Interrupt) => return Self::Cancelled,
            Some(StopReason::FailedRequests) => {
                let (failed, all) = (profiling.failed, profiling.failed + profiling.successful);
                return Self::GivenUp(format!(
                    "{failed} of {all} requests failed, more than --failed-request-threshold allows. The error summary \
                     lists them all."
                ));
            }
            Some(StopReason::FailedWarmup) => {
                let failures = warmup.map_or(&[][..], |summary| summary.failures.as_slice());
                let failure = failures.first().map(|group| &group.failure);
                let why = failure.map_or("no answer", |failure| first_line(&failure.message));
                let advice = match failure {
                    Some(failure) if failure.is_context_overflow => {
                        "Leave longer sessions out by --max-context-length.".to_owned()
                    }
                    Some(failure) => advice(failure, hints),
                    None => "Raise --agentic-warmup-grace-period.".to_owned(),
                };
                return Self::GivenUp(format!(
                    "the warmup failed: a recorded session could not be brought to the point where it goes on ({why}). {advice}"
                ));
            }
            Some(StopReason::Unreachable) => return Self::Unreachable(ending.lost_server()),
            Some(StopReason::Defect) => {
                return Self::GivenUp(
                    "a worker thread of aiperf panicked, and the run was ended for it; what had finished is in the files. \
                     This is a defect of aiperf: please report it with the message above."
                        .to_owned(),
                );
            }
            None => {}
        }
        if profiling.successful > 0 {
            return ending.server_gone_at_end().map_or(Self::Complete, Self::Unmet);
        }
        Self::NothingSucceeded(sentence(ending.failures(), profiling.failed + profiling.cut_off, hints))
    }

    /// A run that went well has failed all the same if what was asked for was not reached.
    pub(crate) fn unless(self, unmet: Option<String>) -> Self {
        match (self, unmet) {
            (Self::Complete, Some(why)) => Self::Unmet(why),
            (verdict, _) => verdict,
        }
    }
}

impl<'a> Ending<'a> {
    /// With nothing in profiling, the warmup may know why.
    fn failures(&self) -> &'a [FailureGroup] {
        if self.profiling.failures.is_empty() {
            self.warmup.map_or(&[][..], |summary| summary.failures.as_slice())
        } else {
            self.profiling.failures.as_slice()
        }
    }

    /// What kept requests from connecting, most of the time.
    fn connection_failure(&self) -> Option<&'a Failure> {
        let connecting = |group: &&FailureGroup| is_about_connecting(&group.failure);
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
            "{what}: for {:.0} s every request failed to connect (--unreachable-timeout)",
            lasted.as_secs_f64()
        );
        match self.connection_failure() {
            Some(failure) => joined(&format!("{rule}; {}", first_line(&failure.message)), &advice(failure, self.hints)),
            None => format!("{rule}."),
        }
    }

    /// A run whose last requests could not connect did not measure the server to its end.
    fn server_gone_at_end(&self) -> Option<String> {
        let outage = self.outage()?;
        let is_gone = outage.last.since(outage.since) >= GONE_FOR && outage.failures >= GONE_FAILURES;
        let before = self.last?.end.since(outage.since).as_secs_f64();
        let why = self.connection_failure().map_or("", |failure| first_line(&failure.message));
        let what = format!(
            "the server stopped accepting connections {before:.1} s before the end: the last {} requests failed; {why}",
            outage.failures
        );
        is_gone.then(|| joined(&what, "Look at the server's log, and repeat the run."))
    }
}

fn is_about_connecting(failure: &Failure) -> bool {
    failure.kind.starts_with("ClientConnector") || failure.kind == "ClientProxyConnectionError"
}

fn sentence(failures: &[FailureGroup], requests: u64, hints: &Hints) -> String {
    let Some(most) = failures.iter().max_by_key(|group| group.count) else {
        return "no request was finished: give the run more time (--benchmark-duration, --benchmark-grace-period)"
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
