//! Generated texts as the server sees them: lengths, markers, templates, queries and passages.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{Log, Program, sim};

#[test]
fn pairs_of_lengths_reach_the_server_together() {
    let sim = sim("ttft=0&itl=0");
    let words = "--url SIM --model m --tokenizer builtin --seq-dist 20,5:50;40,9:50 --request-count 20 --random-seed 1";
    let artifacts = Program::profile(&words.replace("SIM", &sim.url())).with("--export-level raw").succeed();
    let pairs: HashSet<(u64, u64)> = Log::of(&sim, &artifacts)
        .iter()
        .map(|entry| {
            let asked = entry.body["max_completion_tokens"].as_u64().unwrap();
            (u64::from(entry.truth.prompt_tokens.unwrap()), asked)
        })
        .collect();
    assert_eq!(pairs, HashSet::from([(20, 5), (40, 9)]));
}

fn first_user_texts(log: &Log) -> Vec<String> {
    let is_user = |message: &&(String, String)| message.0 == "user";
    log.iter().map(|entry| entry.messages().iter().find(is_user).unwrap().1.clone()).collect()
}

#[test]
fn every_session_has_a_marker_of_its_own_in_all_its_turns() {
    let sim = sim("ttft=0&itl=0&osl=3");
    let words =
        "--cache-bust first_turn_prefix --num-dataset-entries 1 --num-sessions 3 --session-turns-mean 2 --isl 40";
    let artifacts = Program::profile(&format!("--url {} --model m --tokenizer builtin", sim.url()))
        .with(words)
        .with("--export-level raw")
        .succeed();
    let log = Log::of(&sim, &artifacts);
    let mut markers = HashSet::new();
    for session in log.sessions() {
        let of_session: HashSet<String> =
            session.iter().map(|entry| entry.messages()[0].1.split("\n\n").next().unwrap().to_owned()).collect();
        assert_eq!(of_session.len(), 1, "{of_session:?}");
        markers.extend(of_session);
    }
    assert_eq!(markers.len(), 3, "{markers:?}");
    for marker in markers {
        let digits = marker.strip_prefix("[rid:").and_then(|rest| rest.strip_suffix(']')).unwrap();
        assert!(digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_hexdigit()), "{marker}");
    }
    for record in artifacts.records() {
        let entry = log.iter().find(|entry| entry.id() == record.word("x_request_id")).unwrap();
        assert_eq!(record.metric("input_sequence_length") as u32, entry.truth.prompt_tokens.unwrap());
    }
}

#[test]
fn the_warmup_is_marked_and_nothing_else() {
    let sim = sim("ttft=0&itl=0&osl=3");
    let words = "--cache-bust warmup_isolation_first_turn --warmup-request-count 2 --request-count 3";
    let artifacts = Program::against(&sim, words).with("--export-level raw --num-dataset-entries 1").succeed();
    let texts = first_user_texts(&Log::of(&sim, &artifacts));
    let marked = texts.iter().filter(|text| text.starts_with("[warmup]\n\n")).count();
    assert_eq!((marked, texts.len()), (2, 5), "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains("rid:")), "{texts:?}");
}

#[test]
fn a_ranking_has_a_query_and_its_passages() {
    let sim = sim("");
    let words = "--endpoint-type cohere_rankings --rankings-passages-mean 3 --rankings-query-prompt-token-mean 7";
    let artifacts = Program::profile(&format!("--url {} --model m --tokenizer builtin", sim.url()))
        .with(words)
        .with("--request-count 2 --export-level raw")
        .succeed();
    for entry in Log::of(&sim, &artifacts).iter() {
        assert!(entry.body["query"].is_string(), "{}", entry.body);
        assert_eq!(entry.body["documents"].as_array().map(Vec::len), Some(3), "{}", entry.body);
    }
}

/// A tokenizer of letters, with a chat template that costs four tokens in addition to its texts.
fn letters() -> Value {
    let mut vocabulary = serde_json::Map::new();
    for code in 32_u8..127 {
        vocabulary.insert(char::from(code).to_string(), json!(code));
    }
    vocabulary.insert("<unk>".to_owned(), json!(0));
    let special = |id: u32, content: &str| {
        json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
               "special": true})
    };
    json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null, "decoder": null,
        "added_tokens": [special(200, "<start>"), special(201, "<end>")],
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": ""}, "behavior": "Isolated", "invert": false},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"}
    })
}

#[test]
fn the_input_length_of_a_record_is_that_of_the_whole_prompt() {
    let sim = sim("ttft=0&itl=0&osl=3");
    let template = "{% for m in messages %}<start>{{ m.content }}<end>{% endfor %}{% if add_generation_prompt %}<start>{% endif %}";
    let program = Program::profile(&format!("--url {} --model m --tokenizer tokenizer.json", sim.url()))
        .with("--apply-chat-template --isl 90 --request-count 3 --export-level raw")
        .file("tokenizer.json", &letters().to_string())
        .file("tokenizer_config.json", &json!({"chat_template": template}).to_string());
    let artifacts = program.succeed();
    for record in artifacts.records() {
        assert!((record.metric("input_sequence_length") - 90.0).abs() < 1e-9);
    }
    for text in first_user_texts(&Log::of(&sim, &artifacts)) {
        assert_eq!(text.chars().count(), 87, "{text}");
    }
}
