//! `profile_export.json`: the records of a run in the shape that GenAI-Perf's measuring program gives them, made of ours.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use aiperf_config::{Config, ExportLevel, Pace};
use aiperf_redact as redact;
use aiperf_report::ArtifactPaths;
use serde_json::{Value, json};

const NAME: &str = "profile_export.json";

/// What is to be written when the run is over.
#[derive(Debug)]
pub struct RecordFile {
    raw: PathBuf,
    summary: PathBuf,
    path: PathBuf,
    /// All but the requests.
    service_kind: &'static str,
    endpoint: String,
    experiment: Value,
}

impl RecordFile {
    /// `None` where requests are not kept, or where another name was chosen, which is that of our summary.
    pub fn of(config: &Config) -> Option<Self> {
        let output = &config.output;
        if output.level != ExportLevel::Raw || output.prefix.is_some() {
            return None;
        }
        let facts = config.endpoint.kind.facts();
        let (mode, value) = match &config.phases.profiling().pace {
            Pace::Rate { rate, .. } => {
                ("request_rate", json!(rate.points.first().map_or(0.0, |point| point.per_second)))
            }
            Pace::FixedSchedule { .. } => ("fixed_schedule", json!(true)),
            pace => ("concurrency", json!(pace.session_limit())),
        };
        Some(Self {
            raw: ArtifactPaths::new(&output.dir, None).raw(),
            summary: ArtifactPaths::new(&output.dir, None).summary_json(),
            path: output.dir.join(NAME),
            service_kind: match facts.name {
                "kserve" => "triton",
                "dynamic_grpc" => "dynamic_grpc",
                _ => "openai",
            },
            endpoint: redact::shown_url(config.endpoint.custom_path.as_deref().unwrap_or(facts.path))
                .trim_start_matches('/')
                .to_owned(),
            experiment: json!({"mode": mode, "value": value}),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the kept requests one by one; failed ones have no place in that file.
    pub fn write(&self) -> io::Result<()> {
        let raw = BufReader::new(File::open(&self.raw)?);
        let mut file = BufWriter::new(File::create(&self.path)?);
        let head =
            json!({"version": env!("CARGO_PKG_VERSION"), "service_kind": self.service_kind, "endpoint": self.endpoint});
        let head = head.to_string();
        write!(
            file,
            "{},\"experiments\":[{{\"experiment\":{},\"requests\":[",
            head.trim_end_matches('}'),
            self.experiment
        )?;
        let mut bounds: Option<(u64, u64)> = None;
        for line in raw.lines() {
            let record: Value = serde_json::from_str(&line?)?;
            let Some((request, begin, end)) = request(&record) else { continue };
            let comma = if bounds.is_some() { "," } else { "" };
            write!(file, "{comma}\n{request}")?;
            let (first, last) = bounds.unwrap_or((begin, end));
            bounds = Some((first.min(begin), last.max(end)));
        }
        let boundaries = self.windows().or(bounds.map(|(first, last)| vec![first, last])).unwrap_or_default();
        let boundaries = json!(boundaries);
        writeln!(file, "],\"window_boundaries\":{boundaries}}}]}}")?;
        file.flush()
    }
}

impl RecordFile {
    /// Where each window began and the last one ended, if the run was measured in windows.
    fn windows(&self) -> Option<Vec<u64>> {
        let summary: Value = serde_json::from_str(&fs::read_to_string(&self.summary).ok()?).ok()?;
        limits(&summary)
    }
}

fn limits(summary: &Value) -> Option<Vec<u64>> {
    let windows = summary["measurement_windows"]["windows"].as_array()?;
    let starts = windows.iter().filter_map(|window| window["start_ns"].as_u64());
    Some(starts.chain(windows.last()?["end_ns"].as_u64()).collect())
}

/// The request with its first and its last time.
fn request(record: &Value) -> Option<(Value, u64, u64)> {
    let metadata = &record["metadata"];
    let failed = !record["error"].is_null() || metadata["was_cancelled"] == json!(true);
    if metadata["benchmark_phase"] != "profiling" || failed {
        return None;
    }
    let begin = metadata["request_start_ns"].as_u64()?;
    let start = record["start_perf_ns"].as_u64()?;
    let responses = record["responses"].as_array()?;
    let times: Vec<u64> = responses
        .iter()
        .filter_map(|response| Some(begin + response["perf_ns"].as_u64()?.checked_sub(start)?))
        .collect();
    let outputs: Vec<Value> = responses.iter().map(|response| json!({"response": text(response)})).collect();
    let end = *times.last()?;
    let request = json!({
        "timestamp": begin,
        "request_inputs": {"payload": record["payload"].to_string(), "session_id": metadata["conversation_id"]},
        "response_timestamps": times,
        "response_outputs": outputs,
    });
    Some((request, begin, end))
}

/// A body as it came, an event line by line.
fn text(response: &Value) -> String {
    let Some(packets) = response["packets"].as_array() else {
        return response["text"].as_str().unwrap_or_default().to_owned();
    };
    let line = |packet: &Value| {
        let part = |name: &str| packet[name].as_str().unwrap_or_default().to_owned();
        format!("{}: {}\n", part("name"), part("value"))
    };
    packets.iter().map(line).collect::<String>() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(change: impl FnOnce(&mut Value)) -> Value {
        let mut record = json!({
            "metadata": {"request_start_ns": 1000, "benchmark_phase": "profiling", "was_cancelled": false, "conversation_id": "a"},
            "start_perf_ns": 50,
            "responses": [{"perf_ns": 60, "packets": [{"name": "data", "value": "{}"}]}, {"perf_ns": 80, "text": "whole"}],
            "payload": {"model": "m"},
        });
        change(&mut record);
        record
    }

    #[test]
    fn times_are_those_of_the_wall_and_bodies_are_text() {
        let (request, begin, end) = request(&record(|_| {})).unwrap();
        assert_eq!((begin, end), (1000, 1030));
        assert_eq!(request["response_timestamps"], json!([1010, 1030]));
        assert_eq!(request["response_outputs"], json!([{"response": "data: {}\n\n"}, {"response": "whole"}]));
        assert_eq!(request["request_inputs"], json!({"payload": "{\"model\":\"m\"}", "session_id": "a"}));
    }

    #[test]
    fn windows_are_listed_by_their_limits() {
        let window = |start: u64| json!({"start_ns": start, "end_ns": start + 10});
        let summary = json!({"measurement_windows": {"windows": [window(0), window(10), window(20)]}});
        assert_eq!(limits(&summary), Some(vec![0, 10, 20, 30]));
        assert_eq!(limits(&json!({})), None);
    }

    #[test]
    fn warmup_and_failures_are_left_out() {
        assert!(request(&record(|it| it["metadata"]["benchmark_phase"] = json!("warmup"))).is_none());
        assert!(request(&record(|it| it["metadata"]["was_cancelled"] = json!(true))).is_none());
        assert!(request(&record(|it| it["error"] = json!({"code": 500}))).is_none());
        assert!(request(&record(|it| it["responses"] = json!([]))).is_none());
    }
}
