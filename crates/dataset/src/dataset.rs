//! The whole data set of a run, and the steps that build it.

use std::path::PathBuf;
use std::sync::Arc;

use aiperf_config::{Corpus, DatasetConfig, DatasetSource, FileFormat, FileSource, Recipe, Sampling, SystemPrompt};
use aiperf_conversation::{Conversation, ConversationIndex, Lineage};
use aiperf_hub::Hub;
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;

use crate::deferred::{Deferred, Sourced};
use crate::file::{self, Loaded, SkippedRows};
use crate::text::{ExactText, TextStart, TextWriter};
use crate::turn_defaults::TurnDefaults;
use crate::{AnswerKeys, DatasetError, Sampler, accuracy, public, synthetic};

/// All conversations, in file or generation order; at least one.
#[derive(Debug, Clone)]
pub struct Dataset {
    outlines: Vec<Arc<Conversation>>,
    deferred: Option<Arc<dyn Deferred>>,
    /// Whether the system prompt was generated and does not have the requested length.
    inexact_system: bool,
    /// Delays in a file that are longer than a minute and not shortened by a cap. Worth a warning: a session, and perhaps its
    /// slot, is blocked for that long.
    pub long_pauses: usize,
    /// Rows of a file that could not be used and were left out. Worth a warning: the run does not send them.
    pub skipped_rows: SkippedRows,
    /// Requests of a trace whose recorded output is empty. Worth a warning: they are sent with an output length of one token.
    pub empty_outputs: usize,
    /// The format of the file that the conversations come from.
    pub file_format: Option<FileFormat>,
    /// Gold answers, if the conversations are the questions of an accuracy benchmark.
    pub answer_keys: Option<Arc<AnswerKeys>>,
    roots: Vec<ConversationIndex>,
    writes_inputs: bool,
    sampling: Sampling,
}

/// A pause of more than this many milliseconds is a long one.
const LONG_PAUSE_MS: f64 = 60_000.0;

impl Dataset {
    /// The number of conversations, roots and children.
    pub fn len(&self) -> usize {
        self.outlines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.outlines.is_empty()
    }

    /// All conversations in file or generation order, as far as they are known before contents are generated. Only contents
    /// may be missing.
    pub fn outlines(&self) -> &[Arc<Conversation>] {
        &self.outlines
    }

    /// Whether conversations start others.
    pub fn has_branches(&self) -> bool {
        self.outlines.iter().any(|outline| outline.lineage != Lineage::Root)
            || self.outlines.iter().flat_map(|outline| &outline.turns).any(|turn| !turn.branches.is_empty())
    }

    /// Whether each session is one request.
    pub fn has_one_turn_each(&self) -> bool {
        !self.has_branches() && self.outlines.iter().all(|outline| outline.turns.len() == 1)
    }

    /// Whether contents are generated each time a conversation is requested.
    pub fn is_deferred(&self) -> bool {
        self.deferred.is_some()
    }

    /// A conversation with its contents, which are the same each time. They are generated on the calling thread.
    pub fn conversation(&self, index: ConversationIndex) -> Arc<Conversation> {
        let outline = &self.outlines[index.0];
        match &self.deferred {
            Some(deferred) => Arc::new(deferred.complete(index, outline)),
            None => Arc::clone(outline),
        }
    }

    /// A conversation with at least the contents of this turn, for callers that need no other turn. All turns together may be
    /// too large for memory.
    pub fn conversation_at(&self, index: ConversationIndex, turn: usize) -> Arc<Conversation> {
        let outline = &self.outlines[index.0];
        match &self.deferred {
            Some(deferred) => Arc::new(deferred.complete_turn(index, outline, turn)),
            None => Arc::clone(outline),
        }
    }

    /// Whether contents are generated turn by turn.
    pub fn is_made_by_turn(&self) -> bool {
        self.deferred.as_ref().is_some_and(|deferred| deferred.is_made_by_turn())
    }

    /// All conversations with their contents, one after the other.
    pub fn conversations(&self) -> impl Iterator<Item = Arc<Conversation>> {
        (0..self.len()).map(|index| self.conversation(ConversationIndex(index)))
    }

    /// The number of generated texts so far that do not have the requested length because the tokenizer has no text of that
    /// length. Worth a warning; reports use their true length.
    pub fn inexact_texts(&self) -> usize {
        usize::from(self.inexact_system) + self.deferred.as_ref().map_or(0, |deferred| deferred.inexact_texts())
    }

