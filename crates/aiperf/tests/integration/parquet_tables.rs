//! Parquet tables as pyarrow reads them: they have the same values as the files of the same run that are text.

use std::path::Path;
use std::process::Command;

use aiperf_test_tools::available;
use serde_json::Value;

use crate::support::{Program, sim};

/// A Python with pyarrow. `AIPERF_TEST_PYTHON` names the Python to use.
fn python() -> Option<String> {
    let python = std::env::var("AIPERF_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    available(&[&[&python, "-c", "import pyarrow.parquet"]]).then_some(python)
}

/// Columns, metadata and rows of each file.
fn read(python: &str, files: &[&Path]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/table_scripts/parquet_tables.py");
    let output = Command::new(python).env("PYTHONDONTWRITEBYTECODE", "1").arg(script).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn pyarrow_reads_the_same_values_as_the_text_files_have() {
    let Some(python) = python() else { return };
    let sim = sim("ttft=5&itl=2");
    let ended = Program::new("profile --artifact-dir out --model test-model --tokenizer builtin --isl 20 --streaming")
        .with(&format!("--url {} --osl 8 --concurrency 2 --request-count 12", sim.url()))
        .with("--export-records-parquet --server-metrics-formats json jsonl parquet")
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let artifacts = ended.artifacts;
    let files = ["profile_export.parquet", "server_metrics_export.parquet"].map(|name| artifacts.path(name));
    let tables = read(&python, &[&files[0], &files[1]]);
    let rows = |table: usize| tables[table]["rows"].as_array().unwrap();

    let records = artifacts.records();
    assert_eq!(rows(0).len(), records.len());
    for row in rows(0) {
        let record = records.iter().find(|record| *record.meta("x_request_id") == row["x_request_id"]).unwrap();
        assert_eq!(row["request_start_ns"], *record.meta("request_start_ns"), "{row}");
        let latency = row["request_latency"].as_f64().unwrap();
        assert!((latency - record.metric("request_latency")).abs() < 1e-9, "{row}");
    }

    let columns = &tables[1]["columns"];
    for (name, kind) in
        [("metric_name", "string"), ("timestamp_ns", "int64"), ("value", "double"), ("engine", "string")]
    {
        assert_eq!(columns[name], kind, "{columns}");
    }
    let metadata = &tables[1]["metadata"];
    assert_eq!(metadata["aiperf.benchmark_id"], artifacts.summary()["benchmark_id"]);
    // Each counter of the page has at each time the value that the line of this scrape has.
    let lines = artifacts.lines("server_metrics_export.jsonl");
    let mut compared = 0;
    for row in rows(1).iter().filter(|row| row["metric_name"] == "vllm:generation_tokens") {
        let line =
            lines.iter().find(|line| line["timestamp_ns"] == row["timestamp_ns"]).unwrap_or_else(|| panic!("{row}"));
        assert_eq!(line["metrics"]["vllm:generation_tokens"][0]["value"], row["value"], "{row}");
        compared += 1;
    }
    assert!(compared > 0, "{columns}");
    let buckets = |at: &Value| -> Vec<f64> {
        let of = rows(1).iter().filter(|row| row["timestamp_ns"] == *at);
        let of = of.filter(|row| row["metric_name"] == "vllm:time_to_first_token_seconds");
        of.map(|row| row["bucket_count"].as_f64().unwrap()).collect()
    };
    let last = buckets(&rows(1).last().unwrap()["timestamp_ns"]);
    assert!(last.len() > 5 && last.is_sorted(), "{last:?}");
}
