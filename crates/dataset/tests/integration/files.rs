//! The formats that a file or folder may have, through the public door.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use aiperf_config::{
    BadRows, BatchSizes, DatasetConfig, DatasetSource, FileFormat, FileSource, FormatOption, PoolDraws, SpeedBench,
};
use aiperf_conversation::{ContextMode, Turn};
use aiperf_dataset::{Dataset, build};
use aiperf_seed::Seed;

use crate::described::{builtin, config, fixture, rows};

fn loaded(source: FileSource) -> Result<Dataset, String> {
    let models = vec![Arc::from("given")];
    let config = DatasetConfig { models, ..config(DatasetSource::File(source)) };
    build(&config, Seed::fixed(1), &builtin()).map_err(|error| error.to_string())
}

/// A folder with these files, and the first of them as a source.
fn files(files: &[(&str, &[u8])]) -> (tempfile::TempDir, FileSource) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let source = FileSource::of(folder.path().join(files[0].0));
    (folder, source)
}

fn turns(dataset: &Dataset) -> Vec<Turn> {
    dataset.outlines().iter().flat_map(|conversation| conversation.turns.clone()).collect()
}

fn payloads(dataset: &Dataset) -> Vec<String> {
    turns(dataset).iter().map(|turn| String::from_utf8(turn.raw_payload.clone().unwrap().to_vec()).unwrap()).collect()
}

fn texts(turn: &Turn) -> Vec<&str> {
    turn.all_texts().collect()
}

fn pool(draws: PoolDraws, source: FileSource) -> FileSource {
    FileSource { format: Some(FileFormat::RandomPool), draws, ..source }
}

#[test]
fn a_pool_is_drawn_from_with_replacement_as_often_as_asked_for() {
    let (_folder, source) = rows("{\"text\": \"a\"}\n{\"texts\": [\"b\", \"c\"]}\n{\"text\": \"d\"}\n");
    let draws = PoolDraws { entries: 200, batch: BatchSizes::default() };
    let dataset = loaded(pool(draws, source.clone())).unwrap();
    assert_eq!(dataset.len(), 200);
    let drawn = turns(&dataset);
    let kinds: HashSet<Vec<&str>> = drawn.iter().map(texts).collect();
    assert_eq!(kinds, HashSet::from([vec!["a"], vec!["b", "c"], vec!["d"]]));
    assert_eq!(dataset.outlines()[7].session_id.to_string(), "session_000007");
    assert_eq!(drawn, turns(&loaded(pool(draws, source)).unwrap()), "the same seed draws the same");
}

#[test]
fn a_folder_of_pools_gives_each_request_a_row_of_each_under_the_name_of_its_file() {
    let draws = PoolDraws { entries: 20, batch: BatchSizes::default() };
    let dataset = loaded(FileSource { draws, ..fixture("random_pool_dir") }).unwrap();
    assert_eq!(dataset.len(), 20);
    for turn in turns(&dataset) {
        let groups: Vec<(&str, usize)> = turn.texts.iter().map(|text| (&*text.name, text.contents.len())).collect();
        assert_eq!(groups, [("passages", 2), ("query", 1)]);
    }
}

