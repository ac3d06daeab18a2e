//! The layouts that a file of conversations may have, and what follows from each.

/// File formats that are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    PlainText,
    SingleTurn,
    MultiTurn,
    RandomPool,
    RawPayload,
    InputsJson,
    DagJsonl,
    SagemakerDataCapture,
    SpeedBench(SpeedBench),
    MooncakeTrace,
    BailianTrace,
    BurstGptTrace,
    AzureTrace,
    BasetenTrace,
    WekaTrace,
    Tracelab,
}

/// What the rest of the program must know of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatFacts {
    /// As `--custom-dataset-type` spells it.
    pub name: &'static str,
    /// A folder of files can be given instead of a file.
    pub takes_folders: bool,
    /// Rows are whole request bodies, sent as they are: nothing can be put into them.
    pub is_verbatim: bool,
    /// Turns may have times at which they are due.
    pub has_times: bool,
    /// The requests are also written to `inputs.json`. For formats that hold whole requests already they are not.
    pub writes_inputs: bool,
    /// Recorded load: lengths and times rather than contents.
    pub is_trace: bool,
    /// Its rows may name blocks that they share.
    pub has_blocks: bool,
    /// Recorded traffic: it is replayed at its own times, if its first row has one.
    pub promotes_schedule: bool,
    /// Sessions of agents, which start others: how long after one another, not when.
    pub is_agentic: bool,
}

/// Formats with one name each. Those of SPEED-Bench have many.
const PLAIN: [FileFormat; 15] = [
    FileFormat::SingleTurn,
    FileFormat::MultiTurn,
    FileFormat::RandomPool,
    FileFormat::PlainText,
    FileFormat::MooncakeTrace,
    FileFormat::BailianTrace,
    FileFormat::BurstGptTrace,
    FileFormat::AzureTrace,
    FileFormat::BasetenTrace,
    FileFormat::RawPayload,
    FileFormat::InputsJson,
    FileFormat::DagJsonl,
    FileFormat::SagemakerDataCapture,
    FileFormat::Tracelab,
    FileFormat::WekaTrace,
];

/// The name of every format, in the order in which help lists them.
pub const FILE_FORMAT_NAMES: [&str; PLAIN.len() + SPEED_BENCH.len()] = {
    let mut names = [""; PLAIN.len() + SPEED_BENCH.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = if index < PLAIN.len() { PLAIN[index].name() } else { SPEED_BENCH[index - PLAIN.len()] };
        index += 1;
    }
    names
};

impl FileFormat {
    pub const fn facts(self) -> FormatFacts {
        let plain = FormatFacts {
            name: "",
            takes_folders: false,
            is_verbatim: false,
            has_times: false,
            writes_inputs: true,
            is_trace: false,
            has_blocks: false,
            promotes_schedule: false,
            is_agentic: false,
        };
        let trace =
            FormatFacts { has_times: true, writes_inputs: false, is_trace: true, promotes_schedule: true, ..plain };
        let blocks = FormatFacts { has_blocks: true, ..trace };
        let agents = FormatFacts { writes_inputs: false, is_agentic: true, ..plain };
        match self {
            Self::PlainText => FormatFacts { name: "plain_text", ..plain },
            Self::SingleTurn => FormatFacts { name: "single_turn", has_times: true, ..plain },
            Self::MultiTurn => FormatFacts { name: "multi_turn", has_times: true, ..plain },
            Self::RandomPool => FormatFacts { name: "random_pool", takes_folders: true, ..plain },
            Self::RawPayload => FormatFacts {
                name: "raw_payload",
                takes_folders: true,
                is_verbatim: true,
                writes_inputs: false,
                ..plain
            },
            Self::InputsJson => FormatFacts { name: "inputs_json", is_verbatim: true, writes_inputs: false, ..plain },
            Self::DagJsonl => FormatFacts { name: "dag_jsonl", ..plain },
            Self::SagemakerDataCapture => FormatFacts {
                name: "sagemaker_data_capture",
                takes_folders: true,
                has_times: true,
                promotes_schedule: true,
                writes_inputs: false,
                ..plain
            },
            Self::SpeedBench(part) => FormatFacts { name: part.name(), ..plain },
            Self::MooncakeTrace => FormatFacts { name: "mooncake_trace", ..blocks },
            Self::BailianTrace => FormatFacts { name: "bailian_trace", ..blocks },
            Self::BurstGptTrace => FormatFacts { name: "burst_gpt_trace", ..trace },
            Self::AzureTrace => FormatFacts { name: "azure_trace", ..trace },
            // Its prompts are literal: block ids only go along with them.
            Self::BasetenTrace => FormatFacts { name: "baseten_trace", ..trace },
            Self::WekaTrace => FormatFacts { name: "weka_trace", takes_folders: true, ..agents },
            Self::Tracelab => FormatFacts { name: "tracelab", ..agents },
        }
    }

