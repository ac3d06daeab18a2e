//! Reads what a server reports about the speculative decoding and the times of one reply.

use std::fmt;

use aiperf_clock::Nanos;
use aiperf_protocol::{ServerTimes, SpecDecode, SpecDecodeError};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use crate::reply::lenient::{CountField, NumberField, Object, nothing_for};
use crate::reply::transcript::Transcript;

/// A step proposes a handful of drafts; a longer list cannot be a histogram.
const MOST_BUCKETS: usize = 1_025;
/// No request takes longer than a week.
const LONGEST_MS: f64 = 7.0 * 86_400.0 * 1e3;

/// The `metrics` of a response, as vLLM names them.
#[derive(Debug, Deserialize)]
pub(crate) struct EngineMetrics {
    #[serde(default)]
    speculative_decoding: Object<SpecDecodeReport>,
    #[serde(default)]
    queue_time_ms: NumberField,
    #[serde(default)]
    time_to_first_token_ms: NumberField,
    #[serde(default)]
    mean_itl_ms: NumberField,
}

#[derive(Debug, Deserialize)]
struct SpecDecodeReport {
    #[serde(default)]
    mean_acceptance_length: NumberField,
    #[serde(default)]
    draft_acceptance_rate: NumberField,
    #[serde(default)]
    acceptance_histogram: Buckets,
    #[serde(default)]
    num_accepted_draft_tokens: CountField,
    #[serde(default)]
    num_draft_tokens: CountField,
    #[serde(default)]
    num_spec_steps: CountField,
    #[serde(default)]
    num_spec_tokens: CountField,
}

impl EngineMetrics {
    /// Those of a whole answer.
    pub(crate) fn within(answer: &Value) -> Option<Self> {
        Object::<Self>::deserialize(answer.get("metrics")?).ok()?.0
    }

    /// Appends what they say.
    pub(crate) fn append(&self, transcript: &mut Transcript) {
        transcript.server_times(self.server_times());
        if let Some(report) = self.spec_decode() {
            transcript.spec_decode(report);
        }
    }

    /// Times of the request, as vLLM reports them with `--enable-per-request-metrics`. Each event may repeat them.
    fn server_times(&self) -> ServerTimes {
        let span = |millis: NumberField| {
            let sensible = millis.0.filter(|millis| (0.0..LONGEST_MS).contains(millis))?;
            Some(Nanos::from_secs_f64(sensible / 1e3))
        };
        ServerTimes {
            queue: span(self.queue_time_ms),
            prefill: span(self.time_to_first_token_ms),
            inter_token: span(self.mean_itl_ms),
        }
    }

    /// `None` if the response has no report.
    fn spec_decode(&self) -> Option<Result<SpecDecode, SpecDecodeError>> {
        self.speculative_decoding.0.as_ref().map(SpecDecodeReport::check)
    }
}

impl SpecDecodeReport {
    fn check(&self) -> Result<SpecDecode, SpecDecodeError> {
        let counts = (self.num_accepted_draft_tokens.0, self.num_draft_tokens.0, self.num_spec_steps.0);
        let (Some(accepted), Some(drafted), Some(steps)) = counts else { return Err(SpecDecodeError::Missing) };
        if accepted > drafted {
            return Err(SpecDecodeError::AcceptedBeyondProposed);
        }
        let histogram = self.acceptance_histogram.0.clone().unwrap_or_default();
        if !histogram.is_empty() {
            let all = histogram.iter().try_fold(0_u64, |sum, steps| sum.checked_add(*steps));
            let weighed = (0_u64..).zip(&histogram).try_fold(0_u64, |sum, (drafts, steps)| {
                drafts.checked_mul(*steps).and_then(|accepted| sum.checked_add(accepted))
            });
            if histogram.len() > MOST_BUCKETS || all != Some(steps) || weighed != Some(accepted) {
                return Err(SpecDecodeError::Histogram);
            }
        }
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let reported = |number: NumberField| number.0.filter(|value| value.is_finite() && *value >= 0.0);
        Ok(SpecDecode {
            mean_acceptance_length: reported(self.mean_acceptance_length).unwrap_or(1.0 + share(accepted, steps)),
            draft_acceptance_rate: reported(self.draft_acceptance_rate).unwrap_or(share(accepted, drafted)),
            acceptance_histogram: histogram,
            accepted_draft_tokens: accepted,
            draft_tokens: drafted,
            steps,
            spec_tokens: self.num_spec_tokens.0,
        })
    }
}

