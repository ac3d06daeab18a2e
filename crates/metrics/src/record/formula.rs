//! The formula of every record metric, over the facts of one request.

use crate::record::fact::{Fact, Facts};
use crate::record::values::KILOBYTES_PER_MB;
use crate::{Flags, Metric, MetricContext};

const NANOS_PER_SECOND: f64 = 1e9;

/// A record metric (or the 0/1 that an aggregate counts) in its base unit. `None`: its inputs are missing, or the
/// request ended in a way that this metric is not about. The caller asks only for metrics that apply.
pub(crate) fn value(metric: Metric, facts: &impl Facts, context: &MetricContext) -> Option<f64> {
    let outcome = facts.outcome()?;
    let wanted = if metric.has(Flags::ANY_OUTCOME) {
        true
    } else if metric.has(Flags::ERRORS) {
        outcome.is_failure()
    } else {
        outcome.is_success()
    };
    if !wanted {
        return None;
    }
    let fact = |fact| facts.fact(fact).map(|value| value as f64);
    match metric {
        Metric::TimeToFirstToken => fact(Fact::FirstContent),
        Metric::TimeToSecondToken => fact(Fact::SecondGap),
        Metric::TimeToFirstOutputToken => fact(Fact::FirstOutput),
        Metric::RequestLatency => fact(Fact::LastContent),
        Metric::DecodeDuration => decode_duration(facts),
        Metric::InterTokenLatency => inter_token_latency(facts, context),
        Metric::OutputTokenThroughputPerUser => per_second(1.0, inter_token_latency(facts, context)?),
        Metric::E2eOutputTokenThroughput => per_second(output_length(facts)?, fact(Fact::LastContent)?),
        Metric::PrefillThroughputPerUser => per_second(fact(Fact::InputTokens)?, fact(Fact::FirstContent)?),
        Metric::StreamSetupLatency => fact(Fact::Headers),
        Metric::StreamPrefillLatency => Some(fact(Fact::FirstContent)? - fact(Fact::Headers)?),
        Metric::OutputSequenceLength => output_length(facts),
        Metric::InputSequenceLength | Metric::ErrorIsl => fact(Fact::InputTokens),
        Metric::OutputTokenCount => fact(Fact::OutputTokens).filter(|tokens| *tokens > 0.0),
        Metric::ReasoningTokenCount => fact(Fact::ReasoningTokens),
        Metric::RequestedOsl => fact(Fact::RequestedTokens),
        Metric::OslMismatchDiffPct => {
            let asked = fact(Fact::RequestedTokens).filter(|asked| *asked > 0.0)?;
            Some((output_length(facts)? - asked) / asked * 100.0)
        }
        Metric::OslMismatchCount => {
            let asked = fact(Fact::RequestedTokens).filter(|asked| *asked > 0.0)?;
            let limits = &context.thresholds;
            let allowed = (asked * limits.osl_mismatch_pct / 100.0).min(limits.osl_mismatch_max_tokens);
            Some(f64::from((output_length(facts)? - asked).abs() > allowed))
        }
        Metric::ThinkingEfficiency => {
            let output = fact(Fact::OutputTokens).filter(|tokens| *tokens > 0.0)?;
            Some(fact(Fact::ReasoningTokens)? / output)
        }
        Metric::NumImages => fact(Fact::Images),
        Metric::ImageThroughput => per_second(fact(Fact::Images)?, fact(Fact::LastContent)?),
        Metric::ImageLatency => Some(fact(Fact::LastContent)? * 1e-6 / fact(Fact::Images)?),
        Metric::AudioDuration => Some(fact(Fact::AudioTime)? / NANOS_PER_SECOND),
        Metric::Rtfx => per_second(fact(Fact::AudioTime)? / NANOS_PER_SECOND, fact(Fact::LastContent)?),
        Metric::VideoInferenceTime => Some(fact(Fact::VideoTime)? / NANOS_PER_SECOND),
        Metric::VideoPeakMemory => Some(fact(Fact::VideoMemory)? / KILOBYTES_PER_MB),
        Metric::SpecDecodeAcceptanceLength => facts.fact(Fact::SpecLength).map(f64::from_bits),
        Metric::SpecDecodeDraftAcceptanceRate => Some(f64::from_bits(facts.fact(Fact::SpecRate)?) * 100.0),
        Metric::SpecDecodeAcceptedPerVerified => {
            let (steps, drafted) = (fact(Fact::SpecSteps)?, fact(Fact::SpecDrafted)?);
            (drafted + steps > 0.0).then_some((fact(Fact::SpecAccepted)? + steps) / (drafted + steps))
        }
        Metric::SpecDecodeSteps => fact(Fact::SpecSteps),
        Metric::SpecDecodeAcceptedDraftTokens => fact(Fact::SpecAccepted),
        Metric::SpecDecodeDraftTokens => fact(Fact::SpecDrafted),
        Metric::ServerTimeToFirstToken => Some(fact(Fact::ServerQueue)? + fact(Fact::ServerPrefill)?),
        Metric::ServerInterTokenLatency => fact(Fact::ServerItl),
        Metric::ServerQueueTime => fact(Fact::ServerQueue),
        Metric::ServerPrefillTime => fact(Fact::ServerPrefill),
        Metric::TtftClientTime => {
            fact(Fact::ServerPrefill)?;
            Some(fact(Fact::HttpBlocked)? + fact(Fact::HttpSending)?)
        }
        Metric::TtftNetworkTime => {
            let client = fact(Fact::HttpBlocked)? + fact(Fact::HttpSending)?;
            let server = fact(Fact::ServerQueue)? + fact(Fact::ServerPrefill)?;
            Some((fact(Fact::FirstContent)? - client - server).max(0.0))
        }
        Metric::UsagePromptTokens => fact(Fact::UsagePrompt),
        Metric::UsagePromptCacheReadTokens => fact(Fact::UsageCacheRead),
        Metric::UsagePromptCacheWriteTokens => fact(Fact::UsageCacheWrite),
        Metric::UsagePromptCacheMissTokens => fact(Fact::UsageCacheMiss),
        Metric::UsagePromptAudioTokens => fact(Fact::UsagePromptAudio),
        Metric::UsageToolUsePromptTokens => fact(Fact::UsageToolUse),
        Metric::UsagePromptAudioSeconds => Some(fact(Fact::UsageAudioTime)? / NANOS_PER_SECOND),
        Metric::UsageCompletionTokens => fact(Fact::UsageCompletion),
        Metric::UsageReasoningTokens => fact(Fact::UsageReasoning),
        Metric::UsageCompletionAudioTokens => fact(Fact::UsageCompletionAudio),
        Metric::UsageAcceptedPredictionTokens => fact(Fact::UsageAccepted),
        Metric::UsageRejectedPredictionTokens => fact(Fact::UsageRejected),
        Metric::UsageTotalTokens => fact(Fact::UsageTotal),
        Metric::UsagePromptTokensDiffPct => diff_pct(fact(Fact::UsagePrompt)?, fact(Fact::InputTokens)?),
        Metric::UsageCompletionTokensDiffPct => diff_pct(fact(Fact::UsageCompletion)?, output_length(facts)?),
        Metric::UsageReasoningTokensDiffPct => diff_pct(fact(Fact::UsageReasoning)?, fact(Fact::ReasoningTokens)?),
        Metric::UsageDiscrepancyCount => usage_discrepancy(facts, context),
        Metric::HttpReqBlocked => fact(Fact::HttpBlocked),
        Metric::HttpReqLost => fact(Fact::HttpLost),
        Metric::HttpReqDnsLookup => fact(Fact::HttpDns),
        Metric::HttpReqConnecting => fact(Fact::HttpConnecting),
        Metric::HttpReqTlsHandshaking => fact(Fact::HttpTls),
        Metric::HttpReqSending => fact(Fact::HttpSending),
        Metric::HttpReqWaiting => fact(Fact::HttpWaiting),
        Metric::HttpReqReceiving => fact(Fact::HttpReceiving),
        Metric::HttpReqConnectionReused => fact(Fact::HttpReused),
        Metric::HttpReqDataSent => fact(Fact::HttpBytesSent),
        Metric::HttpReqChunksSent => fact(Fact::HttpWrites),
        Metric::HttpReqDataReceived => fact(Fact::HttpBytesReceived),
        Metric::HttpReqChunksReceived => fact(Fact::HttpReads),
        Metric::HttpReqConnectionOverhead => sum(facts, &CONNECTION_STAGES),
        Metric::HttpReqDuration => sum(facts, &EXCHANGE_STAGES),
        Metric::HttpReqTotal => {
            let lost = fact(Fact::HttpLost).unwrap_or(0.0);
            Some(sum(facts, &CONNECTION_STAGES)? + lost + sum(facts, &EXCHANGE_STAGES)?)
        }
        Metric::ResentRequestCount => fact(Fact::Resent),
        Metric::ScheduleLag | Metric::ReplaySendScheduleOffset => fact(Fact::DueToStart),
        Metric::TimeToFirstTokenFromDue => Some(fact(Fact::DueToStart)? + fact(Fact::FirstContent)?),
        Metric::RequestLatencyFromDue => Some(fact(Fact::DueToStart)? + fact(Fact::LastContent)?),
        Metric::CreditDropLatency => fact(Fact::CreditToStart).filter(|span| *span > 0.0),
        Metric::ClientSendDelay => fact(Fact::ClientSendDelay),
        Metric::CreditToStartLatency => fact(Fact::CreditToStart),
        Metric::EffectiveLatency => Some(fact(Fact::CreditToStart)? + fact(Fact::End)?),
        Metric::GoodRequestCount => Some(f64::from(
            context
                .slos
                .iter()
                .all(|slo| value(slo.metric(), facts, context).is_some_and(|measured| slo.is_met(measured))),
        )),
        _ => None,
    }
}

