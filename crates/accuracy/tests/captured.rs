//! The questions of AIPerf 0.13.0 on small data sets, captured from it. Ours have the same text to the byte.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::collections::BTreeSet;

use aiperf_accuracy::{
    AccuracyBenchmark, BenchmarkRow, BenchmarkSettings, DataSetPart, Question, QuestionRole, questions,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn captured() -> Vec<Value> {
    include_str!("captured/prompts.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn rows(benchmark: AccuracyBenchmark, part: &DataSetPart, data: &Value) -> Vec<BenchmarkRow> {
    let name = format!("{}|{}|{}", benchmark.facts().data_set, part.config.as_deref().unwrap_or(""), part.split);
    let rows = data[name.as_str()].as_array().cloned().unwrap_or_default();
    rows.into_iter().map(|row| row.as_object().unwrap().clone()).collect()
}

fn check(question: &Question, expected: &Value) {
    let text = |name: &str| expected[name].as_str();
    assert_eq!(Some(question.task.as_str()), text("task"));
    assert_eq!(Some(question.gold.as_str()), text("gold"));
    assert_eq!(Some(u64::from(question.max_tokens)), expected["max_tokens"].as_u64());
    let stop: Vec<&str> = expected["stop"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(question.stop, stop);
    if let Some(prompt) = text("prompt") {
        assert_eq!(question.prompt, prompt);
    } else {
        let hash = Sha256::digest(question.prompt.as_bytes());
        let expected = text("prompt_sha256").unwrap();
        let bytes: Vec<u8> =
            (0..32).map(|byte| u8::from_str_radix(&expected[2 * byte..2 * byte + 2], 16).unwrap()).collect();
        assert_eq!(hash[..], bytes[..], "{}", question.prompt);
    }
    let Some(messages) = expected["messages"].as_array() else {
        assert!(question.messages.len() == 1 && question.messages[0].content == question.prompt);
        return;
    };
    assert_eq!(question.messages.len(), messages.len());
    for (message, expected) in question.messages.iter().zip(messages) {
        let role = if message.role == QuestionRole::User { "user" } else { "assistant" };
        assert_eq!(
            (Some(role), Some(message.content.as_str())),
            (expected["role"].as_str(), expected["content"].as_str())
        );
    }
}

#[test]
fn questions_are_those_of_aiperf_to_the_byte() {
    let data: Value = serde_json::from_str(include_str!("captured/rows.json")).unwrap();
    let captured = captured();
    let mut seen = BTreeSet::new();
    for group in captured.chunk_by(|a, b| ["benchmark", "tasks", "n_shots", "cot"].iter().all(|key| a[*key] == b[*key]))
    {
        let benchmark: AccuracyBenchmark = group[0]["benchmark"].as_str().unwrap().parse().unwrap();
        let tasks = group[0]["tasks"].as_array().cloned().unwrap_or_default();
        let settings = BenchmarkSettings {
            tasks: tasks.iter().map(|task| task.as_str().unwrap().to_owned()).collect(),
            shots: usize::try_from(group[0]["n_shots"].as_u64().unwrap()).unwrap(),
            chain_of_thought: group[0]["cot"].as_bool().unwrap(),
            release: None,
        };
        let made = questions(benchmark, &settings, &mut |part| Ok(rows(benchmark, part, &data))).unwrap();
        assert_eq!(made.len(), group.len(), "{} {settings:?}", benchmark.facts().name);
        for (question, expected) in made.iter().zip(group) {
            check(question, expected);
        }
        seen.insert(benchmark.facts().name);
    }
    assert_eq!(seen.len(), AccuracyBenchmark::ALL.len());
}

#[test]
fn damaged_rows_and_settings_that_do_not_apply_are_refused_with_the_reason() {
    let settings = |tasks: &[&str], shots: usize, chain_of_thought: bool| BenchmarkSettings {
        tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
        shots,
        chain_of_thought,
        release: None,
    };
    let refused = |name: &str, settings: BenchmarkSettings, row: Value| {
        let rows = vec![row.as_object().unwrap().clone()];
        questions(name.parse().unwrap(), &settings, &mut |_| Ok(rows.clone())).unwrap_err().to_string()
    };
    let row = serde_json::json!({"question": "q", "choices": ["a", "b"], "answer": "x", "problem": 1.5});
    for (name, settings, reason) in [
        ("mmlu", settings(&["virology"], 0, false), "row 0 of the data set: the column \"answer\" is not a choice"),
        ("mmlu", settings(&["biology"], 0, false), "unknown name \"biology\" among the subjects"),
        ("mmlu", settings(&["all", "virology"], 0, false), "\"all\" cannot be combined"),
        ("mmlu_pro", settings(&[], 0, true), "the column \"category\" is missing"),
        ("aime24", settings(&[], 0, false), "the column \"answer\" is not a text"),
        ("bigbench", settings(&[], 4, true), "4 examples are more than the 3"),
        ("lcb-codegeneration", settings(&[], 1, false), "--accuracy-n-shots 1"),
        ("lcb-codegeneration", settings(&[], 0, true), "--accuracy-enable-cot"),
        ("gpqa-diamond", settings(&[], 0, false), "the column \"Question\" is missing"),
    ] {
        let row = if name == "aime24" { serde_json::json!({"problem": "p", "answer": [1]}) } else { row.clone() };
        let error = refused(name, settings, row);
        assert!(error.contains(reason), "{name}: {error}");
    }
}
