//! Messages of the protocol as its JSON form writes them: for files that people read, and for servers that take both.

use serde_json::{Map, Value, json};

use super::message::{Contents, ParameterChoice};
use super::{Datatype, InferParameter, InferRequest, InferResponse, TensorContents};

impl InferRequest {
    pub fn to_json(&self) -> Value {
        let contents = |at: usize| self.inputs[at].contents.as_ref();
        let inputs = (0..self.inputs.len()).map(|at| {
            let input = &self.inputs[at];
            let held = Contents::of(contents(at), (0..at).map(contents), &self.raw_input_contents);
            let data = data(Datatype::from_name(&input.datatype), &held);
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
            let held = Contents::of(contents(at), (0..at).map(contents), &self.raw_output_contents);
            let data = data(Datatype::from_name(&output.datatype), &held);
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

fn data(datatype: Option<Datatype>, contents: &Contents<'_>) -> Vec<Value> {
    match (contents, datatype) {
        // The protocol has no list for these, so that servers write their bytes.
        (Contents::Typed(contents), Some(half @ (Datatype::Fp16 | Datatype::Bf16))) if !contents.bytes.is_empty() => {
            contents.bytes.iter().flat_map(|bytes| half.elements(bytes)).collect()
        }
        (Contents::Typed(contents), _) => typed(contents),
        (Contents::Raw(raw), Some(datatype)) => datatype.elements(raw),
        (Contents::Raw(_), None) | (Contents::Nowhere, _) => Vec::new(),
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
    use super::super::{InputTensor, OutputTensor};
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

    fn output(datatype: &str, contents: Option<TensorContents>) -> OutputTensor {
        OutputTensor { name: "o".into(), datatype: datatype.into(), shape: vec![-1], contents }
    }

    #[test]
    fn contents_with_nothing_in_them_leave_a_tensor_to_its_raw_bytes() {
        let text = |text: &[u8]| [&(text.len() as u32).to_le_bytes()[..], text].concat();
        let empty = || Some(TensorContents::default());
        let typed = TensorContents { bytes: vec![b"typed".to_vec()], ..TensorContents::default() };
        let answer = InferResponse {
            outputs: vec![output("BYTES", empty()), output("BYTES", Some(typed)), output("BYTES", None)],
            raw_output_contents: vec![text(b"first"), text(b"last")],
            ..InferResponse::default()
        };
        let read: Vec<Vec<Vec<u8>>> = (0..4).map(|at| answer.texts(at)).collect();
        assert_eq!(read, [vec![b"first".to_vec()], vec![b"typed".to_vec()], vec![b"last".to_vec()], vec![]]);
        let json = answer.to_json();
        let shown: Vec<&Value> = (0..3).map(|at| &json["outputs"][at]["data"]).collect();
        assert_eq!(shown, [&json!(["first"]), &json!(["typed"]), &json!(["last"])]);
    }

    #[test]
    fn every_list_of_contents_is_read() {
        let none = TensorContents::default;
        for (datatype, contents, data) in [
            ("BOOL", TensorContents { bools: vec![true], ..none() }, json!([true])),
            ("INT8", TensorContents { ints: vec![-1], ..none() }, json!([-1])),
            ("INT64", TensorContents { longs: vec![-2], ..none() }, json!([-2])),
            ("UINT16", TensorContents { uints: vec![3], ..none() }, json!([3])),
            ("UINT64", TensorContents { ulongs: vec![u64::MAX], ..none() }, json!([u64::MAX])),
            ("FP32", TensorContents { floats: vec![0.5], ..none() }, json!([0.5])),
            ("FP64", TensorContents { doubles: vec![0.25], ..none() }, json!([0.25])),
            ("BYTES", TensorContents { bytes: vec![b"a".to_vec(), b"b".to_vec()], ..none() }, json!(["a", "b"])),
            ("FP16", TensorContents { bytes: vec![vec![0, 0x3c, 0, 0xc0]], ..none() }, json!([1.0, -2.0])),
            ("BYTES", none(), json!([])),
        ] {
            let answer = InferResponse { outputs: vec![output(datatype, Some(contents))], ..InferResponse::default() };
            assert_eq!(answer.to_json()["outputs"][0]["data"], data, "{datatype}");
        }
    }
}