#[test]
fn batch_sizes_draw_contents_one_by_one() {
    let media = r#"{"text": "a", "image": "data:,1"}
        {"texts": ["b", "c"], "images": ["data:,2", "data:,3"]}"#;
    let (_folder, source) = rows(media);
    let sizes = |texts, images| PoolDraws { entries: 50, batch: BatchSizes { texts, images, ..BatchSizes::default() } };
    let drawn = turns(&loaded(pool(sizes(3, 2), source.clone())).unwrap());
    assert!(drawn.iter().all(|turn| texts(turn).len() == 3 && turn.images[0].contents.len() == 2));
    let found: HashSet<&str> = drawn.iter().flat_map(texts).collect();
    assert_eq!(found, HashSet::from(["a", "b", "c"]));
    let without = turns(&loaded(pool(sizes(1, 0), source.clone())).unwrap());
    assert!(without.iter().all(|turn| turn.images.is_empty() && texts(turn).len() == 1));

    let audio = PoolDraws { entries: 1, batch: BatchSizes { audios: 2, ..BatchSizes::default() } };
    assert!(loaded(pool(audio, source.clone())).unwrap_err().contains("the file has no audios"));
    assert!(loaded(pool(sizes(0, 0), source)).unwrap_err().contains("nothing is left to send"));
    for (row, problem) in [
        (r#"{"texts": [{"name": "n", "contents": ["a"]}]}"#, "named texts"),
        (r#"{"text": "a", "images": ["data:,"], "image_uuids": ["u"]}"#, "image_uuids belong"),
    ] {
        let (_folder, source) = rows(row);
        assert!(loaded(pool(sizes(2, 1), source)).unwrap_err().contains(problem), "{row}");
    }
}

#[test]
fn the_ids_of_images_that_come_together_are_whole() {
    let with = br#"{"images": ["data:,1"], "image_uuids": ["u"]}"#;
    let (folder, _) = files(&[("a.jsonl", with), ("b.jsonl", br#"{"image": "data:,2"}"#)]);
    let source = FileSource::of(folder.path().to_owned());
    assert!(loaded(source).unwrap_err().contains("give ids to all of them or to none"));
}

#[test]
fn raw_payloads_are_sent_byte_for_byte() {
    let dataset = loaded(fixture("raw_payload.jsonl")).unwrap();
    let sample = include_str!("../fixtures/raw_payload.jsonl");
    assert_eq!(payloads(&dataset), sample.lines().collect::<Vec<_>>());
    assert!(dataset.outlines().iter().all(|c| c.turns.len() == 1));
    let turn = &turns(&dataset)[5];
    assert_eq!((&*turn.model, turn.max_tokens), ("m", Some(3)));
    assert_eq!(dataset.file_format, Some(FileFormat::RawPayload));
}

#[test]
fn a_folder_of_raw_payloads_has_a_conversation_for_each_file() {
    let dataset = loaded(fixture("raw_payload_dir")).unwrap();
    let lengths: Vec<usize> = dataset.outlines().iter().map(|c| c.turns.len()).collect();
    assert_eq!(lengths, [2, 1]);
    assert_eq!(dataset.outlines()[0].context_mode, ContextMode::MessageArrayWithResponses);
    assert!(payloads(&dataset)[1].contains("\"a1\""));
}

#[test]
fn the_inputs_of_an_earlier_run_are_sent_again() {
    let dataset = loaded(fixture("inputs.json")).unwrap();
    assert_eq!(dataset.len(), 10);
    assert_eq!(dataset.outlines()[0].session_id.to_string(), "in1");
    assert_eq!(payloads(&dataset)[1], r#"{"model":"m","messages":[{"role":"user","content":"i1t2"}]}"#);
    for (data, problem) in [
        (r#"{"data": [{"payloads": [{}]}]}"#, "data[0]: an object with session_id"),
        (r#"{"data": [{"session_id": "a", "payloads": []}]}"#, "session \"a\": payloads: at least one"),
        (r#"{"data": [{"session_id": "a", "payloads": [5]}]}"#, "payload 0: a JSON object is expected"),
        (
            r#"{"data": [{"session_id": "a", "payloads": [{}]}, {"session_id": "a", "payloads": [{}]}]}"#,
            "data[1]: session \"a\" appears twice",
        ),
        ("{\n\"data\": 5}", "line 2: data: an object with a list of sessions"),
    ] {
        let (_folder, source) = files(&[("inputs.json", data.as_bytes())]);
        let error = loaded(FileSource { format: Some(FileFormat::InputsJson), ..source }).unwrap_err();
        assert!(error.contains(problem), "{data}: {error}");
    }
}

#[test]
fn captured_requests_come_in_the_order_of_their_times() {
    let dataset = loaded(fixture("sagemaker_capture.jsonl")).unwrap();
    assert_eq!(dataset.len(), 11);
    let turns = turns(&dataset);
    let said = |turn: &Turn| turn.raw_messages.as_ref().unwrap()[0]["content"].as_str().unwrap().to_owned();
    assert_eq!(
        turns[..3].iter().map(|turn| (said(turn), turn.timestamp_ms.unwrap(), turn.max_tokens)).collect::<Vec<_>>(),
        [
            ("sm zero (earliest)".to_owned(), 0.0, None),
            ("sm one".to_owned(), 500.0, Some(5)),
            ("sm two".to_owned(), 1100.0, Some(6))
        ]
    );
    assert_eq!(turns[0].raw_tools.as_ref().unwrap().len(), 1);
    assert!(turns[1].extra_body.is_none());
}

#[test]
fn captures_are_found_in_folders_below() {
    let sample = include_bytes!("../fixtures/sagemaker_capture.jsonl");
    let (folder, _) = files(&[("2026/04/29/00/one.jsonl", sample), ("2026/04/29/01/two.jsonl", sample)]);
    assert_eq!(loaded(FileSource::of(folder.path().to_owned())).unwrap().len(), 22);
}

#[test]
fn a_bad_capture_is_named_by_its_field() {
    let row = |input: &str, time: &str| {
        format!(r#"{{"captureData": {{"endpointInput": {input}}}, "eventMetadata": {{"inferenceTime": {time}}}}}"#)
    };
    let good = r#"{"data": "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}", "encoding": "JSON"}"#;
    for (input, time, problem) in [
        ("5", "\"\"", "endpointInput: an object is expected"),
        (r#"{"data": "%"}"#, "\"\"", "captureData.endpointInput.data: not valid Base64"),
        (r#"{"data": "{}", "encoding": "JSON"}"#, "\"\"", "a request with messages is expected"),
        (r#"{"data": "a,b", "encoding": "CSV"}"#, "\"\"", "unknown encoding \"CSV\""),
        (good, "\"yesterday\"", "eventMetadata.inferenceTime: \"yesterday\" is not a time"),
        (good, "null", "eventMetadata.inferenceTime is missing"),
    ] {
        let (_folder, source) = rows(&row(input, time));
        let error = loaded(source).unwrap_err();
        assert!(error.contains("rows.jsonl, line 1: ") && error.contains(problem), "{input}: {error}");
    }
    let (_folder, source) =
        rows(&format!("{}\n{}", row(good, "\"2026-04-29T02:00:00+02:00\""), row(good, "\"2026-04-29T00:00:01\"")));
    assert_eq!(turns(&loaded(source).unwrap())[1].timestamp_ms, Some(1000.0));
}

#[test]
fn speed_bench_is_read_whole_or_by_category() {
    let read = |name: &str| {
        let format = FileFormat::SpeedBench(SpeedBench::named(name).unwrap());
        loaded(FileSource { format: Some(format), ..fixture("qualitative.jsonl") })
    };
    assert_eq!(read("speed_bench_qualitative").unwrap().len(), 12);
    let coding = read("speed_bench_coding").unwrap();
    let turns: Vec<usize> = coding.outlines().iter().map(|c| c.turns.len()).collect();
    assert_eq!(turns, [1, 2], "every message is a turn");
    assert_eq!(coding.outlines()[1].turns[0].role.as_ref().unwrap().0.as_ref(), "system");
    assert_eq!(coding.outlines()[0].session_id.to_string(), "cfcd208495d565ef66e7dff9f98764da");
    let none = read("speed_bench_throughput_1k_mixed").unwrap_err();
    assert!(none.contains("no row has the category mixed; the file has coding, humanities"), "{none}");
}

#[test]
fn a_bad_row_of_speed_bench_says_what_is_wrong() {
    for (row, problem) in [
        (r#"{"question_id": "short", "category": "qa", "messages": []}"#, "question_id: 32 characters"),
        (
            r#"{"question_id": "cfcd208495d565ef66e7dff9f98764da", "category": "qa", "messages": [{"role": "user", "content": " "}]}"#,
            "not blank",
        ),
        (
            r#"{"question_id": "cfcd208495d565ef66e7dff9f98764da", "category": "qa", "messages": [{"role": "user", "content": "FULL BENCHMARK DATA SHOULD BE FETCHED FROM THE SOURCE USING SPECDEC_BENCH"}]}"#,
            "the prompt is not in this file",
        ),
    ] {
        let (_folder, source) = rows(row);
        let error = loaded(source).unwrap_err();
        assert!(error.contains("line 1: ") && error.contains(problem), "{row}: {error}");
    }
}

#[test]
fn packed_files_are_read_as_if_they_were_not() {
    let plain = "\u{feff}{\"text\": \"a\"}\r\n\r\n{\"text\": \"b\"}";
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(plain.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    let zstd = zstd::encode_all(plain.as_bytes(), 1).unwrap();
    for (name, content) in
        [("a.jsonl", plain.as_bytes()), ("a.jsonl.gz", &gzip), ("a.jsonl.zst", &zstd), ("odd", &gzip)]
    {
        let (_folder, source) = files(&[(name, content)]);
        let dataset = loaded(source).unwrap();
        let texts: Vec<String> = turns(&dataset).iter().flat_map(texts).map(str::to_owned).collect();
        assert_eq!(texts, ["a", "b"], "{name}");
    }
    let (folder, _) = files(&[("one.jsonl.gz", &gzip), ("two.jsonl", plain.as_bytes())]);
    let dataset = loaded(FileSource::of(folder.path().to_owned())).unwrap();
    assert_eq!(dataset.outlines()[0].turns[0].texts.iter().map(|text| &*text.name).collect::<Vec<_>>(), ["one", "two"]);
}

#[test]
fn bad_rows_can_be_skipped_and_are_counted() {
    let skipping = |source: FileSource| loaded(FileSource { bad_rows: BadRows::Skip, ..source });
    let (_folder, source) = rows("{\"text\": \"a\"}\n{\"text\": 5}\nnot JSON\n{\"text\": \"b\"}\n");
    assert!(loaded(source.clone()).unwrap_err().contains("rows.jsonl, line 2: text: a string is expected, not 5"));
    let dataset = skipping(source).unwrap();
    assert_eq!((dataset.len(), dataset.skipped_rows.count), (2, 2));
    assert!(dataset.skipped_rows.reasons[1].contains("rows.jsonl, line 3: not valid JSON"));

    let (_folder, source) = rows("{\"text\": 5}\n{}");
    let error = skipping(source).unwrap_err();
    assert!(error.contains("none of its 2 rows can be used; first problem: ") && error.contains("line 1"), "{error}");

    let row = |id: &str, more: &str| {
        format!(r#"{{"session_id": "{id}", "turns": [{{"messages": [{{"role": "user", "content": "x"}}]{more}}}]}}"#)
    };
    let graph = [row("a", ""), row("b", r#", "spawns": ["gone"]"#), row("c", r#", "spawns": ["b"]"#), "{".to_owned()];
    let (_folder, source) = rows(&graph.join("\n"));
    let dataset = skipping(source).unwrap();
    assert_eq!((dataset.len(), dataset.skipped_rows.count), (1, 3), "one takes with it those that name it");

    let inputs = br#"{"data": [{"session_id": "a", "payloads": [{}]}, {"session_id": "a", "payloads": [{}]}]}"#;
    let (_folder, source) = files(&[("inputs.json", inputs)]);
    assert_eq!(skipping(source).unwrap().skipped_rows.count, 1);
}

#[test]
fn an_option_that_the_format_found_does_not_heed_is_refused() {
    let (_folder, source) = rows("{\"text\": \"a\"}");
    let option = FormatOption {
        flag: "--num-dataset-entries".to_owned(),
        heeded_by: |format| format == FileFormat::RandomPool,
        why: "it is for pools",
    };
    let error = loaded(FileSource { conditional: vec![option], ..source }).unwrap_err();
    assert!(
        error.contains("--num-dataset-entries")
            && error.contains("which is single_turn: --num-dataset-entries is for pools"),
        "{error}"
    );
}

#[test]
fn a_folder_is_refused_where_the_format_is_one_of_a_file() {
    let source = FileSource { format: Some(FileFormat::MultiTurn), ..fixture("raw_payload_dir") };
    assert!(loaded(source).unwrap_err().contains("multi_turn is a single file"));
    let empty = tempfile::tempdir().unwrap();
    let nothing: PathBuf = empty.path().to_owned();
    assert!(loaded(FileSource::of(nothing)).unwrap_err().contains("none of the formats that can be a folder"));
}

#[test]
fn data_in_memory_is_read_like_a_file_that_may_not_name_others() {
    let read = aiperf_dataset::conversations_of;
    assert_eq!(read(None, b"{\"text\": \"a\"}").unwrap().len(), 1);
    let error = read(Some(FileFormat::SingleTurn), b"{\"image\": \"a.png\"}").unwrap_err().to_string();
    assert!(error.contains("must not read local files"), "{error}");
}
