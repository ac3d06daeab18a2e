//! The figures after an answer, in the words of AIPerf, with what it leaves out.

use std::fmt::Write as _;

use aiperf_experiment::{Counted, TurnFigures, WhoCounts};

pub(super) fn text(figures: &TurnFigures) -> String {
    let mut text = match figures.ttft {
        Some(ttft) => format!("TTFT: {:.2} ms\n", ttft.as_millis_f64()),
        None => "TTFT: unknown: the reply was not streamed\n".to_owned(),
    };
    let seconds = figures.latency.as_secs_f64();
    if let (Ok(tokens), Some(rate)) = (&figures.tokens, figures.tokens_per_second()) {
        let _ = writeln!(text, "TPS: {rate:.2} tokens/s ({} tokens in {seconds:.2} s)", tokens.output);
    }
    if let (Some(gap), Some(rate)) = (figures.inter_token_latency(), figures.decode_tokens_per_second()) {
        let _ = writeln!(text, "ITL: {:.2} ms/token (decode {rate:.2} tokens/s)", gap.as_millis_f64());
    }
    let _ = writeln!(text, "Latency: {:.2} ms", figures.latency.as_millis_f64());
    match &figures.tokens {
        Ok(tokens) => {
            let _ = writeln!(text, "Tokens: {}", counts(tokens));
        }
        Err(error) => {
            let _ = writeln!(text, "Tokens: not counted: the server reports no usage, and {error}");
        }
    }
    text
}

fn counts(tokens: &Counted) -> String {
    let input = tokens.input.map_or_else(|| "? in".to_owned(), |input| format!("{input} in"));
    let reasoning = tokens.reasoning.map(|reasoning| format!(", {reasoning} of them reasoning")).unwrap_or_default();
    let by = match tokens.by {
        WhoCounts::Server => "counted by the server",
        WhoCounts::Client => "counted by aiperf: the server reports no usage",
    };
    format!("{input}, {} out{reasoning} ({by})", tokens.output)
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Nanos;
    use aiperf_experiment::ChatError;

    use super::*;

    fn figures(tokens: Result<Counted, ChatError>) -> TurnFigures {
        TurnFigures { ttft: Some(Nanos(50_000_000)), latency: Nanos(250_000_000), tokens }
    }

    #[test]
    fn all_figures_of_a_turn_are_told() {
        let tokens = Counted { by: WhoCounts::Server, input: Some(9), output: 5, reasoning: Some(2) };
        assert_eq!(
            text(&figures(Ok(tokens))),
            "TTFT: 50.00 ms\nTPS: 20.00 tokens/s (5 tokens in 0.25 s)\nITL: 50.00 ms/token (decode 20.00 tokens/s)\n\
             Latency: 250.00 ms\nTokens: 9 in, 5 out, 2 of them reasoning (counted by the server)\n"
        );
    }

    #[test]
    fn a_reply_that_was_not_streamed_says_so() {
        let figures = TurnFigures { ttft: None, ..figures(Err(ChatError::SeveralModels)) };
        assert!(text(&figures).starts_with("TTFT: unknown: the reply was not streamed"));
    }

    #[test]
    fn times_stand_where_nothing_could_be_counted() {
        let text = text(&figures(Err(ChatError::SeveralModels)));
        assert!(text.starts_with("TTFT: 50.00 ms\nLatency: 250.00 ms\nTokens: not counted: "), "{text}");
    }
}
