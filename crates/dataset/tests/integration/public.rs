//! Public data sets from a hub on the loopback interface: what requests are made of their rows.

use std::path::Path;
use std::sync::Arc;

use aiperf_config::{DatasetSource, PUBLIC_SETS, PublicOrigin, PublicSource};
use aiperf_conversation::{ContextMode, Conversation, Turn};
use aiperf_dataset::build_with_hub;
use aiperf_hub::{Hub, HubEnvironment, HubError};
use aiperf_loopback_hub::{LoopbackHub, TestColumn, parquet_file};
use aiperf_seed::Seed;
use aiperf_tokenizer::TokenizerRequest;
use serde_json::json;

use crate::described::config;

const IMAGE: &str = "optional group image { optional binary bytes; optional binary path (STRING); }";
const AUDIO: &str = "message m { optional group audio { optional binary bytes; optional binary path (STRING); } }";
const JPEG: &[u8] = include_bytes!("../fixtures/media/tiny.jpg");
const PNG: &[u8] = include_bytes!("../fixtures/media/tiny.png");
const WAV: &[u8] = include_bytes!("../fixtures/media/tiny.wav");
const FLAC: &[u8] = include_bytes!("../fixtures/media/tone.flac");

struct PublicSetRequest {
    source: PublicSource,
    home: tempfile::TempDir,
}

fn ask(name: &str) -> PublicSetRequest {
    let set = PUBLIC_SETS.iter().find(|set| set.name == name).unwrap();
    PublicSetRequest { source: PublicSource::of(set), home: tempfile::tempdir().unwrap() }
}

impl PublicSetRequest {
    fn entries(mut self, entries: usize) -> Self {
        self.source.entries = Some(entries);
        self
    }

    fn filter(mut self, key: &str, value: &str) -> Self {
        self.source.filters.push((key.to_owned(), value.to_owned()));
        self
    }

    fn hub(&self, endpoint: &str, offline: bool) -> Hub {
        Hub::new(HubEnvironment::from_variables(|name| match name {
            "HF_HOME" => self.home.path().to_str().map(str::to_owned),
            "HF_ENDPOINT" => Some(endpoint.to_owned()),
            "HF_HUB_OFFLINE" if offline => Some("1".to_owned()),
            _ => None,
        }))
    }

    fn of(&self, server: &LoopbackHub) -> Result<Vec<Arc<Conversation>>, String> {
        self.through(&self.hub(&server.url, false))
    }

    fn through(&self, hub: &Hub) -> Result<Vec<Arc<Conversation>>, String> {
        let config = config(DatasetSource::Public(self.source.clone()));
        let tokenizer = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), hub.environment()).unwrap();
        let built = build_with_hub(&config, Seed::fixed(1), &tokenizer, hub).map_err(|error| error.to_string())?;
        Ok(built.conversations().collect())
    }
}

fn texts(all: &[Arc<Conversation>]) -> Vec<Vec<String>> {
    let text = |turn: &Turn| turn.all_texts().collect::<Vec<_>>().join("|");
    all.iter().map(|conversation| conversation.turns.iter().map(text).collect()).collect()
}

fn problems(groups: &[&[&str]]) -> Vec<u8> {
    let groups: Vec<Vec<TestColumn>> =
        groups.iter().map(|group| vec![TestColumn::texts(group), TestColumn::texts(&vec!["s"; group.len()])]).collect();
    parquet_file("message m { optional binary problem (STRING); optional binary source (STRING); }", &groups)
}

#[test]
fn text_sets_take_their_column_and_skip_empty_rows() {
    let (one, two) = (problems(&[&["p1", " "], &["p2"]]), problems(&[&["p3"]]));
    let server = LoopbackHub::with(&[
        ("data/train-00000-of-00002.parquet", &one),
        ("data/train-00001-of-00002.parquet", &two),
        ("data/test-00000-of-00001.parquet", b"never read"),
    ]);
    let asked = ask("aimo");
    let all = asked.of(&server).unwrap();
    assert_eq!(texts(&all), [["p1"], ["p2"], ["p3"]]);
    assert_eq!(all[2].session_id.to_string(), "session_000002");
    assert_eq!(texts(&asked.through(&asked.hub(&server.url, true)).unwrap()), texts(&all), "offline, from the cache");
}

#[test]
fn a_shard_is_fetched_when_those_before_it_were_not_enough() {
    let (one, two) = (problems(&[&["p1", "p2"]]), problems(&[&["p3"]]));
    let server = LoopbackHub::with(&[("data/train-0.parquet", &one), ("data/train-1.parquet", &two)]);
    assert_eq!(texts(&ask("aimo").entries(2).of(&server).unwrap()), [["p1"], ["p2"]]);
    assert!(!server.requests().iter().any(|head| head.contains("train-1")));
    assert_eq!(ask("aimo").entries(3).of(&server).unwrap().len(), 3);
}

