//! From a line of the records file back to what was observed. Times are written in full, so that nothing is lost on the
//! way: nanoseconds come back whole.

use aiperf_clock::{Mono, Nanos};
use aiperf_metrics::{Cause, Failure, HttpTiming, MediaFacts, Metric, Observation, OverflowSigns, TokenCounts};
use aiperf_protocol::{ContentChunk, Delivery, RequestOutcome, ServerTimes, SpecDecode, Usage, VideoReport};

use crate::line::{Acceptance, LineMetrics, RecordLine, RecordedError};

/// What was observed of one request, and the index of its phase; `None` for a line that is not a record.
pub fn observed(line: &[u8]) -> Option<(usize, Observation)> {
    let line: RecordLine = serde_json::from_slice(line).ok()?;
    Some((line.metadata.phase_index as usize, observe(&line)))
}

pub(crate) fn observe(line: &RecordLine) -> Observation {
    let metadata = &line.metadata;
    let metrics = &line.metrics;
    // Epoch times stand in for monotonic ones.
    let start = Mono::from_nanos(metadata.request_start_ns);
    let lag = metrics.base(Metric::ScheduleLag).unwrap_or(0);
    let failure = line.error.as_ref().map(|error| failure(error, metadata.was_cancelled));
    Observation {
        due: Mono::from_nanos(metadata.request_start_ns.saturating_sub(lag)),
        credit_issued: metadata.credit_issued_ns.map_or(start, Mono::from_nanos),
        client_send_delay: metrics.base(Metric::ClientSendDelay).map(Nanos),
        headers_received: metadata.request_ack_ns.map(Mono::from_nanos),
        chunks: chunks(start, metrics),
        // A first token is in every record of a response that was streamed; without streaming nobody asks.
        delivery: if metrics.number(Metric::TimeToFirstToken).is_some() {
            Delivery::Events
        } else {
            Delivery::Document
        },
        tokens: tokens(metrics),
        usage: usage(metrics),
        spec_decode: line.spec_decode_acceptance.as_ref().map(spec_decode),
        server_times: server_times(metrics),
        http: http(metrics),
        resent: metadata.resent,
        failure,
        requested_output_tokens: requested(metrics),
        media: media(metrics),
        // Records do not contain events that could not be read; they are carried over from an earlier summary.
        ..Observation::new(start, Mono::from_nanos(metadata.request_end_ns))
    }
}

fn server_times(metrics: &LineMetrics) -> ServerTimes {
    let span = |metric| metrics.base(metric).map(Nanos);
    ServerTimes {
        queue: span(Metric::ServerQueueTime),
        prefill: span(Metric::ServerPrefillTime),
        inter_token: span(Metric::ServerInterTokenLatency),
    }
}

fn chunks(start: Mono, metrics: &LineMetrics) -> Vec<ContentChunk> {
    let latency = metrics.base(Metric::RequestLatency);
    let Some(first) = metrics.base(Metric::TimeToFirstToken).or(latency) else { return Vec::new() };
    let output = metrics.base(Metric::TimeToFirstOutputToken);
    // Without streaming there is no such metric, and all there is came at once.
    let streamed = metrics.number(Metric::TimeToFirstToken).is_some();
    let first_chunk_tokens = tokens_of_first_chunk(metrics);
    let gap_unit = Metric::InterChunkLatency.definition();
    let gaps = metrics.list(Metric::InterChunkLatency).iter().map(|gap| gap_unit.unshow(*gap).round() as u64);
    let mut at = first;
    let mut ats = vec![at];
    ats.extend(gaps.map(|gap| {
        at += gap;
        at
    }));
    let first_output = if streamed { output.map(|output| first_output(&ats, output, metrics)) } else { Some(0) };
    let chunk = |(place, at): (usize, u64)| ContentChunk {
        at: start + Nanos(at),
        has_output: first_output.is_some_and(|first| place >= first),
        has_reasoning: false,
        usage_completion_tokens: first_chunk_tokens.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX)),
    };
    ats.into_iter().enumerate().map(chunk).collect()
}

/// The place of the first chunk that is not reasoning. Several chunks may have its time; if each chunk is a token, the
/// number of reasoning tokens tells them apart.
fn first_output(ats: &[u64], output: u64, metrics: &LineMetrics) -> usize {
    let first = ats.partition_point(|at| *at < output);
    let last = ats.partition_point(|at| *at <= output).saturating_sub(1).max(first);
    let thoughts = metrics.whole(Metric::ReasoningTokenCount).and_then(|count| usize::try_from(count).ok());
    let token_each = metrics.whole(Metric::OutputSequenceLength) == Some(ats.len() as u64);
    thoughts.filter(|_| token_each).map_or(first, |thoughts| thoughts.clamp(first, last))
}

/// What an inter-token latency was divided by says how many tokens the first chunk brought.
fn tokens_of_first_chunk(metrics: &LineMetrics) -> Option<u64> {
    let osl = metrics.number(Metric::OutputSequenceLength)?;
    let itl = metrics.number(Metric::InterTokenLatency).filter(|itl| *itl > 0.0)?;
    let decode = metrics.number(Metric::RequestLatency)? - metrics.number(Metric::TimeToFirstToken)?;
    let rest = (decode / itl).round();
    (rest >= 1.0 && rest < osl).then_some((osl - rest) as u64)
}

fn tokens(metrics: &LineMetrics) -> TokenCounts {
    let reasoning = metrics.whole(Metric::ReasoningTokenCount);
    let all = metrics.whole(Metric::OutputSequenceLength);
    let rest = all.map(|all| all.saturating_sub(reasoning.unwrap_or(0)));
    TokenCounts {
        input: metrics.whole(Metric::InputSequenceLength).or(metrics.whole(Metric::ErrorIsl)),
        output: metrics.whole(Metric::OutputTokenCount).or(rest.filter(|rest| *rest > 0 || reasoning.is_none())),
        reasoning,
    }
}