    /// Whether the run writes the bodies of this data set to `inputs.json`. It does not if the data is already a list of
    /// bodies, or a trace.
    pub fn writes_inputs(&self) -> bool {
        self.writes_inputs
    }

    /// The conversations that are drawn as sessions, in order; at least one. They start the others.
    pub fn roots(&self) -> &[ConversationIndex] {
        &self.roots
    }

    /// The recorded start of a conversation in milliseconds, on the clock of the data.
    pub fn first_timestamp_ms(&self, index: ConversationIndex) -> Option<f64> {
        self.outlines.get(index.0)?.turns.first()?.timestamp_ms
    }

    /// Every root with its start time in milliseconds, the earliest first. Roots with equal times stay in the order of the
    /// data.
    pub fn schedule(&self) -> Result<Vec<(ConversationIndex, f64)>, DatasetError> {
        let timed = self.roots.iter().map(|root| match self.first_timestamp_ms(*root) {
            Some(time) => Ok((*root, time)),
            None => Err(DatasetError::NoTimestamp {
                session: self.outlines[root.0].session_id.to_string(),
                number: root.0 + 1,
            }),
        });
        let mut schedule: Vec<(ConversationIndex, f64)> = timed.collect::<Result<_, _>>()?;
        schedule.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(schedule)
    }

    /// Checks that every request can carry a marker. A body that is sent byte for byte cannot.
    pub fn check_markers(&self) -> Result<(), DatasetError> {
        let sends_payload = |outline: &&Arc<Conversation>| outline.turns.iter().any(|turn| turn.raw_payload.is_some());
        match self.outlines.iter().find(sends_payload) {
            Some(outline) => Err(DatasetError::MarkedPayload { session: outline.session_id.to_string() }),
            None => Ok(()),
        }
    }

    /// A sampler of roots as configured. Create one per run, and share it between its phases.
    pub fn sampler(&self, seed: Seed) -> Sampler {
        Sampler::new(self.sampling, self.roots.clone(), seed)
    }
}

/// Builds the data set of a file or a description. All problems with it are reported here, before the first request.
pub fn build(config: &DatasetConfig, seed: Seed, tokenizer: &Arc<dyn Tokenizer>) -> Result<Dataset, DatasetError> {
    assemble(config, seed, tokenizer, None)
}

/// Builds any data set; public ones are read through the hub.
pub fn build_with_hub(
    config: &DatasetConfig,
    seed: Seed,
    tokenizer: &Arc<dyn Tokenizer>,
    hub: &Hub,
) -> Result<Dataset, DatasetError> {
    assemble(config, seed, tokenizer, Some(hub))
}

