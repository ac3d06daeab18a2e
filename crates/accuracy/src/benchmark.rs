//! The benchmarks: their data sets, their defaults, and the making of their questions.

mod aime;
mod big_bench;
mod gpqa;
mod hellaswag;
mod lcb;
mod mmlu;
mod mmlu_pro;
mod plain;

use std::str::FromStr;

use crate::{BenchmarkRow, BenchmarkSettings, DataSetPart, Question, RowError};

/// An accuracy benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccuracyBenchmark {
    Mmlu,
    MmluPro,
    Aime,
    Aime24,
    Aime25,
    HellaSwag,
    BigBench,
    Math500,
    Gsm8k,
    GpqaDiamond,
    LcbCodeGeneration,
}

/// What is fixed about a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchmarkFacts {
    /// The name in files, with underscores.
    pub name: &'static str,
    /// The data set on the hub.
    pub data_set: &'static str,
    /// Worked examples, unless the user says otherwise.
    pub shots: usize,
    /// The most worked examples; 0 if the benchmark has none.
    pub max_shots: usize,
    /// Whether reasoning is asked for, unless the user says otherwise.
    pub chain_of_thought: bool,
    /// The grader, by its name in files.
    pub grader: &'static str,
    /// The system message, unless the user gives one.
    pub system_prompt: Option<&'static str>,
}

/// A name that is not the name of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown benchmark {0:?}. Use one of: {names}.", names = AccuracyBenchmark::ALL.map(|benchmark| benchmark.facts().name).join(", "))]
pub struct UnknownBenchmark(pub String);

impl AccuracyBenchmark {
    pub const ALL: [Self; 11] = [
        Self::Mmlu,
        Self::MmluPro,
        Self::Aime,
        Self::Aime24,
        Self::Aime25,
        Self::HellaSwag,
        Self::BigBench,
        Self::Math500,
        Self::Gsm8k,
        Self::GpqaDiamond,
        Self::LcbCodeGeneration,
    ];

    /// Whether a user can choose parts of it.
    pub fn has_tasks(self) -> bool {
        matches!(self, Self::Mmlu | Self::MmluPro | Self::HellaSwag | Self::BigBench)
    }

    /// Whether its questions can be asked with and without reasoning.
    pub fn has_both_forms(self) -> bool {
        matches!(self, Self::Mmlu | Self::MmluPro | Self::Aime | Self::BigBench)
    }

    pub fn facts(self) -> BenchmarkFacts {
        let plain = |name, data_set, grader| BenchmarkFacts {
            name,
            data_set,
            shots: 0,
            max_shots: 0,
            chain_of_thought: false,
            grader,
            system_prompt: None,
        };
        match self {
            Self::Mmlu => {
                BenchmarkFacts { shots: 5, max_shots: 32, ..plain("mmlu", "lighteval/mmlu", "multiple_choice") }
            }
            Self::MmluPro => BenchmarkFacts {
                shots: 5,
                max_shots: 32,
                chain_of_thought: true,
                ..plain("mmlu_pro", "TIGER-Lab/MMLU-Pro", "mmlu_pro")
            },
            Self::Aime => BenchmarkFacts {
                shots: 8,
                max_shots: 8,
                chain_of_thought: true,
                system_prompt: Some(aime::SYSTEM_PROMPT),
                ..plain("aime", "Maxwell-Jia/AIME_2024", "math")
            },
            Self::Aime24 => plain("aime24", "HuggingFaceH4/aime_2024", "lighteval_expr"),
            Self::Aime25 => plain("aime25", "yentinglin/aime_2025", "lighteval_expr"),
            Self::HellaSwag => {
                BenchmarkFacts { shots: 10, max_shots: 15, ..plain("hellaswag", "Rowan/hellaswag", "exact_match") }
            }
            Self::BigBench => BenchmarkFacts {
                shots: 3,
                max_shots: 3,
                chain_of_thought: true,
                ..plain("bigbench", "lukaemon/bbh", "exact_match")
            },
            Self::Math500 => plain("math_500", "HuggingFaceH4/MATH-500", "lighteval_latex"),
            Self::Gsm8k => plain("gsm8k", "openai/gsm8k", "lighteval_gsm8k"),
            Self::GpqaDiamond => plain("gpqa_diamond", "Idavidrein/gpqa", "lighteval_gpqa"),
            Self::LcbCodeGeneration => {
                plain("lcb_codegeneration", "livecodebench/code_generation_lite", "code_execution")
            }
        }
    }
}

impl FromStr for AccuracyBenchmark {
    type Err = UnknownBenchmark;

    /// `-` and `_` are the same, and `gsm8-k` is `gsm8k`.
    fn from_str(name: &str) -> Result<Self, UnknownBenchmark> {
        let plain = name.to_ascii_lowercase().replace('-', "_").replace("gsm8_k", "gsm8k");
        let found = Self::ALL.into_iter().find(|benchmark| benchmark.facts().name == plain);
        found.ok_or_else(|| UnknownBenchmark(name.to_owned()))
    }
}

/// Loads the rows of a part of the benchmark's data set. A split that does not exist is an empty list.
type LoadRows<'l> = dyn FnMut(&DataSetPart) -> Result<Vec<BenchmarkRow>, RowError> + 'l;

/// The questions of a benchmark, in the order in which they are asked.
pub fn questions(
    benchmark: AccuracyBenchmark,
    settings: &BenchmarkSettings,
    load: &mut LoadRows<'_>,
) -> Result<Vec<Question>, RowError> {
    let most = benchmark.facts().max_shots;
    if most > 0 && settings.shots > most {
        return Err(RowError::TooManyShots { shots: settings.shots, available: most });
    }
    match benchmark {
        AccuracyBenchmark::Mmlu => mmlu::questions(settings, load),
        AccuracyBenchmark::MmluPro => mmlu_pro::questions(settings, load),
        AccuracyBenchmark::Aime => aime::questions(settings, load),
        AccuracyBenchmark::Aime24 => plain::aime_of_a_year("aime24", load),
        AccuracyBenchmark::Aime25 => plain::aime_of_a_year("aime25", load),
        AccuracyBenchmark::HellaSwag => hellaswag::questions(settings, load),
        AccuracyBenchmark::BigBench => big_bench::questions(settings, load),
        AccuracyBenchmark::Math500 => plain::math_500(load),
        AccuracyBenchmark::Gsm8k => plain::gsm8k(load),
        AccuracyBenchmark::GpqaDiamond => gpqa::questions(load),
        AccuracyBenchmark::LcbCodeGeneration => lcb::questions(settings, load),
    }
}

/// The rows of a split of the only configuration.
fn split(load: &mut LoadRows<'_>, split: &'static str) -> Result<Vec<BenchmarkRow>, RowError> {
    load(&DataSetPart { config: None, split })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_flag_are_accepted_with_both_separators() {
        for (name, benchmark) in [
            ("mmlu-pro", AccuracyBenchmark::MmluPro),
            ("gsm8-k", AccuracyBenchmark::Gsm8k),
            ("gsm8k", AccuracyBenchmark::Gsm8k),
            ("math-500", AccuracyBenchmark::Math500),
            ("LCB_codegeneration", AccuracyBenchmark::LcbCodeGeneration),
        ] {
            assert_eq!(name.parse(), Ok(benchmark));
        }
        assert!("mmlu2".parse::<AccuracyBenchmark>().unwrap_err().to_string().contains("gpqa_diamond"));
    }
}