/// The length asked for is not written down, but by how much the answer missed it.
fn requested(metrics: &LineMetrics) -> Option<u32> {
    if let Some(asked) = metrics.whole(Metric::RequestedOsl) {
        return u32::try_from(asked).ok();
    }
    let osl = metrics.number(Metric::OutputSequenceLength)?;
    let off = metrics.number(Metric::OslMismatchDiffPct)?;
    let asked = (osl / (1.0 + off / 100.0)).round();
    (asked.is_finite() && asked >= 1.0).then_some(asked as u32)
}

fn usage(metrics: &LineMetrics) -> Option<Usage> {
    let usage = Usage {
        prompt_tokens: metrics.whole(Metric::UsagePromptTokens),
        completion_tokens: metrics.whole(Metric::UsageCompletionTokens),
        total_tokens: metrics.whole(Metric::UsageTotalTokens),
        reasoning_tokens: metrics.whole(Metric::UsageReasoningTokens),
        cache_read_tokens: metrics.whole(Metric::UsagePromptCacheReadTokens),
        cache_write_tokens: metrics.whole(Metric::UsagePromptCacheWriteTokens),
        cache_miss_tokens: metrics.whole(Metric::UsagePromptCacheMissTokens),
        prompt_audio_tokens: metrics.whole(Metric::UsagePromptAudioTokens),
        tool_use_prompt_tokens: metrics.whole(Metric::UsageToolUsePromptTokens),
        prompt_audio_seconds: metrics.number(Metric::UsagePromptAudioSeconds),
        completion_audio_tokens: metrics.whole(Metric::UsageCompletionAudioTokens),
        accepted_prediction_tokens: metrics.whole(Metric::UsageAcceptedPredictionTokens),
        rejected_prediction_tokens: metrics.whole(Metric::UsageRejectedPredictionTokens),
    };
    (usage != Usage::default()).then_some(usage)
}

fn http(metrics: &LineMetrics) -> Option<HttpTiming> {
    metrics.number(Metric::HttpReqSending)?;
    let stage = |metric| Nanos(metrics.base(metric).unwrap_or(0));
    Some(HttpTiming {
        blocked: stage(Metric::HttpReqBlocked),
        lost: metrics.base(Metric::HttpReqLost).map(Nanos),
        dns_lookup: stage(Metric::HttpReqDnsLookup),
        connecting: stage(Metric::HttpReqConnecting),
        tls: metrics.base(Metric::HttpReqTlsHandshaking).map(Nanos),
        sending: stage(Metric::HttpReqSending),
        waiting: stage(Metric::HttpReqWaiting),
        receiving: stage(Metric::HttpReqReceiving),
        reused: metrics.whole(Metric::HttpReqConnectionReused) == Some(1),
        body_bytes_sent: metrics.base(Metric::HttpReqDataSent).unwrap_or(0),
        writes: metrics.whole(Metric::HttpReqChunksSent).unwrap_or(0),
        body_bytes_received: metrics.base(Metric::HttpReqDataReceived).unwrap_or(0),
        reads: metrics.whole(Metric::HttpReqChunksReceived).unwrap_or(0),
    })
}

fn media(metrics: &LineMetrics) -> MediaFacts {
    let seconds = |metric: Metric| metrics.number(metric).map(|value| metric.definition().unshow(value));
    let video = VideoReport {
        inference_seconds: seconds(Metric::VideoInferenceTime),
        peak_memory_mb: metrics.number(Metric::VideoPeakMemory),
    };
    MediaFacts {
        images: metrics.whole(Metric::NumImages).unwrap_or(0),
        audio_seconds: metrics.number(Metric::AudioDuration),
        video: (video != VideoReport::default()).then_some(video),
    }
}

fn failure(error: &RecordedError, was_cancelled: bool) -> Failure {
    let kinds = error.cause_chain.as_deref().unwrap_or_default();
    let cause = error
        .cause
        .as_ref()
        .map(|message| Cause { kind: kinds.get(1).cloned().unwrap_or_default(), message: message.clone() });
    let kind = error.kind.clone().unwrap_or_default();
    let failure = Failure::new(error.code, kind.into(), error.message.clone()).with_cause(cause);
    if error.is_cut_off(was_cancelled) {
        Failure { outcome: RequestOutcome::CutOff, ..failure }
    } else if was_cancelled {
        Failure { outcome: RequestOutcome::CancelledOnPurpose, ..failure }
    } else {
        failure.recognize_overflow(&OverflowSigns::default())
    }
}

fn spec_decode(acceptance: &Acceptance) -> SpecDecode {
    let histogram = &acceptance.histogram;
    let buckets = histogram.keys().filter_map(|drafts| drafts.parse::<usize>().ok()).max().map_or(0, |most| most + 1);
    let steps = |drafts: usize| histogram.get(&drafts.to_string()).copied().unwrap_or(0);
    SpecDecode {
        mean_acceptance_length: acceptance.mean_acceptance_length,
        draft_acceptance_rate: acceptance.draft_acceptance_rate,
        // A step proposes a handful of drafts; more is not a histogram.
        acceptance_histogram: (0..buckets.min(1_025)).map(steps).collect(),
        accepted_draft_tokens: acceptance.num_accepted_draft_tokens,
        draft_tokens: acceptance.num_draft_tokens,
        steps: acceptance.num_spec_steps,
        spec_tokens: acceptance.num_spec_tokens,
    }
}
