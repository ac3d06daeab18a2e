use std::collections::BTreeMap;

use serde_json::Value;

use crate::ConfigFile;

const BODY: &str = r#"
variables: {x: q}
benchmark:
  model: demo
  endpoint: {url: "localhost:8000", streaming: true}
  datasets: [{name: main, type: synthetic, isl: 5, osl: 128}]
  phases: [{name: profiling, type: poisson, rate: 1, concurrency: 1, requests: 200}]
"#;

const DIMENSIONS: &str = "  samples: 4
  seed: 1
  dimensions:
    - {path: phases.profiling.concurrency, lo: 1, hi: 64, kind: int, scale: log}
    - {path: datasets.main.prompts.isl, choices: [10, 20, 30]}
    - {path: phases.profiling.rate, lo: 0.5, hi: 2.5}
";

/// Folder, label and values of each run of a sweep.
fn expand(sweep: &str) -> Result<Vec<(String, String, String)>, String> {
    let text = format!("sweep:\n{sweep}{BODY}");
    let file = ConfigFile::parse("run.yaml", &text, &BTreeMap::new()).map_err(|error| error.to_string())?;
    let variations = file.variations().map_err(|error| error.to_string())?;
    let shown =
        |values: serde_json::Map<String, Value>| values.values().map(Value::to_string).collect::<Vec<_>>().join(" ");
    Ok(variations.into_iter().map(|one| (one.dir_name, one.label, shown(one.values))).collect())
}

fn values(sweep: &str) -> Vec<String> {
    expand(sweep).unwrap().into_iter().map(|(_, _, values)| values).collect()
}

/// The points that AIPerf 0.13.0 prints for the same files.
#[test]
fn sampled_points_are_those_of_the_reference() {
    assert_eq!(
        values(&format!("  type: sobol\n{DIMENSIONS}")),
        ["2 20 1.715064350515604", "25 10 0.6581425443291664", "11 30 2.2095521800220013", "6 10 1.1673472225666046"]
    );
    assert_eq!(
        values(&format!("  type: sobol\n  scramble: false\n{DIMENSIONS}")),
        ["1 10 0.5", "8 20 1.5", "23 10 1.0", "3 30 2.0"]
    );
    assert_eq!(
        values(&format!("  type: latin_hypercube\n{DIMENSIONS}")),
        ["5 20 2.4279201936401833", "24 30 1.288336775513712", "10 20 0.7252031561634702", "3 10 1.7309283433903608"]
    );
    assert_eq!(
        values(&format!("  type: latin_hypercube\n  optimization: random-cd\n{DIMENSIONS}")),
        ["3 20 0.7252031561634702", "10 10 1.288336775513712", "5 20 2.4279201936401833", "24 30 1.7309283433903608"]
    );
}

#[test]
fn runs_have_the_names_of_the_reference() {
    let names = |sweep: &str| -> Vec<(String, String)> {
        expand(sweep).unwrap().into_iter().map(|(folder, label, _)| (folder, label)).collect()
    };
    let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(folder, label)| ((*folder).to_owned(), (*label).to_owned())).collect()
    };
    let zip = "  type: zip\n  parameters: {concurrency: [1, 2], rate: [0.5, 3], variables.x: [\"a b/c\", true]}\n";
    assert_eq!(
        names(zip),
        owned(&[
            (
                "concurrency_1__rate_0.5__x_a bc",
                "phases.profiling.concurrency=1, phases.profiling.rate=0.5, variables.x=a b/c"
            ),
            (
                "concurrency_2__rate_3__x_True",
                "phases.profiling.concurrency=2, phases.profiling.rate=3, variables.x=True"
            ),
        ])
    );
    let scenarios = "  type: scenarios
  runs:
    - {name: a, values: {concurrency: 3, datasets.main.isl: 9}, benchmark: {phases: [{name: profiling, concurrency: 3}]}}
    - {name: b, variables: {x: 99}}
";
    assert_eq!(names(scenarios), owned(&[("concurrency_3__isl_9", "a"), ("b", "b")]));
    let indexed = format!("  type: sobol\n{DIMENSIONS}");
    assert_eq!(names(&indexed)[3].1, "sobol_0003");
    let by_value = format!("  type: sobol\n  scramble: false\n  labelFormat: kv\n{DIMENSIONS}");
    assert_eq!(
        names(&by_value)[1].1,
        "phases.profiling.concurrency=8, datasets.main.prompts.isl=20, phases.profiling.rate=1.5"
    );
}

#[test]
fn errors_name_the_place_in_the_file() {
    let error = expand("  type: grid\n  parameters: {concurency: [1], rate: 3}\n").unwrap_err();
    assert!(error.starts_with("run.yaml:3:") && error.contains("must be a list"), "{error}");
    let error = expand("  type: grd\n  parameters: {rate: [1]}\n").unwrap_err();
    assert!(error.contains("\"grd\" is not a type"), "{error}");
    let error = expand("  type: grid\n  parametrs: {rate: [1]}\n").unwrap_err();
    assert!(error.contains("did you mean parameters?"), "{error}");
}
