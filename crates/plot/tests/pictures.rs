//! The pictures of real folders: names, structure, and points compared with what the records say.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fs;
use std::path::{Path, PathBuf};

use aiperf_plot::{Figure, PictureFormat, PlotOptions, PlotSession, Theme, WrittenPlots, svg};
use serde_json::Value;

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A run of AIPerf with warmup, failures and time slices.
fn reference_run() -> PathBuf {
    fixture("aiperf/tests/fixtures/reference_run")
}

fn session(path: &Path, presets: &[&str]) -> PlotSession {
    let presets = presets.iter().map(ToString::to_string).collect();
    PlotSession::open(&PlotOptions { paths: vec![path.to_owned()], presets, ..PlotOptions::default() }).unwrap()
}

fn figure(path: &Path, preset: &str) -> Figure {
    let (mut drawn, skipped) = session(path, &[preset]).figures();
    assert!(skipped.is_empty(), "{skipped:?}");
    drawn.pop().unwrap().figure
}

/// The profiling records of a run, as anybody can read them.
fn records(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("profile_export.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["metadata"]["benchmark_phase"] == "profiling").collect()
}

fn metric(record: &Value, tag: &str) -> Option<f64> {
    record["metrics"][tag]["value"].as_f64()
}

fn seconds(record: &Value, key: &str, first: u64) -> f64 {
    (record["metadata"][key].as_u64().unwrap() - first) as f64 / 1e9
}

fn first_start(records: &[Value]) -> u64 {
    records.iter().map(|record| record["metadata"]["request_start_ns"].as_u64().unwrap()).min().unwrap()
}

/// The numbers of a CSV file.
fn numbers(csv: &str) -> Vec<Vec<f64>> {
    csv.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect()
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} is not {expected}");
}

#[test]
fn the_defaults_of_one_run_have_the_names_of_the_reference() {
    let dir = tempfile::tempdir().unwrap();
    let session = session(&reference_run(), &[]);
    let formats = [PictureFormat::Png, PictureFormat::Svg];
    let written = WrittenPlots::write(&session, dir.path(), Theme::Light, &formats).unwrap();
    assert_eq!(written.drawn, ["ttft_over_time", "ttft_timeline", "timeslices_ttft", "timeslices_itl"]);
    assert_eq!(written.skipped.len(), 1);
    assert_eq!(written.skipped[0].name, "gpu_utilization_and_throughput_over_time");
    assert!(written.skipped[0].reason.contains("--gpu-telemetry"), "{:?}", written.skipped);
    for name in &written.drawn {
        let png = fs::read(dir.path().join(format!("{name}.png"))).unwrap();
        assert_eq!(png[1..4], *b"PNG");
        let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!((side(16), side(20)), (2400, 1200));
        assert!(fs::read_to_string(dir.path().join(format!("{name}.svg"))).unwrap().ends_with("</svg>\n"));
        assert!(fs::read_to_string(dir.path().join(format!("{name}.csv"))).unwrap().lines().count() > 1);
    }
    let summary = fs::read_to_string(dir.path().join("summary.txt")).unwrap();
    assert!(summary.starts_with("AIPerf Plot Export Summary\n=====") && summary.contains("Generated 4 plots:"));
    assert!(summary.contains("  - timeslices_itl.png\n"), "{summary}");
    let log = fs::read_to_string(dir.path().join("aiperf_plot.log")).unwrap();
    assert!(log.contains("WARNING skipped: gpu_utilization_and_throughput_over_time"), "{log}");
}

#[test]
fn the_dots_of_requests_are_the_values_of_the_records() {
    let records = records(&reference_run());
    let points = numbers(&figure(&reference_run(), "ttft_over_time").points.csv());
    let expected: Vec<(usize, f64)> = records
        .iter()
        .enumerate()
        .filter_map(|(number, record)| Some((number, metric(record, "time_to_first_token")?)))
        .collect();
    assert!(expected.len() > 5 && expected.len() < records.len(), "some requests failed");
    assert_eq!(points.len(), expected.len());
    for (point, (number, ttft)) in points.iter().zip(expected) {
        assert_near(point[0], number as f64);
        assert_near(point[1], ttft);
    }
}