    /// As `--custom-dataset-type` spells it.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Every format.
    pub fn all() -> impl Iterator<Item = Self> {
        PLAIN.into_iter().chain(SpeedBench::all().map(Self::SpeedBench))
    }

    /// The format of this name, if it is built.
    pub fn named(name: &str) -> Option<Self> {
        let plain = PLAIN.into_iter().find(|format| format.name() == name);
        plain.or_else(|| SpeedBench::named(name).map(Self::SpeedBench))
    }
}

/// A part of SPEED-Bench: one of its files, or the rows of one category in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeedBench(&'static str);

const SPEED_BENCH: [&str; 32] = [
    "speed_bench_qualitative",
    "speed_bench_coding",
    "speed_bench_humanities",
    "speed_bench_math",
    "speed_bench_multilingual",
    "speed_bench_qa",
    "speed_bench_rag",
    "speed_bench_reasoning",
    "speed_bench_roleplay",
    "speed_bench_stem",
    "speed_bench_summarization",
    "speed_bench_writing",
    "speed_bench_throughput_1k",
    "speed_bench_throughput_1k_low_entropy",
    "speed_bench_throughput_1k_mixed",
    "speed_bench_throughput_1k_high_entropy",
    "speed_bench_throughput_2k",
    "speed_bench_throughput_2k_low_entropy",
    "speed_bench_throughput_2k_mixed",
    "speed_bench_throughput_2k_high_entropy",
    "speed_bench_throughput_8k",
    "speed_bench_throughput_8k_low_entropy",
    "speed_bench_throughput_8k_mixed",
    "speed_bench_throughput_8k_high_entropy",
    "speed_bench_throughput_16k",
    "speed_bench_throughput_16k_low_entropy",
    "speed_bench_throughput_16k_mixed",
    "speed_bench_throughput_16k_high_entropy",
    "speed_bench_throughput_32k",
    "speed_bench_throughput_32k_low_entropy",
    "speed_bench_throughput_32k_mixed",
    "speed_bench_throughput_32k_high_entropy",
];

impl SpeedBench {
    pub fn named(name: &str) -> Option<Self> {
        SPEED_BENCH.into_iter().find(|known| *known == name).map(Self)
    }

    /// Every part, files before the categories in them.
    pub fn all() -> impl Iterator<Item = Self> {
        SPEED_BENCH.into_iter().map(Self)
    }

    pub const fn name(self) -> &'static str {
        self.0
    }

    /// The rows that belong to it; `None`: all of the file.
    pub fn category(self) -> Option<&'static str> {
        let part = self.0.strip_prefix("speed_bench_")?;
        match part.strip_prefix("throughput_") {
            Some(sized) => sized.split_once('_').map(|(_, entropy)| entropy),
            None => Some(part).filter(|part| *part != "qualitative"),
        }
    }

    /// The file that it is published in, without its extension.
    pub fn file_stem(self) -> &'static str {
        let part = self.0.strip_prefix("speed_bench_").unwrap_or(self.0);
        match self.category() {
            Some(category) if part.starts_with("throughput_") => {
                part.strip_suffix(category).map_or(part, |split| split.trim_end_matches('_'))
            }
            _ if part.starts_with("throughput_") => part,
            _ => "qualitative",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_speed_bench_is_a_file_or_one_category_in_it() {
        for (name, file, category) in [
            ("speed_bench_qualitative", "qualitative", None),
            ("speed_bench_coding", "qualitative", Some("coding")),
            ("speed_bench_throughput_1k", "throughput_1k", None),
            ("speed_bench_throughput_16k_low_entropy", "throughput_16k", Some("low_entropy")),
            ("speed_bench_throughput_32k_mixed", "throughput_32k", Some("mixed")),
        ] {
            let part = SpeedBench::named(name).unwrap();
            assert_eq!((part.file_stem(), part.category()), (file, category), "{name}");
        }
    }

    #[test]
    fn whole_requests_are_not_written_to_inputs_json_again() {
        let without: Vec<&str> =
            PLAIN.iter().filter(|format| !format.facts().writes_inputs).map(|format| format.name()).collect();
        let traces = ["mooncake_trace", "bailian_trace", "burst_gpt_trace", "azure_trace", "baseten_trace"];
        let others = ["raw_payload", "inputs_json", "sagemaker_data_capture", "tracelab", "weka_trace"];
        assert_eq!(without, [&traces[..], &others].concat());
    }
}
