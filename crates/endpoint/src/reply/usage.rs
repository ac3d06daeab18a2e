//! Reads a usage object through the spellings of the APIs in use, and of the servers that follow them.

use std::fmt;

use aiperf_protocol::Usage;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::reply::lenient::{CountField, NumberField, Text, nothing_for};

/// The `usage` of one event; `None` when it named no count that is known.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct UsageField(pub(crate) Option<Usage>);

/// A value and how preferred its spelling is: the lowest rank wins.
type Ranked = Option<(u8, u64)>;

#[derive(Debug, Default)]
struct UsageTally {
    prompt: Ranked,
    completion: Ranked,
    total: Ranked,
    cache_read: Ranked,
    cache_write: Ranked,
    cache_miss: Ranked,
    reasoning: Ranked,
    prompt_audio: Ranked,
    completion_audio: Ranked,
    accepted: Ranked,
    rejected: Ranked,
    tool_use: Ranked,
    /// Cached input in the spellings whose prompt count leaves it out: Anthropic read and write, Bedrock read and write.
    beside_prompt: [Ranked; 4],
    prompt_audio_seconds: Option<f64>,
}

/// Which object the reader stands in. The number is a rank among equals: for wrappers, nearer to the top goes first.
#[derive(Debug, Clone, Copy)]
enum UsageObject {
    Root,
    Wrapper(u8),
    Meta,
    PromptDetails(u8),
    CompletionDetails(u8),
}

/// Prompt spellings that exclude cached tokens if these are given next to them.
const DISJOINT_PROMPT_RANKS: [u8; 2] = [1, 3];
/// Ranks of one spelling at the top and in each wrapper.
const LEVELS: u8 = 4;

impl UsageTally {
    fn take(&mut self, object: UsageObject, key: &str, value: u64) {
        let (slot, spelling) = match (object, key) {
            (UsageObject::PromptDetails(at), "cached_tokens") => (&mut self.cache_read, at),
            (UsageObject::PromptDetails(at), "audio_tokens") => (&mut self.prompt_audio, at),
            (UsageObject::PromptDetails(at), "cache_write_tokens") => (&mut self.cache_write, 2 + at),
            (UsageObject::PromptDetails(at), "created_cache_tokens") => (&mut self.cache_write, 4 + at),
            (UsageObject::CompletionDetails(at), "reasoning_tokens") => (&mut self.reasoning, at),
            (UsageObject::CompletionDetails(at), "thinking_tokens") => (&mut self.reasoning, 2 + at),
            (UsageObject::CompletionDetails(at), "audio_tokens") => (&mut self.completion_audio, at),
            (UsageObject::CompletionDetails(at), "accepted_prediction_tokens") => (&mut self.accepted, at),
            (UsageObject::CompletionDetails(at), "rejected_prediction_tokens") => (&mut self.rejected, at),
            (UsageObject::Meta, "cached_tokens") => (&mut self.cache_read, 6),
            (UsageObject::Root | UsageObject::Wrapper(_), _) => {
                let Some(found) = self.top_level(key, value, object) else { return };
                found
            }
            _ => return,
        };
        offer(slot, spelling, object, value);
    }

    fn top_level(&mut self, key: &str, value: u64, object: UsageObject) -> Option<(&mut Ranked, u8)> {
        let beside = match key {
            "cache_read_input_tokens" => Some(0),
            "cache_creation_input_tokens" => Some(1),
            "cacheReadInputTokens" => Some(2),
            "cacheWriteInputTokens" => Some(3),
            _ => None,
        };
        if let Some(index) = beside {
            offer(&mut self.beside_prompt[index], 0, object, value);
        }
        Some(match key {
            "prompt_tokens" => (&mut self.prompt, 0),
            "input_tokens" => (&mut self.prompt, DISJOINT_PROMPT_RANKS[0]),
            "promptTokenCount" => (&mut self.prompt, 2),
            "inputTokens" => (&mut self.prompt, DISJOINT_PROMPT_RANKS[1]),
            "input_token_count" => (&mut self.prompt, 4),
            "completion_tokens" => (&mut self.completion, 0),
            "output_tokens" => (&mut self.completion, 1),
            "candidatesTokenCount" => (&mut self.completion, 2),
            "outputTokens" => (&mut self.completion, 3),
            "generated_token_count" => (&mut self.completion, 4),
            "total_tokens" => (&mut self.total, 0),
            "totalTokenCount" => (&mut self.total, 1),
            "totalTokens" => (&mut self.total, 2),
            "cache_read_input_tokens" => (&mut self.cache_read, 2),
            "prompt_cache_hit_tokens" => (&mut self.cache_read, 3),
            "cachedContentTokenCount" => (&mut self.cache_read, 4),
            "cacheReadInputTokens" => (&mut self.cache_read, 5),
            "cached_tokens" => (&mut self.cache_read, 6),
            "cache_creation_input_tokens" => (&mut self.cache_write, 0),
            "cacheWriteInputTokens" => (&mut self.cache_write, 1),
            "prompt_cache_miss_tokens" => (&mut self.cache_miss, 0),
            "thoughtsTokenCount" => (&mut self.reasoning, 4),
            "reasoning_tokens" => (&mut self.reasoning, 5),
            "toolUsePromptTokenCount" => (&mut self.tool_use, 0),
            _ => return None,
        })
    }