/// A list of counts; anything else in its place, or in the list, makes it absent.
#[derive(Debug, Default)]
struct Buckets(Option<Vec<u64>>);

impl<'de> Deserialize<'de> for Buckets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BucketsVisitor;
        impl<'de> Visitor<'de> for BucketsVisitor {
            type Value = Buckets;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of counts")
            }

            nothing_for!(Buckets(None); null boolean number string object);

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Buckets, A::Error> {
                let mut counts = Some(Vec::new());
                while let Some(CountField(count)) = seq.next_element()? {
                    match (count, &mut counts) {
                        (Some(count), Some(counts)) => counts.push(count),
                        _ => counts = None,
                    }
                }
                Ok(Buckets(counts))
            }
        }
        deserializer.deserialize_any(BucketsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(report: &str) -> Option<Result<SpecDecode, SpecDecodeError>> {
        let text = format!(r#"{{"speculative_decoding":{report}}}"#);
        serde_json::from_str::<EngineMetrics>(&text).unwrap().spec_decode()
    }

    #[test]
    fn a_report_of_vllm_is_read() {
        let spec = read(
            r#"{"mean_acceptance_length":2.5,"draft_acceptance_rate":0.5,"acceptance_histogram":[1,1,1,1],
                "num_accepted_draft_tokens":6,"num_draft_tokens":12,"num_spec_steps":4,"num_spec_tokens":3}"#,
        );
        let spec = spec.unwrap().unwrap();
        assert_eq!((spec.mean_acceptance_length, spec.draft_acceptance_rate), (2.5, 0.5));
        assert_eq!(spec.acceptance_histogram, [1, 1, 1, 1]);
        assert_eq!((spec.accepted_draft_tokens, spec.draft_tokens, spec.steps, spec.spec_tokens), (6, 12, 4, Some(3)));
    }

    #[test]
    fn times_of_a_request_are_read() {
        let read = |text: &str| serde_json::from_str::<EngineMetrics>(text).unwrap().server_times();
        let times = read(r#"{"queue_time_ms":1.5,"time_to_first_token_ms":42,"mean_itl_ms":null}"#);
        assert_eq!((times.queue, times.prefill), (Some(Nanos(1_500_000)), Some(Nanos(42_000_000))));
        assert_eq!(times.inter_token, None);
        assert_eq!(read(r#"{"queue_time_ms":-1,"time_to_first_token_ms":"x"}"#), ServerTimes::default());
    }

    #[test]
    fn rates_follow_from_the_counts_where_they_are_missing() {
        let spec = read(r#"{"num_accepted_draft_tokens":3,"num_draft_tokens":12,"num_spec_steps":4}"#);
        let spec = spec.unwrap().unwrap();
        assert_eq!((spec.mean_acceptance_length, spec.draft_acceptance_rate), (1.75, 0.25));
    }

    #[test]
    fn counts_that_contradict_each_other_are_refused() {
        let cases = [
            (r#"{"num_draft_tokens":12,"num_spec_steps":4}"#, SpecDecodeError::Missing),
            (
                r#"{"num_accepted_draft_tokens":13,"num_draft_tokens":12,"num_spec_steps":4}"#,
                SpecDecodeError::AcceptedBeyondProposed,
            ),
            (
                r#"{"acceptance_histogram":[1,1],"num_accepted_draft_tokens":6,"num_draft_tokens":12,"num_spec_steps":4}"#,
                SpecDecodeError::Histogram,
            ),
            (
                r#"{"acceptance_histogram":[0,18446744073709551615,9],"num_accepted_draft_tokens":1,"num_draft_tokens":2,
                   "num_spec_steps":1}"#,
                SpecDecodeError::Histogram,
            ),
        ];
        for (report, error) in cases {
            assert_eq!(read(report), Some(Err(error)), "{report}");
        }
    }

    #[test]
    fn metrics_of_other_kinds_are_no_report() {
        for other in ["null", "3", "[]", r#""text""#] {
            assert_eq!(read(other), None, "{other}");
        }
        assert!(serde_json::from_str::<EngineMetrics>(r#"{"prompt_n":1}"#).unwrap().spec_decode().is_none());
    }
}
