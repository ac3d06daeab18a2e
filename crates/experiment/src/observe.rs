//! From a finished exchange to an observation: read the reply, count its tokens.

use std::sync::Arc;

use aiperf_endpoint::{Endpoint, EndpointFacts, Reply, ResponseBody};
use aiperf_engine::Finished;
use aiperf_metrics::{Failure, Observation, TokenCounts};
use aiperf_tokenizer::Tokenizer;

use crate::sessions::TurnFacts;
use crate::{failure, http_timing};

/// Whose count of tokens is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenSource {
    Client,
    /// The server's `usage`.
    Server,
}

#[derive(Debug, Clone)]
pub(crate) struct Observer {
    pub(crate) endpoint: &'static dyn Endpoint,
    pub(crate) facts: EndpointFacts,
    pub(crate) tokenizer: Arc<dyn Tokenizer>,
    pub(crate) token_source: TokenSource,
}

impl Observer {
    /// What the server answered, or why that is no answer. Quick, compared with counting its tokens.
    pub(crate) fn read(&self, finished: &Finished) -> Result<Reply, Failure> {
        let exchange = &finished.exchange;
        if let Some(failure) = failure::of_exchange(&finished.outcome, exchange) {
            return Err(failure);
        }
        let body = ResponseBody {
            content_type: exchange.header("content-type"),
            bytes: &exchange.body,
            marks: &exchange.marks,
        };
        self.endpoint.read(body).map_err(|error| failure::of_reply(&error))
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
            TokenSource::Server => reported(&reply),
        };
        Observation {
            due: finished.due,
            credit_issued: finished.issued,
            start: finished.start,
            headers_received: exchange.trace.headers_received.filter(|_| exchange.is_success()),
            end: finished.end,
            chunks: std::mem::take(&mut reply.chunks),
            tokens,
            usage: reply.usage,
            http: failure.is_none().then(|| http_timing::of(exchange)),
            failure,
            requested_output_tokens: turn.max_tokens,
        }
    }

    fn counted(&self, reply: &Reply, turn: TurnFacts<'_>, finished: &Finished) -> TokenCounts {
        let count = |text: &str| (!text.is_empty()).then(|| self.tokenizer.count(text) as u64);
        TokenCounts {
            input: self.facts.tokenizes_input.then(|| turn.input_tokens(finished, self.endpoint, &*self.tokenizer)),
            output: count(&reply.output_text),
            reasoning: count(&reply.reasoning_text),
        }
    }
}

fn reported(reply: &Reply) -> TokenCounts {
    let Some(usage) = &reply.usage else { return TokenCounts::default() };
    let reasoning = usage.reasoning_tokens;
    TokenCounts {
        input: usage.prompt_tokens,
        output: usage.completion_tokens.map(|all| all.saturating_sub(reasoning.unwrap_or(0))),
        reasoning,
    }
}
