//! Whether a run gives a verdict: it ran to its end, the summary is its own, and no record of it is missing. Numbers of half a run
//! look like those of a whole one, so that nobody would see from them what they are.

use aiperf_table::whole;
use serde_json::Value;

/// Why a run gives no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoVerdictReason {
    /// By its user, or by a signal.
    Interrupted {
        done: Option<u64>,
        planned: Option<u64>,
    },
    /// It gave up or came to nothing, for the reason given.
    Incomplete {
        reason: String,
    },
    /// It was killed before it wrote one, or the one that is there is of another run.
    NoSummary {
        records: u64,
    },
    /// Made from records after the run, which may not be all.
    Rebuilt,
    RecordsLost(u64),
}

impl NoVerdictReason {
    /// After the name of a side: "was interrupted after 3 of 10 requests".
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Interrupted { done: Some(done), planned: Some(planned) } => {
                format!("was interrupted after {} of {} requests", whole(*done), whole(*planned))
            }
            Self::Interrupted { done: Some(done), planned: None } => {
                format!("was interrupted after {} requests", whole(*done))
            }
            Self::Interrupted { .. } => "was interrupted".to_owned(),
            Self::Incomplete { reason } => format!("is incomplete: {}", reason.trim_end_matches('.')),
            Self::NoSummary { records } => {
                format!("has no summary: the run did not reach its end and left {} records", whole(*records))
            }
            Self::Rebuilt => "has a summary that was rebuilt from its records, which may be incomplete".to_owned(),
            Self::RecordsLost(1) => "lost 1 record".to_owned(),
            Self::RecordsLost(lost) => format!("lost {} records", whole(*lost)),
        }
    }

    /// `summary`: that of the run itself. `requests`: those that ended before the run did, if records are there.
    pub(crate) fn find(summary: Option<&Value>, input_config: Option<&Value>, requests: Option<u64>) -> Option<Self> {
        let Some(summary) = summary else { return Some(Self::NoSummary { records: requests.unwrap_or(0) }) };
        let lost = || summary["records_lost"].as_u64().filter(|lost| *lost > 0).map(Self::RecordsLost);
        let planned = input_config.and_then(|config| crate::side::workload::profiling(config)["requests"].as_u64());
        if summary["was_cancelled"] == true {
            let counted = || summary["request_count"]["avg"].as_f64().map(|count| count as u64);
            return Some(Self::Interrupted { done: requests.or_else(counted), planned });
        }
        // A run all of whose requests failed says that it came to nothing, but all of it is there to compare.
        let all_there = planned.is_some_and(|planned| requests.is_some_and(|requests| requests >= planned));
        if summary["is_complete"] == false && !all_there {
            let reason = summary["incomplete_reason"].as_str().unwrap_or("the summary does not say why");
            return lost().or_else(|| Some(Self::Incomplete { reason: reason.to_owned() }));
        }
        lost().or_else(|| summary.get("rebuilt").is_some_and(|rebuilt| !rebuilt.is_null()).then_some(Self::Rebuilt))
    }
}

/// A validity warning of a side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub code: String,
    pub message: String,
    /// Runs of the side that have it.
    pub runs: usize,
}

impl Warning {
    /// Those of one summary.
    pub(crate) fn all(summary: &Value) -> Vec<Self> {
        let notes = summary["validity"].as_array().into_iter().flatten().filter(|note| note["severity"] == "warning");
        let text = |note: &Value, key: &str| note[key].as_str().unwrap_or_default().to_owned();
        notes.map(|note| Self { code: text(note, "code"), message: text(note, "message"), runs: 1 }).collect()
    }

    /// Each code once, with the words of the first run that has it.
    pub(crate) fn merge(of_runs: impl Iterator<Item = Vec<Self>>) -> Vec<Self> {
        let mut merged: Vec<Self> = Vec::new();
        for warnings in of_runs {
            let before = merged.len();
            for warning in warnings {
                match merged[..before].iter_mut().find(|known| known.code == warning.code) {
                    Some(known) => known.runs += 1,
                    None => merged.push(warning),
                }
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(summary: &Value) -> Option<String> {
        let config = json!({"phases": [{"kind": "profiling", "requests": 6400}]});
        NoVerdictReason::find(Some(summary), Some(&config), Some(3343)).map(|reason| reason.words())
    }

    #[test]
    fn a_run_that_did_not_reach_its_end_is_found() {
        assert_eq!(found(&json!({"was_cancelled": false, "is_complete": true})), None);
        let cancelled = json!({"was_cancelled": true, "is_complete": false});
        assert_eq!(found(&cancelled).unwrap(), "was interrupted after 3,343 of 6,400 requests");
        let given_up = json!({"is_complete": false, "incomplete_reason": "No request succeeded."});
        assert_eq!(found(&given_up).unwrap(), "is incomplete: No request succeeded");
        assert!(found(&json!({"is_complete": true, "rebuilt": {"records": 7}})).unwrap().contains("rebuilt"));
        assert_eq!(found(&json!({"is_complete": true, "records_lost": 322})).unwrap(), "lost 322 records");
        assert_eq!(found(&json!({"is_complete": true, "records_lost": 0})), None);
        let config = json!({"phases": [{"kind": "profiling", "requests": 20}]});
        let failed = json!({"is_complete": false, "incomplete_reason": "All 20 requests failed."});
        assert_eq!(NoVerdictReason::find(Some(&failed), Some(&config), Some(20)), None, "all of it is there");
        assert!(NoVerdictReason::find(Some(&failed), Some(&config), Some(19)).is_some());
        let killed = NoVerdictReason::find(None, None, Some(12)).unwrap();
        assert!(killed.words().contains("has no summary"), "{killed:?}");
    }

    #[test]
    fn every_validity_warning_is_taken_and_each_code_once() {
        let run = |codes: &[&str]| {
            let note = |code: &&str| json!({"code": code, "severity": "warning", "message": format!("{code}!")});
            let mut notes: Vec<Value> = codes.iter().map(note).collect();
            notes.push(json!({"code": "sample_floor", "severity": "info", "message": "few"}));
            Warning::all(&json!({"validity": notes}))
        };
        let merged =
            Warning::merge([run(&["client_saturated", "a_code_of_tomorrow"]), run(&["client_saturated"])].into_iter());
        let codes: Vec<(&str, usize)> = merged.iter().map(|warning| (warning.code.as_str(), warning.runs)).collect();
        assert_eq!(codes, [("client_saturated", 2), ("a_code_of_tomorrow", 1)]);
        assert_eq!(merged[0].message, "client_saturated!");
    }
}