    fn resolve(&self) -> Option<Usage> {
        let value = |ranked: Ranked| ranked.map(|(_, value)| value);
        let beside: u64 = self.beside_prompt.iter().filter_map(|r| value(*r)).fold(0, u64::saturating_add);
        let prompt_tokens = self.prompt.map(|(rank, value)| {
            let disjoint = DISJOINT_PROMPT_RANKS.contains(&(rank / LEVELS));
            if disjoint { value.saturating_add(beside) } else { value }
        });
        let usage = Usage {
            prompt_tokens,
            completion_tokens: value(self.completion),
            total_tokens: value(self.total),
            reasoning_tokens: value(self.reasoning),
            cache_read_tokens: value(self.cache_read),
            cache_write_tokens: value(self.cache_write),
            cache_miss_tokens: value(self.cache_miss),
            prompt_audio_tokens: value(self.prompt_audio),
            completion_audio_tokens: value(self.completion_audio),
            accepted_prediction_tokens: value(self.accepted),
            rejected_prediction_tokens: value(self.rejected),
            tool_use_prompt_tokens: value(self.tool_use),
            prompt_audio_seconds: self.prompt_audio_seconds,
        };
        (usage != Usage::default()).then_some(usage)
    }
}

fn offer(slot: &mut Ranked, spelling: u8, object: UsageObject, value: u64) {
    let level = match object {
        UsageObject::Wrapper(level) => level,
        UsageObject::Meta => 2,
        UsageObject::Root | UsageObject::PromptDetails(_) | UsageObject::CompletionDetails(_) => 0,
    };
    let rank = spelling * LEVELS + level;
    // Of one key given twice the later value counts, as in most JSON readers.
    if slot.is_none_or(|(best, _)| rank <= best) {
        *slot = Some((rank, value));
    }
}

/// The object that a key opens, if it holds counts.
fn object_within(object: UsageObject, key: &str) -> Option<UsageObject> {
    Some(match (object, key) {
        (UsageObject::Root | UsageObject::Wrapper(_), "prompt_tokens_details") => UsageObject::PromptDetails(0),
        (UsageObject::Root | UsageObject::Wrapper(_), "input_tokens_details") => UsageObject::PromptDetails(1),
        (UsageObject::Root | UsageObject::Wrapper(_), "completion_tokens_details") => UsageObject::CompletionDetails(0),
        (UsageObject::Root | UsageObject::Wrapper(_), "output_tokens_details") => UsageObject::CompletionDetails(1),
        (UsageObject::Root, "usageMetadata") => UsageObject::Wrapper(1),
        (UsageObject::Root, "meta") => UsageObject::Meta,
        (UsageObject::Meta, "tokens") => UsageObject::Wrapper(2),
        (UsageObject::Root, "tokens") => UsageObject::Wrapper(3),
        _ => return None,
    })
}

struct UsageVisitor<'t>(&'t mut UsageTally, UsageObject);

