//! The rules about files: what goes with one, and what goes with which format.

use std::path::Path;

use aiperf_config::{BadRows, BatchSizes, DatasetSource, FileFormat, FileSource, PoolDraws, SystemPrompt};

use super::{check, input_file, with_model};
use crate::catalogue::{OptionId, ValueKind};

fn source(words: &[&str]) -> FileSource {
    let config = with_model(words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    let DatasetSource::File(source) = config.dataset.source else { panic!("{words:?}: no file") };
    source
}

fn folder_word(folder: &Path) -> String {
    format!("--input-file={}", folder.display())
}

#[test]
fn what_describes_generated_conversations_does_not_go_with_a_file() {
    let (_folder, input) = input_file(&[r#"{"text": "hi"}"#]);
    for (option, value) in [
        ("isl", "5"),
        ("isl-stddev", "1"),
        ("num-prefix-prompts", "1"),
        ("prefix-prompt-length", "1"),
        ("session-turns-mean", "2"),
        ("session-turns-stddev", "1"),
        ("session-turn-delay-mean", "2"),
        ("session-turn-delay-stddev", "1"),
        ("session-delay-ratio", "2"),
        ("seq-dist", "1,1:100"),
        ("random-range-ratio", "0.5"),
        ("random-corpus-style", "vllm"),
        ("rankings-passages-mean", "2"),
        ("rankings-query-prompt-token-mean", "2"),
        ("image-width-mean", "2"),
        ("image-height-mean", "2"),
        ("image-format", "png"),
        ("image-source", "noise"),
        ("audio-length-mean", "2"),
        ("audio-format", "wav"),
        ("audio-depths", "16"),
        ("audio-sample-rates", "16"),
        ("audio-num-channels", "1"),
        ("video-width", "2"),
        ("video-height", "2"),
        ("video-duration", "2"),
        ("video-fps", "2"),
        ("video-format", "mp4"),
        ("video-audio-num-channels", "1"),
    ] {
        let word = format!("--{option}={value}");
        check(&[(&[&input, &word], &[&format!("--{option}")])]);
    }
    assert!(with_model(&[&input, "--osl=7", "--osl-stddev=1"]).is_ok(), "a length for rows that have none");
}

#[test]
fn what_says_how_a_file_is_read_needs_one() {
    for option in
        ["--custom-dataset-type=single_turn", "--skip-bad-rows", "--uuid-and-strip", "--inter-turn-delay-cap-seconds=1"]
    {
        let name = option.split('=').next().unwrap();
        check(&[(&[option], &[name, "--input-file"])]);
    }
    check(&[(&["--input-file=nowhere.jsonl"], &["--input-file", "nowhere.jsonl", "no such file or folder"])]);
    let (_folder, input) = input_file(&[r#"{"text": "hi"}"#]);
    assert_eq!(source(&[&input]).bad_rows, BadRows::Refuse);
    assert_eq!(source(&[&input, "--skip-bad-rows"]).bad_rows, BadRows::Skip);
}

#[test]
fn every_name_is_a_format_in_either_spelling() {
    let (_folder, input) = input_file(&["{}"]);
    for (spelling, name) in [
        ("single-turn", "single_turn"),
        ("random_pool", "random_pool"),
        ("Raw-Payload", "raw_payload"),
        ("inputs_json", "inputs_json"),
        ("sagemaker-data-capture", "sagemaker_data_capture"),
        ("speed-bench-coding", "speed_bench_coding"),
        ("speed_bench_throughput_1k", "speed_bench_throughput_1k"),
        ("speed-bench-throughput-1-k", "speed_bench_throughput_1k"),
        ("speed-bench-throughput-32-k-low-entropy", "speed_bench_throughput_32k_low_entropy"),
    ] {
        let word = format!("--custom-dataset-type={spelling}");
        assert_eq!(source(&[&input, &word]).format.map(FileFormat::name), Some(name), "{spelling}");
    }
    check(&[(&[&input, "--custom-dataset-type=csv"], &["--custom-dataset-type", "choose one of single_turn"])]);
    let spec = OptionId::CustomDatasetType.spec();
    let ValueKind::Choice(names) = spec.value else { panic!("{spec:?}") };
    assert!(names.iter().all(|name| FileFormat::named(name).is_some_and(|format| format.name() == *name)));
}

#[test]
fn batch_sizes_are_for_pools_of_one_file() {
    let (_folder, input) = input_file(&["{}"]);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder_word(folder.path());
    {
        let (option, name) = ("--batch-size=2", "--batch-size");
        for other in ["single_turn", "multi_turn", "raw_payload", "inputs_json", "dag_jsonl", "speed_bench_qa"] {
            let kind = format!("--custom-dataset-type={other}");
            check(&[(&[&input, option, &kind], &[name, other, "random_pool"])]);
        }
        // What an undeclared file turns out to be, its reader finds out.
        assert_eq!(source(&[&input, option]).unheeded(FileFormat::SingleTurn).map(|option| &*option.flag), Some(name));
        assert!(source(&[&input, option]).unheeded(FileFormat::RandomPool).is_none());
    }
    let pool = "--custom-dataset-type=random_pool";
    check(&[(&[&folder, pool, "--batch-size=2"], &["--batch-size", "--input-file", "give one file"])]);
    for option in ["--image-batch-size=2", "--audio-batch-size=2", "--video-batch-size=2"] {
        let name = option.split('=').next().unwrap();
        check(&[(&[&input, option, "--custom-dataset-type=single_turn"], &[name])]);
    }
    let batch = BatchSizes { texts: 3, ..BatchSizes::default() };
    assert_eq!(source(&[&input, pool, "--batch-size=3"]).draws, PoolDraws { entries: 100, batch });
}

#[test]
fn a_number_of_entries_takes_the_first_of_any_file() {
    let (_folder, input) = input_file(&["{}"]);
    for kind in ["single_turn", "multi_turn", "raw_payload", "inputs_json", "dag_jsonl", "mooncake_trace"] {
        let kind = format!("--custom-dataset-type={kind}");
        assert_eq!(source(&[&input, &kind, "--no-fixed-schedule", "--num-dataset-entries=5"]).entries, Some(5));
    }
}

#[test]
fn conversations_of_a_file_may_begin_with_generated_texts() {
    let (_folder, input) = input_file(&["{}"]);
    let both = [&*input, "--shared-system-prompt-length=7", "--user-context-prompt-length=9"];
    let config = with_model(&both).unwrap().dataset;
    assert_eq!((config.system_prompt, config.user_context_tokens), (SystemPrompt::Synthetic(7), Some(9)));
    let verbatim = [&both[..], &["--custom-dataset-type=raw_payload"]].concat();
    check(&[(&verbatim, &["--shared-system-prompt-length", "raw_payload", "sent unchanged"])]);
    check(&[(&[&both[..], &["--endpoint-type=completions"]].concat(), &["--shared-system-prompt-length", "chat"])]);
}

#[test]
fn a_pool_is_drawn_from_as_often_as_will_be_needed() {
    let (_folder, input) = input_file(&["{}"]);
    let pool = "--custom-dataset-type=random_pool";
    let entries = |words: &[&str]| source(&[&[&*input, pool], words].concat()).draws.entries;
    assert_eq!(entries(&[]), 100);
    assert_eq!(entries(&["--request-count=7"]), 7);
    assert_eq!(entries(&["--num-sessions=6", "--request-count=7"]), 6);
    assert_eq!(entries(&["--num-dataset-entries=5", "--num-sessions=6"]), 5);
}

#[test]
fn a_folder_goes_with_formats_that_have_folders() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder_word(folder.path());
    for kind in ["random_pool", "raw_payload", "sagemaker_data_capture"] {
        assert!(with_model(&[&input, &format!("--custom-dataset-type={kind}")]).is_ok(), "{kind}");
    }
    for kind in ["single_turn", "multi_turn", "inputs_json", "dag_jsonl", "speed_bench_qualitative"] {
        check(&[(&[&input, &format!("--custom-dataset-type={kind}")], &["--input-file", kind, "name the file"])]);
    }
}

#[test]
fn nothing_is_put_into_bodies_that_are_sent_as_they_are() {
    let (_folder, input) = input_file(&["{}"]);
    for kind in ["raw_payload", "inputs_json"] {
        let kind = format!("--custom-dataset-type={kind}");
        for option in ["--osl=5", "--extra-inputs=a:1", "--system-prompt=be brief", "--use-legacy-max-tokens"] {
            let name = option.split('=').next().unwrap();
            check(&[(&[&input, &kind, option], &[name, "sent unchanged"])]);
        }
    }
    let answers = source(&[&input, "--endpoint-type=raw", "--extra-inputs=response_field:a.b"]);
    assert!(answers.unheeded(FileFormat::RawPayload).is_none(), "where answers stand changes no body");
    assert!(
        source(&[&input, "--osl=5"]).unheeded(FileFormat::InputsJson).is_some(),
        "if that is what it turns out to be"
    );
}

#[test]
fn ids_of_images_are_stripped_in_single_turn_files() {
    let (_folder, input) = input_file(&["{}"]);
    let strip = "--uuid-and-strip";
    assert!(source(&[&input, strip, "--custom-dataset-type=single_turn"]).strip_known_images);
    check(&[(
        &[&input, strip, "--custom-dataset-type=multi_turn"],
        &["--uuid-and-strip", "multi_turn", "single_turn"],
    )]);
}

#[test]
fn a_schedule_needs_a_format_with_times() {
    let (_folder, input) = input_file(&["{}"]);
    for kind in ["dag_jsonl", "random_pool", "raw_payload", "inputs_json", "speed_bench_qa"] {
        let kind = format!("--custom-dataset-type={kind}");
        check(&[(
            &[&input, "--fixed-schedule", &kind],
            &["--fixed-schedule", "--custom-dataset-type", "no timestamps"],
        )]);
    }
    for kind in ["single_turn", "multi_turn", "sagemaker_data_capture"] {
        assert!(with_model(&[&input, "--fixed-schedule", &format!("--custom-dataset-type={kind}")]).is_ok(), "{kind}");
    }
}
