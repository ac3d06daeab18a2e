//! Compares our numbers over several runs with the reference's own files, field for field.

use std::fs;
use std::path::Path;

use aiperf_config::{Environment, Experiment};
use aiperf_metrics::{Metric, Percentile, Stats};
use aiperf_options::RawOptions;
use aiperf_options::catalogue::options;
use aiperf_protocol::RunEnding;
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::figures::{Figures, MetricFigures, statistics};
use super::order::TrialAssignment;
use super::runner::{Pause, Runner, TrialError, TrialResult};
use super::series::run_trials;

/// As the samples were made, which is all that our files must say of them.
const VERSION: &str = "0.13.0";

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json(name: &str) -> Value {
    serde_json::from_str(&fixture(name)).unwrap()
}

fn experiment(dir: &Path, words: &[&str]) -> Experiment {
    let mut raw = RawOptions::default();
    let dir = format!("--artifact-dir={}", dir.display());
    for word in words.iter().copied().chain(["--model=mock-model", "--streaming", &dir]) {
        let (name, value) = word.split_once('=').unwrap_or((word, "true"));
        let spec = options().find(|spec| spec.long.iter().any(|long| name == format!("--{long}"))).unwrap();
        raw.push(spec.id, name, vec![value.to_owned()]);
    }
    raw.resolve_experiment(&Environment::default()).unwrap()
}

/// The metrics of a summary file.
fn figures_of(summary: &Value) -> Figures {
    let metric = |(tag, metric): (&String, &Value)| {
        let stat = |name: &str| metric[name].as_f64();
        Some(MetricFigures {
            tag: tag.clone().into(),
            unit: metric["unit"].as_str()?.to_owned().into(),
            stats: Stats {
                avg: stat("avg"),
                percentiles: Percentile::ALL.map(|percentile| stat(percentile.name())),
                min: stat("min"),
                max: stat("max"),
                std: stat("std"),
                count: metric["count"].as_u64(),
                sum: stat("sum"),
            },
            intervals: Vec::new(),
        })
    };
    Figures { metrics: summary.as_object().unwrap().iter().filter_map(metric).collect() }
}

/// Puts a statistic where it belongs, by its name.
fn put(stats: &mut Stats, name: &str, value: f64) {
    match name {
        "avg" => stats.avg = Some(value),
        "min" => stats.min = Some(value),
        "max" => stats.max = Some(value),
        "std" => stats.std = Some(value),
        "sum" => stats.sum = Some(value),
        percentile => {
            let place = Percentile::ALL.into_iter().position(|known| known.name() == percentile).unwrap();
            stats.percentiles[place] = Some(value);
        }
    }
}

/// Runs whose figures over trials are those of a file: `values` says what each run had, from the file's entry.
fn runs_behind(metrics: &Map<String, Value>, runs: usize, values: impl Fn(&str, &Value) -> Vec<f64>) -> Vec<Figures> {
    let mut all = vec![Figures::default(); runs];
    for (key, entry) in metrics {
        let (tag, stat) = key.rsplit_once('_').unwrap();
        for (run, value) in all.iter_mut().zip(values(key, entry)) {
            let known = run.metrics.iter().position(|metric| metric.tag == tag);
            let at = known.unwrap_or_else(|| {
                let unit = entry["unit"].as_str().unwrap().to_owned();
                run.metrics.push(MetricFigures {
                    tag: tag.to_owned().into(),
                    unit: unit.into(),
                    stats: Stats::default(),
                    intervals: Vec::new(),
                });
                run.metrics.len() - 1
            });
            put(&mut run.metrics[at].stats, stat, value);
        }
    }
    all
}

/// Hands out runs that were made long ago.
struct RecordedRunner(Vec<Figures>);

impl Runner for RecordedRunner {
    fn run(&mut self, _: TrialAssignment) -> Result<TrialResult, TrialError> {
        let figures = self.0.remove(0);
        Ok(TrialResult { ending: RunEnding::COMPLETED, figures, values: Vec::new(), is_written: true })
    }