#[test]
fn the_lines_of_requests_begin_turn_and_end_when_the_records_say() {
    let records = records(&reference_run());
    let first = first_start(&records);
    let rows = numbers(&figure(&reference_run(), "ttft_timeline").points.csv());
    let expected: Vec<[f64; 4]> = records
        .iter()
        .filter_map(|record| {
            let (start, ttft) = (seconds(record, "request_start_ns", first), metric(record, "time_to_first_token")?);
            Some([start, start + ttft / 1e3, seconds(record, "request_end_ns", first), ttft])
        })
        .collect();
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(expected) {
        for (found, expected) in row[1..].iter().zip(expected) {
            assert_near(*found, expected);
        }
    }
}

#[test]
fn throughput_over_time_is_the_sum_of_the_rates_of_the_requests_that_decode() {
    let records = records(&reference_run());
    let first = first_start(&records);
    let spans: Vec<(f64, f64, f64)> = records
        .iter()
        .filter_map(|record| {
            let from = seconds(record, "request_start_ns", first) + metric(record, "time_to_first_token")? / 1e3;
            let to = seconds(record, "request_end_ns", first);
            Some((from, to, metric(record, "output_sequence_length")? / (to - from)))
        })
        .collect();
    let points = numbers(&figure(&reference_run(), "dispersed_throughput_over_time").points.csv());
    assert!(points.len() > spans.len());
    for pair in points.windows(2) {
        let middle = f64::midpoint(pair[0][0], pair[1][0]);
        let rate: f64 = spans.iter().filter(|(from, to, _)| (*from..*to).contains(&middle)).map(|span| span.2).sum();
        assert!((pair[0][1] - rate).abs() < 1e-6, "at {middle} s: {} is not {rate}", pair[0][1]);
    }
    let end = points.last().unwrap();
    assert_near(end[1], 0.0);
}

#[test]
fn time_slices_are_those_of_the_file() {
    let text = fs::read_to_string(reference_run().join("profile_export_aiperf_timeslices.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let slices: Vec<(f64, f64)> = file["timeslices"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|slice| {
            let metric = &slice["inter_token_latency"];
            Some((metric["avg"].as_f64()?, metric["std"].as_f64()?))
        })
        .collect();
    let csv = figure(&reference_run(), "timeslices_itl").points.csv();
    let rows = numbers(&csv);
    assert_eq!(rows.len(), slices.len());
    for (row, (mean, std)) in rows.iter().zip(slices) {
        assert_near(row[2], mean);
        assert_near(row[3], std);
    }
    assert!(csv.lines().nth(1).unwrap().starts_with("0–0.4,"), "{csv}");
}

#[test]
fn a_distribution_counts_every_request_once() {
    let values: Vec<f64> =
        records(&reference_run()).iter().filter_map(|record| metric(record, "request_latency")).collect();
    let bins = numbers(&figure(&reference_run(), "latency_distribution").points.csv());
    for bin in &bins[..bins.len() - 1] {
        let inside = values.iter().filter(|value| (bin[0]..bin[1]).contains(value)).count();
        assert!((bin[2] - inside as f64).abs() <= 1.0, "{bin:?}: {inside}");
    }
    assert_near(bins.iter().map(|bin| bin[2]).sum(), values.len() as f64);
    let tail = numbers(&figure(&reference_run(), "latency_survival").points.csv());
    assert_eq!(tail.len(), values.len());
    for row in tail {
        let longer = values.iter().filter(|value| **value >= row[0]).count();
        assert_near(row[1], longer as f64 / values.len() as f64);
    }
}

#[test]
fn a_picture_has_a_group_for_each_layer_and_one_dot_for_each_request() {
    let run = reference_run();
    let figure = figure(&run, "ttft_over_time");
    let text = svg(&figure, Theme::Light);
    assert_eq!(text.matches("<g class=\"layer ").count(), 1);
    let dots = text.split("<g class=\"layer dots\"").nth(1).unwrap().split("</g>").next().unwrap();
    assert_eq!(dots.matches('M').count(), figure.points.rows.len());
    assert!(text.contains("Time to First Token (ms)</text>"), "the label names metric and unit");
    assert!(text.contains(">Time to first token of each request</text>"));
    assert!(svg(&figure, Theme::Dark) != text);
    let slices = svg(&self::figure(&run, "timeslices_ttft"), Theme::Light);
    for layer in ["layer range", "layer level", "layer error-bars", "layer dots"] {
        assert!(slices.contains(layer), "{layer}");
    }
    assert!(slices.contains("Time to First Token, avg (ms)</text>"));
}

