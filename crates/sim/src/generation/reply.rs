//! The reply of the simulated model: its length, its parts and its chunks.

use crate::api::text_request::{MOST_TOKENS, TextApi, TextRequest};
use crate::generation::draws::Draws;
use crate::generation::vocabulary::Vocabulary;
use crate::options::{SimOptions, ToolUse};

/// The function that every tool call names, and the frame round its one argument. With the name they are
/// [`TOOL_FRAME_TOKENS`] tokens; each word between them is one more.
pub(crate) const TOOL_NAME: &str = "search";
const TOOL_OPENING: &str = r#"{"query":""#;
const TOOL_CLOSING: &str = r#""}"#;
const TOOL_OPENING_TOKENS: u32 = 3;
const TOOL_FRAME_TOKENS: u32 = 1 + TOOL_OPENING_TOKENS + 1;
/// The last token of text before a call. A digit is a token by itself whatever stands next to it, so that text and call have as many
/// tokens when they are joined as they have apart.
const PROSE_END: u8 = b'7';

/// Why a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    Stop,
    Length,
    ToolCalls,
}

impl Finish {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
        }
    }
}

/// One reply, the same in length for every choice.
#[derive(Debug, Clone)]
pub(crate) struct GeneratedReply {
    words: Vocabulary,
    pub(crate) reasoning: u32,
    /// Tokens of text before a tool call.
    prose: u32,
    /// Tokens of the answer: text, or a tool call.
    pub(crate) answer: u32,
    pub(crate) is_tool_call: bool,
    pub(crate) finish: Finish,
    per_chunk: u32,
}

/// One chunk of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReplyPiece {
    pub(crate) kind: PieceKind,
    pub(crate) tokens: u32,
    /// Position of its first word in its part of the reply.
    first: u32,
}

impl ReplyPiece {
    /// Whether it is the first of its part: the reasoning, the text or the call.
    pub(crate) fn begins_part(self) -> bool {
        match self.kind {
            PieceKind::Reasoning | PieceKind::Text => self.first == 0,
            PieceKind::ToolName => true,
            PieceKind::ToolOpening | PieceKind::ToolWords | PieceKind::ToolClosing => false,
        }
    }

