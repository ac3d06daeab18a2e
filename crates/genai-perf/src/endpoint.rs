//! Which API is spoken and where: options that depend on the endpoint type.

use crate::error::GenaiPerfError;
use crate::given::GivenFlags;
use crate::table::FlagRule;
use crate::translate::Words;

const DEFAULT_TYPE: &str = "kserve";
const DEFAULT_BACKEND: &str = "tensorrtllm";
/// Where Triton listens for gRPC.
const TRITON: &str = "grpc://localhost:8001";
/// Sent where GenAI-Perf leaves the length open.
const DEFAULT_PREFIX: &str = "100";

/// The endpoint type of a command line, and what follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EndpointChoice<'a> {
    pub(crate) name: &'a str,
    pub(crate) backend: &'a str,
}

impl<'a> EndpointChoice<'a> {
    pub(crate) fn of(asked: &'a GivenFlags) -> Result<Self, GenaiPerfError> {
        let name = asked.text(FlagRule::EndpointType).unwrap_or(DEFAULT_TYPE);
        let backend = asked.text(FlagRule::Backend).unwrap_or(DEFAULT_BACKEND);
        match asked.get(FlagRule::Backend) {
            Some(given) if name != DEFAULT_TYPE => {
                Err(GenaiPerfError::Needs { flag: given.typed.clone(), needed: "--endpoint-type kserve" })
            }
            Some(given) if !["tensorrtllm", "vllm"].contains(&backend) => Err(given.bad("must be tensorrtllm or vllm")),
            _ => Ok(Self { name, backend }),
        }
    }

    fn is_grpc(&self) -> bool {
        ["kserve", "dynamic_grpc"].contains(&self.name)
    }

    pub(crate) fn is_rankings(&self) -> bool {
        self.name == "rankings"
    }

    pub(crate) fn is_dynamic(&self) -> bool {
        self.name == "dynamic_grpc"
    }

    /// Type, backend, path, address and manner of answering.
    pub(crate) fn write(&self, asked: &GivenFlags, words: &mut Words) {
        words.option("--endpoint-type", self.name);
        if asked.has(FlagRule::Backend) {
            words.option("--backend", self.backend);
        }
        match asked.text(FlagRule::Url) {
            Some(url) => words.option("--url", url),
            None if self.is_grpc() => words.option("--url", TRITON),
            None => {}
        }
        if let Some(path) = asked.text(FlagRule::Endpoint) {
            words.option("--endpoint", &format!("/{}", path.trim_start_matches('/')));
        }
        if asked.has(FlagRule::Streaming) || self.name == DEFAULT_TYPE {
            words.flag("--streaming");
        }
    }

    /// Lengths of what is sent and asked for. `generated`: prompts are made, not read.
    pub(crate) fn lengths(&self, asked: &GivenFlags, generated: bool, words: &mut Words) -> Result<(), GenaiPerfError> {
        let (batch, length, spread) =
            (asked.text(FlagRule::BatchSize), asked.text(FlagRule::InputLength), asked.text(FlagRule::InputSpread));
        if generated && self.is_rankings() {
            words.option("--rankings-passages-mean", batch.unwrap_or("1"));
            for kind in ["passages", "query"] {
                words.maybe(&format!("--rankings-{kind}-prompt-token-mean"), length);
                words.maybe(&format!("--rankings-{kind}-prompt-token-stddev"), spread);
            }
        } else {
            words.maybe("--batch-size", batch);
            words.maybe("--isl", length);
            words.maybe("--isl-stddev", spread);
        }
        words.maybe("--osl", asked.text(FlagRule::OutputLength));
        if self.name == "chat" && (!generated || asked.has(FlagRule::OutputLength)) {
            words.flag("--use-legacy-max-tokens");
        }
        self.exact_length(asked, words)?;
        if let Some(number) = asked.text(FlagRule::Prefixes).filter(|number| *number != "0") {
            words.option("--num-prefix-prompts", number);
            words.option("--prefix-prompt-length", asked.text(FlagRule::PrefixLength).unwrap_or(DEFAULT_PREFIX));
        } else if let Some(given) = asked.get(FlagRule::PrefixLength) {
            return Err(GenaiPerfError::Needs { flag: given.typed.clone(), needed: "--num-prefix-prompts" });
        }
        Ok(())
    }

    fn exact_length(&self, asked: &GivenFlags, words: &mut Words) -> Result<(), GenaiPerfError> {
        let Some(given) = asked.get(FlagRule::Deterministic) else { return Ok(()) };
        if self.name != DEFAULT_TYPE {
            let why = "applies to --endpoint-type kserve; otherwise give --extra-inputs min_tokens:N --extra-inputs ignore_eos:true";
            return Err(GenaiPerfError::Refused { flag: given.typed.clone(), why });
        }
        let Some(length) = asked.text(FlagRule::OutputLength) else {
            return Err(GenaiPerfError::Needs { flag: given.typed.clone(), needed: "--output-tokens-mean" });
        };
        let name = if self.backend == "vllm" { "min_tokens" } else { "min_length" };
        words.option("--extra-inputs", &format!("{name}:{length}"));
        Ok(())
    }

    /// What stands in a run folder's name between the model and the load.
    pub(crate) fn folder_infix(&self) -> String {
        match self.name {
            "kserve" => format!("triton-{}", self.backend),
            "dynamic_grpc" => "dynamic_grpc-dynamic_grpc".to_owned(),
            name => format!("openai-{name}"),
        }
    }
}