const CONNECTION_STAGES: [Fact; 3] = [Fact::HttpBlocked, Fact::HttpDns, Fact::HttpConnecting];
const EXCHANGE_STAGES: [Fact; 3] = [Fact::HttpSending, Fact::HttpWaiting, Fact::HttpReceiving];

/// Output tokens with reasoning; a missing part counts nothing, but one must be known.
pub(crate) fn output_length(facts: &impl Facts) -> Option<f64> {
    match (facts.fact(Fact::OutputTokens), facts.fact(Fact::ReasoningTokens)) {
        (None, None) => None,
        (output, reasoning) => Some((output.unwrap_or(0) + reasoning.unwrap_or(0)) as f64),
    }
}

fn decode_duration(facts: &impl Facts) -> Option<f64> {
    Some((facts.fact(Fact::LastContent)?.saturating_sub(facts.fact(Fact::FirstContent)?)) as f64)
}

fn inter_token_latency(facts: &impl Facts, context: &MetricContext) -> Option<f64> {
    Some(decode_duration(facts)? / decoded_tokens(facts, context)?)
}

/// Tokens that came after the first chunk.
fn decoded_tokens(facts: &impl Facts, context: &MetricContext) -> Option<f64> {
    let tokens = output_length(facts).filter(|tokens| *tokens >= 2.0)?;
    let first_chunk = facts.fact(Fact::FirstChunkTokens).filter(|_| context.per_chunk_usage).map(|k| k as f64);
    let in_first_chunk = first_chunk.filter(|k| *k > 0.0 && tokens - k >= 1.0).unwrap_or(1.0);
    Some(tokens - in_first_chunk)
}

