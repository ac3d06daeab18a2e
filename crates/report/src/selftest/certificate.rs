//! A self-test that is kept, and what reports of later runs on the same machine say of it.

use std::collections::BTreeMap;

use aiperf_metrics::ClientLoad;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ErrorStats, Grade, TimedError};
use aiperf_table::{grouped, whole};

/// What makes a machine the same one as before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub host: String,
    pub cpu: String,
    pub processors: usize,
    pub kernel: String,
}

/// Which load a client was tested with on a machine, and how it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    pub machine: Machine,
    pub aiperf_version: String,
    /// UTC, to the second; later ones sort later.
    pub date: String,
    pub verdict: Grade,
    #[serde(with = "LoadFields")]
    pub load: ClientLoad,
    /// Milliseconds.
    pub errors: BTreeMap<TimedError, ErrorStats>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ClientLoad")]
pub(super) struct LoadFields {
    #[serde(rename = "streams")]
    in_flight: u64,
    chunks_per_second: f64,
    requests_per_second: f64,
}

impl Certificate {
    /// Whether the client passed, with or without room to spare.
    pub fn certifies(&self) -> bool {
        self.verdict != Grade::Fail
    }

    /// Whether a load is no larger than this one.
    pub fn covers(&self, load: &ClientLoad) -> bool {
        load.beyond(&self.load).is_none()
    }

    fn day(&self) -> &str {
        self.date.split('T').next().unwrap_or(&self.date)
    }
}

/// The self-test that a run is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Citation {
    certificate: Certificate,
    /// The latest test with no more load that failed since.
    failed_since: Option<Certificate>,
}

impl Citation {
    /// From all tests of this machine: the one that covers the load, and of several the one with the most chunks. With
    /// none that covers it, the largest. `None` when no test passed.
    pub fn choose(tests: &[Certificate], load: Option<&ClientLoad>) -> Option<Self> {
        let covers = |test: &Certificate| load.is_some_and(|load| test.covers(load));
        let certificate = tests.iter().filter(|test| test.certifies()).max_by(|a, b| {
            let rates = a.load.chunks_per_second.total_cmp(&b.load.chunks_per_second);
            covers(a).cmp(&covers(b)).then(rates)
        })?;
        let contradicts =
            |test: &&Certificate| !test.certifies() && test.date > certificate.date && certificate.covers(&test.load);
        let failed_since = tests.iter().filter(contradicts).max_by(|a, b| a.date.cmp(&b.date)).cloned();
        Some(Self { certificate: certificate.clone(), failed_since })
    }

    pub(crate) fn load(&self) -> ClientLoad {
        self.certificate.load
    }

    /// One line for people.
    pub(crate) fn sentence(&self) -> String {
        let certificate = &self.certificate;
        let mut text = format!("This machine was certified on {} for {}", certificate.day(), load(&certificate.load));
        if let Some(ttft) = certificate.errors.get(&TimedError::TimeToFirstToken) {
            text.push_str(&format!(": TTFT error p50 {:.3} ms, p99 {:.3} ms", ttft.p50, ttft.p99));
        }
        if certificate.verdict == Grade::Warn {
            text.push_str(", close to the limits");
        }
        text.push('.');
        if let Some(failed) = &self.failed_since {
            text.push_str(&format!(" A later test failed ({}, {}).", failed.day(), load(&failed.load)));
        }
        text
    }

    /// The `selftest` object of the summary.
    pub(crate) fn json(&self, reached: Option<&ClientLoad>) -> Value {
        let certificate = &self.certificate;
        let certified = |load: &ClientLoad| {
            json!({
                "streams": load.in_flight,
                "chunks_per_second": load.chunks_per_second,
                "requests_per_second": load.requests_per_second,
            })
        };
        let mut object = json!({
            "date": certificate.date,
            "verdict": certificate.verdict,
            "certified": certified(&certificate.load),
            "errors_ms": certificate.errors,
        });
        if let Some(reached) = reached {
            object["reached"] = certified(reached);
            object["covers_this_run"] = certificate.covers(reached).into();
        }
        if let Some(failed) = &self.failed_since {
            object["failed_since"] = json!({"date": failed.date, "load": certified(&failed.load)});
        }
        object
    }
}

