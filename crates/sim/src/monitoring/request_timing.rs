//! What a reply says about its own times, as vLLM does with `--enable-per-request-metrics` for requests that set `include_metrics`.

use std::io::Write as _;

use aiperf_clock::Nanos;

use crate::monitoring::counters::EngineRequest;

/// The times of one request in the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestTiming {
    queue: Nanos,
    /// From its place in the batch to its first token: vLLM's time to first token leaves the queue out.
    prefill: Nanos,
    decode: Nanos,
    tokens: u32,
}

impl RequestTiming {
    /// `None` before the first token.
    pub(crate) fn of(request: &EngineRequest) -> Option<Self> {
        let (first, last) = (request.first_token?, request.last_token?);
        Some(Self {
            queue: request.admitted.since(request.arrival),
            prefill: first.since(request.admitted),
            decode: last.since(first),
            tokens: request.tokens,
        })
    }

    /// Writes the fields of the JSON object, without its braces. A reply of one token has no gaps; the rate is that of all tokens
    /// since the place in the batch.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let [queue, prefill, decode] = [self.queue, self.prefill, self.decode].map(Nanos::as_millis_f64);
        // A write to a vector cannot fail.
        let _ = write!(
            out,
            r#""time_to_first_token_ms":{prefill:?},"generation_time_ms":{decode:?},"queue_time_ms":{queue:?}"#
        );
        let gap = (self.tokens > 1).then(|| decode / f64::from(self.tokens - 1));
        let rate = (prefill + decode > 0.0).then(|| f64::from(self.tokens) / (prefill + decode) * 1e3);
        for (name, value) in [("mean_itl_ms", gap), ("tokens_per_second", rate)] {
            let _ = match value {
                Some(value) => write!(out, r#","{name}":{value:?}"#),
                None => write!(out, r#","{name}":null"#),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Mono;

    use super::*;

    fn at(millis: u64) -> Mono {
        Mono::from_nanos(millis * 1_000_000)
    }

    fn written(tokens: u32, last: u64) -> serde_json::Value {
        let (arrival, admitted) = (at(0), at(500));
        let (first_token, last_token) = (Some(at(1_500)), Some(at(last)));
        let request = EngineRequest { arrival, admitted, prompt_tokens: 1, tokens, first_token, last_token };
        let mut out = vec![b'{'];
        RequestTiming::of(&request).unwrap().write(&mut out);
        out.push(b'}');
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn times_are_those_of_the_stages() {
        let expected = serde_json::json!({"time_to_first_token_ms": 1000.0, "generation_time_ms": 2000.0, "queue_time_ms": 500.0,
            "mean_itl_ms": 500.0, "tokens_per_second": 5.0 / 3.0});
        assert_eq!(written(5, 3_500), expected);
        assert!(written(1, 1_500)["mean_itl_ms"].is_null());
    }
}