/// Tokens after the first chunk, and the nanoseconds in which they came, of a successful request.
pub(crate) fn decoding(facts: &impl Facts, context: &MetricContext) -> Option<(f64, f64)> {
    let success = facts.succeeded();
    success.then_some(())?;
    Some((decoded_tokens(facts, context)?, decode_duration(facts)?))
}

fn usage_discrepancy(facts: &impl Facts, context: &MetricContext) -> Option<f64> {
    let diff = |metric| value(metric, facts, context);
    let prompt = diff(Metric::UsagePromptTokensDiffPct)?;
    let completion = diff(Metric::UsageCompletionTokensDiffPct);
    if completion.is_none() && context.applies(Metric::UsageCompletionTokensDiffPct) {
        return None;
    }
    let diffs = [Some(prompt), completion, diff(Metric::UsageReasoningTokensDiffPct)];
    Some(f64::from(diffs.into_iter().flatten().any(|pct| pct > context.thresholds.usage_diff_pct)))
}

fn diff_pct(server: f64, client: f64) -> Option<f64> {
    (client > 0.0).then(|| (server - client).abs() / client * 100.0)
}

fn per_second(amount: f64, span_nanos: f64) -> Option<f64> {
    (span_nanos > 0.0).then(|| amount / (span_nanos / NANOS_PER_SECOND))
}

fn sum(facts: &impl Facts, parts: &[Fact]) -> Option<f64> {
    parts.iter().map(|part| facts.fact(*part)).sum::<Option<u64>>().map(|nanos| nanos as f64)
}