/// Runs of AIPerf in several modes, as files that it wrote.
fn samples() -> Vec<PathBuf> {
    let entries = fs::read_dir(fixture("metrics/tests/fixtures")).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<PathBuf> = entries.filter(|dir| dir.join("profile_export_aiperf.json").exists()).collect();
    runs.sort();
    assert!(runs.len() > 10, "{runs:?}");
    runs
}

#[test]
fn every_sample_of_the_reference_is_drawn_with_the_values_of_its_records() {
    for run in samples() {
        let session = session(&run, &["ttft_over_time", "latency_over_time", "latency_survival"]);
        let (drawn, skipped) = session.figures();
        assert_eq!(drawn.len() + skipped.len(), 3, "{}", run.display());
        let records = records(&run);
        for (name, tag) in [("ttft_over_time", "time_to_first_token"), ("latency_over_time", "request_latency")] {
            let mut expected: Vec<f64> = records.iter().filter_map(|record| metric(record, tag)).collect();
            let found = drawn.iter().find(|plot| plot.name == name).map(|plot| numbers(&plot.figure.points.csv()));
            let mut found: Vec<f64> = found.unwrap_or_default().iter().map(|row| row[1]).collect();
            assert_eq!(found.len(), expected.len(), "{name} of {}", run.display());
            found.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            found.iter().zip(expected).for_each(|(found, expected)| assert_near(*found, expected));
        }
    }
}

#[test]
fn the_defaults_of_several_runs_have_the_names_of_the_reference() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["gpu_telemetry", "chat_streaming", "goodput"] {
        fs::create_dir(dir.path().join(name)).unwrap();
        for file in ["profile_export.jsonl", "profile_export_aiperf.json"] {
            let from = fixture(&format!("metrics/tests/fixtures/{name}/{file}"));
            fs::copy(from, dir.path().join(name).join(file)).unwrap();
        }
    }
    let out = dir.path().join("plots");
    let session = session(dir.path(), &[]);
    let formats = [PictureFormat::Svg];
    let written = WrittenPlots::write(&session, &out, Theme::Light, &formats).unwrap();
    let names = [
        "pareto_curve_throughput_per_gpu_vs_latency",
        "pareto_curve_throughput_per_gpu_vs_interactivity",
        "ttft_vs_throughput",
        "latency_throughput_uncertainty",
    ];
    assert_eq!(written.drawn, names, "{:?}", written.skipped);
    let mut files: Vec<String> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let ends = ["svg", "csv"];
    let mut expected: Vec<String> = names.iter().flat_map(|name| ends.map(|end| format!("{name}.{end}"))).collect();
    expected.extend(["aiperf_plot.log".to_owned(), "summary.txt".to_owned()]);
    expected.sort();
    assert_eq!(files, expected);
    // Each point has the numbers of the summary of its run.
    let csv = fs::read_to_string(out.join("ttft_vs_throughput.csv")).unwrap();
    for line in csv.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let text = fs::read_to_string(dir.path().join(cells[0]).join("profile_export_aiperf.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap();
        assert_near(cells[3].parse().unwrap(), summary["time_to_first_token"]["avg"].as_f64().unwrap());
        assert_near(cells[6].parse().unwrap(), summary["request_throughput"]["avg"].as_f64().unwrap());
    }
    assert_eq!(csv.lines().count(), 4);
}

/// The percentile by straight lines between sorted values, as `numpy.percentile` has it.
fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - place.floor())
}

#[test]
fn rolling_percentiles_are_those_of_the_last_ten_requests() {
    let records = records(&reference_run());
    let first = first_start(&records);
    let mut points: Vec<(f64, f64)> = records
        .iter()
        .filter_map(|record| Some((seconds(record, "request_start_ns", first), metric(record, "request_latency")?)))
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let rows = numbers(&figure(&reference_run(), "latency_over_time").points.csv());
    assert_eq!(rows.len(), points.len());
    for (index, row) in rows.iter().enumerate() {
        let window: Vec<f64> = points[index.saturating_sub(9)..=index].iter().map(|(_, latency)| *latency).collect();
        assert_near(row[0], points[index].0);
        for (found, share) in row[2..].iter().zip([0.5, 0.95, 0.99]) {
            assert_near(*found, percentile(&window, share));
        }
    }
}

