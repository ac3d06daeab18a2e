//! What every prompt of every turn shall be: its length, its prefix, and the draw it is written from.

use aiperf_config::{PromptLengths, RandomStyle, RangeRatio, SyntheticSource};
use aiperf_seed::{Seed, Stream};

use crate::text::{Prefix, Start, TextOrder, Writer};
use crate::{DatasetError, length};

/// In the order of conversations and turns.
pub(super) struct Prompts {
    /// As many for each turn as it has texts.
    pub(super) orders: Vec<TextOrder>,
    /// Output lengths of the turns, where they come with the input lengths.
    pub(super) outputs: Vec<u32>,
}

pub(super) fn draw(
    source: &SyntheticSource,
    seed: Seed,
    writer: &Writer,
    turn_counts: &[usize],
) -> Result<Prompts, DatasetError> {
    let mut lengths = Lengths::new(source, seed, writer)?;
    let mut texts = seed.stream("dataset.prompt.corpus");
    let mut prefix_choice = seed.stream("dataset.prompt.prefix");
    let prefixes = prefix_pool(source, seed, writer);
    let mut prompts = Prompts { orders: Vec::new(), outputs: Vec::new() };
    prompts.orders.reserve(turn_counts.iter().sum::<usize>() * source.batch_size);
    for turns in turn_counts {
        // The history carries it to the later turns.
        let mut prefix = prefix_choice.choose(&prefixes).cloned();
        for _ in 0..*turns {
            let choice = lengths.turn();
            prompts.outputs.extend(choice.and_then(|choice| lengths.output(choice)));
            for _ in 0..source.batch_size.max(1) {
                let tokens = lengths.input(choice);
                let seed = writer.draw(&mut texts, prompts.orders.len());
                prompts.orders.push(TextOrder { prefix: prefix.clone(), tokens, seed });
            }
            prefix = None;
        }
    }
    Ok(prompts)
}

fn prefix_pool(source: &SyntheticSource, seed: Seed, writer: &Writer) -> Vec<Prefix> {
    let Some(prefix) = source.prefix.filter(|prefix| prefix.tokens > 0) else { return Vec::new() };
    let mut stream = seed.stream("dataset.prompt.prefix.text");
    let write = |number| {
        let written = writer.write(Start::NOTHING, prefix.tokens, writer.draw(&mut stream, number));
        let tokens = if written.exact { prefix.tokens } else { writer.count(&written.text) };
        Prefix { text: written.text.into(), tokens }
    };
    (0..prefix.pool_size).map(write).collect()
}

/// The lengths of one turn after the other.
struct Lengths<'s> {
    rule: Rule<'s>,
    stream: Stream,
    /// Taken off what is drawn: the server adds a BOS or the like by itself.
    special: usize,
}

enum Rule<'s> {
    Lengths(&'s PromptLengths),
    /// Both ends included.
    Window {
        low: u64,
        high: u64,
    },
}

/// Which pair a turn has.
#[derive(Clone, Copy)]
struct Choice<'s>(&'s aiperf_config::LengthPair);

impl<'s> Lengths<'s> {
    fn new(source: &'s SyntheticSource, seed: Seed, writer: &Writer) -> Result<Self, DatasetError> {
        // A chat template brings these tokens itself, and is accounted for as a whole.
        let has_template = writer.tokenizer().chat_template().is_some();
        let special = if has_template { 0 } else { writer.tokenizer().special_tokens_to_add() };
        let (name, rule, special) = match &source.lengths {
            lengths @ PromptLengths::Drawn(_) => ("dataset.prompt.length", Rule::Lengths(lengths), special),
            lengths @ PromptLengths::Pairs(_) => ("models.sequence.distribution", Rule::Lengths(lengths), special),
            PromptLengths::Window(ratio) => {
                let window = window(*ratio, special, source.prefix.map_or(0, |prefix| prefix.tokens))?;
                // The window itself leaves room in the vllm style.
                let special = if ratio.style == RandomStyle::Vllm { 0 } else { special };
                ("models.range_ratio.distribution", window, special)
            }
        };
        Ok(Self { rule, stream: seed.stream(name), special })
    }

    /// Drawn once for a turn.
    fn turn(&mut self) -> Option<Choice<'s>> {
        match self.rule {
            Rule::Lengths(PromptLengths::Pairs(pairs)) => length::choose(pairs, &mut self.stream).map(Choice),
            _ => None,
        }
    }

    fn output(&mut self, Choice(pair): Choice<'s>) -> Option<u32> {
        let tokens = length::whole(&pair.output, &mut self.stream);
        Some(u32::try_from(tokens).unwrap_or(u32::MAX))
    }

    /// Drawn for every text of a turn.
    fn input(&mut self, choice: Option<Choice<'s>>) -> usize {
        let stream = &mut self.stream;
        match (&self.rule, choice) {
            (Rule::Window { low, high }, _) => {
                let drawn = length::between(*low, *high, stream) as usize;
                if self.special > 0 { drawn.saturating_sub(self.special).max(1) } else { drawn }
            }
            (_, Some(Choice(pair))) => room(length::whole(&pair.input, stream), self.special),
            (Rule::Lengths(PromptLengths::Drawn(drawn)), None) => room(length::whole(drawn, stream), self.special),
            (Rule::Lengths(_), None) => 1,
        }
    }
}

fn room(drawn: u64, special: usize) -> usize {
    (drawn as usize).saturating_sub(special).max(1)
}

fn window<'s>(ratio: RangeRatio, special: usize, prefix: usize) -> Result<Rule<'s>, DatasetError> {
    let mean = match ratio.style {
        RandomStyle::Vllm => f64::from(ratio.mean) - special as f64,
        RandomStyle::Sglang => f64::from(ratio.mean),
    };
    let (low, high) = ratio.style.window(mean.max(0.0), ratio.ratio);
    if low + prefix as f64 <= 0.0 {
        return Err(DatasetError::EmptyPrompts { mean: ratio.mean, ratio: ratio.ratio });
    }
    Ok(Rule::Window { low: low as u64, high: high as u64 })
}
