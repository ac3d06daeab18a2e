//! The folder of an offline run, in the layout of the client's own.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use aiperf_config::WandbConfig;
use aiperf_live::{History, HistoryPoint, Percentiles};
use jiff::Timestamp;
use prost::Message;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::error::WandbError;
use crate::message::{
    FileHeader, HistoryRow, HistoryStep, KeyedValue, KeyedValues, ListedFile, RecordContent, RecordTime, RunExit,
    RunFileList, RunIdentity, WandbRecord, WriterVersion,
};
use crate::record_file::RecordFileWriter;
use crate::run_files::link_files;
use crate::summary_table::SummaryTable;

/// The oldest client that can read these records, as the client's own files have it.
const MIN_CONSUMER: &str = "0.70.0";
/// Name of the table.
const TABLE: &str = "summary_metrics";
/// Folder of the benchmark's own files.
const ARTIFACTS: &str = "artifacts";
const AT_THE_END: i32 = 1;
const MEDIUM: i32 = 2;

/// A finished benchmark.
#[derive(Debug)]
pub struct BenchmarkResult<'a> {
    /// The summary document.
    pub summary: &'a Value,
    /// The profiling phase over time; may be empty.
    pub history: &'a History,
    /// Where its files are.
    pub artifact_dir: &'a Path,
    pub benchmark_id: &'a str,
    pub version: &'a str,
    pub host: &'a str,
    /// The command that repeats it, without secrets.
    pub cli_command: &'a str,
    /// Nanoseconds since the epoch.
    pub start_ns: i64,
    pub end_ns: i64,
    pub has_failed: bool,
}

/// A run that is ready to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfflineRun {
    pub folder: PathBuf,
    pub record_file: PathBuf,
}

/// Writes the run to `wandb/` in its artifact folder.
pub fn write_offline_run(config: &WandbConfig, result: &BenchmarkResult<'_>) -> Result<OfflineRun, WandbError> {
    let started = Timestamp::from_nanosecond(i128::from(result.start_ns)).unwrap_or(Timestamp::UNIX_EPOCH);
    let name = format!("offline-run-{}-{}", started.strftime("%Y%m%d_%H%M%S"), result.benchmark_id);
    let all_runs = result.artifact_dir.join("wandb");
    let folder = all_runs.join(&name);
    let files = folder.join("files");
    for part in [&files, &folder.join("logs")] {
        fs::create_dir_all(part).map_err(WandbError::at(part))?;
    }
    let record_file = folder.join(format!("run-{}.wandb", result.benchmark_id));
    let opened = File::create(&record_file).map_err(WandbError::at(&record_file))?;
    let mut writer = RecordFileWriter::new(BufWriter::new(opened)).map_err(WandbError::at(&record_file))?;
    let mut number = 0;
    let mut write = |content| {
        number += 1;
        let record = WandbRecord { number, content: Some(content) };
        writer.write(&record.encode_to_vec()).map_err(WandbError::at(&record_file))
    };
    write(RecordContent::Header(FileHeader {
        version: Some(WriterVersion {
            producer: format!("aiperf-{}", result.version),
            min_consumer: MIN_CONSUMER.to_owned(),
        }),
    }))?;
    write(RecordContent::Run(identity(config, result)))?;
    let mut listed: Vec<ListedFile> = link_files(result.artifact_dir, &files.join(ARTIFACTS))?
        .into_iter()
        .map(|name| ListedFile { path: format!("{ARTIFACTS}/{name}"), policy: AT_THE_END, kind: 0 })
        .collect();
    let table = write_table(result.summary, &files)?;
    listed.push(ListedFile { path: table.path.clone(), policy: 0, kind: MEDIUM });
    write(RecordContent::Files(RunFileList { files: listed }))?;
    let mut rows: Vec<(f64, Vec<KeyedValue>)> =
        result.history.points.iter().map(|point| (point.at, history_items(point))).collect();
    let length = (result.end_ns - result.start_ns).max(0) as f64 * 1e-9;
    rows.push((length, table.items()));
    for (step, (at, items)) in rows.into_iter().enumerate() {
        write(RecordContent::History(history_row(step, at, items, result.start_ns)))?;
    }
    write(RecordContent::Summary(KeyedValues { update: summary_items(result.summary, &table, length) }))?;
    let exit_code = i32::from(result.has_failed);
    write(RecordContent::Exit(RunExit { exit_code, runtime: length as i32 }))?;
    writer.finish().map_err(WandbError::at(&record_file))?;
    mark_latest(&all_runs, &name);
    Ok(OfflineRun { folder, record_file })
}