#[test]
fn filters_choose_rows_by_any_column() {
    let rows =
        "{\"problem\": \"a\", \"level\": 1}\n{\"problem\": \"b\", \"level\": 2}\n{\"problem\": \"c\", \"level\": 2}";
    let server = LoopbackHub::with(&[("test.jsonl", rows.as_bytes())]);
    assert_eq!(texts(&ask("spec_al_math500").filter("level", "2").of(&server).unwrap()), [["b"], ["c"]]);
    let error = ask("spec_al_math500").filter("level", "9").of(&server).unwrap_err();
    assert!(error.contains("spec_al_math500") && error.contains("--dataset-filter"), "{error}");
    let error = ask("spec_al_math500").filter("lvl", "2").of(&server).unwrap_err();
    assert!(error.contains("lvl=2") && error.contains("problem, level") && error.contains("row 1"), "{error}");
    let parquet = LoopbackHub::with(&[("train.parquet", &problems(&[&["p"]]))]);
    assert_eq!(ask("aimo").filter("source", "s").of(&parquet).unwrap().len(), 1);
}

#[test]
fn a_missing_column_is_named_with_those_that_are_there() {
    let server = LoopbackHub::with(&[("main/test.parquet", &problems(&[&["p"]]))]);
    let error = ask("spec_al_gsm8k").of(&server).unwrap_err();
    for part in ["spec_al_gsm8k", "main/test.parquet", "column question is missing", "problem, source"] {
        assert!(error.contains(part), "{part} is missing in: {error}");
    }
}

#[test]
fn a_damaged_file_is_an_error_and_no_panic() {
    let mut file = problems(&[&["p1", "p2"]]);
    let middle = file.len() / 2;
    for (name, bytes) in [
        ("cut", file[..middle].to_vec()),
        ("short", b"PAR1".to_vec()),
        ("flipped", {
            file[6..40].fill(0xff);
            file.clone()
        }),
    ] {
        let error = ask("aimo").of(&LoopbackHub::with(&[("train.parquet", &bytes)])).unwrap_err();
        assert!(error.contains("train.parquet") && error.contains("Parquet"), "{name}: {error}");
    }
}

#[test]
fn pictures_are_sent_as_they_are_stored() {
    let file = parquet_file(
        &format!("message m {{ optional binary question (STRING); {IMAGE} }}"),
        &[vec![
            TestColumn::texts(&["what?", "and this?"]),
            TestColumn::flat(&[Some(JPEG), Some(PNG)], 2),
            TestColumn { values: Vec::new(), definition: vec![1, 1], repetition: None },
        ]],
    );
    let card = b"---\nconfigs:\n- config_name: val\n  data_files:\n  - split: val\n    path: mmstar.parquet\n---\n";
    let server = LoopbackHub::with(&[("README.md", card), ("mmstar.parquet", &file)]);
    let all = ask("mmstar").of(&server).unwrap();
    assert_eq!(texts(&all), [["what?"], ["and this?"]]);
    let url = |place: usize| all[place].turns[0].images[0].contents[0].to_string();
    assert!(url(0).starts_with("data:image/jpeg;base64,/9j/") && url(1).starts_with("data:image/png;base64,iVBOR"));
}

#[test]
fn a_chat_about_a_picture_begins_with_its_user() {
    let list =
        |name: &str, inner: &str| format!("optional group {name} (LIST) {{ repeated group list {{ {inner} }} }}");
    let message = "optional group element { optional binary role (STRING); optional binary content (STRING); }";
    let picture = "optional group element { optional binary bytes; optional binary path (STRING); }";
    // Turns are lists of messages here: lists of lists.
    let turns = list("conversation", &list("element", message));
    let nested = |texts: &[&str]| TestColumn {
        values: texts.iter().map(|text| text.as_bytes().to_vec()).collect(),
        definition: vec![6; texts.len()],
        repetition: Some((0..texts.len()).map(|place| i16::from(place > 0)).collect()),
    };
    let file = parquet_file(
        &format!("message m {{ {turns} {} }}", list("images", picture)),
        &[vec![
            nested(&["assistant", "user", "user"]),
            nested(&["hello", "what is it?", "and now?"]),
            TestColumn { values: vec![JPEG.to_vec()], definition: vec![4], repetition: Some(vec![0]) },
            TestColumn { values: Vec::new(), definition: vec![3], repetition: Some(vec![0]) },
        ]],
    );
    let all = ask("vision_arena").of(&LoopbackHub::with(&[("data/train-0.parquet", &file)])).unwrap();
    assert_eq!(texts(&all), [["what is it?"]]);
    assert!(all[0].turns[0].images[0].contents[0].starts_with("data:image/jpeg"));

    let said = "optional group element { optional binary from (STRING); optional binary value (STRING); }";
    let file = parquet_file(
        &format!("message m {{ {} {IMAGE} }}", list("conversations", said)),
        &[vec![
            TestColumn::lists(&[&["human", "gpt"]], 4),
            TestColumn::lists(&[&["<image>\nDescribe it.", "A cat."]], 4),
            TestColumn::flat(&[Some(PNG)], 2),
            TestColumn { values: Vec::new(), definition: vec![1], repetition: None },
        ]],
    );
    let server = LoopbackHub::with(&[("sharegpt4o/train-0.parquet", &file), ("other/train-0.parquet", b"")]);
    let all = ask("llava_onevision").of(&server).unwrap();
    assert_eq!(texts(&all), [["Describe it."]]);
}

