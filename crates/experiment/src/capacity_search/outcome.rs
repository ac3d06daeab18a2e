//! The end of a search: its result as a file, as an object of the summary, and as warnings.

use aiperf_capacity::{CapacityReport, Outcome, StabilityFinding, VerificationVerdict, three_digits};
use aiperf_config::CapacityOf;
use aiperf_report::{CapacityDecision, CapacityFile, CapacityGoal, CapacityInterval, CapacityWarning};
use serde_json::{Value, json};

/// More late requests than this share are the client's fault.
const LATE_SHARE: f64 = 0.01;

pub(super) fn file(
    goal: &CapacityGoal,
    of: CapacityOf,
    report: CapacityReport,
    reason: String,
    decisions: Vec<CapacityDecision>,
    late_share: f64,
    version: &str,
) -> CapacityFile {
    CapacityFile {
        schema_version: CapacityFile::schema_version(),
        aiperf_version: version.to_owned(),
        goal: goal.clone(),
        unit: unit(of).to_owned(),
        capacity: report.estimate.as_ref().map(|estimate| CapacityInterval::new(estimate, report.users)),
        reason,
        warnings: warnings(&report, of, late_share),
        report,
        decisions,
    }
}

pub(super) const fn unit(of: CapacityOf) -> &'static str {
    match of {
        CapacityOf::Rate => "requests/s",
        CapacityOf::Users => "users",
    }
}

/// The object of the summary.
pub(super) fn section(file: &CapacityFile) -> Value {
    json!({
        "outcome": file.report.outcome,
        "capacity": file.capacity,
        "unit": file.unit,
        "binding_slo": file.report.binding_slo,
        "goodput": file.goodput(),
        "requests": file.report.requests,
        "duration_s": file.report.duration_s,
    })
}

fn warnings(report: &CapacityReport, of: CapacityOf, late_share: f64) -> Vec<CapacityWarning> {
    let mut warnings = Vec::new();
    let mut warn = |code: &str, text: String| warnings.push(CapacityWarning { code: code.to_owned(), text });
    match report.stability {
        StabilityFinding::Stable => {}
        StabilityFinding::Warming { until_s, .. } => warn(
            "warming",
            format!(
                "The server became faster during the first {until_s:.0} s (cache warming); steps before that are not used."
            ),
        ),
        StabilityFinding::Drift { change_per_hour, .. } => warn(
            "drift",
            format!(
                "The capacity changes by {:.1} % per hour; the interval is that of the search, not of the future.",
                change_per_hour * 100.0
            ),
        ),
    }
    if let Some(found) = &report.non_monotone {
        warn(
            "non_monotone",
            format!(
                "{} {} violates the objectives more often ({:.2} %) than {} ({:.2} %): below the capacity is a load that is too slow.",
                three_digits(found.level),
                unit(of),
                found.share * 100.0,
                three_digits(found.higher_level),
                found.higher_share * 100.0
            ),
        );
    }
    if report.verification.as_ref().is_some_and(|check| check.verdict == VerificationVerdict::Violated) {
        warn(
            "not_verified",
            "The lower bound violated an objective when it was measured once more; plan with less, or search again."
                .to_owned(),
        );
    }
    if late_share > LATE_SHARE {
        warn(
            "client_saturated",
            format!(
                "The client sent {:.1} % of the requests more than 10 ms late, so that the server saw another load than planned; use a \
                 faster or less busy client machine.",
                late_share * 100.0
            ),
        );
    }
    if report.outcome == Outcome::Interrupted {
        warn("interrupted", "The search was interrupted; continue it with --resume.".to_owned());
    }
    warnings
}
