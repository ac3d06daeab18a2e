//! Writes texts of exact lengths from the configured corpus.

use std::fs;
use std::sync::Arc;

use aiperf_config::{Corpus, RandomStyle};
use aiperf_seed::{Seed, Stream};
use aiperf_tokenizer::Tokenizer;

use super::exact::{ExactText, Fitter};
use super::{code, passage, random_token};
use crate::DatasetError;

/// The given beginning of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextStart<'t> {
    pub(crate) text: &'t str,
    /// The number of tokens that it has under the tokenizer.
    pub(crate) tokens: usize,
}

impl TextStart<'_> {
    pub(crate) const NOTHING: Self = Self { text: "", tokens: 0 };
}

/// Writes texts for one tokenizer.
#[derive(Debug)]
pub(crate) struct TextWriter {
    fitter: Fitter,
    material: Material,
}

#[derive(Debug)]
enum Material {
    Prose,
    Code,
    /// The token ids in order; at least one.
    RandomTokens(Vec<u32>),
    /// A text of at least one word.
    Passages(String),
}

impl TextWriter {
    pub(crate) fn new(tokenizer: &Arc<dyn Tokenizer>, corpus: &Corpus) -> Result<Self, DatasetError> {
        let material = match corpus {
            Corpus::Prose => Material::Prose,
            Corpus::Code => Material::Code,
            Corpus::RandomTokens(style) => {
                let ids = tokenizer.vocabulary(*style == RandomStyle::Sglang);
                if ids.is_empty() {
                    return Err(DatasetError::NoVocabulary { tokenizer: tokenizer.name().to_owned() });
                }
                Material::RandomTokens(ids)
            }
            Corpus::File(path) => {
                let unreadable = |reason: String| DatasetError::Corpus { path: path.clone(), reason };
                let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
                if text.trim().is_empty() {
                    return Err(unreadable("it contains no text".to_owned()));
                }
                Material::Passages(text)
            }
        };
        Ok(Self { fitter: Fitter::new(tokenizer), material })
    }

    /// Draws the seed of the text with this number, for `write`.
    pub(crate) fn draw(&self, stream: &mut Stream, number: usize) -> u64 {
        match &self.material {
            Material::RandomTokens(ids) => stream.below(ids.len() as u64) + number as u64,
            Material::Prose | Material::Code | Material::Passages(_) => stream.next_u64(),
        }
    }

    /// A text that starts with `start` and has `tokens` more tokens, determined by `seed`.
    pub(crate) fn write(&self, start: TextStart<'_>, tokens: usize, seed: u64) -> ExactText {
        match &self.material {
            Material::Prose => self.fitter.write_prose(start, tokens, seed),
            Material::RandomTokens(ids) => random_token::write(&self.fitter, ids, start, tokens, seed),
            Material::Code => {
                let more = |text: &mut String, stream: &mut Stream| code::add_block(text, stream);
                self.fitter.write_from(start, tokens, seed, more)
            }
            Material::Passages(corpus) => {
                let mut place = passage::start(corpus, &mut Seed::fixed(seed).stream("passage"));
                self.fitter.write_from(start, tokens, seed, |text, _| passage::add(corpus, &mut place, text))
            }
        }
    }

    pub(crate) fn count(&self, text: &str) -> usize {
        self.fitter.count(text)
    }

    pub(crate) fn tokenizer(&self) -> &dyn Tokenizer {
        self.fitter.tokenizer()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};
    use proptest::prelude::*;

    use super::*;

    fn builtin() -> Arc<dyn Tokenizer> {
        let nowhere = HubEnvironment::from_variables(|_| None);
        aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap()
    }

    fn file(text: &str) -> (tempfile::TempDir, Corpus) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("corpus.txt");
        fs::write(&path, text).unwrap();
        (folder, Corpus::File(path))
    }

    fn corpora() -> (tempfile::TempDir, Vec<Corpus>) {
        let (folder, file) = file("One two three, four.\nFünf, sechs: 七八九 and ten thousand unremarkable words.\n");
        let random = [RandomStyle::Vllm, RandomStyle::Sglang].map(Corpus::RandomTokens);
        (folder, [Corpus::Prose, Corpus::Code, file].into_iter().chain(random).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_corpus_is_exact_with_and_without_a_prefix(tokens in 3_usize..400, prefix in 1_usize..40, seed: u64) {
            let tokenizer = builtin();
            let (_folder, corpora) = corpora();
            for corpus in corpora {
                let writer = TextWriter::new(&tokenizer, &corpus).unwrap();
                let seed = seed >> 1;
                let first = writer.write(TextStart::NOTHING, prefix, seed);
                prop_assert!(first.exact, "{corpus:?}: {:?}", first.text);
                prop_assert_eq!(tokenizer.count(&first.text), prefix);
                let start = TextStart { text: &first.text, tokens: prefix };
                let both = writer.write(start, tokens, seed + 1);
                prop_assert!(both.exact, "{corpus:?}: {:?}", both.text);
                prop_assert!(both.text.starts_with(&first.text));
                prop_assert_eq!(tokenizer.count(&both.text), prefix + tokens, "{:?}: {}", corpus, both.text);
            }
        }
    }

    #[test]
    fn texts_are_their_own_and_come_again_with_their_seed() {
        let (_folder, corpora) = corpora();
        for corpus in corpora {
            let writer = TextWriter::new(&builtin(), &corpus).unwrap();
            let write = |seed: u64| writer.write(TextStart::NOTHING, 60, seed * 1_001).text;
            let all: HashSet<String> = (0..20).map(write).collect();
            let least = if matches!(corpus, Corpus::File(_)) { 8 } else { 20 };
            assert!(all.len() >= least, "{corpus:?}: {}", all.len());
            assert_eq!(write(3), write(3));
        }
    }

    #[test]
    fn a_file_is_read_from_some_word_on_and_begins_again_at_its_end() {
        let (_folder, corpus) = file("alpha beta gamma delta");
        let writer = TextWriter::new(&builtin(), &corpus).unwrap();
        let text = writer.write(TextStart::NOTHING, 40, 5).text;
        let words: Vec<&str> = text.split_whitespace().take(8).collect();
        let order = ["alpha", "beta", "gamma", "delta"];
        let first = order.iter().position(|word| *word == words[0]).unwrap();
        for (place, word) in words.iter().enumerate() {
            assert_eq!(*word, order[(first + place) % 4], "{text}");
        }
    }

    #[test]
    fn a_corpus_without_text_is_refused_by_name() {
        let (_folder, blank) = file(" \n");
        let error = TextWriter::new(&builtin(), &blank).unwrap_err().to_string();
        assert!(error.contains("--prompt-corpus-file") && error.contains("no text"), "{error}");
        let error = TextWriter::new(&builtin(), &Corpus::File("nowhere".into())).unwrap_err().to_string();
        assert!(error.contains("nowhere"), "{error}");
    }
}
