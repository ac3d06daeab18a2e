//! Speculative decoding as files spell it.

use aiperf_metrics::SpecDecode;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Whose report it is: the one server that is known to make one for each request.
const ENGINE: &str = "vllm";

/// The `spec_decode_acceptance` object of a record.
#[derive(Debug, Clone, Copy)]
pub struct SpecDecodeRecord<'a> {
    pub spec: &'a SpecDecode,
    /// Completion tokens by the server's count.
    pub usage_tokens: Option<u64>,
}

impl Serialize for SpecDecodeRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spec = self.spec;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("engine", ENGINE)?;
        map.serialize_entry("mean_acceptance_length", &spec.mean_acceptance_length)?;
        map.serialize_entry("draft_acceptance_rate", &spec.draft_acceptance_rate)?;
        map.serialize_entry("acceptance_histogram", &histogram(&spec.acceptance_histogram))?;
        map.serialize_entry("num_accepted_draft_tokens", &spec.accepted_draft_tokens)?;
        map.serialize_entry("num_draft_tokens", &spec.draft_tokens)?;
        map.serialize_entry("num_spec_steps", &spec.steps)?;
        if let Some(tokens) = spec.spec_tokens {
            map.serialize_entry("num_spec_tokens", &tokens)?;
        }
        if let Some(tokens) = self.usage_tokens {
            map.serialize_entry("completion_tokens", &tokens)?;
        }
        map.end()
    }
}

/// Accepted drafts of a step, and how many steps had this number.
pub(crate) fn histogram(buckets: &[u64]) -> Value {
    buckets.iter().enumerate().map(|(drafts, steps)| (drafts.to_string(), Value::from(*steps))).collect()
}
