//! From a finished exchange to an observation: parses the reply and counts its tokens.

use std::sync::Arc;

use aiperf_endpoint::{Endpoint, ReplyReader, ResponseBody};
use aiperf_engine::Finished;
use aiperf_metrics::{Failure, MediaFacts, Observation, OverflowSigns, PrefixBlocks, TokenCounts};
use aiperf_protocol::{EndpointFacts, EndpointKind, Medium, Reply, SpecDecode, SpecDecodeError, Wire};
use aiperf_tokenizer::Tokenizer;

use crate::contents::sessions::TurnFacts;
use crate::record::warnings::ResponseWarnings;
use crate::record::{failure, http_timing};

/// Who counts tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenSource {
    Client,
    /// The server's `usage`.
    Server,
}

/// Parses the responses of a run.
#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) endpoint: Arc<dyn Endpoint>,
    pub(crate) kind: EndpointKind,
    pub(crate) wire: Wire,
    pub(crate) tokenizer: Arc<dyn Tokenizer>,
    pub(crate) token_source: TokenSource,
    /// Whether requests say how many tokens may be generated.
    pub(crate) sends_limit: bool,
    pub(crate) overflow_signs: OverflowSigns,
    pub(crate) warnings: ResponseWarnings,
}

impl Observer {
    /// Parses the reply, or tells why there is none. This is quick compared with counting its tokens. `reader` has the part of the reply
    /// that was read while it arrived: all of it.
    pub(crate) fn read(&self, finished: &Finished, reader: Option<Box<dyn ReplyReader>>) -> Result<Reply, Failure> {
        self.answer(finished, reader).map_err(|failure| failure.recognize_overflow(&self.overflow_signs))
    }

    fn answer(&self, finished: &Finished, reader: Option<Box<dyn ReplyReader>>) -> Result<Reply, Failure> {
        let exchange = &finished.exchange;
        if let Some(failure) = failure::of_exchange(&finished.result, exchange, self.wire) {
            return Err(failure);
        }
        if let Some(failure) = failure::without_body(exchange) {
            return Err(failure);
        }
        let content_type = exchange.header("content-type");
        let reply = match reader {
            Some(reader) => reader.finish(content_type),
            None => self.endpoint.read(ResponseBody { content_type, bytes: &exchange.body, marks: &exchange.marks }),
        };
        reply.map_err(|error| failure::of_reply(&error))
    }

    pub(crate) fn observe(
        &self,
        finished: &Finished,
        turn: TurnFacts<'_>,
        answer: Result<Reply, Failure>,
    ) -> Observation {
        let exchange = &finished.exchange;
        let (mut reply, failure) = match answer {
            Ok(reply) => (reply, None),
            Err(failure) => (Reply::default(), Some(failure)),
        };
        let tokens = match self.token_source {
            TokenSource::Client => self.counted(&reply, turn, finished),
            TokenSource::Server => self.reported(&reply),
        };
        if self.token_source == TokenSource::Server && failure.is_none() {
            self.warn_of_missing_counts(&tokens, self.kind.facts());
        }
        self.warn_of_late_events(reply.events_after_end);
        let media = MediaFacts {
            images: if self.kind.takes(Medium::Image) { turn.images(finished, &*self.endpoint) } else { 0 },
            audio_seconds: turn.audio_seconds,
            video: reply.video,
        };
        // The exchanges of a job have no stages that could be added up.
        let http = failure.is_none() && !self.kind.facts().produces_video;
        Observation {
            due: finished.due,
            credit_issued: finished.issued,
            start: finished.start,
            client_send_delay: http_timing::client_send_delay(finished.issued, exchange),
            headers_received: exchange.trace.headers_received.filter(|_| exchange.is_success()),
            end: finished.end,
            chunks: std::mem::take(&mut reply.chunks),
            delivery: reply.delivery,
            tokens,
            usage: reply.usage,
            spec_decode: reply.spec_decode.take().and_then(|report| self.usable(report)),
            server_times: reply.server_times,
            http: http.then(|| http_timing::of(exchange)),
            resent: exchange.resent,
            failure,
            requested_output_tokens: turn
                .max_tokens
                .filter(|_| self.sends_limit)
                .map(|limit| of_all(limit, reply.choices)),
            requested_input_tokens: turn.asked_input,
            undecodable_events: reply.undecodable_events,
            prefix: turn
                .blocks
                .map(|blocks| PrefixBlocks { blocks: u64::from(blocks.blocks), reused: u64::from(blocks.reused) }),
            media,
        }
    }

    fn counted(&self, reply: &Reply, turn: TurnFacts<'_>, finished: &Finished) -> TokenCounts {
        // No token reaches from one choice into the next.
        let count = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| self.tokenizer.count(text) as u64).reduce(|a, b| a + b)
        };
        TokenCounts {
            input: if self.kind.facts().tokenizes_input {
                turn.input_tokens(finished, &*self.endpoint, &*self.tokenizer, &self.warnings)
            } else {
                None
            },
            output: count(&mut reply.outputs()).filter(|_| self.kind.facts().produces_tokens),
            reasoning: count(&mut reply.reasonings()).filter(|_| self.kind.facts().produces_tokens),
        }
    }
}

/// The limit of a request holds for each of its choices, and their tokens are counted together.
fn of_all(limit: u32, choices: u32) -> u32 {
    limit.saturating_mul(choices.max(1))
}

impl Observer {
    /// The server's report of speculative decoding, unless its counts contradict each other.
    fn usable(&self, report: Result<SpecDecode, SpecDecodeError>) -> Option<SpecDecode> {
        if let Err(error) = &report {
            let warning = || format!("The server's report of speculative decoding is ignored: {error}");
            self.warnings.spec_decode.warn(warning);
        }
        report.ok()
    }

    fn reported(&self, reply: &Reply) -> TokenCounts {
        let Some(usage) = &reply.usage else { return TokenCounts::default() };
        let split = usage.split_output();
        if split.cut {
            self.warnings.reasoning_tokens.warn(|| {
                format!(
                    "The server reports more reasoning tokens ({}) than completion tokens ({}), although completion tokens \
                     include them: {} reasoning tokens are counted, so that the output length equals the completion tokens. \
                     (Logged once.)",
                    usage.reasoning_tokens.unwrap_or(0),
                    usage.completion_tokens.unwrap_or(0),
                    split.reasoning.unwrap_or(0),
                )
            });
        }
        TokenCounts { input: usage.prompt_tokens, output: split.output, reasoning: split.reasoning }
    }

    fn warn_of_missing_counts(&self, tokens: &TokenCounts, facts: &EndpointFacts) {
        let output = facts.produces_tokens && tokens.output.is_none() && tokens.reasoning.is_none();
        if output || (facts.tokenizes_input && tokens.input.is_none()) {
            self.warnings.missing_counts.warn(|| {
                "--use-server-token-count: a response has no usable token counts in its usage, so it is in no token metric. The \
                 summary tells how many there are (server_counts_missing). Make the server report usage, or omit the option."
                    .to_owned()
            });
        }
    }

    fn warn_of_late_events(&self, events: u32) {
        if events > 0 {
            self.warnings.late_events.warn(|| {
                format!("A stream continued after [DONE]: {events} events after it are ignored. (Logged once.)")
            });
        }
    }
}
