//! Reads the texts out of `messages`, `prompt` and `input`, in every shape that clients send, and counts their tokens.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::generation::prefix_cache::block_hashes;
use crate::options::TokenCounting;

/// The prompt of a request: texts, or token ids.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct RequestPrompt {
    /// All texts, one after the other. Those of a conversation are joined by one space and counted as one.
    pub(crate) text: String,
    /// Where in `text` those begin that are counted by themselves: the texts of a batch after the first.
    pub(crate) apart: Vec<usize>,
    pub(crate) tokens: Vec<u32>,
    /// Separate prompts, each of which gets its own answer.
    pub(crate) items: usize,
}

/// How an image begins, alone and after a text.
const IMAGE: &str = "data:image/";
const PAIRED_IMAGE: &str = " data:image/";

/// A prompt's length, and what the prefix cache knows it by.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct MeasuredPrompt {
    pub(crate) tokens: u32,
    pub(crate) blocks: Vec<u64>,
}

impl RequestPrompt {
    /// A prompt of one text.
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), items: 1, ..Self::default() }
    }

    fn push(&mut self, text: &str) {
        if !self.text.is_empty() && !text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    /// A text that is counted by itself.
    pub(crate) fn push_apart(&mut self, text: &str) {
        if !self.text.is_empty() && !text.is_empty() {
            self.apart.push(self.text.len());
        }
        self.text.push_str(text);
    }

    /// Puts a text in front of the others.
    pub(crate) fn push_front(&mut self, text: &str) {
        let rest = std::mem::replace(&mut self.text, text.to_owned());
        self.push(&rest);
        let moved = self.text.len() - rest.len();
        self.apart.iter_mut().for_each(|place| *place += moved);
    }

    /// The texts that are counted one by one.
    fn counted(&self) -> impl Iterator<Item = &str> {
        let mut from = 0;
        self.apart.iter().copied().chain([self.text.len()]).map(move |end| {
            let text = &self.text[from..end];
            from = end;
            text
        })
    }

    /// One of several texts with separate answers. An image inside it does not count as text.
    fn push_item(&mut self, text: &str) {
        self.items += 1;
        let words = if text.starts_with(IMAGE) { Some(0) } else { text.find(PAIRED_IMAGE) };
        self.push_apart(&text[..words.unwrap_or(text.len())]);
    }

    /// Counts the tokens, and cuts them into blocks of `block` tokens if there is a cache.
    pub(crate) fn measure(&self, counting: TokenCounting, block: Option<u32>) -> MeasuredPrompt {
        let given = self.tokens.len();
        let Some(block) = block.map(|block| block as usize) else {
            let counted = match counting {
                TokenCounting::Exact => self.counted().map(aiperf_o200k::count).sum(),
                TokenCounting::Approximate => self.text.len().div_ceil(4),
            };
            return MeasuredPrompt { tokens: (given + counted) as u32, blocks: Vec::new() };
        };
        match counting {
            TokenCounting::Exact => {
                let mut ids = self.tokens.clone();
                self.counted().for_each(|text| ids.extend(aiperf_o200k::encode(text)));
                MeasuredPrompt { tokens: ids.len() as u32, blocks: block_hashes(&ids, block) }
            }
            TokenCounting::Approximate => {
                let mut blocks = block_hashes(&self.tokens, block);
                blocks.extend(block_hashes(self.text.as_bytes(), block * 4));
                MeasuredPrompt { tokens: (given + self.text.len().div_ceil(4)) as u32, blocks }
            }
        }
    }
}

/// `prompt` or `input`: a string, a list of strings, a list of tokens, or a list of lists of tokens.
impl<'de> Deserialize<'de> for RequestPrompt {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut prompt = Self::default();
        Items { into: &mut prompt, depth: 0 }.deserialize(deserializer)?;
        Ok(prompt)
    }
}

struct Items<'a> {
    into: &'a mut RequestPrompt,
    depth: u8,
}

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = ();
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a list of strings or a list of tokens")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.into.push_item(text);
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, token: u64) -> Result<(), E> {
        if self.depth == 0 {
            return Err(E::invalid_type(de::Unexpected::Unsigned(token), &self));
        }
        self.into.tokens.push(token as u32);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if self.depth == 2 {
            return Err(de::Error::invalid_type(de::Unexpected::Seq, &self));
        }
        let tokens_before = self.into.tokens.len();
        let items_before = self.into.items;
        while seq.next_element_seed(Items { into: self.into, depth: self.depth + 1 })?.is_some() {}
        // A list of tokens is one prompt, however deep it stands.
        if self.into.tokens.len() > tokens_before && self.into.items == items_before {
            self.into.items += 1;
        }
        Ok(())
    }
}

/// `messages`: the text of every content, be it a string or a list of parts.
#[derive(Debug, Default)]
pub(crate) struct MessageTexts(pub(crate) RequestPrompt);

impl<'de> Deserialize<'de> for MessageTexts {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MessagesVisitor;
        impl<'de> Visitor<'de> for MessagesVisitor {
            type Value = MessageTexts;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of messages")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MessageTexts, A::Error> {
                let mut prompt = RequestPrompt { items: 1, ..RequestPrompt::default() };
                while seq.next_element_seed(Keyed { into: &mut prompt, keys: &["content"] })?.is_some() {}
                Ok(MessageTexts(prompt))
            }
        }
        deserializer.deserialize_seq(MessagesVisitor)
    }
}