    /// Tokens of its part up to its end.
    pub(crate) const fn ends_at(self) -> u32 {
        self.first + self.tokens
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PieceKind {
    Reasoning,
    Text,
    ToolName,
    ToolOpening,
    ToolWords,
    ToolClosing,
}

impl GeneratedReply {
    pub(crate) fn plan(request: &TextRequest, options: &SimOptions, draws: &Draws) -> Self {
        let (length, mut finish) = length(request, options, draws);
        let chat = request.api.is_chat();
        let reasoning = if chat { options.reasoning.min(length) } else { 0 };
        let mut answer = length - reasoning;
        let is_tool_call = chat
            && answer > 0
            && match options.tools {
                ToolUse::Never => false,
                ToolUse::Offered => request.offers_tools,
                ToolUse::Always | ToolUse::Beside => true,
            };
        let mut prose = 0;
        if is_tool_call {
            if options.tools == ToolUse::Beside && request.api == TextApi::Chat {
                prose = answer / 2;
                answer -= prose;
            }
            // A call that is cut off in the middle of its JSON cannot be read.
            answer = answer.max(TOOL_FRAME_TOKENS + 1);
            finish = Finish::ToolCalls;
        }
        let words = Vocabulary::new(draws.key());
        Self { words, reasoning, prose, answer, is_tool_call, finish, per_chunk: options.tokens_per_chunk }
    }

    /// A copy of the reply without content.
    pub(crate) fn without_content(self) -> Self {
        Self { reasoning: 0, prose: 0, answer: 0, is_tool_call: false, finish: Finish::Stop, ..self }
    }

    /// Whether it has no text other than reasoning and a tool call.
    pub(crate) const fn has_no_text(&self) -> bool {
        self.prose == 0 && (self.is_tool_call || self.answer == 0)
    }

    pub(crate) const fn tokens(&self) -> u32 {
        self.reasoning + self.prose + self.answer
    }

    pub(crate) const fn chunks(&self) -> u32 {
        let answer = if self.is_tool_call {
            3 + (self.answer - TOOL_FRAME_TOKENS).div_ceil(self.per_chunk)
        } else {
            self.answer.div_ceil(self.per_chunk)
        };
        self.reasoning.div_ceil(self.per_chunk) + self.prose.div_ceil(self.per_chunk) + answer
    }

    /// The chunk of this number, counted from zero.
    pub(crate) fn piece(&self, number: u32) -> Option<ReplyPiece> {
        let reasoning = self.reasoning.div_ceil(self.per_chunk);
        if number < reasoning {
            return Some(self.words_piece(PieceKind::Reasoning, number, self.reasoning));
        }
        let number = number - reasoning;
        if !self.is_tool_call {
            return (number < self.answer.div_ceil(self.per_chunk))
                .then(|| self.words_piece(PieceKind::Text, number, self.answer));
        }
        let prose = self.prose.div_ceil(self.per_chunk);
        if number < prose {
            return Some(self.words_piece(PieceKind::Text, number, self.prose));
        }
        let number = number - prose;
        let words = self.answer - TOOL_FRAME_TOKENS;
        let closing = 2 + words.div_ceil(self.per_chunk);
        match number {
            0 => Some(ReplyPiece { kind: PieceKind::ToolName, tokens: 1, first: 0 }),
            1 => Some(ReplyPiece { kind: PieceKind::ToolOpening, tokens: TOOL_OPENING_TOKENS, first: 0 }),
            n if n < closing => Some(self.words_piece(PieceKind::ToolWords, n - 2, words)),
            n if n == closing => Some(ReplyPiece { kind: PieceKind::ToolClosing, tokens: 1, first: words }),
            _ => None,
        }
    }

    fn words_piece(&self, kind: PieceKind, number: u32, total: u32) -> ReplyPiece {
        let first = number * self.per_chunk;
        ReplyPiece { kind, tokens: self.per_chunk.min(total - first), first }
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = ReplyPiece> + '_ {
        (0..self.chunks()).map_while(|number| self.piece(number))
    }

    /// Appends the text of a piece. Only the tool frame holds characters that JSON must escape.
    pub(crate) fn write_text(&self, piece: ReplyPiece, choice: u32, out: &mut Vec<u8>) {
        match piece.kind {
            PieceKind::ToolName => out.extend_from_slice(TOOL_NAME.as_bytes()),
            PieceKind::ToolOpening => out.extend_from_slice(TOOL_OPENING.as_bytes()),
            PieceKind::ToolClosing => out.extend_from_slice(TOOL_CLOSING.as_bytes()),
            PieceKind::Reasoning | PieceKind::Text | PieceKind::ToolWords => {
                let part = u64::from(choice) << 40 | u64::from(piece.kind == PieceKind::Reasoning) << 39;
                // Clients put the choices of one reply together without a space, so only the first choice omits its own.
                let bare_start = choice == 0 || piece.kind == PieceKind::ToolWords;
                for position in piece.first..piece.first + piece.tokens {
                    if piece.kind == PieceKind::Text && position + 1 == self.prose {
                        out.push(PROSE_END);
                        continue;
                    }
                    if position > 0 || !bare_start {
                        out.push(b' ');
                    }
                    out.extend_from_slice(self.words.word(part | u64::from(position)).as_bytes());
                }
            }
        }
    }
}

fn length(request: &TextRequest, options: &SimOptions, draws: &Draws) -> (u32, Finish) {
    let at_least = request.min_tokens.max(1);
    let Some(limit) = request.limit else {
        let drawn = options.osl.draw(&mut draws.stream("length")).round() as u32;
        return (drawn.clamp(at_least, MOST_TOKENS), Finish::Stop);
    };
    if options.early_stop > 0.0 && !request.ignore_eos && at_least < limit {
        let mut stream = draws.stream("early_stop");
        if stream.unit() < options.early_stop {
            return (at_least + stream.below(u64::from(limit - at_least)) as u32, Finish::Stop);
        }
    }
    (limit, Finish::Length)
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;
    use crate::generation::draws::Repetitions;

    fn reply(query: &str, body: &str) -> GeneratedReply {
        let options = SimOptions::from_query(query).unwrap();
        let request = TextRequest::read(TextApi::Chat, body.as_bytes()).unwrap();
        let draws = Repetitions::default().draws(Seed::fixed(1), "/", body.as_bytes());
        GeneratedReply::plan(&request, &options, &draws)
    }

    fn text(reply: &GeneratedReply, wanted: impl Fn(PieceKind) -> bool) -> String {
        let mut out = Vec::new();
        for piece in reply.pieces().filter(|piece| wanted(piece.kind)) {
            reply.write_text(piece, 0, &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    fn tokens(text: &str) -> u32 {
        aiperf_o200k::count(text) as u32
    }

    #[test]
    fn the_text_has_exactly_the_tokens_that_the_reply_says() {
        for per_chunk in [1, 3, 100] {
            let reply =
                reply(&format!("reasoning=4&tokens_per_chunk={per_chunk}"), r#"{"messages":[],"max_tokens":11}"#);
            assert_eq!(tokens(&text(&reply, |kind| kind == PieceKind::Reasoning)), 4);
            assert_eq!(tokens(&text(&reply, |kind| kind == PieceKind::Text)), 7);
            assert_eq!(reply.pieces().map(|piece| piece.tokens).sum::<u32>(), 11);
            assert_eq!(reply.pieces().count() as u32, reply.chunks());
        }
    }

    #[test]
    fn a_tool_call_is_valid_json_of_the_length_asked() {
        for (limit, expected) in [(1, 6), (6, 6), (20, 20)] {
            let reply = reply("tools=always&tokens_per_chunk=2", &format!(r#"{{"messages":[],"max_tokens":{limit}}}"#));
            assert_eq!((reply.answer, reply.finish), (expected, Finish::ToolCalls));
            assert_eq!(tokens(&text(&reply, |_| true)), expected);
            let arguments = text(&reply, |kind| kind != PieceKind::ToolName);
            assert!(serde_json::from_str::<serde_json::Value>(&arguments).is_ok(), "{arguments}");
            assert_eq!(reply.pieces().count() as u32, reply.chunks());
            assert_eq!(reply.pieces().map(|piece| piece.tokens).sum::<u32>(), expected);
        }
    }

    #[test]
    fn text_stands_beside_a_tool_call_and_is_half_of_the_reply() {
        let reply = reply("tools=beside&tokens_per_chunk=3", r#"{"messages":[],"max_tokens":20}"#);
        assert_eq!((reply.tokens(), reply.finish), (20, Finish::ToolCalls));
        assert_eq!(tokens(&text(&reply, |kind| kind == PieceKind::Text)), 10);
        assert_eq!(tokens(&text(&reply, |kind| kind != PieceKind::Text)), 10);
        assert_eq!(tokens(&text(&reply, |_| true)), 20);
        assert_eq!(reply.pieces().count() as u32, reply.chunks());
        assert!(!reply.has_no_text());
    }

    #[test]
    fn a_reply_without_content_has_no_chunk() {
        let reply = reply("reasoning=4", r#"{"messages":[],"max_tokens":20}"#).without_content();
        assert_eq!((reply.tokens(), reply.chunks(), reply.pieces().count()), (0, 0, 0));
    }

    #[test]
    fn a_request_without_a_limit_gets_the_default_length() {
        let reply = reply("osl=9", r#"{"messages":[]}"#);
        assert_eq!((reply.tokens(), reply.finish), (9, Finish::Stop));
    }

    #[test]
    fn an_early_stop_keeps_the_minimum_and_is_off_with_ignore_eos() {
        let early = reply("early_stop=1", r#"{"messages":[],"max_tokens":50,"min_tokens":40}"#);
        assert!((40..50).contains(&early.tokens()) && early.finish == Finish::Stop);
        let full = reply("early_stop=1", r#"{"messages":[],"max_tokens":50,"ignore_eos":true}"#);
        assert_eq!((full.tokens(), full.finish), (50, Finish::Length));
    }

    #[test]
    fn choices_put_together_still_count_exactly() {
        let reply = reply("", r#"{"messages":[],"max_tokens":5}"#);
        let mut out = Vec::new();
        for piece in reply.pieces() {
            reply.write_text(piece, 0, &mut out);
            reply.write_text(piece, 1, &mut out);
        }
        assert_eq!(tokens(&String::from_utf8(out).unwrap()), 10);
    }
}
