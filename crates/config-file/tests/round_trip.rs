//! Options, the file that they mean, and the options of that file describe the same runs.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use aiperf_config::{DatasetSource, Environment, Experiment};
use aiperf_config_file::{ConfigFile, file_of, write};
use aiperf_options::RawOptions;
use aiperf_options::catalogue::{Arity, OptionId, OptionSpec, ValueKind, options};

/// Lines that leave room for others, for one kind of load or data each.
const STARTS: [&str; 14] = [
    "--model m --url http://host:8000 --tokenizer builtin",
    "--model m --url http://host:8000 --streaming --concurrency 8",
    "--model a,b --url http://x:1,http://y:2 --streaming --request-rate 5",
    "--model m --url host:8000 --request-rate 5 --request-count 20 --concurrency 64",
    "--model m --url host:8000 --user-centric-rate 5 --num-users 4 --session-turns-mean 3 --benchmark-duration 30",
    "--model m --url host:8000 --input-file rows.jsonl --custom-dataset-type single_turn",
    "--model m --url host:8000 --input-file rows.jsonl",
    "--model m --url host:8000 --input-file trace.jsonl --custom-dataset-type burst_gpt_trace",
    "--model m --url host:8000 --public-dataset sharegpt",
    "--model m --url host:8000 --concurrency 1,2,4 --num-profile-runs 3 --parameter-sweep-mode independent",
    "--model m --url host:8000 --streaming --warmup-request-count 5 --concurrency 8",
    "--model m --url host:8000 --warmup-duration 5 --request-rate 2,4",
    "--model m --url host:8000 --endpoint-type rankings --rankings-passages-mean 3",
    "--model m --url host:8000 --image-width-mean 64 --image-height-mean 64 --audio-length-mean 2 --video-width 64 --video-height 64",
];

/// Options that need others.
const TOGETHER: [&str; 21] = [
    "--model a,b --model-selection-strategy weighted --model-weights 0.25,0.75",
    "--model m --reset-kv-cache --reset-kv-cache-path /x --server-profiler --server-profiler-start-path /a --server-profiler-stop-path /b",
    "--model m --url https://host --ca-cert prompt.txt --client-cert prompt.txt --client-key prompt.txt",
    "--model m --url https://host --insecure",
    "--model m --otel-url http://c:4318 --stream timing,traces --otel-resource-attributes a=1,b=2 --gen-ai-provider openai",
    "--model m --mlflow-tracking-uri http://m:5000 --mlflow-experiment e --mlflow-run-name r --mlflow-tag a:1 --mlflow-parent-run-id p --mlflow-artifact-glob *.json",
    "--model m --wandb-project p --wandb-entity e --wandb-run-name r --wandb-tag t",
    "--model m --measurement-interval 1000 --stability-percentage 50 --max-trials 5",
    "--model m --streaming --concurrency 8 --prefill-concurrency 4 --prefill-concurrency-ramp-duration 5 --ramp-shape exponential --warmup-request-count 5 --warmup-prefill-concurrency 2 --warmup-prefill-concurrency-ramp-duration 3",
    "--model m --request-cancellation-rate 10 --request-cancellation-delay 0.5",
    "--model m --session-turns-mean 3 --session-turn-delay-mean 100 --session-turn-delay-stddev 10 --session-delay-ratio 2",
    "--model m --isl 100 --osl 50 --random-range-ratio 0.25 --random-corpus-style sglang",
    "--model m --isl 100 --osl 50 --osl-stddev 5",
    "--model m --endpoint-type rankings --rankings-query-prompt-token-mean 10 --rankings-query-prompt-token-stddev 2",
    "--model m --video-width 64 --video-height 64 --video-audio-num-channels 1 --video-audio-sample-rate 44.1 --video-audio-codec aac --video-audio-depth 16 --video-format mp4 --video-codec libx264",
    "--model m --api-port 9000 --api-token token-123 --api-linger 5",
    "--model m --cost-per-gpu-hour 2 --gpus 4",
    "--model m --concurrency 40 --benchmark-duration 60 --adaptive-scale --adaptive-scale-sla request_latency:p95:le:200.5,error_rate:avg:lt:0.1 --adaptive-sustain-duration 6 --adaptive-assessment-period 2 --adaptive-min-completed-requests 5 --adaptive-control-variable concurrency --adaptive-control-min 2 --adaptive-control-max 30 --adaptive-scale-strategy-type ramp_until_fail --adaptive-scale-step-policy sla_margin --adaptive-scale-base-step 2 --adaptive-scale-max-step-multiplier 3",
    "--model m --request-rate 40 --benchmark-duration 60 --adaptive-scale --adaptive-scale-sla request_latency:p95:le:200 --adaptive-sustain-duration 6 --adaptive-control-variable request_rate --adaptive-scale-step-policy fixed_percent_step --adaptive-scale-step-percent 12.5",
    "--model m --num-profile-runs 3 --profile-run-cooldown-seconds 1 --warmup-request-count 2 --profile-run-disable-warmup-after-first --convergence-metric request_latency --convergence-stat p90 --convergence-threshold 0.1 --convergence-mode cv --convergence-min-runs 2",
    "--model m --streaming --scenario inferencex-agentx-mvp --public-dataset semianalysis_cc_traces_weka_062126 --trajectory-start-min-ratio 0.25 --trajectory-start-max-ratio 0.5 --system-idle-gap-cap-seconds 5 --unsafe-override",
];

