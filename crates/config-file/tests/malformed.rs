//! Files with mistakes: each has one error that names the place, and none takes much time or memory.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use aiperf_config::Environment;
use aiperf_config_file::ConfigFile;
use aiperf_options::RawOptions;

/// A valid file; each mistake is made in it.
const FILE: &str = r#"schemaVersion: "2.0"
randomSeed: 7
variables: {length: 24}
benchmark:
  model: m
  endpoint: {url: "http://localhost:8000", streaming: true}
  dataset: {isl: 48, osl: 4, entries: 40}
  profiling: {type: concurrency, concurrency: 4, requests: 40}
"#;

/// What stands in the file, what stands there instead, and a word of the error.
const REPLACED: &[(&str, &str, &str)] = &[
    // Keys.
    ("randomSeed: 7", "randomSeed: 7\nrandomSeed: 8", "given twice"),
    ("randomSeed: 7", "randomSeed: 7\nrandom_seed: 8", "given twice"),
    ("model: m", "model: m\n  model: n", "given twice"),
    ("isl: 48", "isl: 48, isl: 49", "given twice"),
    ("randomSeed", "randomSed", "did you mean randomSeed"),
    ("randomSeed: 7", "5: 7", "must be text"),
    ("randomSeed: 7", "true: 7", "must be text"),
    ("randomSeed: 7", "null: 7", "must be text"),
    ("randomSeed: 7", "[a, b]: 7", "key"),
    ("randomSeed: 7", "{a: b}: 7", "key"),
    ("randomSeed: 7", "? [a]\n: 7", "key"),
    ("randomSeed: 7", "1.5: 7", "must be text"),
    ("model: m", "modle: m", "did you mean model"),
    ("streaming: true", "streming: true", "did you mean streaming"),
    ("osl: 4", "olens: 4", "olens"),
    ("requests: 40", "request: 40", "did you mean requests"),
    ("endpoint:", "endpiont:", "did you mean endpoint"),
    ("benchmark:", "bench:", "bench"),
    ("profiling:", "profile:", "profile"),
    ("dataset:", "datset:", "did you mean dataset"),
    ("variables:", "vars:", "vars"),
    // Types.
    ("randomSeed: 7", "randomSeed: many", "whole number"),
    ("randomSeed: 7", "randomSeed: [7]", "whole number"),
    ("randomSeed: 7", "randomSeed: 1.5", "whole number"),
    ("randomSeed: 7", "randomSeed: -1", "-1"),
    ("\"2.0\"", "\"3.0\"", "3.0"),
    ("\"2.0\"", "[2]", "schemaVersion"),
    ("model: m", "model: {a: b}", "unknown key a"),
    ("model: m", "model: [[a]]", "not a list"),
    ("model: m", "models: {items: many}", "must be a list"),
    ("model: m", "models: {items: [{weight: 1}]}", "needs a name"),
    ("{url: \"http://localhost:8000\", streaming: true}", "http://localhost:8000", "must be a map"),
    ("{url: \"http://localhost:8000\", streaming: true}", "[a]", "must be a map"),
    ("url: \"http://localhost:8000\"", "url: {a: b}", "must be one value"),
    ("url: \"http://localhost:8000\"", "url: \"http://\"", "url"),
    ("url: \"http://localhost:8000\"", "url: \"ftp://x\"", "ftp"),
    ("streaming: true", "streaming: maybe", "must be true or false"),
    ("streaming: true", "streaming: [true]", "must be true or false"),
    ("streaming: true", "timeout: soon", "not a time"),
    ("streaming: true", "timeout: 5 days", "not a time"),
    ("streaming: true", "type: telepathy", "telepathy"),
    ("streaming: true", "headers: [a]", "must be a map"),
    ("streaming: true", "headers: {\"bad name\": x}", "bad name"),
    ("streaming: true", "extra: 5", "must be a map"),
    ("streaming: true", "template: {boddy: x}", "did you mean body"),
    ("streaming: true", "resetKvCache: {timout: 5}", "did you mean timeoutSeconds"),
    ("isl: 48", "isl: many", "many"),
    ("isl: 48", "isl: [1, 2]", "not a list"),
    ("isl: 48", "isl: -5", "-5"),
    ("isl: 48", "isl: {mean: 5, median: 9}", "median"),
    ("isl: 48", "isl: {peaks: [{mean: 5}]}", "at least 2"),
    ("isl: 48", "isl: {points: []}", "points"),
    ("isl: 48", "isl: {middle: 5}", "isl"),
    ("isl: 48", "isl: {type: strange, mean: 5}", "strange"),
    ("entries: 40", "entries: 0", "entries"),
    ("entries: 40", "type: files", "not a type of data set"),
    ("{isl: 48, osl: 4, entries: 40}", "{type: file}", "needs a path"),
    ("entries: 40", "type: public", "dataset"),
    ("entries: 40", "images: yes", "must be a map"),
    ("entries: 40", "prompts: {sequenceDistribution: 5}", "must be a list"),
    ("dataset: {isl: 48, osl: 4, entries: 40}", "dataset: 5", "must be a map"),
    ("dataset: {isl: 48, osl: 4, entries: 40}", "datasets: []", "exactly one"),
    ("dataset: {isl: 48, osl: 4, entries: 40}", "datasets: [{name: a}, {name: b}]", "exactly one"),
    ("type: concurrency", "type: bursts", "not a type of load"),
    ("type: concurrency", "type: poisson", "needs `rate`"),
    ("type: concurrency", "rate: 5", "no rate"),
    ("concurrency: 4", "concurrency: 0", "at least 1"),
    ("concurrency: 4", "concurrency: four", "four"),
    ("concurrency: 4", "concurrency: [1, 2]", "under `sweep`"),
    ("concurrency: 4", "concurrency: 99999999999999999999", "whole number"),
    ("requests: 40", "requests: 1e400", "requests"),
    ("requests: 40", "duration: -5", "duration"),
    ("requests: 40", "concurrencyRamp: {length: 5}", "length"),
    ("requests: 40", "concurrencyRamp: {strategy: linear}", "needs a duration"),
    ("requests: 40", "concurrencyRamp: {duration: 5, strategy: wild}", "wild"),
    ("profiling: {type: concurrency, concurrency: 4, requests: 40}", "profiling: 5", "must be a map"),
    ("profiling: {type: concurrency, concurrency: 4, requests: 40}", "phases: []", "profiling"),
    ("profiling: {type: concurrency, concurrency: 4, requests: 40}", "warmup: {requests: 5}", "profiling"),
    (
        "profiling: {type: concurrency, concurrency: 4, requests: 40}",
        "phases: [{name: a b, kind: profiling}]",
        "not a name",
    ),
    ("profiling: {type: concurrency, concurrency: 4, requests: 40}", "phases: [{name: steady}]", "kind"),
    ("profiling: {", "phases: {requests: 1}\n  profiling: {", "cannot be combined"),
    ("randomSeed: 7", "multiRun: 3", "must be a map"),
    ("randomSeed: 7", "multiRun: {numRuns: 11}", "numRuns"),
    ("randomSeed: 7", "multiRun: {runs: 2}", "unknown key runs"),
    ("randomSeed: 7", "sweep: 5", "must be a map"),
    ("randomSeed: 7", "sweep: {}", "needs a type"),
    ("randomSeed: 7", "sweep: {type: circles}", "not a type"),
    ("randomSeed: 7", "sweep: {type: grid}", "needs `parameters`"),
    ("randomSeed: 7", "sweep: {type: grid, parameters: {concurrency: 5}}", "concurrency"),
    ("randomSeed: 7", "sweep: {type: grid, parameters: {concurrency: []}}", "concurrency"),
    ("randomSeed: 7", "sweep: {type: zip, parameters: {concurrency: [1], rate: [1, 2]}}", "zip"),
    ("randomSeed: 7", "sweep: {type: grid, parameters: {phases.other.rate: [1]}}", "no phase is called other"),
    ("randomSeed: 7", "sweep: {type: grid, parameters: {multiRun.numRuns: [1]}}", "cannot be swept"),
    ("randomSeed: 7", "sweep: {type: scenarios, runs: [{name: a}, {name: a}]}", "called a"),
    ("randomSeed: 7", "sweep: {type: sobol, samples: 1, dimensions: []}", "sweep"),
    ("randomSeed: 7", "plot: 5", "preset file"),
    // References and templates.
    ("model: m", "scenario: null", "model"),
    ("model: m", "model: ${NOT_SET}", "NOT_SET is not set"),
    ("model: m", "model: \"${OPEN\"", "closing brace"),
    ("isl: 48", "isl: \"{{ lenght }}\"", "did you mean length"),
    ("isl: 48", "isl: \"{{ 1 / 0 }}\"", "isl"),
    ("isl: 48", "isl: \"{{ length\"", "isl"),
    ("isl: 48", "isl: \"{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}\"", "isl"),
    ("{length: 24}", "{a: \"{{ b }}\", b: \"{{ a }}\"}", "need each other"),
    ("{length: 24}", "[1]", "variables"),
    // YAML.
    ("schemaVersion: \"2.0\"", "schemaVersion: \"2.0", "YAML"),
    ("{length: 24}", "{length: 24", "YAML"),
    ("{length: 24}", "[length: 24", "YAML"),
    ("{length: 24}", "*nowhere", "YAML"),
    ("{length: 24}", "&a [*a]", "a"),
    ("{length: 24}", "!!python/object:os.system {a: b}", "tag"),
    ("{length: 24}", "!mine 5", "tag"),
    ("randomSeed: 7", "\trandomSeed: 7", "YAML"),
    ("randomSeed: 7", "randomSeed: 7\n---\na: 1", "document"),
    ("randomSeed: 7", "@at: 7", "YAML"),
    ("randomSeed: 7", "randomSeed: 7 : 8", "YAML"),
    ("randomSeed: 7", "<<: 5", "<<"),
];

