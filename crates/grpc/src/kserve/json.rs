//! Messages of the protocol as its JSON form writes them: for files that people read, and for servers that take both.

use serde_json::{Map, Value, json};

use super::message::{ParameterChoice, raw_of};
use super::{Datatype, InferParameter, InferRequest, InferResponse, TensorContents};

impl InferRequest {
    pub fn to_json(&self) -> Value {
        let contents = |at: usize| self.inputs[at].contents.as_ref();
        let inputs = (0..self.inputs.len()).map(|at| {
            let input = &self.inputs[at];
            let raw = raw_of((0..at).map(contents), &self.raw_input_contents);
            let data = data(Datatype::from_name(&input.datatype), contents(at), raw);
            json!({"name": input.name, "datatype": input.datatype, "shape": input.shape, "data": data})
        });
        let inputs: Vec<Value> = inputs.collect();
        let mut all = parameters(&self.model_name, &self.parameters);
        all.insert("inputs".into(), inputs.into());
        all.into()
    }
}

impl InferResponse {
    pub fn to_json(&self) -> Value {
        let contents = |at: usize| self.outputs[at].contents.as_ref();
        let outputs = (0..self.outputs.len()).map(|at| {
            let output = &self.outputs[at];
            let raw = raw_of((0..at).map(contents), &self.raw_output_contents);
            let data = data(Datatype::from_name(&output.datatype), contents(at), raw);
            json!({"name": output.name, "datatype": output.datatype, "shape": output.shape, "data": data})
        });
        let outputs: Vec<Value> = outputs.collect();
        let mut all = parameters(&self.model_name, &self.parameters);
        all.insert("outputs".into(), outputs.into());
        all.into()
    }
}

fn parameters<'a>(
    model: &str,
    parameters: impl IntoIterator<Item = (&'a String, &'a InferParameter)>,
) -> Map<String, Value> {
    let mut all = Map::new();
    all.insert("model_name".into(), model.into());
    let given: Map<String, Value> = parameters
        .into_iter()
        .map(|(name, parameter)| {
            let value = match &parameter.choice {
                None => Value::Null,
                Some(ParameterChoice::Bool(value)) => (*value).into(),
                Some(ParameterChoice::Int(value)) => (*value).into(),
                Some(ParameterChoice::Text(value)) => value.as_str().into(),
                Some(ParameterChoice::Double(value)) => (*value).into(),
                Some(ParameterChoice::Uint(value)) => (*value).into(),
            };
            (name.clone(), value)
        })
        .collect();
    if !given.is_empty() {
        all.insert("parameters".into(), given.into());
    }
    all
}

fn data(datatype: Option<Datatype>, contents: Option<&TensorContents>, raw: Option<&[u8]>) -> Vec<Value> {
    match (contents, raw, datatype) {
        (Some(contents), ..) => typed(contents),
        (None, Some(raw), Some(datatype)) => datatype.elements(raw),
        _ => Vec::new(),
    }
}

/// A tensor fills the list of its own type only.
fn typed(contents: &TensorContents) -> Vec<Value> {
    fn values<T: Clone + Into<Value>>(all: &[T]) -> impl Iterator<Item = Value> {
        all.iter().cloned().map(Into::into)
    }
    let texts = contents.bytes.iter().map(|text| Value::from(String::from_utf8_lossy(text).into_owned()));
    values(&contents.bools)
        .chain(values(&contents.ints))
        .chain(values(&contents.longs))
        .chain(values(&contents.uints))
        .chain(values(&contents.ulongs))
        .chain(values(&contents.floats))
        .chain(values(&contents.doubles))
        .chain(texts)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::InputTensor;
    use super::*;

    #[test]
    fn raw_and_typed_contents_read_alike() {
        let tensor = |name: &str, datatype: Datatype, contents| InputTensor {
            name: name.into(),
            datatype: datatype.name().into(),
            shape: vec![1],
            contents,
        };
        let text = TensorContents { bytes: vec![b"hi".to_vec()], ..TensorContents::default() };
        let mut limit = Vec::new();
        Datatype::Int32.put(&json!(7), &mut limit).unwrap();
        let request = InferRequest {
            model_name: "m".into(),
            inputs: vec![
                tensor("text_input", Datatype::Bytes, Some(text)),
                tensor("max_tokens", Datatype::Int32, None),
            ],
            raw_input_contents: vec![limit],
            ..InferRequest::default()
        };
        let expected = json!({"model_name": "m", "inputs": [
            {"name": "text_input", "datatype": "BYTES", "shape": [1], "data": ["hi"]},
            {"name": "max_tokens", "datatype": "INT32", "shape": [1], "data": [7]},
        ]});
        assert_eq!(request.to_json(), expected);
    }
}