/// Numbers that are the same on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Values of options that take texts of a certain form.
fn texts(id: OptionId) -> &'static [&'static str] {
    match id {
        OptionId::Header => &["X-A: 1", "Authorization: Bearer s,X-B: true", r#"{"X-C": "a, b"}"#],
        OptionId::ExtraInputs => {
            &["temperature:0.5,stop:null", r#"{"a": {"b": [1, "${HOME}", "{{ x }}"]}}"#, "n:\"5\""]
        }
        OptionId::Goodput => &["time_to_first_token:200 request_latency:1500.5"],
        OptionId::SeqDist => &["256,128:40;512|10,256|5:60", "[(256,128):100]"],
        OptionId::RandomRangeRatio => &["0.25", "0.5"],
        OptionId::RequestRateSeries => &["series.json", r#"[{"time_s": 0, "qps": 2}, {"time_s": 60, "qps": 10}]"#],
        OptionId::PromptInputTokensMean | OptionId::PromptOutputTokensMean => &[
            "512",
            "lognormal:mean=100,median=60",
            r#"{"mean": 100, "stddev": 5, "max": 120}"#,
            "empirical:10=1,20=3",
            "64,128",
        ],
        OptionId::OtelUrl => &["http://collector:4318"],
        OptionId::OtelResourceAttributes => &["a=1,b=x y"],
        OptionId::Stream => &["metrics", "none", "default", "timing,traces"],
        OptionId::MlflowTrackingUri => &["http://mlflow:5000"],
        OptionId::MlflowTag => &["a:1,b:2", r#"{"c": "x, y"}"#],
        OptionId::ModelWeights => &["0.25,0.75"],
        OptionId::GpuTelemetry => &["node:9400", "pynvml", "dashboard", "fields.csv"],
        OptionId::ServerMetrics => &["http://host:9000/metrics"],
        OptionId::ServerMetricsFormats => &["json", "csv,parquet"],
        OptionId::InputFile => &["rows.jsonl"],
        OptionId::SystemPromptFile | OptionId::PromptCorpusFile => &["prompt.txt"],
        OptionId::SystemPrompt => {
            &["be brief", "{{ not a template }}", "${NOT_A_VARIABLE}", "5", "true", "two\nlines\n"]
        }
        OptionId::AdaptiveScaleSla => &["request_latency:p95:le:200"],
        OptionId::UntilCi => &["request_latency:p50:5%"],
        OptionId::DatasetFilter => &["category=coding"],
        OptionId::SourceAddress | OptionId::ApiHost => &["127.0.0.1"],
        OptionId::ConvergenceMetric => &["request_latency"],
        OptionId::Strict => &["slow_client", ""],
        OptionId::CustomEndpoint => &["/v1/other"],
        OptionId::ImageSource => &["noise"],
        _ => &["abc", "a b: c"],
    }
}

fn value(spec: &OptionSpec, draws: &mut Draws) -> String {
    match spec.value {
        ValueKind::Flag => (*draws.one(&["true", "true", "true", "false"])).to_owned(),
        ValueKind::Choice(members) | ValueKind::Literal(members) => (*draws.one(members)).to_owned(),
        ValueKind::Int | ValueKind::Float if texts(spec.id).len() < 3 || draws.below(2) == 0 => {
            let whole = ["1", "2", "3", "7", "64", "512", "0"];
            let real = ["0.5", "0.25", "1", "2.5", "30", "90", "0.9", "inf"];
            let all: &[&str] = if spec.value == ValueKind::Int { &whole } else { &real };
            let fit: Vec<&&str> =
                all.iter().filter(|text| text.parse().is_ok_and(|value: f64| spec.range.contains(value))).collect();
            let one = if fit.is_empty() { "1" } else { **draws.one(&fit) };
            let is_swept = matches!(spec.arity, Arity::Sweep(_)) && draws.below(5) == 0;
            if is_swept {
                format!("{one},{}", if spec.value == ValueKind::Int { "9" } else { "1.75" })
            } else {
                one.to_owned()
            }
        }
        _ => (*draws.one(texts(spec.id))).to_owned(),
    }
}

/// The options of these words.
fn typed(line: &str) -> RawOptions {
    let mut raw = RawOptions::new();
    let mut words = line.split(' ');
    while let Some(word) = words.next() {
        let name = word.trim_start_matches('-');
        let spec = options().find(|spec| spec.long.contains(&name)).unwrap_or_else(|| panic!("{name}"));
        let value = if spec.value == ValueKind::Flag { "true" } else { words.next().unwrap() };
        raw.set(spec.id, word, vec![value.to_owned()]);
    }
    raw
}

fn line(draws: &mut Draws) -> RawOptions {
    let start = *draws.one(&STARTS);
    let mut raw = typed(start);
    let known: Vec<&OptionSpec> = options()
        .filter(|spec| spec.is_accepted() && spec.id != OptionId::Config && spec.id != OptionId::Scenario)
        .collect();
    for _ in 0..draws.below(5) {
        let spec = *draws.one(&known);
        let values = if spec.id == OptionId::Strict { Vec::new() } else { vec![value(spec, draws)] };
        raw.set(spec.id, spec.id.flag(), values);
    }
    raw
}

/// All that a run depends on; how options were spelled is not part of it.
fn shown(mut experiment: Experiment) -> String {
    experiment.options.clear();
    // How a command is carried out is not part of a file.
    (experiment.resumes, experiment.only_plans) = (false, false);
    for cell in &mut experiment.cells {
        cell.config.command_line.clear();
        cell.config.warnings.clear();
        if let Some(scenario) = &mut cell.config.scenario {
            scenario.violations.clear();
        }
        if let DatasetSource::File(file) = &mut cell.config.dataset.source {
            file.conditional.clear();
        }
        // Lengths that a file sweeps have AIPerf's names of folders; those of options are told from each other.
        if let Some(variation) = &mut cell.variation
            && variation.values.iter().any(|(path, _)| matches!(path.rsplit('.').next(), Some("mean" | "stddev")))
        {
            variation.folder.clear();
        }
    }
    format!("{experiment:#?}")
}

/// A folder with files that options name.
fn fixtures(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("aiperf-round-trip-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let files = [
        ("rows.jsonl", "{\"text\": \"hello\"}\n"),
        ("trace.jsonl", "{\"timestamp\": 0, \"input_length\": 5, \"output_length\": 5}\n"),
        ("series.json", r#"[{"time_s": 0, "qps": 2}, {"time_s": 60, "qps": 10}]"#),
        ("prompt.txt", "be brief"),
        ("fields.csv", ""),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    folder
}

fn same_runs(raw: &RawOptions, experiment: Experiment, environment: &Environment) -> Result<(), String> {
    let text = write(&file_of(raw, &experiment).map_err(|error| error.to_string())?);
    same_as(&text, experiment, environment)
}

fn same_as(text: &str, experiment: Experiment, environment: &Environment) -> Result<(), String> {
    let again = ConfigFile::parse("run.yaml", text, &environment.variables)
        .map_err(|error| error.to_string())
        .and_then(|file| file.experiment(&RawOptions::new(), environment).map_err(|error| error.to_string()))
        .map_err(|error| format!("{text}\n{error}"))?;
    let (first, second) = (shown(experiment), shown(again));
    if first == second {
        return Ok(());
    }
    let differing = first.lines().zip(second.lines()).filter(|(one, other)| one != other);
    let differing: Vec<String> = differing.take(8).map(|(one, other)| format!("- {one}\n+ {other}")).collect();
    Err(format!("{text}\n{}", differing.join("\n")))
}

#[test]
fn a_command_line_and_the_file_that_it_means_describe_the_same_runs() {
    let folder = fixtures("lines");
    let environment = Environment { current_dir: folder.clone(), ..Environment::default() };
    let mut draws = Draws(7);
    let mut seen: BTreeSet<OptionId> = BTreeSet::new();
    let (mut lines, mut failures) = (0, Vec::new());
    let mut together = TOGETHER.into_iter();
    for _ in 0..6_000 {
        let fixed = together.next();
        let raw = fixed.map_or_else(|| line(&mut draws), typed);
        // A line that is refused means no file.
        let experiment = match (raw.resolve_experiment(&environment), fixed) {
            (Ok(experiment), _) => experiment,
            (Err(error), Some(line)) => panic!("{line}: {error}"),
            (Err(_), None) => continue,
        };
        let is_new = raw.given().iter().any(|given| !seen.contains(&given.id));
        if lines >= 200 && !is_new {
            continue;
        }
        lines += 1;
        seen.extend(raw.given().iter().map(|given| given.id));
        if let Err(problem) = same_runs(&raw, experiment, &environment) {
            failures.push(format!("{}\n{problem}", raw.repeat(&environment.variables)));
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(failures.is_empty(), "{} of {lines}:\n{}", failures.len(), failures[..failures.len().min(12)].join("\n\n"));
    assert!(lines >= 200, "{lines} lines were accepted");
    let unseen: Vec<String> =
        options().filter(|spec| spec.is_accepted() && !seen.contains(&spec.id)).map(|spec| spec.id.flag()).collect();
    println!("{lines} lines, {} options; not among them: {}", seen.len(), unseen.join(" "));
    assert!(seen.len() > 220, "{} options: not {}", seen.len(), unseen.join(" "));
}

/// Files in several forms, to lay options over.
const FILES: [&str; 4] = [
    "benchmark:\n  model: m\n  endpoint: {url: 'host:8000', streaming: true, headers: {X-A: '0', X-Z: z}}\n  dataset: {isl: \
     {mean: 100, stddev: 5}, osl: 64}\n  profiling: {concurrency: 4, requests: 20}\n",
    "benchmark:\n  models: {strategy: random, items: [{name: a}, {name: b}]}\n  endpoint: {urls: [a, b], reset_kv_cache: \
     true}\n  datasets: [{name: d, prompts: {isl: {mean: 9, median: 5}}}]\n  phases:\n    - {name: warmup, requests: \
     5}\n    - {name: steady, kind: profiling, type: gamma, rate: 4, smoothness: 2, duration: 5m}\n  artifacts: {raw: \
     true}\n  serverMetrics: 'http://x:1/metrics'\n",
    "sweep: {type: grid, parameters: {concurrency: [1, 2], variables.n: [4, 8]}}\nvariables: {n: \
     1}\nbenchmark:\n  model: m\n  endpoint: {url: 'host:8000'}\n  dataset: {isl: '{{ n * 2 }}'}\n  phases: {requests: 6}\n",
    "multiRun: {numRuns: 3, confidenceLevel: 0.9}\nrandomSeed: 4\nbenchmark:\n  model: m\n  endpoint: {url: \
     'host:8000'}\n  dataset: {type: file, path: rows.jsonl}\n  profiling: {type: poisson, rate: 3, requests: 6}\n",
];

#[test]
fn a_file_with_options_over_it_can_be_written_as_one_file() {
    let folder = fixtures("overlay");
    let environment = Environment { current_dir: folder.clone(), ..Environment::default() };
    let mut draws = Draws(11);
    let (mut lines, mut failures) = (0, Vec::new());
    let known: Vec<&OptionSpec> = options()
        .filter(|spec| {
            spec.is_accepted() && ![OptionId::Config, OptionId::Scenario, OptionId::RampShape].contains(&spec.id)
        })
        .collect();
    for _ in 0..1_500 {
        let mut raw = RawOptions::new();
        for _ in 0..=draws.below(2) {
            let spec = *draws.one(&known);
            let values = if spec.id == OptionId::Strict { Vec::new() } else { vec![value(spec, &mut draws)] };
            raw.set(spec.id, spec.id.flag(), values);
        }
        let text = *draws.one(&FILES);
        let file = ConfigFile::parse("run.yaml", text, &environment.variables).unwrap();
        let Ok(experiment) = file.experiment(&raw, &environment) else { continue };
        lines += 1;
        let text = write(&file.resolved(&raw).unwrap());
        if let Err(problem) = same_as(&text, experiment, &environment) {
            failures.push(format!("{}\n{problem}", raw.repeat(&environment.variables)));
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(failures.is_empty(), "{} of {lines}:\n{}", failures.len(), failures[..failures.len().min(12)].join("\n\n"));
    assert!(lines > 300, "{lines} lines were accepted");
}

#[test]
fn hand_picked_points_are_written_as_scenarios() {
    let folder = fixtures("variants");
    let environment = Environment { current_dir: folder.clone(), ..Environment::default() };
    let lines: [(&str, &[&str]); 3] = [
        (
            "--model m --url host:8000 --streaming",
            &["small: concurrency=2, isl=100", "large: concurrency=64, isl=4000, osl=10"],
        ),
        (
            "--model m --url host:8000 --warmup-request-count 3 --parameter-sweep-cooldown-seconds 2 --num-profile-runs 2",
            &[
                "concurrency=2, request-count=9",
                "request-rate=5, benchmark-duration=30",
                "concurrency=4, warmup-concurrency=2",
            ],
        ),
        ("--model m --url host:8000", &["a: isl=100, isl-stddev=5", "b: osl=7", "c: input-file=rows.jsonl"]),
    ];
    for (line, variants) in lines {
        let mut raw = typed(line);
        raw.set(OptionId::Variant, "--variant", variants.iter().map(|text| (*text).to_owned()).collect());
        let experiment = raw.resolve_experiment(&environment).unwrap_or_else(|error| panic!("{line}: {error}"));
        let text = write(&file_of(&raw, &experiment).unwrap_or_else(|error| panic!("{line}: {error}")));
        same_as(&text, experiment, &environment).unwrap_or_else(|difference| panic!("{line}\n{difference}"));
    }
    fs::remove_dir_all(&folder).unwrap();
}