/// `input` of the Responses API or `system` of Anthropic's: a text, or a list of items or blocks.
#[derive(Debug, Default)]
pub(crate) struct TextOrItems(pub(crate) RequestPrompt);

impl<'de> Deserialize<'de> for TextOrItems {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrItemsVisitor;
        impl<'de> Visitor<'de> for TextOrItemsVisitor {
            type Value = TextOrItems;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of items")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<TextOrItems, E> {
                Ok(TextOrItems(RequestPrompt::of(text)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<TextOrItems, A::Error> {
                let mut prompt = RequestPrompt { items: 1, ..RequestPrompt::default() };
                while seq.next_element_seed(Keyed { into: &mut prompt, keys: &["content", "text"] })?.is_some() {}
                Ok(TextOrItems(prompt))
            }
        }
        deserializer.deserialize_any(TextOrItemsVisitor)
    }
}

/// An object of which some keys hold text or parts; the rest, be it an image of megabytes, is skipped unread.
struct Keyed<'a> {
    into: &'a mut RequestPrompt,
    keys: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for Keyed<'_> {
    type Value = ();
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Keyed<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}`", self.keys.join("` or `"))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if self.keys.contains(&key.as_ref()) {
                map.next_value_seed(PromptContent { into: self.into })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// The content of a message. Its parts after the first text are the further texts of a batch.
struct PromptContent<'a> {
    into: &'a mut RequestPrompt,
}

/// A part of a content, of which the text is counted by itself unless it is the first.
struct PromptPart<'a> {
    into: &'a mut RequestPrompt,
    first: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for PromptPart<'_> {
    type Value = ();
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let mut part = RequestPrompt::default();
        Keyed { into: &mut part, keys: &["text"] }.deserialize(deserializer)?;
        if part.text.is_empty() {
            return Ok(());
        }
        if std::mem::take(self.first) {
            self.into.push(&part.text);
        } else {
            self.into.push_apart(&part.text);
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for PromptContent<'_> {
    type Value = ();
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for PromptContent<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a list of parts or null")
    }
    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.into.push(text);
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut first = true;
        while seq.next_element_seed(PromptPart { into: self.into, first: &mut first })?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(json: &str) -> RequestPrompt {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_prompt_comes_in_every_shape() {
        let tokens =
            |tokens: &[u32], items| RequestPrompt { tokens: tokens.to_vec(), items, ..RequestPrompt::default() };
        assert_eq!(prompt(r#""a b""#), RequestPrompt::of("a b"));
        assert_eq!(prompt(r#"["a","b"]"#), RequestPrompt { apart: vec![1], items: 2, ..RequestPrompt::of("ab") });
        assert_eq!(prompt("[1,2,3]"), tokens(&[1, 2, 3], 1));
        assert_eq!(prompt("[[1,2],[3]]"), tokens(&[1, 2, 3], 2));
        assert!(serde_json::from_str::<RequestPrompt>("7").is_err());
        assert!(serde_json::from_str::<RequestPrompt>("{}").is_err());
        assert!(serde_json::from_str::<RequestPrompt>("[[[1]]]").is_err());
    }

    #[test]
    fn messages_give_their_texts_and_no_images() {
        let json = r#"[{"role":"system","content":"be short"},
            {"content":[{"type":"text","text":"what is"},{"type":"image_url","image_url":{"url":"data:x"}},
             {"type":"text","text":"this?"}],"role":"user"},{"role":"assistant","content":null}]"#;
        let MessageTexts(prompt) = serde_json::from_str(json).unwrap();
        assert_eq!((prompt.text.as_str(), prompt.apart.as_slice()), ("be short what isthis?", &[16][..]));
    }

    #[test]
    fn a_batch_has_as_many_tokens_as_its_texts_together() {
        let texts = ["one two", "three", "\u{e9}t\u{e9}"];
        let alone: usize = texts.iter().map(|text| aiperf_o200k::count(text)).sum();
        let MessageTexts(chat) = serde_json::from_value(
            serde_json::json!([{"content": texts.map(|text| serde_json::json!({"text": text}))}]),
        )
        .unwrap();
        let mut with_system = chat.clone();
        with_system.push_front("be short");
        for (prompt, tokens) in [(prompt(&serde_json::json!(texts).to_string()), alone), (chat, alone)] {
            assert_eq!(prompt.measure(TokenCounting::Exact, None).tokens as usize, tokens);
            assert_eq!(prompt.measure(TokenCounting::Exact, Some(4)).tokens as usize, tokens);
        }
        let rest: usize = texts[1..].iter().map(|text| aiperf_o200k::count(text)).sum();
        let joined = aiperf_o200k::count("be short one two");
        assert_eq!(with_system.measure(TokenCounting::Exact, None).tokens as usize, joined + rest);
    }

    #[test]
    fn both_ways_to_count_cut_the_same_prompt_into_blocks() {
        let prompt = RequestPrompt::of(&"one two three four ".repeat(20));
        let exact = prompt.measure(TokenCounting::Exact, Some(16));
        assert_eq!(exact.tokens, prompt.measure(TokenCounting::Exact, None).tokens);
        assert_eq!(exact.blocks.len() as u32, exact.tokens / 16);
        let rough = prompt.measure(TokenCounting::Approximate, Some(16));
        assert_eq!(rough.tokens as usize, prompt.text.len().div_ceil(4));
        assert!(!rough.blocks.is_empty());
    }
}