fn assemble(
    config: &DatasetConfig,
    seed: Seed,
    tokenizer: &Arc<dyn Tokenizer>,
    hub: Option<&Hub>,
) -> Result<Dataset, DatasetError> {
    let mut turn_defaults = TurnDefaults::new(config, seed)?;
    let mut writer = None;
    let mut answer_keys = None;
    let (sourced, file_format, skipped_rows, empty_outputs) = match &config.source {
        DatasetSource::Synthetic(source) => {
            let writer = writer.insert(Arc::new(TextWriter::new(tokenizer, &source.corpus)?));
            (synthetic::conversations(source, seed, writer)?, None, SkippedRows::default(), 0)
        }
        DatasetSource::File(source) => {
            let Loaded { conversations, format, skipped, prompts, empty_outputs } =
                file::conversations(source, &config.models, config.has_system_role, seed)?;
            let deferred = prompts.map(|prompts| prompts.deferred(tokenizer));
            (Sourced { conversations, deferred }, Some(format), skipped, empty_outputs)
        }
        DatasetSource::Public(source) if source.set.recipe == Recipe::Weka => {
            let hub = hub.ok_or(DatasetError::NoHub { name: source.set.name })?;
            let lines = public::weka_lines(source, hub)?;
            let file = FileSource {
                format: Some(FileFormat::WekaTrace),
                trace: source.trace.clone(),
                delay_cap_ms: source.delay_cap_ms,
                ..FileSource::of(PathBuf::from(source.set.name))
            };
            let Loaded { conversations, format, skipped, prompts, empty_outputs } =
                file::conversations_in(&file, lines, &config.models, config.has_system_role, seed)?;
            let deferred = prompts.map(|prompts| prompts.deferred(tokenizer));
            (Sourced { conversations, deferred }, Some(format), skipped, empty_outputs)
        }
        DatasetSource::Public(source) => {
            let hub = hub.ok_or(DatasetError::NoHub { name: source.set.name })?;
            let conversations = public::conversations(source, seed, &**tokenizer, hub)?;
            (conversations.into(), None, SkippedRows::default(), 0)
        }
        DatasetSource::Accuracy(source) => {
            let (conversations, keys) = accuracy::conversations(source, hub)?;
            answer_keys = Some(Arc::new(keys));
            (conversations.into(), None, SkippedRows::default(), 0)
        }
    };
    let Sourced { mut conversations, deferred } = sourced;
    let system = system_prompt(&config.system_prompt, seed, tokenizer, writer.as_deref())?;
    let inexact_system = system.as_ref().is_some_and(|system| !system.exact);
    if let Some(system) = system.map(|system| Arc::<str>::from(system.text)) {
        for conversation in &mut conversations {
            conversation.system = Some(match conversation.system.take() {
                Some(own) => Arc::from(format!("{system}\n\n{own}")),
                None => Arc::clone(&system),
            });
        }
    }
    if let Some(tokens) = config.user_context_tokens {
        put_user_contexts(&mut conversations, tokens, seed, tokenizer)?;
    }
    turn_defaults.complete(&mut conversations);
    let is_root = |conversation: &Conversation| conversation.lineage != Lineage::Child;
    let mut roots: Vec<ConversationIndex> =
        (0..conversations.len()).filter(|place| is_root(&conversations[*place])).map(ConversationIndex).collect();
    if let DatasetSource::File(FileSource { entries: Some(entries), .. }) = &config.source {
        roots.truncate((*entries).max(1));
    }
    Ok(Dataset {
        answer_keys,
        roots,
        long_pauses: long_pauses(&config.source, &conversations),
        writes_inputs: file_format.is_none_or(|format| format.facts().writes_inputs)
            && deferred.as_ref().is_none_or(|deferred| deferred.writes_inputs()),
        outlines: conversations.into_iter().map(Arc::new).collect(),
        deferred: deferred.map(Arc::from),
        skipped_rows,
        empty_outputs,
        file_format,
        inexact_system,
        sampling: config.sampling,
    })
}

/// Gives each root a generated text of its own before its first turn.
fn put_user_contexts(
    conversations: &mut [Conversation],
    tokens: usize,
    seed: Seed,
    tokenizer: &Arc<dyn Tokenizer>,
) -> Result<(), DatasetError> {
    let writer = TextWriter::new(tokenizer, &Corpus::Prose)?;
    let mut stream = seed.stream("dataset.prompt.context");
    let drawn = conversations.iter_mut().filter(|conversation| conversation.lineage != Lineage::Child);
    for (number, conversation) in drawn.enumerate() {
        let text_seed = writer.draw(&mut stream, number);
        conversation.user_context = Some(Arc::from(writer.write(TextStart::NOTHING, tokens, text_seed).text));
    }
    Ok(())
}

fn long_pauses(source: &DatasetSource, conversations: &[Conversation]) -> usize {
    let cap = match source {
        DatasetSource::File(file) => file.delay_cap_ms,
        DatasetSource::Public(public) => public.delay_cap_ms,
        DatasetSource::Synthetic(_) | DatasetSource::Accuracy(_) => return 0,
    };
    if cap.is_some() {
        return 0;
    }
    let turns = conversations.iter().flat_map(|conversation| &conversation.turns);
    turns.filter(|turn| turn.delay_ms.is_some_and(|delay| delay > LONG_PAUSE_MS)).count()
}

fn system_prompt(
    prompt: &SystemPrompt,
    seed: Seed,
    tokenizer: &Arc<dyn Tokenizer>,
    writer: Option<&TextWriter>,
) -> Result<Option<ExactText>, DatasetError> {
    Ok(match prompt {
        SystemPrompt::None => None,
        SystemPrompt::Verbatim(text) => Some(ExactText { text: text.to_string(), exact: true }),
        SystemPrompt::Synthetic(tokens) => {
            let own;
            let writer = if let Some(writer) = writer {
                writer
            } else {
                own = TextWriter::new(tokenizer, &Corpus::Prose)?;
                &own
            };
            let text_seed = writer.draw(&mut seed.stream("dataset.prompt.system"), 0);
            Some(writer.write(TextStart::NOTHING, *tokens, text_seed))
        }
    })
}