#[test]
fn a_video_is_named_by_its_url_and_choices_follow_the_question() {
    let rows = json!([
        {"question": "Which?", "choices": {"A": "one", "B": "two"}, "video": "https://example.invalid/1.mp4"},
        {"question": "How many?", "choices": {"A": "", "B": null}, "video": "https://example.invalid/2.mp4"}
    ]);
    let server = LoopbackHub::with(&[("validation.json", rows.to_string().as_bytes())]);
    let all = ask("mmvu").of(&server).unwrap();
    assert_eq!(texts(&all), [["Which?\nA.one B.two"], ["How many?"]]);
    assert_eq!(&*all[1].turns[0].videos[0].contents[0], "https://example.invalid/2.mp4");
}

#[test]
fn prompts_of_a_list_are_turns_with_live_replies() {
    let file = parquet_file(
        "message m { optional group prompt (LIST) { repeated group list { optional binary element (STRING); } } }",
        &[vec![TestColumn::lists(&[&["a", "b"], &["c"]], 3)]],
    );
    let all = ask("spec_al_mtbench").of(&LoopbackHub::with(&[("data/train-0.parquet", &file)])).unwrap();
    assert_eq!(texts(&all), [vec!["a", "b"], vec!["c"]]);
    assert_eq!(all[0].context_mode, ContextMode::DeltasWithoutResponses);
}

#[test]
fn an_edit_has_the_code_in_a_fence_and_what_to_do_after_it() {
    let rows =
        "{\"code\": \"x = 1\\n\", \"change_request\": \"make it 2\"}\n{\"code\": \"\", \"change_request\": \"?\"}";
    let all = ask("blazedit_5k").of(&LoopbackHub::with(&[("train.jsonl", rows.as_bytes())])).unwrap();
    assert_eq!(all.len(), 1);
    assert!(texts(&all)[0][0].ends_with("\n\n```\nx = 1\n```\n\nmake it 2"), "{:?}", texts(&all));
}

#[test]
fn speech_is_wav_with_its_length_and_long_clips_are_left_out() {
    let mut long = WAV[..44].to_vec();
    // A data chunk of 31 seconds at the header's own byte rate.
    let rate = u32::from_le_bytes(WAV[28..32].try_into().unwrap());
    long.resize(44 + 31 * rate as usize, 0);
    let size = (long.len() - 44) as u32;
    long[40..44].copy_from_slice(&size.to_le_bytes());
    let file = parquet_file(
        AUDIO,
        &[vec![
            TestColumn::flat(&[Some(FLAC), Some(&long), Some(WAV)], 2),
            TestColumn { values: Vec::new(), definition: vec![1; 3], repetition: None },
        ]],
    );
    let server = LoopbackHub::with(&[("README.md", b""), ("script.py", b"")])
        .converted(&[("clean/test/0000.parquet", &file), ("other/test/0000.parquet", b"never read")]);
    let all = ask("librispeech").of(&server).unwrap();
    assert_eq!(all.len(), 2);
    let turn = &all[0].turns[0];
    assert!(turn.audios[0].contents[0].starts_with("wav,UklGR"));
    assert_eq!(turn.audio_seconds, Some(0.25));
    assert!(!texts(&all)[0][0].is_empty());
}

#[test]
fn share_gpt_is_one_file_and_its_turns_have_the_length_of_the_replies() {
    let said = |from: &str, text: &str| json!({"from": from, "value": text});
    let rows = json!([
        {"id": "1", "conversations": [said("human", "one two three four"), said("gpt", "five six seven eight nine")]},
        {"id": "2", "conversations": [said("human", "short"), said("gpt", "five six seven eight nine")]},
        {"id": "3", "conversations": []}
    ]);
    let name = "ShareGPT_V3_unfiltered_cleaned_split.json";
    let server = LoopbackHub::with(&[(name, rows.to_string().as_bytes())]);
    let all = ask("sharegpt").of(&server).unwrap();
    assert_eq!(texts(&all), [["one two three four"]]);
    assert_eq!(all[0].turns[0].max_tokens, Some(5));
    assert_eq!(server.requests().len(), 1, "no list of files is needed");
}

