//! What a model takes and gives, as its server says.

use serde_json::Value;

use super::{Datatype, ModelConfigResponse, ModelMetadataResponse, TensorMetadata};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelTensors {
    pub name: String,
    /// Empty if the server does not say.
    pub inputs: Vec<TensorShape>,
    pub outputs: Vec<TensorShape>,
    /// Answers a request with any number of messages, and so to streams only.
    pub decoupled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorShape {
    pub name: String,
    /// `None` for a type that the protocol does not have.
    pub datatype: Option<Datatype>,
    /// -1 for any length.
    pub shape: Vec<i64>,
}

impl ModelTensors {
    /// From what the gRPC form answers; the configuration is Triton's, and other servers have none.
    pub fn of_messages(metadata: &ModelMetadataResponse, config: Option<&ModelConfigResponse>) -> Self {
        let policy = config
            .and_then(|answer| answer.config.as_ref())
            .and_then(|config| config.model_transaction_policy.as_ref());
        Self {
            name: metadata.name.clone(),
            inputs: metadata.inputs.iter().map(TensorShape::of_message).collect(),
            outputs: metadata.outputs.iter().map(TensorShape::of_message).collect(),
            decoupled: policy.is_some_and(|policy| policy.decoupled),
        }
    }

    /// From what the JSON form answers.
    pub fn of_json(metadata: &Value, config: Option<&Value>) -> Self {
        let tensors = |name: &str| metadata[name].as_array().into_iter().flatten().map(TensorShape::of_json).collect();
        Self {
            name: metadata["name"].as_str().unwrap_or_default().to_owned(),
            inputs: tensors("inputs"),
            outputs: tensors("outputs"),
            decoupled: config.is_some_and(|config| config["model_transaction_policy"]["decoupled"] == true),
        }
    }

    pub fn input(&self, name: &str) -> Option<&TensorShape> {
        self.inputs.iter().find(|input| input.name == name)
    }

    /// The only tensor of type BYTES among these, if there is one and no other.
    pub fn only_text(tensors: &[TensorShape]) -> Option<&TensorShape> {
        let mut texts = tensors.iter().filter(|tensor| tensor.datatype == Some(Datatype::Bytes));
        texts.next().filter(|_| texts.next().is_none())
    }
}

impl TensorShape {
    fn of_message(tensor: &TensorMetadata) -> Self {
        Self { name: tensor.name.clone(), datatype: Datatype::from_name(&tensor.datatype), shape: tensor.shape.clone() }
    }

    fn of_json(tensor: &Value) -> Self {
        let shape = tensor["shape"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
        Self {
            name: tensor["name"].as_str().unwrap_or_default().to_owned(),
            datatype: tensor["datatype"].as_str().and_then(Datatype::from_name),
            shape,
        }
    }

    /// The shape of this many elements: all in the last dimension, or, of a batch, in the first.
    pub fn holding(&self, elements: usize, batched: bool) -> Vec<i64> {
        let mut shape = vec![1; self.shape.len().max(1)];
        let place = if batched { 0 } else { shape.len() - 1 };
        shape[place] = elements as i64;
        shape
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_model_is_read_from_either_form() {
        let metadata = json!({
            "name": "m",
            "inputs": [{"name": "text_input", "datatype": "BYTES", "shape": [-1, 1]}, {"name": "odd", "datatype": "X"}],
            "outputs": [{"name": "text_output", "datatype": "BYTES", "shape": [-1, 1]}],
        });
        let config = json!({"model_transaction_policy": {"decoupled": true}});
        let model = ModelTensors::of_json(&metadata, Some(&config));
        assert!(model.decoupled);
        assert_eq!(model.input("text_input").unwrap().holding(3, true), [3, 1]);
        assert_eq!(model.input("text_input").unwrap().holding(3, false), [1, 3]);
        assert_eq!(model.input("odd").unwrap().holding(1, false), [1]);
        assert_eq!(ModelTensors::only_text(&model.outputs).unwrap().name, "text_output");

        let message = ModelMetadataResponse {
            name: "m".into(),
            inputs: vec![TensorMetadata { name: "a".into(), datatype: "INT32".into(), shape: vec![1] }],
            ..ModelMetadataResponse::default()
        };
        let model = ModelTensors::of_messages(&message, None);
        assert_eq!(model.inputs[0].datatype, Some(Datatype::Int32));
        assert!(!model.decoupled && ModelTensors::only_text(&model.inputs).is_none());
    }
}