    fn pause(&mut self, _: std::time::Duration) -> Pause {
        Pause::Over
    }
}

/// The folder with the files over these runs.
fn conducted(words: &[&str], runs: Vec<Figures>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let experiment = experiment(folder.path(), words);
    let result = run_trials(&experiment, VERSION, "id", &mut RecordedRunner(runs)).unwrap();
    assert!(result.is_enough() && result.files.failed.is_empty());
    folder
}

fn read(folder: &TempDir, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.path().join(name)).unwrap()).unwrap()
}

/// The same keys, in the same order where `ordered`; numbers to 1e-9.
fn same(ours: &Value, theirs: &Value, at: &str) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{at}");
            for (key, value) in b {
                same(&a[key], value, &format!("{at}.{key}"));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{at}");
            a.iter().zip(b).enumerate().for_each(|(place, (a, b))| same(a, b, &format!("{at}[{place}]")));
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{at}: {a} is not {b}");
        }
        _ => assert_eq!(ours, theirs, "{at}"),
    }
}

/// Every metric of theirs, which were cut to a few, is among ours and says the same.
fn same_metrics(ours: &Value, theirs: &Value, at: &str) {
    for (key, metric) in theirs.as_object().unwrap() {
        same(&ours[key], metric, &format!("{at}.{key}"));
    }
}

fn same_aggregate(ours: &Value, theirs: &Value) {
    assert_eq!(
        ours.as_object().unwrap().keys().collect::<Vec<_>>(),
        theirs.as_object().unwrap().keys().collect::<Vec<_>>()
    );
    for key in ["schema_version", "aiperf_version", "metadata"] {
        same(&ours[key], &theirs[key], key);
    }
    assert!(theirs["metrics"].as_object().unwrap().len() > 40);
    same_metrics(&ours["metrics"], &theirs["metrics"], "metrics");
}

#[test]
fn three_runs_come_to_what_the_sample_of_repeated_runs_says() {
    let theirs = json("multirun/profile_export_aiperf_aggregate.json");
    let first = figures_of(&json("multirun/run_0001.json"));
    // Of three runs one is there; what the other two had follows from mean, least and most.
    let values = |key: &str, entry: &Value| {
        let (tag, stat) = key.rsplit_once('_').unwrap();
        let known = first.get(tag, stat).unwrap();
        let number = |name: &str| entry[name].as_f64().unwrap();
        let (low, high) = (number("min"), number("max"));
        let rest = 3.0 * number("mean") - low - high;
        let is = |other: f64| known.total_cmp(&other).is_eq();
        if is(low) {
            vec![low, high, rest]
        } else if is(high) {
            vec![high, low, rest]
        } else {
            vec![known, low, high]
        }
    };
    let runs = runs_behind(theirs["metrics"].as_object().unwrap(), 3, values);
    let folder = conducted(&["--num-profile-runs=3", "--concurrency=2"], runs);
    same_aggregate(&read(&folder, "aggregate/profile_export_aiperf_aggregate.json"), &theirs);

    let ours = fs::read_to_string(folder.path().join("aggregate/profile_export_aiperf_aggregate.csv")).unwrap();
    let sample = fixture("multirun/profile_export_aiperf_aggregate.csv");
    let sample_lines: Vec<&str> = sample.lines().collect();
    for line in ours.lines() {
        assert!(sample_lines.contains(&line), "{line:?} is not in the sample");
    }
    assert_eq!(ours.lines().last(), sample.lines().last());
}

fn two_by_two() -> Vec<Figures> {
    let sweep = json("sweep_multirun/profile_export_aiperf_sweep.json");
    let of_second = sweep["per_combination_metrics"][1]["metrics"].as_object().unwrap();
    // With two runs, the least and the most are all there is.
    let second =
        runs_behind(of_second, 2, |_, entry| vec![entry["min"].as_f64().unwrap(), entry["max"].as_f64().unwrap()]);
    let [low, high] = <[Figures; 2]>::try_from(second).unwrap();
    let first = |trial: &str| figures_of(&json(&format!("sweep_multirun/{trial}.json")));
    // Trial by trial, each over both points.
    vec![first("trial_0001"), low, first("trial_0002"), high]
}

