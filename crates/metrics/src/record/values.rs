//! The values of one record.

use aiperf_clock::Nanos;
use aiperf_protocol::{Delivery, RequestOutcome, ServerTimes, SpecDecode, Usage};

use crate::record::fact::{Fact, Facts};
use crate::record::formula;
use crate::{HttpTiming, MediaFacts, Metric, MetricContext, Observation};

const MISSING: u64 = u64::MAX;
/// Memory is kept as a whole number of these.
pub(crate) const KILOBYTES_PER_MB: f64 = 1_000.0;

/// What is kept of one request. Cheap to make: whole numbers and the gaps between chunks.
#[derive(Debug, Clone)]
pub struct RecordValues {
    facts: [u64; Fact::COUNT],
    gaps: Vec<u64>,
}

impl RecordValues {
    pub fn compute(seen: &Observation) -> Self {
        let mut record = Self { facts: [MISSING; Fact::COUNT], gaps: Vec::new() };
        record.set(Fact::Outcome, Some(seen.outcome().number()));
        record.set(Fact::Start, Some(seen.start.as_nanos()));
        record.set(Fact::CreditToStart, Some(seen.start.since(seen.credit_issued).0));
        record.set(Fact::DueToStart, Some(seen.start.since(seen.due).0));
        record.set(Fact::End, Some(seen.end.since(seen.start).0));
        record.set(Fact::InputTokens, seen.tokens.input);
        record.set(Fact::ClientSendDelay, seen.client_send_delay.map(|span| span.0));
        record.set(Fact::Resent, Some(u64::from(seen.resent)).filter(|times| *times > 0));
        if seen.failure.is_none() {
            record.set_success(seen);
        }
        record
    }

    /// A metric of this record in its base unit; `None` if its inputs are missing.
    pub fn get(&self, metric: Metric, context: &MetricContext) -> Option<f64> {
        formula::value(metric, self, context)
    }

    /// Nanoseconds between consecutive contents.
    pub fn gaps(&self) -> &[u64] {
        &self.gaps
    }

    pub fn succeeded(&self) -> bool {
        self.facts[Fact::Outcome as usize] == RequestOutcome::Success.number()
    }

    pub(crate) fn stored(&self, index: usize) -> Option<u64> {
        let value = self.facts[index];
        (value != MISSING).then_some(value)
    }

    fn set(&mut self, fact: Fact, value: Option<u64>) {
        self.facts[fact as usize] = value.unwrap_or(MISSING);
    }

    fn set_success(&mut self, seen: &Observation) {
        let since_start = |at: aiperf_clock::Mono| at.since(seen.start).0;
        self.set(Fact::Headers, seen.headers_received.map(since_start));
        self.gaps = seen.chunks.windows(2).map(|pair| pair[1].at.since(pair[0].at).0).collect();
        self.set(Fact::LastContent, seen.chunks.last().map(|chunk| since_start(chunk.at)));
        // A document has no first token: its only time is that of the whole.
        if seen.delivery == Delivery::Events {
            let mut outputs = seen.chunks.iter().filter(|chunk| chunk.has_output).map(|chunk| chunk.at);
            let (first_output, second_output) = (outputs.next(), outputs.next());
            self.set(Fact::FirstContent, seen.chunks.first().map(|chunk| since_start(chunk.at)));
            self.set(Fact::FirstOutput, first_output.map(since_start));
            self.set(
                Fact::SecondOutputGap,
                first_output.zip(second_output).map(|(first, second)| second.since(first).0),
            );
            self.set(Fact::SecondGap, self.gaps.first().copied());
        }
        self.set(Fact::Gaps, Some(self.gaps.len() as u64));
        self.set(
            Fact::FirstChunkTokens,
            seen.chunks.first().and_then(|chunk| chunk.usage_completion_tokens).map(u64::from),
        );
        self.set(Fact::OutputTokens, seen.tokens.output);
        self.set(Fact::ReasoningTokens, seen.tokens.reasoning);
        self.set(Fact::RequestedTokens, seen.requested_output_tokens.map(u64::from));
        self.set(Fact::RequestedInput, seen.requested_input_tokens.map(u64::from));
        if let Some(usage) = &seen.usage {
            self.set_usage(usage);
        }
        if let Some(spec_decode) = &seen.spec_decode {
            self.set_spec_decode(spec_decode);
        }
        let ServerTimes { queue, prefill, inter_token } = seen.server_times;
        self.set(Fact::ServerQueue, queue.map(|span| span.0));
        self.set(Fact::ServerPrefill, prefill.map(|span| span.0));
        self.set(Fact::ServerItl, inter_token.map(|span| span.0));
        if let Some(http) = &seen.http {
            self.set_http(http);
        }
        self.set_media(&seen.media);
        self.set(Fact::PrefixBlocks, seen.prefix.map(|prefix| prefix.blocks));
        self.set(Fact::PrefixReused, seen.prefix.map(|prefix| prefix.reused));
    }