#[test]
fn a_heat_map_counts_every_request_in_its_cell() {
    let records = records(&reference_run());
    let first = first_start(&records);
    let points: Vec<(f64, f64)> = records
        .iter()
        .filter_map(|record| Some((seconds(record, "request_start_ns", first), metric(record, "time_to_first_token")?)))
        .collect();
    let cells = numbers(&figure(&reference_run(), "ttft_heat_map").points.csv());
    assert_near(cells.iter().map(|cell| cell[4]).sum(), points.len() as f64);
    for (x, y) in points {
        let near = |value: f64, from: f64, to: f64| value >= from - 1e-9 && value <= to + 1e-9;
        let has_cell = cells.iter().any(|cell| near(x, cell[0], cell[1]) && near(y, cell[2], cell[3]));
        assert!(has_cell, "no cell has {x}, {y}");
    }
}

#[test]
fn requests_in_flight_and_gpu_means_are_those_of_the_records() {
    let dir = gpu_run();
    let records = records(dir.path());
    let first = first_start(&records);
    let csv = figure(dir.path(), "gpu_utilization_and_throughput_over_time").points.csv();
    let series = |name: &str| {
        let lines = csv.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(','));
        let pairs = lines.map(|line| line.split_once(',').unwrap());
        pairs.map(|(time, value)| (time.parse().unwrap(), value.parse().unwrap())).collect::<Vec<(f64, f64)>>()
    };
    let active = series("active_requests");
    for pair in active.windows(2) {
        let middle = f64::midpoint(pair[0].0, pair[1].0);
        let is_open = |record: &&Value| {
            (seconds(record, "request_start_ns", first)..seconds(record, "request_end_ns", first)).contains(&middle)
        };
        assert_near(pair[0].1, records.iter().filter(is_open).count() as f64);
    }
    let text = fs::read_to_string(dir.path().join("gpu_telemetry_export.jsonl")).unwrap();
    let samples: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let means = series("nvidia_gpu_utilization");
    assert!(means.len() > 2);
    for (time, mean) in means {
        let at = |sample: &&Value| {
            let time_ns = sample["timestamp_ns"].as_u64().unwrap();
            ((i128::from(time_ns) - i128::from(first)) as f64 / 1e9 - time).abs() < 1e-6
        };
        let values: Vec<f64> = samples
            .iter()
            .filter(at)
            .filter_map(|sample| sample["telemetry_data"]["nvidia_gpu_utilization"].as_f64())
            .collect();
        assert_near(mean, values.iter().sum::<f64>() / values.len() as f64);
    }
}

#[test]
fn each_type_of_chart_has_its_layers() {
    let layers = |text: &str| {
        let parts = text.split("<g class=\"layer ").skip(1);
        let mut kinds: Vec<String> = parts.map(|part| part.split('"').next().unwrap().to_owned()).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    let expected = [
        ("ttft_over_time", vec!["dots"]),
        ("ttft_timeline", vec!["strokes"]),
        ("timeslices_itl", vec!["dots", "error-bars", "level", "range"]),
        ("latency_over_time", vec!["dots", "line"]),
        ("dispersed_throughput_over_time", vec!["area", "line"]),
        ("latency_distribution", vec!["bars"]),
        ("latency_survival", vec!["line"]),
        ("ttft_percentile_bands", vec!["band", "line"]),
        ("ttft_heat_map", vec!["heat"]),
    ];
    for (name, kinds) in expected {
        assert_eq!(layers(&svg(&figure(&reference_run(), name), Theme::Light)), kinds, "{name}");
    }
}

/// A folder with the files of others.
fn assembled(files: &[PathBuf]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        fs::copy(file, dir.path().join(file.file_name().unwrap())).unwrap();
    }
    dir
}