fn identity(config: &WandbConfig, result: &BenchmarkResult<'_>) -> RunIdentity {
    let short: String = result.benchmark_id.chars().take(8).collect();
    let empty = serde_json::Map::new();
    let sections = result.summary["input_config"].as_object().unwrap_or(&empty);
    let mut items: Vec<KeyedValue> = sections.iter().map(|(name, value)| keyed(name, value)).collect();
    items.push(keyed("aiperf.cli_command", &json!(result.cli_command)));
    let mut tags = vec![format!("aiperf-{}", result.version), format!("benchmark-{short}")];
    tags.extend(config.tags.iter().cloned());
    RunIdentity {
        run_id: result.benchmark_id.to_owned(),
        entity: config.entity.clone().unwrap_or_default(),
        project: config.project.clone(),
        config: Some(KeyedValues { update: items }),
        display_name: config.run_name.clone().unwrap_or_else(|| format!("aiperf-{short}")),
        tags,
        host: result.host.to_owned(),
        start_time: Some(RecordTime {
            seconds: result.start_ns.div_euclid(1_000_000_000),
            nanos: result.start_ns.rem_euclid(1_000_000_000) as i32,
        }),
    }
}

/// The file of the table, as a value of the run refers to it.
struct TableFile {
    path: String,
    sha256: String,
    size: usize,
    columns: usize,
    rows: usize,
}

fn write_table(summary: &Value, files: &Path) -> Result<TableFile, WandbError> {
    let table = SummaryTable::of(summary);
    let text = table.json().to_string();
    let digits: Vec<String> = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let sha256 = digits.concat();
    let path = format!("media/table/{TABLE}_0_{}.table.json", &sha256[..20]);
    let file = files.join(&path);
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).map_err(WandbError::at(parent))?;
    }
    fs::write(&file, &text).map_err(WandbError::at(&file))?;
    Ok(TableFile { path, sha256, size: text.len(), columns: table.columns.len(), rows: table.rows.len() })
}

impl TableFile {
    fn items(&self) -> Vec<KeyedValue> {
        let fields = [
            ("_type", json!("table-file")),
            ("path", json!(self.path)),
            ("sha256", json!(self.sha256)),
            ("size", json!(self.size)),
            ("ncols", json!(self.columns)),
            ("nrows", json!(self.rows)),
        ];
        fields.into_iter().map(|(field, value)| nested(&[TABLE, field], &value)).collect()
    }
}

/// The values of one second.
fn history_items(point: &HistoryPoint) -> Vec<KeyedValue> {
    let mut values = vec![
        ("requests_per_second".to_owned(), point.requests_per_second),
        ("output_tokens_per_second".to_owned(), point.output_tokens_per_second),
        ("in_flight".to_owned(), point.in_flight),
        ("errors_per_second".to_owned(), point.errors_per_second),
    ];
    let mut put = |name: &str, percentiles: Option<Percentiles>| {
        let both = percentiles.map(|times| [("p50", times.p50), ("p99", times.p99)]);
        values.extend(both.into_iter().flatten().map(|(which, value)| (format!("{name}_{which}_ms"), value)));
    };
    put("time_to_first_token", point.ttft);
    put("inter_token_latency", point.itl);
    put("request_latency", point.latency);
    values.extend(point.server.iter().map(|(tag, value)| (format!("server/{tag}"), *value)));
    values.extend(point.gpu_watts.map(|watts| ("gpu_power_watts".to_owned(), watts)));
    let finite = values.into_iter().filter(|(_, value)| value.is_finite());
    finite.map(|(name, value)| nested(&[&format!("live/{name}")], &json!(value))).collect()
}

fn history_row(step: usize, at: f64, mut items: Vec<KeyedValue>, start_ns: i64) -> HistoryRow {
    items.push(nested(&["_runtime"], &json!(at)));
    items.push(nested(&["_timestamp"], &json!(start_ns as f64 * 1e-9 + at)));
    items.push(nested(&["_step"], &json!(step)));
    HistoryRow { items, step: Some(HistoryStep { number: step as i64 }) }
}

