//! Plans every prompt of every turn: its length, its prefix and its seed.

use aiperf_config::{PromptLengths, RandomStyle, RangeRatio, SyntheticSource};
use aiperf_seed::{Seed, Stream};

use crate::text::{Prefix, TextPlan, TextStart, TextWriter};
use crate::{DatasetError, length};

/// The planned prompts, in the order of conversations and turns.
pub(super) struct SyntheticPrompts {
    /// One plan per text of each turn.
    pub(super) plans: Vec<TextPlan>,
    /// The output lengths of the turns, if they are drawn together with the input lengths.
    pub(super) outputs: Vec<u32>,
}

pub(super) fn draw(
    source: &SyntheticSource,
    seed: Seed,
    writer: &TextWriter,
    turn_counts: &[usize],
) -> Result<SyntheticPrompts, DatasetError> {
    let mut lengths = Lengths::new(source, seed, writer)?;
    let mut texts = seed.stream("dataset.prompt.corpus");
    let mut prefix_choice = seed.stream("dataset.prompt.prefix");
    let prefixes = prefix_pool(source, seed, writer);
    let mut prompts = SyntheticPrompts { plans: Vec::new(), outputs: Vec::new() };
    prompts.plans.reserve(turn_counts.iter().sum::<usize>() * source.batch_size);
    for turns in turn_counts {
        // The history repeats the prefix in later turns.
        let mut prefix = prefix_choice.choose(&prefixes).cloned();
        for _ in 0..*turns {
            let choice = lengths.turn();
            prompts.outputs.extend(choice.map(|choice| lengths.output(choice)));
            for _ in 0..source.batch_size.max(1) {
                let tokens = lengths.input(choice);
                let seed = writer.draw(&mut texts, prompts.plans.len());
                prompts.plans.push(TextPlan { prefix: prefix.clone(), tokens, seed });
            }
            prefix = None;
        }
    }
    Ok(prompts)
}

fn prefix_pool(source: &SyntheticSource, seed: Seed, writer: &TextWriter) -> Vec<Prefix> {
    let Some(prefix) = source.prefix.filter(|prefix| prefix.tokens > 0) else { return Vec::new() };
    let mut stream = seed.stream("dataset.prompt.prefix.text");
    let write = |number| {
        let written = writer.write(TextStart::NOTHING, prefix.tokens, writer.draw(&mut stream, number));
        let tokens = if written.exact { prefix.tokens } else { writer.count(&written.text) };
        Prefix { text: written.text.into(), tokens }
    };
    (0..prefix.pool_size).map(write).collect()
}

/// Draws the lengths of the turns, one after the other.
struct Lengths<'s> {
    rule: LengthRule<'s>,
    stream: Stream,
    /// Special tokens, such as a BOS, that the server adds itself; subtracted from drawn lengths.
    special: usize,
}

enum LengthRule<'s> {
    Lengths(&'s PromptLengths),
    /// A uniform range, both ends included.
    Window {
        low: u64,
        high: u64,
    },
}

/// The pair of lengths that was drawn for a turn.
#[derive(Clone, Copy)]
struct PairChoice<'s>(&'s aiperf_config::LengthPair);

impl<'s> Lengths<'s> {
    fn new(source: &'s SyntheticSource, seed: Seed, writer: &TextWriter) -> Result<Self, DatasetError> {
        // A chat template contains these tokens, and is accounted for as a whole.
        let has_template = writer.tokenizer().chat_template().is_some();
        let special = if has_template { 0 } else { writer.tokenizer().special_tokens_to_add() };
        let (name, rule, special) = match &source.lengths {
            lengths @ PromptLengths::Drawn(_) => ("dataset.prompt.length", LengthRule::Lengths(lengths), special),
            lengths @ PromptLengths::Pairs(_) => {
                ("models.sequence.distribution", LengthRule::Lengths(lengths), special)
            }
            PromptLengths::Window(ratio) => {
                let window = window(*ratio, special, source.prefix.map_or(0, |prefix| prefix.tokens))?;
                // In the vllm style the range already accounts for them.
                let special = if ratio.style == RandomStyle::Vllm { 0 } else { special };
                ("models.range_ratio.distribution", window, special)
            }
        };
        Ok(Self { rule, stream: seed.stream(name), special })
    }

    /// Draws the pair of lengths of a turn, if lengths are drawn in pairs.
    fn turn(&mut self) -> Option<PairChoice<'s>> {
        match self.rule {
            LengthRule::Lengths(PromptLengths::Pairs(pairs)) => length::choose(pairs, &mut self.stream).map(PairChoice),
            _ => None,
        }
    }

    fn output(&mut self, PairChoice(pair): PairChoice<'s>) -> u32 {
        let tokens = length::whole(&pair.output, &mut self.stream);
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }

    /// Draws the input length of a text.
    fn input(&mut self, choice: Option<PairChoice<'s>>) -> usize {
        let stream = &mut self.stream;
        match (&self.rule, choice) {
            (LengthRule::Window { low, high }, _) => {
                let drawn = length::between(*low, *high, stream) as usize;
                if self.special > 0 { drawn.saturating_sub(self.special).max(1) } else { drawn }
            }
            (_, Some(PairChoice(pair))) => room(length::whole(&pair.input, stream), self.special),
            (LengthRule::Lengths(PromptLengths::Drawn(drawn)), None) => {
                room(length::whole(drawn, stream), self.special)
            }
            (LengthRule::Lengths(_), None) => 1,
        }
    }
}

fn room(drawn: u64, special: usize) -> usize {
    (drawn as usize).saturating_sub(special).max(1)
}

fn window<'s>(ratio: RangeRatio, special: usize, prefix: usize) -> Result<LengthRule<'s>, DatasetError> {
    let mean = match ratio.style {
        RandomStyle::Vllm => f64::from(ratio.mean) - special as f64,
        RandomStyle::Sglang => f64::from(ratio.mean),
    };
    let (low, high) = ratio.style.window(mean.max(0.0), ratio.ratio);
    if low + prefix as f64 <= 0.0 {
        return Err(DatasetError::EmptyPrompts { mean: ratio.mean, ratio: ratio.ratio });
    }
    Ok(LengthRule::Window { low: low as u64, high: high as u64 })
}