/// A run of AIPerf on two GPUs.
fn gpu_run() -> tempfile::TempDir {
    assembled(&[
        fixture("metrics/tests/fixtures/gpu_telemetry/profile_export.jsonl"),
        fixture("metrics/tests/fixtures/gpu_telemetry/profile_export_aiperf.json"),
        fixture("plot/tests/fixtures/gpu_telemetry/gpu_telemetry_export.jsonl"),
    ])
}

/// There is a sample from before the first request.
#[test]
fn gpu_samples_from_before_the_run_do_not_stretch_the_time_axis() {
    let run = gpu_run();
    let figure = figure(run.path(), "gpu_utilization_and_throughput_over_time");
    let csv = figure.points.csv();
    let times: Vec<f64> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert!(times.iter().all(|time| *time >= 0.0), "{times:?}");
    for series in ["throughput_tokens_per_sec", "nvidia_gpu_utilization", "active_requests"] {
        assert!(csv.contains(&format!("\n{series},")), "{series}");
    }
    let label = &figure.y2.unwrap().label;
    assert_eq!(label, "GPU utilization, mean of 2 GPUs (%)");
}

/// The points of a plot of a server metric, and its right or left label.
fn server_metric(run: &Path, kind: &str, name: &str) -> Result<(Vec<Vec<f64>>, String), String> {
    let config = run.join("plots.yaml");
    let text = format!(
        "visualization:\n  single_run_defaults: [p]\n  single_run_plots:\n    p: {{type: {kind}, x: timestamp_s, y: '{name}'}}\n"
    );
    fs::write(&config, text).unwrap();
    let options = PlotOptions { paths: vec![run.to_owned()], config: Some(config), ..PlotOptions::default() };
    let (drawn, mut skipped) = PlotSession::open(&options).unwrap().figures();
    match drawn.first() {
        Some(plot) => Ok((numbers(&plot.figure.points.csv()), plot.figure.y.label.clone())),
        None => Err(skipped.pop().unwrap().reason),
    }
}

#[test]
fn server_metrics_are_the_same_from_lines_and_from_the_table() {
    let run = |file: &str| {
        assembled(&[
            fixture("artifact/tests/fixtures/server_metrics/profile_export.jsonl"),
            fixture("artifact/tests/fixtures/server_metrics/profile_export_aiperf.json"),
            fixture("plot/tests/fixtures/server_metrics/server_metrics_export.json"),
            fixture(&format!("plot/tests/fixtures/server_metrics/{file}")),
        ])
    };
    let (lines, table) = (run("server_metrics_export.jsonl"), run("server_metrics_export.parquet"));
    let name = "vllm:kv_cache_usage_perc{engine=0}";
    let (points, label) = server_metric(lines.path(), "scatter", name).unwrap();
    assert!(points.len() > 2 && label.contains("vllm:kv_cache_usage_perc"), "{points:?} {label}");
    // The table has each scrape, the lines only those in which something had changed.
    let (others, _) = server_metric(table.path(), "scatter", name).unwrap();
    assert!(points.iter().all(|point| others.contains(point)), "{others:?} {points:?}");

    let (rates, label) = server_metric(lines.path(), "area", "vllm:generation_tokens_total").unwrap();
    assert!(label.ends_with("(tokens/s)") && rates.iter().all(|row| row[1] >= 0.0), "{label} {rates:?}");
    let (buckets, _) = server_metric(lines.path(), "histogram", "vllm:time_to_first_token_seconds").unwrap();
    assert_near(buckets.iter().map(|row| row[2]).sum(), 12.0);
    assert!(server_metric(lines.path(), "percentile_bands", "vllm:time_to_first_token_seconds").is_ok());
    let reason = server_metric(lines.path(), "scatter", "vllm:kv_cache_usage_perc{engine=7}").unwrap_err();
    assert!(reason.contains("no series of vllm:kv_cache_usage_perc fits the filter"), "{reason}");
    let reason = server_metric(lines.path(), "scatter", "vllm:kv_cache_usage_prec").unwrap_err();
    assert!(reason.contains("did you mean vllm:kv_cache_usage_perc?"), "{reason}");
}