fn load(load: &ClientLoad) -> String {
    format!(
        "{} streams, {} chunks/s and {} requests/s",
        whole(load.in_flight),
        whole(load.chunks_per_second.round() as u64),
        grouped(load.requests_per_second)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(date: &str, streams: u64, verdict: Grade) -> Certificate {
        let ttft = ErrorStats { count: 9, p50: 0.1234, p99: 1.5, max: 2.0, mean: 0.2 };
        Certificate {
            machine: Machine { host: "h".into(), cpu: "c".into(), processors: 2, kernel: "k".into() },
            aiperf_version: "0.1.0".into(),
            date: date.into(),
            verdict,
            load: ClientLoad {
                in_flight: streams,
                chunks_per_second: 90.0 * streams as f64,
                requests_per_second: 0.9 * streams as f64,
            },
            errors: [(TimedError::TimeToFirstToken, ttft)].into(),
        }
    }

    #[test]
    fn the_largest_test_that_passed_is_cited_with_its_date_load_and_error() {
        let tests = [
            test("2026-01-02T03:04:05Z", 100, Grade::Pass),
            test("2026-01-03T03:04:05Z", 1_000, Grade::Warn),
            test("2026-01-04T03:04:05Z", 5_000, Grade::Fail),
        ];
        let citation = Citation::choose(&tests, Some(&tests[0].load)).unwrap();
        assert_eq!(
            citation.sentence(),
            "This machine was certified on 2026-01-03 for 1,000 streams, 90,000 chunks/s and 900.00 requests/s: TTFT \
             error p50 0.123 ms, p99 1.500 ms, close to the limits."
        );
        let json = citation.json(Some(&tests[2].load));
        assert_eq!((&json["covers_this_run"], &json["certified"]["streams"]), (&false.into(), &1_000.into()));
        assert_eq!(json["errors_ms"]["time_to_first_token"]["p99"], 1.5);
        assert_eq!(Citation::choose(&tests[2..], None), None);
    }

    #[test]
    fn a_test_that_covers_the_run_is_preferred_to_a_larger_one_that_does_not() {
        let mut many_slow = test("2026-01-02T03:04:05Z", 1_000, Grade::Pass);
        many_slow.load.chunks_per_second = 5_000.0;
        let few_quick = test("2026-01-03T03:04:05Z", 100, Grade::Pass);
        let run = ClientLoad { in_flight: 800, chunks_per_second: 4_000.0, requests_per_second: 10.0 };
        let tests = [many_slow, few_quick];
        assert_eq!(Citation::choose(&tests, Some(&run)).unwrap().load().in_flight, 1_000);
        assert_eq!(Citation::choose(&tests, None).unwrap().load().in_flight, 100);
    }

    #[test]
    fn a_later_failure_with_no_more_load_is_said_too() {
        let passed = test("2026-01-02T03:04:05Z", 100, Grade::Pass);
        let sentence = |failed| Citation::choose(&[passed.clone(), failed], None).unwrap().sentence();
        assert!(sentence(test("2026-01-05T03:04:05Z", 80, Grade::Fail)).contains("failed (2026-01-05, 80 streams"));
        assert!(!sentence(test("2026-01-05T03:04:05Z", 200, Grade::Fail)).contains("failed"));
        assert!(!sentence(test("2026-01-01T03:04:05Z", 80, Grade::Fail)).contains("failed"));
    }

    #[test]
    fn a_certificate_comes_back_from_json_as_it_was() {
        let certificate = test("2026-01-02T03:04:05Z", 100, Grade::Warn);
        let text = serde_json::to_string(&certificate).unwrap();
        assert!(text.contains(r#""verdict":"WARN""#) && text.contains(r#""streams":100"#), "{text}");
        assert_eq!(serde_json::from_str::<Certificate>(&text).unwrap(), certificate);
    }
}