fn in_the_file(from: &str, to: &str) -> Vec<u8> {
    assert!(FILE.contains(from), "{from}");
    FILE.replacen(from, to, 1).into_bytes()
}

/// Whole files, with a word of the error.
fn whole_files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(FILE.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let utf16_be: Vec<u8> = [0xfe, 0xff].into_iter().chain(FILE.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    let mut levels = "a: &a0 [x, x]\n".to_owned();
    for level in 1..40 {
        let below = level - 1;
        levels.push_str(&format!("b{level}: &a{level} [*a{below}, *a{below}, *a{below}, *a{below}]\n"));
    }
    let many_values = format!("a: &a [{}]\nb: [{}]\n", "1,".repeat(1_000), "*a,".repeat(2_100));
    let long_line = format!("benchmark: {{model: {}", "x".repeat(1 << 20));
    vec![
        ("empty", Vec::new(), "empty"),
        ("blank", b" \n\n".to_vec(), "empty"),
        ("comment", b"# nothing\n".to_vec(), "empty"),
        ("a list", b"- a\n- b\n".to_vec(), "must be a map"),
        ("a text", b"hello\n".to_vec(), "must be a map"),
        ("NUL", b"benchmark:\n  mo\0del: m\n".to_vec(), "NUL"),
        ("UTF-16", utf16, "UTF-16"),
        ("UTF-16, the other way round", utf16_be, "UTF-16"),
        ("not UTF-8", b"benchmark: {model: \xff\xff}".to_vec(), "not UTF-8"),
        ("control", b"benchmark: {model: \x07}".to_vec(), "YAML"),
        ("deep lists", "[".repeat(100_000).into_bytes(), "deep"),
        ("deep maps", "{a: ".repeat(100_000).into_bytes(), "deep"),
        ("deep lines", (0..2_000).map(|depth| " ".repeat(depth) + "a:\n").collect::<String>().into_bytes(), "deep"),
        ("aliases of aliases", levels.into_bytes(), "values"),
        ("many values", many_values.into_bytes(), "values"),
        ("a long line", long_line.into_bytes(), "YAML"),
        ("100 MB", vec![b'a'; 100_000_000], "64 MiB"),
        ("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "NUL"),
        ("a zip file", b"PK\x03\x04\x14\0\0\0".to_vec(), "NUL"),
    ]
}

fn error_of(path: &Path) -> String {
    let environment = Environment::default();
    let file = match ConfigFile::load(path, &BTreeMap::new()) {
        Ok(file) => file,
        Err(error) => return error.to_string(),
    };
    file.experiment(&RawOptions::new(), &environment).map_or_else(|error| error.to_string(), |_| "none".to_owned())
}

/// Memory that this process ever used at once, where the system tells it.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[test]
fn each_of_more_than_100_mistakes_has_one_error_with_its_place() {
    let folder = std::env::temp_dir().join(format!("aiperf-malformed-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("run.yaml");
    let replaced = REPLACED.iter().map(|(from, to, word)| (*to, in_the_file(from, to), *word));
    let all: Vec<(&str, Vec<u8>, &str)> = replaced.chain(whole_files()).collect();
    let mut problems = Vec::new();
    for (name, bytes, word) in &all {
        fs::write(&path, bytes).unwrap();
        let began = Instant::now();
        let error = error_of(&path);
        // A limit that only something without an end reaches.
        if began.elapsed() > Duration::from_secs(60) {
            problems.push(format!("{name:.60}: took {:?}", began.elapsed()));
        }
        let place = error.split("run.yaml:").nth(1).and_then(|rest| rest.split(':').next());
        let has_place = place.is_some_and(|line| line.parse::<usize>().is_ok_and(|line| line > 0));
        let is_of_the_whole = *word == "64 MiB";
        let is_short = error.len() < 2_000 && error.lines().count() == 1;
        if !error.contains(word) || !(has_place || is_of_the_whole) || !is_short {
            problems.push(format!("{name:.60}: wants {word:?}: {error:.300}"));
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), all.len(), problems.join("\n"));
    assert!(all.len() >= 100, "{}", all.len());
    let limit = 1 << 31;
    assert!(most_memory().is_none_or(|bytes| bytes < limit), "{:?}", most_memory());
}