/// The folder of a sweep: one run for each concurrency.
fn sweep(model: &str, points: &[(u64, f64, f64)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (concurrency, latency, throughput) in points {
        let run = dir.path().join(format!("c{concurrency}"));
        fs::create_dir_all(&run).unwrap();
        let summary = serde_json::json!({
            "request_latency": {"unit": "ms", "avg": latency, "p99": latency * 2.0},
            "request_throughput": {"unit": "requests/sec", "avg": throughput},
            "time_to_first_token": {"unit": "ms", "avg": latency / 4.0},
            "output_token_throughput": {"unit": "tokens/sec", "avg": throughput * 10.0},
            "output_token_throughput_per_user": {"unit": "tokens/sec/user", "avg": 1e4 / latency},
            "input_config": {"models": {"items": [{"name": model}]}, "phases": [{"name": "profiling", "concurrency": concurrency}]},
        });
        fs::write(run.join("profile_export_aiperf.json"), summary.to_string()).unwrap();
    }
    dir
}

#[test]
fn points_of_a_sweep_are_joined_in_the_order_of_its_parameter() {
    // The second point is quicker than the first: an order by x would double back.
    let dir = sweep("m", &[(1, 50.0, 20.0), (2, 40.0, 50.0), (16, 90.0, 170.0)]);
    let figure = figure(dir.path(), "ttft_vs_throughput");
    let labels: Vec<String> = figure.points.rows.iter().map(|row| row[2].to_string()).collect();
    assert_eq!(labels, ["1", "2", "16"]);
    let text = svg(&figure, Theme::Light);
    assert!(
        text.contains("Time to First Token, avg (ms)</text>")
            && text.contains("Request Throughput, avg (requests/s)</text>")
    );
}

#[test]
fn the_statistic_of_a_preset_is_drawn_and_named() {
    let dir = sweep("m", &[(1, 50.0, 20.0), (2, 60.0, 50.0)]);
    let config = dir.path().join("plots.yaml");
    let text = "visualization:\n  multi_run_defaults: [tail]\n  multi_run_plots:\n    tail: {type: scatter_line, \
                x: {metric: request_latency, stat: p99}, y: request_throughput_avg, y_label: Load}\n";
    fs::write(&config, text).unwrap();
    let options = PlotOptions { paths: vec![dir.path().to_owned()], config: Some(config), ..PlotOptions::default() };
    let (drawn, _) = PlotSession::open(&options).unwrap().figures();
    let figure = &drawn[0].figure;
    assert_eq!(figure.points.rows[0][3].to_string(), "100");
    assert_eq!((figure.x.label.as_str(), figure.y.label.as_str()), ("Request Latency, p99 (ms)", "Load"));
}

#[test]
fn charts_per_gpu_need_the_number_of_gpus() {
    let dir = sweep("m", &[(1, 50.0, 20.0), (2, 60.0, 50.0), (4, 60.0, 40.0)]);
    let (drawn, skipped) = session(dir.path(), &[]).figures();
    assert_eq!(drawn.iter().map(|plot| plot.name.as_str()).collect::<Vec<_>>(), ["ttft_vs_throughput"]);
    assert!(skipped.iter().all(|plot| plot.reason.contains("--gpus N")), "{skipped:?}");
    let options = PlotOptions { paths: vec![dir.path().to_owned()], gpus: Some(4), ..PlotOptions::default() };
    let (drawn, skipped) = PlotSession::open(&options).unwrap().figures();
    assert_eq!((drawn.len(), skipped.len()), (4, 0), "{skipped:?}");
    let pareto = &drawn[0].figure.points;
    let frontier: Vec<String> = pareto.rows.iter().map(|row| row.last().unwrap().to_string()).collect();
    assert_eq!(frontier, ["yes", "yes", "no"]);
    assert_eq!(pareto.rows[0][6].to_string(), "50");
}

#[test]
fn hostile_names_stay_text() {
    let dir = sweep("<script>alert(1)</script>\"&", &[(1, 50.0, 20.0), (2, 60.0, 50.0)]);
    let text = svg(&figure(dir.path(), "ttft_vs_throughput"), Theme::Light);
    assert!(!text.contains("<script>") && text.contains("&lt;script&gt;"));
}

#[test]
fn the_same_folder_gives_the_same_bytes() {
    let one = aiperf_plot::png(&figure(&reference_run(), "ttft_timeline"), Theme::Dark);
    let other = aiperf_plot::png(&figure(&reference_run(), "ttft_timeline"), Theme::Dark);
    assert!(one == other && one.len() > 10_000);
}
