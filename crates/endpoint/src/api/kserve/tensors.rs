//! The tensors of a request: the text, the other tensors of the backend, and the user's extra inputs, each with the type that
//! the model declares.

use aiperf_grpc::kserve::{Datatype, InputTensor, ModelTensors, TensorShape};
use aiperf_protocol::KserveBackend;
use serde_json::{Map, Value, json};

use crate::request::kserve::SAMPLING;
use crate::{KserveSettings, TurnRequest};

/// The names that text models of Triton's backends have.
const TEXT: &str = "text_input";
const LIMIT: &str = "max_tokens";
const STREAM: &str = "stream";
const WITHOUT_INPUT: &str = "exclude_input_in_output";

/// The limit for TensorRT-LLM if none is asked for: its models need one.
const USUAL_LIMIT: u32 = 256;

#[derive(Debug)]
pub(super) struct Tensor {
    name: String,
    datatype: Datatype,
    shape: Vec<i64>,
    data: Vec<Value>,
    pub(super) raw: Vec<u8>,
}

impl Tensor {
    pub(super) fn head(&self) -> InputTensor {
        InputTensor {
            name: self.name.clone(),
            datatype: self.datatype.name().to_owned(),
            shape: self.shape.clone(),
            contents: None,
        }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({"name": self.name, "shape": self.shape, "datatype": self.datatype.name(), "data": self.data})
    }
}

/// Builds the tensors of a request; the error names the input and what is wrong with it.
pub(super) fn of(request: &TurnRequest<'_>, settings: &KserveSettings, texts: &[&str]) -> Result<Vec<Tensor>, String> {
    let turn = request.current().map_err(|error| error.to_string())?;
    let unknown = ModelTensors::default();
    let model = settings.model(&turn.model).unwrap_or(&unknown);
    let mut inputs = TensorInputs { model, named: Vec::new() };
    inputs.named.push((text_input(model)?.to_owned(), json!(texts)));
    let extras = || request.options.extra_inputs.iter().chain(turn.extra_body.iter().flatten());
    let stream = request.options.streaming;
    match settings.backend {
        KserveBackend::TensorRtLlm => {
            inputs.offer(LIMIT, json!(turn.max_tokens.unwrap_or(USUAL_LIMIT)));
            inputs.offer(WITHOUT_INPUT, json!(true));
            inputs.offer(STREAM, json!(stream));
        }
        KserveBackend::Vllm => {
            inputs.offer(WITHOUT_INPUT, json!(true));
            inputs.offer(STREAM, json!(stream));
            let mut sampling = Map::new();
            sampling.extend(turn.max_tokens.map(|limit| (LIMIT.to_owned(), json!(limit))));
            sampling.extend(extras().filter(|(name, _)| !inputs.has(name)).map(|(n, v)| (n.clone(), v.clone())));
            sampling.retain(|_, value| !value.is_null());
            if !sampling.is_empty() {
                inputs.set(SAMPLING, Value::String(Value::Object(sampling).to_string()))?;
            }
        }
        KserveBackend::Python => {
            if let Some(limit) = turn.max_tokens {
                inputs.offer(LIMIT, json!(limit));
            }
            if stream {
                inputs.offer(STREAM, json!(true));
            }
        }
    }
    for (name, value) in extras().filter(|(name, _)| settings.backend != KserveBackend::Vllm || inputs_has(model, name))
    {
        inputs.set(name, value.clone())?;
    }
    inputs.into_tensors(texts.len())
}

/// Names that a vLLM model takes as tensors though it may not list them.
fn inputs_has(model: &ModelTensors, name: &str) -> bool {
    [TEXT, STREAM, WITHOUT_INPUT, SAMPLING].contains(&name) || model.input(name).is_some()
}

/// Where the text goes.
fn text_input(model: &ModelTensors) -> Result<&str, String> {
    if model.inputs.is_empty() || model.input(TEXT).is_some() {
        return Ok(TEXT);
    }
    ModelTensors::only_text(&model.inputs).map(|input| input.name.as_str()).ok_or_else(|| {
        format!("it has neither an input {TEXT} nor just one of type BYTES for the text; it has {}", names(model))
    })
}

fn names(model: &ModelTensors) -> String {
    let named = |input: &TensorShape| format!("{} ({})", input.name, input.datatype.map_or("?", Datatype::name));
    model.inputs.iter().map(named).collect::<Vec<_>>().join(", ")
}

struct TensorInputs<'a> {
    model: &'a ModelTensors,
    named: Vec<(String, Value)>,
}

impl TensorInputs<'_> {
    fn has(&self, name: &str) -> bool {
        self.named.iter().any(|(there, _)| there == name) || inputs_has(self.model, name)
    }

    /// Adds an input that the backend usually takes, unless the model lists its inputs without it.
    fn offer(&mut self, name: &str, value: Value) {
        if self.model.inputs.is_empty() || self.model.input(name).is_some() {
            self.named.push((name.to_owned(), value));
        }
    }

    /// Sets an input of the user; null leaves out what would be sent otherwise.
    fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        if !self.model.inputs.is_empty() && self.model.input(name).is_none() {
            return Err(format!("it has no input {name}; it has {}", names(self.model)));
        }
        match self.named.iter().position(|(there, _)| there == name) {
            Some(at) if value.is_null() => drop(self.named.remove(at)),
            Some(at) => self.named[at].1 = value,
            None if value.is_null() => {}
            None => self.named.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// Several texts are a batch, for which every input comes as often.
    fn into_tensors(self, batch: usize) -> Result<Vec<Tensor>, String> {
        let Self { model, named } = self;
        let all = named.into_iter().enumerate().map(|(place, (name, value))| {
            let is_text = place == 0;
            let unlisted = TensorShape { name: name.clone(), datatype: None, shape: Vec::new() };
            let listed = model.input(&name);
            let datatype = match listed {
                Some(input) => {
                    input.datatype.ok_or_else(|| format!("input {name} has a type that KServe does not have"))?
                }
                None => Datatype::of_value(&value),
            };
            let shape = listed.unwrap_or(&unlisted);
            let mut data: Vec<Value> = if let Value::Array(all) = value { all } else { vec![value] };
            let batched = batch > 1 && shape.shape.len() > 1;
            if batch > 1 && is_text && !batched && shape.shape.first().is_some_and(|length| *length == 1) {
                return Err(format!("input {name} takes one text, and there are {batch}; leave out --batch-size-text"));
            }
            if batched && !is_text {
                data = std::iter::repeat_n(data, batch).flatten().collect();
            }
            let mut raw = Vec::new();
            for element in &mut data {
                datatype.put(element, &mut raw).map_err(|error| format!("input {name}: {error}"))?;
                *element = datatype.element(element).map_err(|error| format!("input {name}: {error}"))?;
            }
            Ok(Tensor { shape: shape.holding(data.len(), batched), name, datatype, data, raw })
        });
        all.collect()
    }
}