#[test]
fn spec_bench_lies_at_a_url_of_its_own() {
    let asked = ask("spec_bench").filter("category", "qa");
    let PublicOrigin::Url(url) = asked.source.set.origin else { panic!("no URL") };
    let offline = asked.hub("http://127.0.0.1:1", true);
    let Err(HubError::Offline { cache, .. }) = offline.url(url) else { panic!("not offline") };
    std::fs::create_dir_all(&cache).unwrap();
    let rows =
        "{\"category\": \"qa\", \"turns\": [\"first\", \"second\"]}\n{\"category\": \"rag\", \"turns\": [\"x\"]}";
    std::fs::write(cache.join("question.jsonl"), rows).unwrap();
    assert_eq!(texts(&asked.through(&offline).unwrap()), [["first"]]);
    let error = ask("spec_bench").through(&ask("aimo").hub("http://127.0.0.1:1", true)).unwrap_err();
    assert!(error.contains("--public-dataset spec_bench") && error.contains("HF_HUB_OFFLINE"), "{error}");
}

#[test]
fn recorded_agents_are_chosen_by_harness_and_model() {
    let row = |id: &str, harness: &str, model: &str| {
        let attributes = json!({"gen_ai.operation.name": "chat", "gen_ai.usage.output_tokens": 3,
            "gen_ai.input.messages": json!([{"role": "user", "content": id}]).to_string()});
        json!({"session_id": id, "harness": harness, "models": [model], "spans": [
            {"start_time": "2026-05-07T09:00:00Z", "end_time": "2026-05-07T09:00:01Z", "attributes": attributes}]})
    };
    let rows = format!("{}\n{}\n{}", row("a", "h1", "m1"), row("b", "h2", "m1"), row("c", "h1", "m2"));
    let server = LoopbackHub::with(&[("data/train.jsonl", rows.as_bytes())]);
    let ids = |asked: PublicSetRequest| -> Vec<String> {
        asked.of(&server).unwrap().iter().map(|conversation| conversation.session_id.to_string()).collect()
    };
    assert_eq!(ids(ask("exgentic").filter("harness", "h1")), ["a", "c"]);
    assert_eq!(ids(ask("exgentic_v2").filter("harness", "h1").filter("source_model", "m2")), ["c"]);
    assert_eq!(ids(ask("exgentic").entries(1)), ["a"]);
    assert!(server.requests()[0].contains("70036b93a04e61b0ea2706a68b962f4f26774587"), "the revision is pinned");
}

#[test]
fn weka_traces_are_replayed_as_files_of_that_format_are() {
    let row = json!({"id": "w1", "models": ["big"], "block_size": 64, "hash_id_scope": "local", "tool_tokens": 64,
        "system_tokens": 0, "totals": null, "requests": [
            {"t": 0.0, "type": "n", "model": "big", "in": 140, "out": 4, "hash_ids": [1, 2], "api_time": 0.1, "agent_id": null},
            {"t": 0.5, "type": "n", "model": "big", "in": 200, "out": 6, "hash_ids": [1, 2, 3], "api_time": 0.1, "ttft": null}]});
    let server = LoopbackHub::with(&[("data/train.jsonl", row.to_string().as_bytes())]);
    let all = ask("semianalysis_cc_traces_weka_062126").of(&server).unwrap();
    assert_eq!((all.len(), all[0].session_id.to_string()), (1, "w1".to_owned()));
    let asked: Vec<Option<u32>> = all[0].turns.iter().map(|turn| turn.max_tokens).collect();
    assert_eq!(asked, [Some(4), Some(6)]);
    assert!(all[0].turns.iter().all(|turn| turn.raw_messages.is_some()));
}

#[test]
fn the_page_on_data_sets_lists_every_public_set() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/datasets.md");
    let page = std::fs::read_to_string(page).unwrap();
    for set in PUBLIC_SETS {
        let source = match set.origin {
            PublicOrigin::Split { repository, subset, split, .. } => {
                let subset = subset.map(|subset| format!(" {subset}")).unwrap_or_default();
                format!("{repository}{subset}, {split}")
            }
            PublicOrigin::File { repository, .. } => repository.to_owned(),
            PublicOrigin::Url(_) => "hemingkx/Spec-Bench on GitHub".to_owned(),
            PublicOrigin::Named => "`--hf-weka-dataset`".to_owned(),
        };
        let streamed = if set.streamed { "as needed" } else { "whole" };
        let row = format!("| `{}` | {source} | {streamed} | {} |", set.name, set.recipe.summary());
        assert!(page.contains(&row), "docs/datasets.md lacks this row:\n{row}");
    }
}