/// The final metrics: `TAG` is the mean or the only value, `TAG.p99` and the like are the other statistics.
fn summary_items(summary: &Value, table: &TableFile, length: f64) -> Vec<KeyedValue> {
    let mut items = table.items();
    let empty = serde_json::Map::new();
    for (tag, row) in summary.as_object().unwrap_or(&empty) {
        let Some(row) = row.as_object().filter(|row| row.contains_key("unit")) else { continue };
        for (statistic, value) in row.iter().filter(|(_, value)| value.is_number()) {
            let name = if statistic == "avg" { tag.clone() } else { format!("{tag}.{statistic}") };
            items.push(nested(&[&name], value));
        }
    }
    items.push(nested(&["_runtime"], &json!(length)));
    items.push(nested(&["_wandb", "runtime"], &json!(length as i64)));
    items
}

fn keyed(key: &str, value: &Value) -> KeyedValue {
    KeyedValue { key: key.to_owned(), nested_key: Vec::new(), value_json: value.to_string() }
}

fn nested(path: &[&str], value: &Value) -> KeyedValue {
    let nested_key = path.iter().map(|part| (*part).to_owned()).collect();
    KeyedValue { key: String::new(), nested_key, value_json: value.to_string() }
}

/// `wandb/latest-run`, as the client makes it. A file system without links does not have it.
#[cfg(unix)]
fn mark_latest(all_runs: &Path, name: &str) {
    let link = all_runs.join("latest-run");
    let _ = fs::remove_file(&link);
    let _ = std::os::unix::fs::symlink(name, &link);
}

#[cfg(not(unix))]
fn mark_latest(_: &Path, _: &str) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_file::tests::read_back;

    #[test]
    fn a_run_has_its_configuration_values_and_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("profile_export_aiperf.json"), "{}").unwrap();
        let summary = json!({
            "input_config": {"endpoint": {"type": "chat"}},
            "request_latency": {"unit": "ms", "avg": 5.5, "p99": 9.0},
        });
        let point = HistoryPoint { at: 1.0, requests_per_second: 2.0, ..HistoryPoint::default() };
        let config =
            WandbConfig { project: "p".into(), entity: Some("team".into()), run_name: None, tags: vec!["t".into()] };
        let result = BenchmarkResult {
            summary: &summary,
            history: &History { phase: "profiling".into(), step: 1.0, points: vec![point] },
            artifact_dir: folder.path(),
            benchmark_id: "0123456789ab",
            version: "1",
            host: "h",
            cli_command: "aiperf profile",
            start_ns: 1_794_822_575_000_000_000,
            end_ns: 1_794_822_578_000_000_000,
            has_failed: false,
        };
        let run = write_offline_run(&config, &result).unwrap();
        assert!(run.folder.ends_with("wandb/offline-run-20261116_094935-0123456789ab"), "{run:?}");
        let records: Vec<WandbRecord> = read_back(&fs::read(&run.record_file).unwrap())
            .iter()
            .map(|record| WandbRecord::decode(&record[..]).unwrap())
            .collect();
        assert!(records.iter().enumerate().all(|(index, record)| record.number == index as i64 + 1));
        let contents: Vec<RecordContent> = records.into_iter().filter_map(|record| record.content).collect();
        let [
            RecordContent::Header(_),
            RecordContent::Run(identity),
            RecordContent::Files(files),
            RecordContent::History(first),
            RecordContent::History(_),
            RecordContent::Summary(values),
            RecordContent::Exit(exit),
        ] = &contents[..]
        else {
            panic!("{contents:?}")
        };
        assert_eq!((identity.display_name.as_str(), identity.entity.as_str()), ("aiperf-01234567", "team"));
        assert_eq!(identity.tags, ["aiperf-1", "benchmark-01234567", "t"]);
        assert!(first.items.contains(&nested(&["live/requests_per_second"], &json!(2.0))));
        assert!(values.update.contains(&nested(&["request_latency.p99"], &json!(9.0))));
        assert_eq!((exit.exit_code, exit.runtime), (0, 3));
        for file in &files.files {
            assert!(run.folder.join("files").join(&file.path).is_file(), "{}", file.path);
        }
        assert_eq!(files.files.len(), 2);
    }
}
