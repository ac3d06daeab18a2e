//! Tokenizers of a `tokenizer.json` with byte-pair encoding, which most language models have. Text is split by hand-written
//! matchers, pieces are merged over tables that are stored ready for use, and counts of words are remembered. Token ids are
//! those of the `tokenizers` library; a file that this does not cover completely is left to the library.

mod added_tokens;
mod decoder;
mod file;
mod pipeline;
mod settings;
mod special_tokens;
mod table_cache;

use std::path::Path;

use aiperf_bpe::Vocabulary;

use added_tokens::{AddedTokens, Segment};
use decoder::{DecodedToken, TokenDecoder};
use pipeline::Pipeline;
use settings::{TokenizerSettings, Unsupported, unsupported};
pub(crate) use table_cache::TableCache;

use crate::count_cache::CounterId;
use crate::{ChatTemplate, Tokenizer};

#[derive(Debug)]
pub(crate) struct FastTokenizer {
    name: String,
    vocabulary: Vocabulary,
    pipeline: Pipeline,
    added: AddedTokens,
    decoder: TokenDecoder,
    special_tokens_to_add: usize,
    counter: CounterId,
    chat_template: Option<ChatTemplate>,
}

impl FastTokenizer {
    /// `None` if the file has to be left to the `tokenizers` library.
    pub(crate) fn read(name: &str, path: &Path, cache: &TableCache) -> Option<Self> {
        let found = cache.find(path);
        let made = match found.stored() {
            Some((settings, vocabulary)) => Self::new(name, &settings, vocabulary),
            None => std::fs::read_to_string(path).map_err(|error| Unsupported(error.to_string())).and_then(|text| {
                let (settings, vocabulary) = file::read(&text)?;
                found.store(&settings, &vocabulary);
                Self::new(name, &settings, vocabulary)
            }),
        };
        made.map_err(|Unsupported(what)| log::debug!("tokenizer {name} is used through its library: {what}")).ok()
    }

    fn new(name: &str, settings: &TokenizerSettings, vocabulary: Vocabulary) -> Result<Self, Unsupported> {
        let pipeline = Pipeline::of(settings)?;
        let model = &settings.model;
        if model.dropout.is_some_and(|dropout| dropout != 0.0) {
            return unsupported("dropout");
        }
        let is_set = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        if is_set(&model.continuing_subword_prefix) || is_set(&model.end_of_word_suffix) {
            return unsupported("a mark inside or at the end of words");
        }
        match pipeline {
            Pipeline::Bytes { .. }
                if !vocabulary.has_all_bytes() && (model.unk_token.is_some() || model.byte_fallback) =>
            {
                return unsupported("bytes without a token");
            }
            Pipeline::Characters { .. } if !model.byte_fallback || model.ignore_merges => {
                return unsupported("characters without byte_fallback, or with ignore_merges");
            }
            Pipeline::Bytes { .. } | Pipeline::Characters { .. } => {}
        }
        Ok(Self {
            name: name.to_owned(),
            added: AddedTokens::new(settings, &pipeline)?,
            decoder: TokenDecoder::of(&settings.decoder)?,
            special_tokens_to_add: special_tokens::added_to_single(&settings.post_processor)?,
            vocabulary,
            pipeline,
            counter: CounterId::new(),
            chat_template: None,
        })
    }

    pub(crate) fn with_chat_template(self, template: ChatTemplate) -> Self {
        Self { chat_template: Some(template), ..self }
    }

    /// Passes on the added tokens and the pieces of a text, in order.
    #[inline]
    fn each(&self, text: &str, mut added: impl FnMut(u32), mut piece: impl FnMut(&str)) {
        self.added.each(text, |segment| match segment {
            Segment::Added(id) => added(id),
            Segment::Text(part) => {
                let is_start = std::ptr::eq(part.as_ptr(), text.as_ptr());
                let normalized = self.pipeline.normalized(part);
                self.added.each_normalized(&normalized, |segment| match segment {
                    Segment::Added(id) => added(id),
                    Segment::Text(own) => {
                        let is_start = is_start && std::ptr::eq(own.as_ptr(), normalized.as_ptr());
                        self.pipeline.each_piece(&self.vocabulary, own, is_start, &mut piece);
                    }
                });
            }
        });
    }
}

impl Tokenizer for FastTokenizer {
    fn name(&self) -> &str {
        &self.name
    }

    fn encode(&self, text: &str) -> Vec<u32> {
        let ids = std::cell::RefCell::new(Vec::with_capacity(text.len() / 4 + 1));
        self.each(
            text,
            |id| ids.borrow_mut().push(id),
            |piece| self.vocabulary.encode_piece(piece, &mut ids.borrow_mut()),
        );
        ids.into_inner()
    }

    fn decode(&self, tokens: &[u32]) -> String {
        let decoded = tokens.iter().filter_map(|&id| match self.added.get(id) {
            Some(added) => Some(DecodedToken::Added(&added.text)),
            None => self.vocabulary.bytes_of(id).map(DecodedToken::Vocabulary),
        });
        self.decoder.decode(decoded)
    }

    fn count(&self, text: &str) -> usize {
        self.counter.with_cache(|cache| {
            let (mut added, mut counted) = (0, 0);
            let count = |piece: &str| self.vocabulary.count_piece(piece);
            self.each(text, |_| added += 1, |piece| counted += cache.count(piece, count));
            added + counted
        })
    }

    fn special_tokens_to_add(&self) -> usize {
        self.special_tokens_to_add
    }

    /// Models see the pieces of a split one by one: if each space and each punctuation mark begins a piece, no token spans it.
    fn keeps_words_apart(&self) -> bool {
        const SENTENCES: &str = "So it was, then. The river rose while Anna slept. In 1 hour, all was over";
        let Pipeline::Bytes { splitter, leading_space: false, .. } = &self.pipeline else { return false };
        let (mut starts, mut at) = (Vec::new(), 0);
        splitter.each(SENTENCES, |piece| {
            starts.push(at);
            at += piece.len();
        });
        let begins = |place: usize| starts.contains(&place);
        at == SENTENCES.len()
            && SENTENCES.char_indices().all(|(place, c)| match c {
                ' ' => begins(place) || begins(place + 1),
                ',' | '.' => begins(place),
                _ => true,
            })
    }

    fn vocabulary(&self, with_special_tokens: bool) -> Vec<u32> {
        let is_special = |id: u32| self.added.get(id).is_some_and(|added| added.is_special);
        let own = (0..self.vocabulary.ids()).filter(|id| self.vocabulary.bytes_of(*id).is_some());
        let mut ids: Vec<u32> = own.chain(self.added.ids()).collect();
        ids.retain(|id| with_special_tokens || !is_special(*id));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn chat_template(&self) -> Option<&ChatTemplate> {
        self.chat_template.as_ref()
    }
}
