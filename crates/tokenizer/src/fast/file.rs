//! Reads a `tokenizer.json` in one pass, without keeping its text.

use std::collections::HashMap;
use std::fmt;

use aiperf_bpe::{Vocabulary, VocabularyBuilder};
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::pipeline::Pipeline;
use super::settings::{AddedToken, ModelSettings, TokenizerSettings, Unsupported};

/// The settings and the vocabulary of a file.
pub(crate) fn read(text: &str) -> Result<(TokenizerSettings, Vocabulary), Unsupported> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = FileVisitor.deserialize(&mut deserializer).and_then(|read| deserializer.end().map(|()| read));
    read.map_err(|error| Unsupported(error.to_string()))
}

struct FileVisitor;

impl<'de> DeserializeSeed<'de> for FileVisitor {
    type Value = (TokenizerSettings, Vocabulary);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FileVisitor {
    type Value = (TokenizerSettings, Vocabulary);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tokenizer")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut settings = TokenizerSettings::default();
        let mut vocabulary = None;
        while let Some(JsonText(key)) = map.next_key()? {
            // The model is read in the way that the other parts say, and so it must be the last.
            let is_part = matches!(
                &*key,
                "version" | "added_tokens" | "normalizer" | "pre_tokenizer" | "decoder" | "post_processor"
            );
            if vocabulary.is_some() && (is_part || key == "model") {
                return Err(de::Error::custom("the model is not the last part"));
            }
            match &*key {
                "version" => {
                    let version: Value = map.next_value()?;
                    if version != "1.0" {
                        return Err(de::Error::custom("version"));
                    }
                }
                "added_tokens" => settings.added_tokens = map.next_value()?,
                "normalizer" => settings.normalizer = map.next_value()?,
                "pre_tokenizer" => settings.pre_tokenizer = map.next_value()?,
                "decoder" => settings.decoder = map.next_value()?,
                "post_processor" => settings.post_processor = map.next_value()?,
                "model" => {
                    let builder = match Pipeline::of(&settings).map_err(|Unsupported(what)| de::Error::custom(what))? {
                        Pipeline::Bytes { .. } => VocabularyBuilder::of_bytes(),
                        Pipeline::Characters { .. } => VocabularyBuilder::of_characters(),
                    };
                    let added = &mut settings.added_tokens;
                    let (model, read) = map.next_value_seed(ModelVisitor { builder, added })?;
                    settings.model = model;
                    vocabulary = Some(read);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let vocabulary = vocabulary.ok_or_else(|| de::Error::missing_field("model"))?;
        Ok((settings, vocabulary))
    }
}

/// Reads the model. The added tokens get the ids that they have in the vocabulary.
struct ModelVisitor<'s> {
    builder: VocabularyBuilder,
    added: &'s mut Vec<AddedToken>,
}

impl<'de> DeserializeSeed<'de> for ModelVisitor<'_> {
    type Value = (ModelSettings, Vocabulary);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ModelVisitor<'_> {
    type Value = (ModelSettings, Vocabulary);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a model")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut model = ModelSettings::default();
        let (mut is_bpe, mut has_merges) = (false, false);
        while let Some(JsonText(key)) = map.next_key()? {
            match &*key {
                "type" => {
                    is_bpe = map.next_value::<JsonText<'_>>()?.0 == "BPE";
                    if !is_bpe {
                        return Err(de::Error::custom("a model of another type"));
                    }
                }
                "dropout" => model.dropout = map.next_value()?,
                "unk_token" => model.unk_token = map.next_value()?,
                "continuing_subword_prefix" => model.continuing_subword_prefix = map.next_value()?,
                "end_of_word_suffix" => model.end_of_word_suffix = map.next_value()?,
                "byte_fallback" => model.byte_fallback = map.next_value::<Option<bool>>()?.unwrap_or(false),
                "ignore_merges" => model.ignore_merges = map.next_value::<Option<bool>>()?.unwrap_or(false),
                "vocab" if model.entries == 0 && is_bpe => {
                    model.entries =
                        map.next_value_seed(EntriesVisitor { builder: &mut self.builder, added: self.added })?;
                }
                "merges" if model.entries > 0 && !has_merges => {
                    has_merges = true;
                    map.next_value_seed(MergesVisitor(&mut self.builder))?;
                }
                "vocab" | "merges" => return Err(de::Error::custom("the parts of the model are in another order")),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if !has_merges {
            return Err(de::Error::missing_field("merges"));
        }
        let vocabulary = self.builder.build(model.ignore_merges).map_err(de::Error::custom)?;
        Ok((model, vocabulary))
    }
}

/// Reads the entries of the vocabulary, and returns their number.
struct EntriesVisitor<'s> {
    builder: &'s mut VocabularyBuilder,
    added: &'s mut Vec<AddedToken>,
}

impl<'de> DeserializeSeed<'de> for EntriesVisitor<'_> {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for EntriesVisitor<'_> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tokens and their ids")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u32, A::Error> {
        let places: HashMap<String, usize> = self.added.iter().map(|token| token.content.clone()).zip(0..).collect();
        // Most entries start with a letter and no added token does: they are not looked up.
        let mut is_first = [false; 256];
        for token in self.added.iter_mut() {
            token.vocabulary_id = None;
            is_first[usize::from(token.content.bytes().next().unwrap_or_default())] = true;
        }
        let mut entries = 0;
        while let Some((JsonText(token), id)) = map.next_entry::<JsonText<'de>, u32>()? {
            self.builder.add_token(&token, id).map_err(de::Error::custom)?;
            entries += 1;
            if is_first[usize::from(token.bytes().next().unwrap_or_default())]
                && let Some(place) = places.get(&*token)
            {
                self.added[*place].vocabulary_id = Some(id);
            }
        }
        Ok(entries)
    }
}

/// Reads the list of merges.
struct MergesVisitor<'s>(&'s mut VocabularyBuilder);

impl<'de> DeserializeSeed<'de> for MergesVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for MergesVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of merges")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(MergeVisitor(self.0))?.is_some() {}
        Ok(())
    }
}

/// Reads one merge: two tokens, or both in one text with a space between them.
struct MergeVisitor<'s>(&'s mut VocabularyBuilder);

impl<'de> DeserializeSeed<'de> for MergeVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MergeVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a merge")
    }

    fn visit_str<E: de::Error>(self, merge: &str) -> Result<(), E> {
        match merge.split_once(' ') {
            Some((left, right)) if !right.contains(' ') && !merge.starts_with("#version") => {
                self.0.add_merge(left, right).map_err(E::custom)
            }
            _ => Err(E::custom(format!("the merge {merge:?}"))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<(), A::Error> {
        let missing = || de::Error::custom("a merge of fewer than two tokens");
        let JsonText(left) = pair.next_element()?.ok_or_else(missing)?;
        let JsonText(right) = pair.next_element()?.ok_or_else(missing)?;
        if pair.next_element::<IgnoredAny>()?.is_some() {
            return Err(de::Error::custom("a merge of more than two tokens"));
        }
        self.0.add_merge(&left, &right).map_err(de::Error::custom)
    }
}

/// A text of the file. It is copied only if it contains escapes.
struct JsonText<'t>(std::borrow::Cow<'t, str>);

impl<'de> de::Deserialize<'de> for JsonText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = JsonText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<JsonText<'de>, E> {
                Ok(JsonText(text.into()))
            }

            fn visit_str<E>(self, text: &str) -> Result<JsonText<'de>, E> {
                Ok(JsonText(text.to_owned().into()))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}