    fn set_usage(&mut self, usage: &Usage) {
        self.set(Fact::UsagePrompt, usage.prompt_tokens);
        self.set(Fact::UsageCacheRead, usage.cache_read_tokens);
        self.set(Fact::UsageCacheWrite, usage.cache_write_tokens);
        self.set(Fact::UsageCacheMiss, usage.cache_miss_tokens);
        self.set(Fact::UsagePromptAudio, usage.prompt_audio_tokens);
        self.set(Fact::UsageToolUse, usage.tool_use_prompt_tokens);
        self.set(Fact::UsageAudioTime, usage.prompt_audio_seconds.map(|secs| Nanos::from_secs_f64(secs).0));
        self.set(Fact::UsageCompletion, usage.completion_tokens);
        self.set(Fact::UsageReasoning, usage.reasoning_tokens);
        self.set(Fact::UsageCompletionAudio, usage.completion_audio_tokens);
        self.set(Fact::UsageAccepted, usage.accepted_prediction_tokens);
        self.set(Fact::UsageRejected, usage.rejected_prediction_tokens);
        self.set(Fact::UsageTotal, usage.total_tokens);
    }

    fn set_spec_decode(&mut self, spec: &SpecDecode) {
        self.set(Fact::SpecSteps, Some(spec.steps));
        self.set(Fact::SpecAccepted, Some(spec.accepted_draft_tokens));
        self.set(Fact::SpecDrafted, Some(spec.draft_tokens));
        self.set(Fact::SpecLength, Some(spec.mean_acceptance_length.to_bits()));
        self.set(Fact::SpecRate, Some(spec.draft_acceptance_rate.to_bits()));
    }

    fn set_media(&mut self, media: &MediaFacts) {
        let span = |seconds: f64| Nanos::from_secs_f64(seconds.max(0.0)).0;
        self.set(Fact::Images, Some(media.images).filter(|images| *images > 0));
        self.set(Fact::AudioTime, media.audio_seconds.map(span));
        let video = media.video.unwrap_or_default();
        self.set(Fact::VideoTime, video.inference_seconds.map(span));
        self.set(Fact::VideoMemory, video.peak_memory_mb.map(|mb| (mb.max(0.0) * KILOBYTES_PER_MB) as u64));
    }

    fn set_http(&mut self, http: &HttpTiming) {
        self.set(Fact::HttpBlocked, Some(http.blocked.0));
        self.set(Fact::HttpLost, http.lost.map(|span| span.0));
        self.set(Fact::HttpDns, Some(http.dns_lookup.0));
        self.set(Fact::HttpConnecting, Some(http.connecting.0));
        self.set(Fact::HttpTls, http.tls.map(|span| span.0));
        self.set(Fact::HttpSending, Some(http.sending.0));
        self.set(Fact::HttpWaiting, Some(http.waiting.0));
        self.set(Fact::HttpReceiving, Some(http.receiving.0));
        self.set(Fact::HttpReused, Some(u64::from(http.reused)));
        self.set(Fact::HttpBytesSent, Some(http.body_bytes_sent));
        self.set(Fact::HttpWrites, Some(http.writes));
        self.set(Fact::HttpBytesReceived, Some(http.body_bytes_received));
        self.set(Fact::HttpReads, Some(http.reads));
    }
}

impl Facts for RecordValues {
    fn fact(&self, fact: Fact) -> Option<u64> {
        self.stored(fact as usize)
    }
}
