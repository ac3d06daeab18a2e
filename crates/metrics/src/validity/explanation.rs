//! What each code means, for the manual: kept beside the rules, so that thresholds are written once.

use aiperf_stats::steady::MATTERS;
use aiperf_stats::{Level, floor};

use super::{NOTED_SHARE_PERCENT, ValidityCode};
use super::{chunking, cold_start, connections, evidence, input_length, occupancy, pacing, reached};
use crate::LateReads;

/// One row of the manual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    pub meaning: &'static str,
    /// When there is a note, and why then.
    pub threshold: String,
    pub remedy: &'static str,
}

impl ValidityCode {
    pub fn explanation(self) -> Explanation {
        Explanation { meaning: self.meaning(), threshold: self.threshold(), remedy: self.remedy() }
    }

    const fn meaning(self) -> &'static str {
        match self {
            Self::MaxTokensFieldRefused => "The server does not know the field that carries the output length.",
            Self::ServerNotReady => {
                "The first requests could not connect, or the server said that it was not ready; or the run had to wait for the server \
                 (`--wait-for-model-timeout`), which is an `info`."
            }
            Self::ErrorShare => {
                "Requests failed. Latencies cover only the successful requests. Cancellations on purpose do not count."
            }
            Self::RequestsResent => {
                "Requests were sent again: the server had left a kept connection as the request came (closed within 50 ms of \
                 the sending, without a byte of an answer), or said that it did not take the request (HTTP/2 GOAWAY, REFUSED_STREAM). \
                 The server saw that many requests more; latencies include the lost attempts (`http_req_lost`)."
            }
            Self::ClientSaturated => "The client, not the server, was the limit. One note for each limit.",
            Self::LateFirstTokens => {
                "The client read first tokens so late that they share the time of a later chunk. Their times to first token are too \
                 long, and the server is not the cause."
            }
            Self::MergedChunks => {
                "The client read chunks so late that they share the time of a later one. Gaps between them are lost: \
                 `inter_chunk_latency` has values near zero and values that are too long."
            }
            Self::BeyondCertifiedLoad => {
                "The client had more to do than the self-test of this machine covers. An `info`: a machine without a self-test is \
                 not certified for any load."
            }
            Self::ClockStep => {
                "The wall clock was set during the run. Durations are taken on another clock; kernel stamps within the last \
                 250 ms before it and times of day after it may be off by as much."
            }
            Self::RecordsLost => {
                "Requests that were sent have no record in the records file: the disk did not take them. The numbers of the run itself \
                 include them; those that `aiperf report` makes from the file do not, and the message says which is the case."
            }
            Self::RateShortfall => "Requests were sent at a lower rate than the schedule asked for.",
            Self::ConcurrencyNotReached => {
                "A closed loop never had as many requests in flight as `--concurrency` asked for. Runs that were broken off have no \
                 such note."
            }
            Self::ConcurrencyCeilingReached => {
                "The concurrency ceiling kept arrivals of an open loop back, or requests waited for a connection: the load was \
                 not the one asked for."
            }
            Self::HiddenWait => {
                "Latency from when requests were due is much longer than from when they were sent (coordinated omission)."
            }
            Self::ReplayDegraded => "The replay did not keep the shape of its trace.",
            Self::LittlesLawGap => {
                "Throughput times mean latency is less than the mean number of requests in flight (Little's law): a part of the \
                 load is in no latency. The note names the largest part: requests that failed, requests that the end of the run cut off, \
                 responses that the server ended late, or a client that read late. Cancellations on purpose do not count."
            }
            Self::WarmupMissing => {
                "The first requests were much slower than later ones, and no warmup was asked for: means and tails include the \
                 server's start."
            }
            Self::NonStationary => {
                "Latency or throughput drifts until the end: the run never reached a steady state, so its averages depend on its length."
            }
            Self::SampleFloor => {
                "Percentiles that people quote rest on too few independent samples; the `subject` is the first of them. An `info`: \
                 they are also marked one by one (`ci.unsupported`, `*` on the console)."
            }
            Self::NotStreamed => {
                "Streaming was asked for, and responses came as one document each. They have a latency, but no time to first \
                 token, no inter-token latency and nothing that follows from the two."
            }
            Self::ChunksWithSeveralTokens => {
                "Streamed events carry several tokens. `inter_chunk_latency` is then not the time between tokens, and \
                 `inter_token_latency` spreads it evenly over tokens that came together."
            }
            Self::UndecodableEvents => "Parts of responses were not JSON objects and were skipped.",
            Self::InputLengthOff => "Prompts do not have the length that was asked for.",
            Self::OutputLengthOff => "Responses do not have the length that was asked for.",
            Self::TokenCountsDiffer => "Client and server count different numbers of tokens.",
            Self::ServerCountsMissing => {
                "`--use-server-token-count` was given, and the server reported no usage, or not both counts. Such requests are in \
                 no token metric."
            }
            Self::CacheCountsMissing => {
                "Prompts begin like others, and usage is reported without a count of cached prompt tokens."
            }
            Self::RowsLeftOut => "Rows of the data could not be used (`--skip-bad-rows`).",
        }
    }

    fn threshold(self) -> String {
        let any = |why: &str| format!("any; {why}");
        let share = |what: &str| {
            format!("more than {NOTED_SHARE_PERCENT} % of requests {what}; from there on the p99 is one of them")
        };
        match self {
            Self::MaxTokensFieldRefused => any("each is a request that was not served"),
            Self::ServerNotReady => {
                any("a refused connection or status 502 to 504 before the first request that was served began")
            }
            Self::ErrorShare => share("failed"),
            Self::RequestsResent => format!(
                "any, as an `info`; a warning above {NOTED_SHARE_PERCENT} % of requests, from where on the p99 is one of them"
            ),
            Self::ClientSaturated => {
                "those of `client_health` ([client-health.md](client-health.md)), sustained for a second; at once for a client that \
                 was stopped, and for descriptors and ports"
                    .to_owned()
            }
            Self::LateFirstTokens => format!(
                "more than {NOTED_SHARE_PERCENT} % of requests have a first token that was read over {} ms after it arrived, together with \
                 a later chunk; from there on the p99 is one of them",
                LateReads::WAIT.as_millis_f64()
            ),
            Self::MergedChunks => format!(
                "more than {NOTED_SHARE_PERCENT} % of chunks were read over {} ms after they arrived, together with a later one; from \
                 there on the p1 of the gaps is one of them",
                LateReads::WAIT.as_millis_f64()
            ),
            Self::BeyondCertifiedLoad => {
                "what the [self-test](selftest.md) certified, and a tenth for swings".to_owned()
            }
            Self::ClockStep => {
                format!("{} ms; less shows in no latency", evidence::CLOCK_STEP.as_millis_f64())
            }
            Self::RateShortfall => format!(
                "more than {} % below the schedule, as lag grew from the first to the last tenth of requests by half a second or \
                 more, or arrivals were dropped; a repetition of the run differs by less",
                pacing::SHORTFALL_PERCENT
            ),
            Self::ConcurrencyNotReached => format!(
                "the most requests in flight at any time are more than {} % below `--concurrency`; a repetition of the run differs by \
                 less",
                reached::SHORTFALL_PERCENT
            ),
            Self::ConcurrencyCeilingReached => format!(
                "any arrival dropped, more than {NOTED_SHARE_PERCENT} % delayed, or more than {} % waited over 1 ms for a \
                 connection; from there on the p99 is one of them",
                connections::WAITED_PERCENT
            ),
            Self::HiddenWait => format!(
                "p99 from due is more than {} times that of the service time, and more than {} ms above it: it changes what is \
                 concluded",
                evidence::HIDDEN_WAIT_FACTOR,
                evidence::HIDDEN_WAIT_MS
            ),
            Self::ReplayDegraded => {
                format!("p99 of the lag above {} ms, the bound of AIPerf", evidence::REPLAY_DEGRADED_MS)
            }
            Self::LittlesLawGap => format!(
                "more than {} % of the time in flight, and 10 ms of each request, without those cancelled on purpose; the mean could be \
                 off by as much",
                occupancy::GAP_PERCENT
            ),
            Self::WarmupMissing => format!(
                "the median of the first wave (as many as run at once, at most a tenth) is more than {} times that of the later \
                 half, above its p99, 50 ms above its median, and 1 % of all waiting; a busy server alone does none of this",
                cold_start::FACTOR
            ),
            Self::NonStationary => format!(
                "no steady state ([statistics.md](statistics.md)), and a change of more than {} % of the level; less does not matter, \
                 however sure it is",
                100.0 * MATTERS
            ),
            Self::SampleFloor => format!(
                "fewer than {} for p99 at a level of 95 % (up to p99; rarer ones are only marked); with fewer no two samples enclose it \
                 ([statistics.md](statistics.md))",
                floor(0.99, Level::P95)
            ),
            Self::NotStreamed => any("its first token is in no number"),
            Self::ChunksWithSeveralTokens => format!(
                "more than {} tokens an event on average; another tokenizer counts up to 20 % more",
                chunking::TOKENS_PER_CHUNK
            ),
            Self::UndecodableEvents => any("what it said is in no count"),
            Self::InputLengthOff => {
                share(&format!("off by more than {} % of the length asked for", input_length::OFF_PERCENT))
            }
            Self::OutputLengthOff => share(
                "off by more than `AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD` (5 %) of the length asked for or \
                 `AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD` (50 tokens), whichever is less",
            ),
            Self::TokenCountsDiffer => share("off by more than `AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD` (10 %)"),
            Self::ServerCountsMissing => any("it is in no token metric"),
            Self::CacheCountsMissing => any("cache hits do not show"),
            Self::RecordsLost => any("what is computed from the file lacks them"),
            Self::RowsLeftOut => any("they are not part of what was measured"),
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::MaxTokensFieldRefused => "`--use-legacy-max-tokens`, or leave it out.",
            Self::ServerNotReady => "Wait for the server: `--wait-for-model-timeout 300`.",
            Self::ErrorShare => {
                "Look at the error summary; lower the load or repair the server. `adj_*` metrics count failures as never answered."
            }
            Self::RequestsResent => {
                "Look for crashes and restarts in the server's log; give it a longer keep-alive timeout, or open a connection for each \
                 request (`--connection-reuse-strategy never`). `--no-resend` makes each of them a failed request."
            }
            Self::ClientSaturated => "What the note says: more workers, a machine apart, less load.",
            Self::LateFirstTokens | Self::MergedChunks => {
                "Find out what keeps the client from its processors (a limit on processor time, other programs, a paused machine), or \
                 move it to a machine of its own, and repeat the run. `request_latency` is not affected."
            }
            Self::BeyondCertifiedLoad => "`aiperf selftest` with the load of the run.",
            Self::ClockStep => {
                "Stop whatever sets the clock (a time service that steps, a virtual machine that was paused), and repeat the run."
            }
            Self::RecordsLost => {
                "Free space on the disk, choose another `--artifact-dir`, or write less (`--export-level`). Quote the summary that the run wrote."
            }
            Self::RateShortfall => {
                "Quote the rate that was reached. If arrivals were dropped, raise `--concurrency` or leave it out; otherwise give the \
                 client more processors."
            }
            Self::ConcurrencyNotReached => {
                "Quote the concurrency that was reached. Send more requests (`--request-count`, `--num-conversations`, \
                 `--benchmark-duration`), or lower `--concurrency`."
            }
            Self::ConcurrencyCeilingReached => {
                "Raise `--concurrency` or leave it out; for connections, raise `AIPERF_HTTP_CONNECTION_LIMIT`."
            }
            Self::HiddenWait => "Quote the `*_from_due` metrics.",
            Self::ReplayDegraded => "Raise or leave out `--concurrency`, or stretch the trace.",
            Self::LittlesLawGap => {
                "What the note says: look at the error summary, give the run a longer `--benchmark-grace-period`, look at the server's \
                 end of streams, or give the client its processors."
            }
            Self::WarmupMissing => "`--warmup-request-count`, or `--warmup-duration`.",
            Self::NonStationary => {
                "Run longer (`--benchmark-duration`), with a warmup or a ramp; a load that the server cannot keep up with never reaches a \
                 steady state."
            }
            Self::SampleFloor => "Send more requests, or quote no percentile above those that are not marked.",
            Self::NotStreamed => {
                "Check that the server, and every proxy in front of it, streams this endpoint; or leave `--streaming` out."
            }
            Self::ChunksWithSeveralTokens => {
                "Have the server stream each token (vLLM: `--stream-interval 1`), or quote `inter_token_latency` as a mean only."
            }
            Self::UndecodableEvents => "`--export-level raw` has them as they came.",
            Self::InputLengthOff => {
                "Give the server's own tokenizer (`--tokenizer`), and `--apply-chat-template` where it adds a template."
            }
            Self::OutputLengthOff => {
                "`--extra-inputs ignore_eos:true` or `min_tokens:N`; `--use-server-token-count` where tokenizers differ."
            }
            Self::TokenCountsDiffer => {
                "Give the server's own tokenizer (`--tokenizer`), or `--use-server-token-count`."
            }
            Self::ServerCountsMissing => {
                "Have the server report usage (streams: `stream_options.include_usage`), or leave `--use-server-token-count` out."
            }
            Self::CacheCountsMissing => "`--enable-prompt-tokens-details` (vLLM), `--enable-cache-report` (SGLang).",
            Self::RowsLeftOut => "The log names the first of them.",
        }
    }
}
