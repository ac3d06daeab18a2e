//! Latency and token counts of one turn.

use aiperf_clock::{Mono, Nanos};
use aiperf_endpoint::InputText;
use aiperf_protocol::{ContentChunk, Delivery, Reply};
use aiperf_tokenizer::Tokenizer;

use super::error::ChatError;

/// Times and counts of an answer, by the definitions of a run.
#[derive(Debug)]
pub struct TurnFigures {
    /// From the request to the first content of any kind; `None` for a reply that was not streamed.
    pub ttft: Option<Nanos>,
    /// From the request to the last content.
    pub latency: Nanos,
    /// Or why nothing could be counted.
    pub tokens: Result<Counted, ChatError>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    pub by: WhoCounts,
    pub input: Option<u64>,
    /// Reasoning among it.
    pub output: u64,
    pub reasoning: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhoCounts {
    Server,
    Client,
}

impl Counted {
    /// What the server reports; `None` if it does not report output tokens.
    pub(super) fn of_usage(reply: &Reply) -> Option<Self> {
        let usage = reply.usage?;
        let split = usage.split_output();
        let output = split.output? + split.reasoning.unwrap_or(0);
        let reasoning = split.reasoning.filter(|tokens| *tokens > 0);
        Some(Self { by: WhoCounts::Server, input: usage.prompt_tokens, output, reasoning })
    }

    pub(super) fn by(tokenizer: &dyn Tokenizer, reply: &Reply, sent: Option<&InputText>) -> Self {
        let count = |text: &str| tokenizer.count(text) as u64;
        let reasoning: u64 = reply.reasonings().map(count).sum();
        Self {
            by: WhoCounts::Client,
            input: sent.map(|input| input.texts.iter().map(|text| count(text)).sum::<u64>() + input.pretokenised),
            output: reasoning + reply.outputs().map(count).sum::<u64>(),
            reasoning: Some(reasoning).filter(|tokens| *tokens > 0),
        }
    }
}

impl TurnFigures {
    pub(super) fn of(reply: &Reply, start: Mono, tokens: Result<Counted, ChatError>) -> Self {
        // A reply without content is not counted, so that there is a first and a last chunk.
        let at = |chunk: Option<&ContentChunk>| chunk.map_or(Nanos::ZERO, |chunk| chunk.at.since(start));
        let ttft = (reply.delivery == Delivery::Events).then(|| at(reply.chunks.first()));
        Self { ttft, latency: at(reply.chunks.last()), tokens }
    }

    /// Output tokens per second of the whole request.
    pub fn tokens_per_second(&self) -> Option<f64> {
        rate(self.tokens.as_ref().ok()?.output, self.latency)
    }

    /// Mean time between two tokens after the first.
    pub fn inter_token_latency(&self) -> Option<Nanos> {
        let gaps = self.tokens.as_ref().ok()?.output.checked_sub(1).filter(|gaps| *gaps > 0)?;
        let decode = self.latency.0.saturating_sub(self.ttft?.0);
        (decode > 0).then(|| Nanos(decode / gaps))
    }

    /// Tokens per second once the first was there.
    pub fn decode_tokens_per_second(&self) -> Option<f64> {
        self.inter_token_latency().and_then(|gap| rate(1, gap))
    }
}

fn rate(count: u64, time: Nanos) -> Option<f64> {
    (time > Nanos::ZERO).then(|| count as f64 / time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use aiperf_protocol::Usage;

    use super::*;

    fn reply(at_ms: &[u64], usage: Option<Usage>) -> Reply {
        let chunk = |ms: &u64| ContentChunk {
            at: Mono::from_nanos(ms * 1_000_000),
            has_output: true,
            has_reasoning: false,
            usage_completion_tokens: None,
        };
        Reply { chunks: at_ms.iter().map(chunk).collect(), usage, ..Reply::default() }
    }

    fn figures(at_ms: &[u64], output: u64) -> TurnFigures {
        let counted = Counted { by: WhoCounts::Server, input: None, output, reasoning: None };
        TurnFigures::of(&reply(at_ms, None), Mono::from_nanos(0), Ok(counted))
    }

    #[test]
    fn rates_follow_the_definitions_of_a_run() {
        let figures = figures(&[100, 300, 500], 5);
        assert_eq!((figures.ttft, figures.latency), (Some(Nanos(100_000_000)), Nanos(500_000_000)));
        assert_eq!(figures.tokens_per_second(), Some(10.0));
        assert_eq!(figures.inter_token_latency(), Some(Nanos(100_000_000)));
        assert_eq!(figures.decode_tokens_per_second(), Some(10.0));
    }

    #[test]
    fn one_token_or_one_chunk_has_no_gap() {
        assert_eq!(figures(&[100, 200], 1).inter_token_latency(), None);
        assert_eq!(figures(&[100], 8).decode_tokens_per_second(), None);
    }

    #[test]
    fn a_reply_that_was_not_streamed_has_no_first_token() {
        let whole = Reply { delivery: Delivery::Document, ..reply(&[100], None) };
        let counted = Counted { by: WhoCounts::Server, input: None, output: 5, reasoning: None };
        let figures = TurnFigures::of(&whole, Mono::from_nanos(0), Ok(counted));
        assert_eq!((figures.ttft, figures.inter_token_latency()), (None, None));
        assert_eq!(figures.tokens_per_second(), Some(50.0));
    }

    #[test]
    fn the_server_counts_where_it_says_how_much_came_out() {
        let usage = Usage { prompt_tokens: Some(7), completion_tokens: Some(3), ..Usage::default() };
        let counted = Counted::of_usage(&reply(&[1], Some(usage))).unwrap();
        assert_eq!((counted.by, counted.input, counted.output), (WhoCounts::Server, Some(7), 3));
        let half = Usage { prompt_tokens: Some(7), ..Usage::default() };
        assert_eq!(Counted::of_usage(&reply(&[1], Some(half))), None);
    }
}
