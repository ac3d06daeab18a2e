//! The `KServe` v2 protocol of the simulated model, over HTTP and gRPC: how its tensors are read and written, and
//! its metadata.

use aiperf_grpc::kserve::Datatype;
use serde_json::{Map, Value, json};

/// The inputs that the model lists, and its output.
pub(crate) const INPUTS: [(&str, Datatype); 13] = [
    ("text_input", Datatype::Bytes),
    ("max_tokens", Datatype::Int32),
    ("min_tokens", Datatype::Int32),
    ("stream", Datatype::Bool),
    ("exclude_input_in_output", Datatype::Bool),
    ("ignore_eos", Datatype::Bool),
    ("sampling_parameters", Datatype::Bytes),
    ("temperature", Datatype::Fp32),
    ("top_p", Datatype::Fp32),
    ("top_k", Datatype::Int32),
    ("random_seed", Datatype::Uint64),
    ("stop_words", Datatype::Bytes),
    (LEAST, Datatype::Int32),
];
pub(crate) const OUTPUT: &str = "text_output";
/// What TensorRT-LLM calls the least number of tokens.
const LEAST: &str = "min_length";
const SAMPLING: &str = "sampling_parameters";

/// What a request asks for, as fields with names: a tensor of one element is that element, and the sampling parameters
/// stand among the others.
pub(crate) fn fields(request: &Value) -> Value {
    let mut fields = Map::new();
    for input in request["inputs"].as_array().into_iter().flatten() {
        let (Some(name), Some(data)) = (input["name"].as_str(), input["data"].as_array()) else { continue };
        let first = data.first().cloned().unwrap_or_default();
        match name {
            "text_input" => fields.insert(name.to_owned(), data.clone().into()),
            SAMPLING => {
                let given = first.as_str().and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
                fields.extend(given.into_iter().flatten().map(|(name, value)| (name, number(value))));
                None
            }
            LEAST => fields.insert("min_tokens".to_owned(), first),
            _ => fields.insert(name.to_owned(), first),
        };
    }
    fields.into()
}

/// Some clients send numbers as text.
fn number(value: Value) -> Value {
    let read = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    read.filter(Value::is_number).unwrap_or(value)
}

pub(crate) fn answer(model: &str, text: &str) -> Value {
    let output = json!({"name": OUTPUT, "datatype": "BYTES", "shape": [1], "data": [text]});
    json!({"model_name": model, "model_version": "1", "outputs": [output]})
}

/// What the JSON form answers below `/v2/models/`.
pub(crate) fn about(path: &str) -> String {
    let rest = path.strip_prefix("/v2/models/").unwrap_or(path);
    let (model, what) = rest.split_once('/').unwrap_or((rest, ""));
    match what {
        "ready" => json!({ "name": model, "ready": true }),
        "config" => json!({"name": model, "max_batch_size": 0, "model_transaction_policy": {"decoupled": false}}),
        _ => {
            let tensor =
                |(name, datatype): (&str, Datatype)| json!({"name": name, "datatype": datatype.name(), "shape": [-1]});
            let output = tensor((OUTPUT, Datatype::Bytes));
            json!({
                "name": model,
                "versions": ["1"],
                "platform": "aiperf-sim",
                "inputs": INPUTS.map(tensor),
                "outputs": [output],
            })
        }
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_fields_and_sampling_parameters_stand_among_them() {
        let request = json!({"inputs": [
            {"name": "text_input", "data": ["a", "b"]},
            {"name": "stream", "data": [true]},
            {"name": "sampling_parameters", "data": ["{\"max_tokens\":\"7\",\"x\":\"y\"}"]},
            {"name": 3},
        ]});
        assert_eq!(fields(&request), json!({"text_input": ["a", "b"], "stream": true, "max_tokens": 7, "x": "y"}));
    }

    #[test]
    fn a_model_says_what_it_takes() {
        let metadata: Value = serde_json::from_str(&about("/v2/models/m")).unwrap();
        assert_eq!((&metadata["name"], &metadata["inputs"][1]["datatype"]), (&json!("m"), &json!("INT32")));
        assert!(about("/v2/models/m/config").contains("decoupled"));
    }
}
