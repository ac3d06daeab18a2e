//! Which API is spoken and where: options that depend on the endpoint type.

use super::given::Asked;
use super::refusal::Refusal;
use super::table::Rule;
use super::translate::Words;

const DEFAULT_TYPE: &str = "kserve";
const DEFAULT_BACKEND: &str = "tensorrtllm";
/// Where Triton listens for gRPC.
const TRITON: &str = "grpc://localhost:8001";
/// Sent where GenAI-Perf leaves the length open.
const DEFAULT_PREFIX: &str = "100";

/// The endpoint type of a command line, and what follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Endpoint<'a> {
    pub(super) name: &'a str,
    pub(super) backend: &'a str,
}

impl<'a> Endpoint<'a> {
    pub(super) fn of(asked: &'a Asked) -> Result<Self, Refusal> {
        let name = asked.text(Rule::EndpointType).unwrap_or(DEFAULT_TYPE);
        let backend = asked.text(Rule::Backend).unwrap_or(DEFAULT_BACKEND);
        match asked.get(Rule::Backend) {
            Some(given) if name != DEFAULT_TYPE => {
                Err(Refusal::Needs { flag: given.typed.clone(), needed: "--endpoint-type kserve" })
            }
            Some(given) if !["tensorrtllm", "vllm"].contains(&backend) => {
                Err(given.bad("the backends are tensorrtllm and vllm"))
            }
            _ => Ok(Self { name, backend }),
        }
    }

    fn is_grpc(&self) -> bool {
        ["kserve", "dynamic_grpc"].contains(&self.name)
    }

    pub(super) fn is_rankings(&self) -> bool {
        self.name == "rankings"
    }

    pub(super) fn is_dynamic(&self) -> bool {
        self.name == "dynamic_grpc"
    }

    /// Type, backend, path, address and manner of answering.
    pub(super) fn write(&self, asked: &Asked, words: &mut Words) {
        words.option("--endpoint-type", self.name);
        if asked.has(Rule::Backend) {
            words.option("--backend", self.backend);
        }
        match asked.text(Rule::Url) {
            Some(url) => words.option("--url", url),
            None if self.is_grpc() => words.option("--url", TRITON),
            None => {}
        }
        if let Some(path) = asked.text(Rule::Endpoint) {
            words.option("--endpoint", &format!("/{}", path.trim_start_matches('/')));
        }
        if asked.has(Rule::Streaming) || self.name == DEFAULT_TYPE {
            words.flag("--streaming");
        }
    }

    /// Lengths of what is sent and asked for. `generated`: prompts are made, not read.
    pub(super) fn lengths(&self, asked: &Asked, generated: bool, words: &mut Words) -> Result<(), Refusal> {
        let (batch, length, spread) =
            (asked.text(Rule::BatchSize), asked.text(Rule::InputLength), asked.text(Rule::InputSpread));
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
        words.maybe("--osl", asked.text(Rule::OutputLength));
        if self.name == "chat" && (!generated || asked.has(Rule::OutputLength)) {
            words.flag("--use-legacy-max-tokens");
        }
        self.exact_length(asked, words)?;
        if let Some(number) = asked.text(Rule::Prefixes).filter(|number| *number != "0") {
            words.option("--num-prefix-prompts", number);
            words.option("--prefix-prompt-length", asked.text(Rule::PrefixLength).unwrap_or(DEFAULT_PREFIX));
        } else if let Some(given) = asked.get(Rule::PrefixLength) {
            return Err(Refusal::Needs { flag: given.typed.clone(), needed: "--num-prefix-prompts" });
        }
        Ok(())
    }

    fn exact_length(&self, asked: &Asked, words: &mut Words) -> Result<(), Refusal> {
        let Some(given) = asked.get(Rule::Deterministic) else { return Ok(()) };
        if self.name != DEFAULT_TYPE {
            let why = "is for --endpoint-type kserve; elsewhere give --extra-inputs min_tokens:N --extra-inputs ignore_eos:true";
            return Err(Refusal::Refused { flag: given.typed.clone(), why });
        }
        let Some(length) = asked.text(Rule::OutputLength) else {
            return Err(Refusal::Needs { flag: given.typed.clone(), needed: "--output-tokens-mean" });
        };
        let name = if self.backend == "vllm" { "min_tokens" } else { "min_length" };
        words.option("--extra-inputs", &format!("{name}:{length}"));
        Ok(())
    }

    /// The middle of the name of the run's folder.
    pub(super) fn part(&self) -> String {
        match self.name {
            "kserve" => format!("triton-{}", self.backend),
            "dynamic_grpc" => "dynamic_grpc-dynamic_grpc".to_owned(),
            name => format!("openai-{name}"),
        }
    }
}