#[test]
fn a_sweep_with_trials_comes_to_what_its_sample_says() {
    let folder = conducted(&["--concurrency=1,2", "--num-profile-runs=2"], two_by_two());
    let aggregate = read(&folder, "aggregate/concurrency_1/profile_export_aiperf_aggregate.json");
    same_aggregate(&aggregate, &json("sweep_multirun/profile_export_aiperf_aggregate.json"));
    let counted = aggregate["metrics"].as_object().unwrap().len();
    let first = figures_of(&json("sweep_multirun/trial_0001.json"));
    assert_eq!(counted, first.metrics.iter().map(|metric| statistics(&metric.stats).count()).sum::<usize>());

    let mut ours = read(&folder, "aggregate/sweep_aggregate/profile_export_aiperf_sweep.json");
    // What a best point is best in, and who may be as good, is said in addition.
    for best in ours["best_configurations"].as_object_mut().unwrap().values_mut() {
        let best = best.as_object_mut().unwrap();
        assert!(best.remove("statistic").is_some() && best.remove("tied_with").is_some());
    }
    let theirs = json("sweep_multirun/profile_export_aiperf_sweep.json");
    assert_eq!(
        ours.as_object().unwrap().keys().collect::<Vec<_>>(),
        theirs.as_object().unwrap().keys().collect::<Vec<_>>()
    );
    for key in ours.as_object().unwrap().keys().filter(|key| *key != "per_combination_metrics") {
        same(&ours[key], &theirs[key], key);
    }
    for place in 0..2 {
        let (ours, theirs) = (&ours["per_combination_metrics"][place], &theirs["per_combination_metrics"][place]);
        same(&ours["parameters"], &theirs["parameters"], "parameters");
        same_metrics(&ours["metrics"], &theirs["metrics"], "per_combination_metrics");
    }
}

#[test]
fn a_sweep_with_one_run_each_comes_to_what_its_sample_says() {
    let theirs = json("sweep/profile_export_aiperf_sweep.json");
    let second = figures_of(&theirs["per_combination_metrics"][1]["metrics"]);
    // What has no statistics in a run has its one number as least and most in the sample.
    let known = |tag: &str| Metric::from_tag(tag).is_some();
    let first = figures_of(&json("sweep/run_0001.json"));
    assert!(second.metrics.iter().all(|metric| known(&metric.tag)));
    let folder = conducted(&["--concurrency=1,2"], vec![first, second]);
    let ours = read(&folder, "sweep_aggregate/profile_export_aiperf_sweep.json");
    let (mine, sample) = (&ours["per_combination_metrics"][0], &theirs["per_combination_metrics"][0]);
    assert_eq!(mine["metrics"].as_object().unwrap().len(), sample["metrics"].as_object().unwrap().len());
    same_metrics(&mine["metrics"], &sample["metrics"], "metrics");
    same(&ours["metadata"], &theirs["metadata"], "metadata");
    assert_eq!(ours["best_configurations"]["best_throughput"]["parameters"]["concurrency"], 2);

    let aggregate = read(&folder, "aggregate/concurrency_1/profile_export_aiperf_aggregate.json");
    let sample = json("sweep/profile_export_aiperf_aggregate.json");
    same(&aggregate["metadata"], &sample["metadata"], "metadata");
    same_metrics(&aggregate["metrics"], &sample["metrics"], "metrics");

    let ours = fs::read_to_string(folder.path().join("sweep_aggregate/profile_export_aiperf_sweep.csv")).unwrap();
    let sample = fixture("sweep/profile_export_aiperf_sweep.csv");
    assert_eq!(ours.lines().next(), sample.lines().next());
    assert_eq!(ours.lines().nth(1), sample.lines().nth(1));
}