impl<'de> DeserializeSeed<'de> for UsageVisitor<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UsageVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a usage object")
    }

    nothing_for!((); null boolean number string list);

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(tally, object) = self;
        while let Some(key) = map.next_key::<Text<'de>>()? {
            let key = key.as_str();
            if let Some(inner) = object_within(object, key) {
                map.next_value_seed(UsageVisitor(tally, inner))?;
            } else if matches!(object, UsageObject::Root) && key == "prompt_audio_seconds" {
                tally.prompt_audio_seconds = map.next_value::<NumberField>()?.0;
            } else if let CountField(Some(value)) = map.next_value()? {
                tally.take(object, key, value);
            }
        }
        Ok(())
    }
}

impl UsageField {
    /// The usage that stands in an answer under this name.
    pub(crate) fn within(answer: &Value, name: &str) -> Option<Usage> {
        Self::deserialize(answer.get(name)?).ok()?.0
    }
}

impl<'de> Deserialize<'de> for UsageField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut tally = UsageTally::default();
        UsageVisitor(&mut tally, UsageObject::Root).deserialize(deserializer)?;
        Ok(Self(tally.resolve()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(json: &str) -> Usage {
        serde_json::from_str::<UsageField>(json).unwrap().0.unwrap_or_default()
    }

    #[test]
    fn openai_and_its_details_are_read() {
        let read = usage(
            r#"{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,
                "prompt_tokens_details":{"cached_tokens":5,"audio_tokens":null,"cache_write_tokens":2},
                "completion_tokens_details":{"reasoning_tokens":1,"accepted_prediction_tokens":0}}"#,
        );
        assert_eq!((read.prompt_tokens, read.completion_tokens, read.total_tokens), (Some(7), Some(3), Some(10)));
        assert_eq!((read.cache_read_tokens, read.cache_write_tokens), (Some(5), Some(2)));
        assert_eq!((read.reasoning_tokens, read.accepted_prediction_tokens), (Some(1), Some(0)));
        assert_eq!(read.prompt_audio_tokens, None);
    }

    #[test]
    fn cached_tokens_beside_the_prompt_are_added_to_it() {
        let anthropic = r#"{"cache_read_input_tokens":20,"cache_creation_input_tokens":10,"input_tokens":5}"#;
        assert_eq!(usage(anthropic).prompt_tokens, Some(35));
        assert_eq!(usage(r#"{"prompt_tokens":30,"cache_read_input_tokens":20}"#).prompt_tokens, Some(30));
        assert_eq!(usage(r#"{"input_tokens":5,"input_tokens_details":{"cached_tokens":4}}"#).prompt_tokens, Some(5));
    }

    #[test]
    fn spellings_that_newer_servers_use_are_read() {
        assert_eq!(usage(r#"{"reasoning_tokens":9}"#).reasoning_tokens, Some(9));
        assert_eq!(usage(r#"{"output_tokens_details":{"thinking_tokens":4}}"#).reasoning_tokens, Some(4));
        assert_eq!(usage(r#"{"prompt_tokens_details":{"created_cache_tokens":6}}"#).cache_write_tokens, Some(6));
    }

    #[test]
    fn wrapped_counts_are_found_and_give_way_to_those_outside() {
        let cohere = r#"{"tokens":{"input_tokens":30},"billed_units":{"input_tokens":25},"cached_tokens":4}"#;
        assert_eq!((usage(cohere).prompt_tokens, usage(cohere).cache_read_tokens), (Some(30), Some(4)));
        assert_eq!(usage(r#"{"tokens":{"input_tokens":30},"input_tokens":25}"#).prompt_tokens, Some(25));
        let meta = r#"{"meta":{"tokens":{"output_tokens":3},"cached_tokens":2}}"#;
        assert_eq!((usage(meta).completion_tokens, usage(meta).cache_read_tokens), (Some(3), Some(2)));
    }

    #[test]
    fn the_preferred_spelling_wins_whatever_the_order() {
        assert_eq!(usage(r#"{"input_tokens":1,"prompt_tokens":0}"#).prompt_tokens, Some(0));
        assert_eq!(usage(r#"{"prompt_tokens":0,"input_tokens":1}"#).prompt_tokens, Some(0));
    }

    #[test]
    fn an_object_without_a_known_count_is_no_usage() {
        for odd in ["{}", "null", "[]", r#"{"prompt_tokens":null}"#, r#"{"queue_time":1}"#] {
            assert!(serde_json::from_str::<UsageField>(odd).unwrap().0.is_none(), "{odd}");
        }
    }
}
