//! Data that the user brings: what is left out of it, what is drawn from it, and where it was recorded.

use crate::support::{Log, Program, sim};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../dataset/tests/fixtures");

#[test]
fn rows_that_were_left_out_are_in_the_summary_and_on_the_console() {
    let sim = sim("ttft=0&itl=0&osl=1");
    let words = "--input-file rows.jsonl --skip-bad-rows --request-count 2 --tokenizer builtin";
    let program = Program::profile(&format!("--url {} --model m", sim.url())).with(words);
    let artifacts =
        program.file("rows.jsonl", "{\"text\": \"a\"}\n{\"text\": 5}\nno row\n{\"text\": \"b\"}\n").succeed();
    let notes = artifacts.summary()["validity"].clone();
    let note = notes.as_array().unwrap().iter().find(|note| note["code"] == "rows_left_out").unwrap().clone();
    assert_eq!((note["figure"].as_f64(), note["unit"].as_str()), (Some(2.0), Some("count")));
    assert!(artifacts.text("profile_export_console.txt").contains("2 rows of the data could not be used"));
}

#[test]
fn a_pool_is_drawn_in_batches_of_texts_and_pictures() {
    let sim = sim("ttft=0&itl=0&osl=1");
    let words = "--input-file pool.jsonl --custom-dataset-type random_pool --batch-size 2 --image-batch-size 3";
    let program = Program::profile(&format!("--url {} --model m --tokenizer builtin", sim.url())).with(words);
    let rows = "{\"text\": \"a\", \"image\": \"http://h/1.png\"}\n{\"text\": \"b\", \"image\": \"http://h/2.png\"}\n";
    let artifacts = program.with("--request-count 5 --export-level raw").file("pool.jsonl", rows).succeed();
    for entry in Log::of(&sim, &artifacts).iter() {
        let parts = entry.body["messages"][0]["content"].as_array().unwrap().clone();
        let of = |kind: &str| parts.iter().filter(|part| part["type"] == kind).count();
        assert_eq!((of("text"), of("image_url")), (2, 3), "{parts:?}");
    }
}

#[test]
fn replayed_requests_say_where_they_were_recorded() {
    let sim = sim("ttft=0&itl=0&osl=1");
    let program = Program::profile(&format!("--url {} --model m --tokenizer builtin", sim.url()))
        .with(&format!("--input-file {SAMPLES}/weka_traces --num-sessions 2 --ignore-trace-delays"));
    let artifacts = program.succeed();
    let mut places: Vec<String> = artifacts
        .records()
        .iter()
        .map(|record| {
            let (trace, kind) = (record.word("source_trace_id"), record.word("source_kind"));
            let inner = record.meta("source_inner_idx").as_u64().map_or(String::new(), |inner| format!(".{inner}"));
            format!("{trace} {}{inner} {kind}", record.number("source_outer_idx"))
        })
        .collect();
    places.sort();
    assert_eq!(
        places,
        [
            "wk1 0 weka_main",
            "wk1 1 weka_main",
            "wk1 2.0 weka_subagent",
            "wk1 2.1 weka_subagent",
            "wk1 3 weka_main",
            "wk2 0 weka_main",
            "wk2 1 weka_main"
        ]
    );
    let hit = &artifacts.summary()["theoretical_prefix_cache_hit"];
    assert_eq!((hit["count"].as_u64(), hit["sum"].as_u64(), hit["unit"].as_str()), (Some(23), Some(12), Some("%")));
    assert!((hit["avg"].as_f64().unwrap() - 100.0 * 12.0 / 23.0).abs() < 1e-9);
}
