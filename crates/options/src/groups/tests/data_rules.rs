//! The rules between options about data, one test for each kind of data, in the order of the published list of them: what
//! is refused, with the words that the error must have, and what is taken.

use aiperf_protocol::EndpointKind;

use super::named_data::Data;
use super::{check, with_model};

fn name(option: &str) -> &str {
    option.split('=').next().unwrap()
}

#[test]
fn data_comes_from_one_place() {
    let data = Data::new();
    data.refuses(&[
        (&["--custom-dataset-type=single_turn"], &["--custom-dataset-type", "--input-file"]),
        (&["@file", "--public-dataset=aimo"], &["--input-file", "--public-dataset"]),
        (
            &["--public-dataset=aimo", "--custom-dataset-type=single_turn"],
            &["--custom-dataset-type", "--public-dataset"],
        ),
        (&["--input-file=nowhere.jsonl"], &["--input-file", "nowhere.jsonl", "no such file"]),
    ]);
    data.takes(&[&["@file"], &["@file", "--custom-dataset-type=single_turn"], &["--public-dataset=aimo"]]);
}

#[test]
fn descriptions_of_generated_data_go_with_nothing_else() {
    let data = Data::new();
    for option in [
        "--isl=5",
        "--isl-stddev=5",
        "--seq-dist=5,5:100",
        "--random-range-ratio=0.5",
        "--num-prefix-prompts=5",
        "--prefix-prompt-length=5",
        "--session-turns-mean=5",
        "--session-turns-stddev=5",
        "--session-turn-delay-mean=5",
        "--session-turn-delay-stddev=5",
        "--session-delay-ratio=5",
        "--image-width-mean=5",
        "--image-height-mean=5",
        "--image-format=png",
        "--image-source=assets",
        "--image-source-sampling=shuffle-cycle",
        "--audio-length-mean=5",
        "--audio-format=wav",
        "--audio-depths=16",
        "--audio-sample-rates=16",
        "--audio-num-channels=1",
        "--video-width=64",
        "--video-height=64",
        "--video-duration=5",
        "--video-fps=5",
        "--video-format=mp4",
        "--video-audio-num-channels=1",
    ] {
        data.refuses(&[
            (&["@file", option], &[name(option), "--input-file"]),
            (&["@file", "--custom-dataset-type=mooncake_trace", "--no-fixed-schedule", option], &[name(option)]),
            (&["--public-dataset=aimo", option], &[name(option), "--public-dataset"]),
        ]);
    }
    data.takes(&[
        &["@file", "--osl=5"],
        &["@file", "--osl=5", "--osl-stddev=1"],
        &["--public-dataset=aimo", "--osl=5"],
    ]);
}

#[test]
fn batch_sizes_are_for_generated_data_and_for_pools_of_one_file() {
    let data = Data::new();
    for option in ["--batch-size=2", "--image-batch-size=2", "--audio-batch-size=2", "--video-batch-size=2"] {
        data.refuses(&[
            (&["@file", "--custom-dataset-type=single_turn", option], &[name(option), "single_turn", "random_pool"]),
            (&["@file", "--custom-dataset-type=mooncake_trace", "--no-fixed-schedule", option], &[name(option)]),
            (&["@folder", "--custom-dataset-type=random_pool", option], &[name(option), "give one file"]),
            (&["--public-dataset=aimo", option], &[name(option), "--public-dataset"]),
        ]);
        // What an undeclared file turns out to be, its reader finds out.
        data.takes(&[&["@file", "--custom-dataset-type=random_pool", option], &["@file", option]]);
    }
    data.refuses(&[
        (&["--batch-size=0"], &["--batch-size", "at least 1"]),
        (&["--num-prefix-prompts=0", "--prefix-prompt-length=5"], &["--num-prefix-prompts", "at least 1"]),
    ]);
    data.takes(&[&["--batch-size=1"], &["--batch-size=3", "--endpoint-type=embeddings"]]);
}

#[test]
fn blocks_need_a_format_that_has_them() {
    let data = Data::new();
    for kind in ["single_turn", "raw_payload", "burst_gpt_trace", "baseten_trace", "weka_trace"] {
        let kind = format!("--custom-dataset-type={kind}");
        data.refuses(&[(&["@file", &kind, "--no-fixed-schedule", "--isl-block-size=16"], &["--isl-block-size"])]);
    }
    data.refuses(&[(&["--isl-block-size=16"], &["--isl-block-size", "--input-file"])]);
    for kind in ["mooncake_trace", "bailian_trace", "tracelab"] {
        let kind = format!("--custom-dataset-type={kind}");
        data.takes(&[&["@file", &kind, "--no-fixed-schedule", "--isl-block-size=16"]]);
    }
    data.takes(&[&["@file", "--isl-block-size=16"]]);
}

#[test]
fn rows_of_public_data_are_chosen_from_public_data() {
    let data = Data::new();
    data.refuses(&[
        (&["--hf-subset=a"], &["--hf-subset", "--public-dataset"]),
        (&["@file", "--hf-subset=a"], &["--hf-subset", "--public-dataset"]),
        (&["--dataset-filter=a=b"], &["--dataset-filter", "--public-dataset"]),
        (&["--public-dataset=aimo", "--dataset-filter=a"], &["--dataset-filter", "column=value"]),
        (&["--public-dataset=aimo", "--hf-weka-dataset=a/b"], &["--hf-weka-dataset", "aimo"]),
        (&["--public-dataset=weka_hf"], &["--public-dataset", "--hf-weka-dataset"]),
    ]);
    data.takes(&[
        &["--public-dataset=aimo", "--hf-subset=a"],
        &["--public-dataset=aimo", "--dataset-filter=a=b"],
        &["--public-dataset=weka_hf", "--hf-weka-dataset=a/b"],
        &["--hf-weka-dataset=a/b"],
    ]);
}

#[test]
fn recordings_of_agents_have_options_of_their_own() {
    let data = Data::new();
    let (weka, tracelab) = ("--custom-dataset-type=weka_trace", "--custom-dataset-type=tracelab");
    for option in ["--max-context-length=9", "--use-think-time-only", "--trace-idle-gap-cap-seconds=1"] {
        data.refuses(&[
            (&[option], &[name(option), "--input-file"]),
            (&["@file", "--custom-dataset-type=single_turn", option], &[name(option), "weka_trace"]),
            (&["--public-dataset=aimo", option], &[name(option), "--public-dataset"]),
        ]);
        data.takes(&[&["@file", weka, option], &["@file", tracelab, option], &["--hf-weka-dataset=a/b", option]]);
    }
    data.refuses(&[(
        &["@file", weka, "--ignore-trace-delays", "--use-think-time-only"],
        &["--ignore-trace-delays", "--use-think-time-only"],
    )]);
    let models = "--model-selection-strategy=random";
    for kind in [weka, tracelab, "--custom-dataset-type=raw_payload", "--custom-dataset-type=inputs_json"] {
        data.refuses(&[(&["@file", kind, models], &["--model-selection-strategy random", "order of appearance"])]);
    }
    data.refuses(&[(&["--hf-weka-dataset=a/b", models], &["--model-selection-strategy", "order of appearance"])]);
    data.takes(&[&["@file", models], &["--public-dataset=aimo", models], &[models]]);
}

#[test]
fn the_replay_of_baseten_traces_has_options_of_its_own() {
    let data = Data::new();
    let baseten = "--custom-dataset-type=baseten_trace";
    for option in [
        "--replay-speedup=2",
        "--open-loop-strict",
        "--omit-kv-hints",
        "--trace-session-sample-ratio=0.5",
        "--max-idle-gap-cap-seconds=2",
        "--open-loop-replay=false",
        "--force-min-tokens=false",
    ] {
        data.refuses(&[
            (&[option], &[name(option), "--input-file"]),
            (&["@file", "--custom-dataset-type=single_turn", option], &[name(option), "single_turn"]),
            (&["--public-dataset=aimo", option], &[name(option), "--public-dataset"]),
        ]);
        data.takes(&[&["@file", baseten, option]]);
    }
    data.refuses(&[
        (&["@file", baseten, "--synthesis-prompt-len-multiplier=2"], &["--synthesis-prompt-len-multiplier"]),
        (&["@file", baseten, "--synthesis-prefix-len-multiplier=2"], &["--synthesis-prefix-len-multiplier"]),
        (&["@file", baseten, "--synthesis-prefix-root-multiplier=2"], &["--synthesis-prefix-root-multiplier"]),
        (&["@file", baseten, "--extra-inputs=min_tokens:4"], &["--extra-inputs", "min_tokens"]),
        (&["@file", baseten, "--extra-inputs=hash_ids:4"], &["--extra-inputs", "hash_ids"]),
        (&["@file", baseten, "--extra-inputs=block_size:4"], &["--extra-inputs", "block_size"]),
    ]);
    data.takes(&[
        &["@file", baseten, "--synthesis-speedup-ratio=2"],
        &["@file", baseten, "--synthesis-output-len-multiplier=2"],
        &["@file", baseten, "--synthesis-max-osl=2"],
        &["@file", baseten, "--extra-inputs=temperature:1"],
        &["@file", "--extra-inputs=min_tokens:4", "--custom-dataset-type=single_turn"],
    ]);
}

#[test]
fn changes_to_recorded_load_need_recorded_load() {
    let data = Data::new();
    for option in [
        "--ignore-trace-delays",
        "--synthesis-speedup-ratio=2",
        "--synthesis-prefix-len-multiplier=2",
        "--synthesis-prefix-root-multiplier=2",
        "--synthesis-prompt-len-multiplier=2",
        "--synthesis-output-len-multiplier=2",
        "--synthesis-max-isl=9",
        "--synthesis-max-osl=9",
    ] {
        data.refuses(&[
            (&[option], &[name(option), "--input-file"]),
            (&["@file", "--custom-dataset-type=single_turn", option], &[name(option), "single_turn"]),
        ]);
        data.takes(&[&["@file", "--custom-dataset-type=mooncake_trace", "--no-fixed-schedule", option]]);
    }
    data.refuses(&[(&["--inter-turn-delay-cap-seconds=1"], &["--inter-turn-delay-cap-seconds", "--input-file"])]);
    data.takes(&[&["@file", "--inter-turn-delay-cap-seconds=1"]]);
    for option in
        ["--synthesis-speedup-ratio", "--synthesis-prefix-len-multiplier", "--synthesis-prompt-len-multiplier"]
    {
        data.refuses(&[(&["@file", &format!("{option}=0")], &[option, "above 0"])]);
    }
    data.refuses(&[(
        &["@file", "--synthesis-prefix-root-multiplier=0"],
        &["--synthesis-prefix-root-multiplier", "at least 1"],
    )]);
    data.takes(&[&["@file", "--synthesis-output-len-multiplier=0"]]);
}

#[test]
fn prompts_of_recorded_lengths_are_made_of_text() {
    let data = Data::new();
    let mooncake = ["@file", "--custom-dataset-type=mooncake_trace", "--no-fixed-schedule"];
    data.refuses(&[
        (&["@file", "--prompt-corpus=random"], &["--prompt-corpus", "--input-file", "sonnet or coding"]),
        (&[mooncake[0], mooncake[1], mooncake[2], "--prompt-corpus=random"], &["--prompt-corpus", "sonnet or coding"]),
        (&["--hf-weka-dataset=a/b", "--prompt-corpus=random"], &["--prompt-corpus", "sonnet or coding"]),
        (&["--public-dataset=aimo", "--prompt-corpus=coding"], &["--prompt-corpus", "--public-dataset"]),
    ]);
    for kind in ["single_turn", "raw_payload", "dag_jsonl", "baseten_trace"] {
        let kind = format!("--custom-dataset-type={kind}");
        data.refuses(&[(&["@file", &kind, "--prompt-corpus=coding"], &["--prompt-corpus", "has its own"])]);
    }
    for corpus in ["--prompt-corpus=sonnet", "--prompt-corpus=coding"] {
        data.takes(&[
            &[mooncake[0], mooncake[1], mooncake[2], corpus],
            &["@file", "--custom-dataset-type=weka_trace", corpus],
            &["--hf-weka-dataset=a/b", corpus],
            &[corpus],
        ]);
    }
}

#[test]
fn lengths_are_numbers_that_can_be() {
    let data = Data::new();
    data.refuses(&[
        (&["--isl=-1"], &["--isl", "at least 0"]),
        (&["--isl=0"], &["--isl", "would be empty"]),
        (&["--random-range-ratio=0.5"], &["--random-range-ratio", "--osl"]),
        (&["--random-range-ratio=0.5", "--osl=5", "--seq-dist=5,5:100"], &["--seq-dist"]),
        (&["--random-range-ratio=0.5", "--seq-dist=5,5:100"], &["--random-range-ratio", "--seq-dist"]),
        (&["--random-range-ratio=1", "--osl=5"], &["--random-range-ratio", "below 1"]),
        (
            &["--random-range-ratio={\"input\":0.1,\"output\":0.1}", "--osl=5", "--random-corpus-style=sglang"],
            &["--random-range-ratio", "one number for both"],
        ),
        (&["--seq-dist=5,5:90"], &["--seq-dist", "add up to 90"]),
        (&["--seq-dist=0,5:100"], &["--seq-dist", "at least 1"]),
        (&["--seq-dist=5,0:100"], &["--seq-dist", "at least 1"]),
        (&["--seq-dist=five"], &["--seq-dist"]),
        (&["--seq-dist=[(5,5)]"], &["--seq-dist"]),
        (&["--seq-dist={\"pairs\":[{\"isl\":5}]}"], &["--seq-dist"]),
        (&["--session-turns-mean=0"], &["--session-turns-mean", "at least 1"]),
    ]);
    data.takes(&[
        &["--isl=0", "--image-batch-size=1"],
        &["--osl=0"],
        &["--random-range-ratio=0.5", "--osl=5"],
        &["--random-range-ratio=1", "--osl=5", "--random-corpus-style=sglang"],
        &["--random-range-ratio={\"input\":0.1,\"output\":0.2}", "--osl=5"],
        &["--seq-dist=5,5:40;6,6:60"],
        &["--seq-dist=[(5,5):40,(6,6):60]"],
        &["--seq-dist={\"pairs\":[{\"isl\":5,\"osl\":5,\"prob\":100}]}"],
        &["--session-turns-mean=1"],
    ]);
}

#[test]
fn a_conversation_begins_in_one_way() {
    let data = Data::new();
    let pool = ["--num-prefix-prompts=2", "--prefix-prompt-length=2"];
    for shared in ["--shared-system-prompt-length=3", "--user-context-prompt-length=3"] {
        data.refuses(&[(&[pool[0], pool[1], shared], &["--num-prefix-prompts", name(shared)])]);
        data.takes(&[&[shared]]);
    }
    data.takes(&[&pool, &["--shared-system-prompt-length=3", "--user-context-prompt-length=3"]]);
    let system = "--system-prompt=be brief";
    data.refuses(&[
        (&[system, "--system-prompt-file=b"], &["--system-prompt ", "--system-prompt-file"]),
        (&[system, "--shared-system-prompt-length=3"], &["--system-prompt", "--shared-system-prompt-length"]),
        (&[system, pool[0], pool[1]], &["--system-prompt", "--num-prefix-prompts"]),
        (&["--system-prompt= "], &["--system-prompt", "empty"]),
        (&["--system-prompt-file=nowhere"], &["--system-prompt-file", "nowhere"]),
    ]);
    data.takes(&[&[system], &["@file", system], &["--public-dataset=aimo", system]]);
}

/// Every endpoint with the words that it needs to be taken at all.
fn endpoints() -> impl Iterator<Item = (EndpointKind, Vec<String>)> {
    EndpointKind::ALL.into_iter().map(|kind| {
        let mut words = vec![format!("--endpoint-type={}", kind.facts().name)];
        if ["template", "dynamic_grpc"].contains(&kind.facts().name) {
            words.push("--extra-inputs=payload_template:nv-embedqa".to_owned());
        }
        if kind.facts().name == "dynamic_grpc" {
            words.push("--grpc-method=package.Service/Method".to_owned());
        }
        (kind, words)
    })
}

#[test]
fn messages_need_an_endpoint_that_has_them() {
    for (kind, words) in endpoints() {
        for (option, takers) in [
            (
                "--system-prompt=be brief",
                &["chat", "vision", "multimodal", "chat_embeddings", "messages", "responses"][..],
            ),
            ("--cache-bust=first_turn_prefix", &["chat", "messages", "responses"]),
        ] {
            let words: Vec<&str> = words.iter().map(String::as_str).chain([option]).collect();
            let answer = with_model(&words);
            if takers.contains(&kind.facts().name) {
                assert!(answer.is_ok(), "{words:?}: {answer:?}");
            } else {
                let message = answer.expect_err(&format!("{words:?} was accepted")).to_string();
                assert!(message.contains(name(option)), "{words:?}: {message}");
            }
        }
    }
    let (isolated, warmup) = ("--cache-bust=warmup_isolation_system", "--warmup-request-count=1");
    check(&[
        (&[isolated, warmup], &["--cache-bust", "--system-prompt"]),
        (&[isolated, "--system-prompt=be brief"], &["--cache-bust", "--warmup-request-count"]),
    ]);
    let data = Data::new();
    data.takes(&[
        &[isolated, warmup, "--system-prompt=be brief"],
        &[isolated, warmup, "--shared-system-prompt-length=9"],
        &["@file", isolated, warmup],
    ]);
}

#[test]
fn media_are_what_can_be_made() {
    let data = Data::new();
    let video = ["--video-width=64", "--video-height=64"];
    data.refuses(&[
        (&["--image-batch-size=1", "--image-source-sampling=shuffle-cycle"], &["--image-source-sampling", "assets"]),
        (&[video[0], video[1], "--video-audio-codec=aac"], &["--video-audio-codec", "--video-audio-num-channels"]),
        (&[video[0]], &["--video-width", "--video-height"]),
        (&[video[0], video[1], "--video-duration=0"], &["--video-duration", "above 0"]),
        (&["--audio-batch-size=1", "--audio-sample-rates=0"], &["--audio-sample-rates", "above 0"]),
        (&["--audio-batch-size=1", "--audio-depths=0"], &["--audio-depths", "above 0"]),
    ]);
    data.takes(&[
        &["--image-batch-size=1", "--image-source-sampling=random-with-replacement"],
        &["--image-batch-size=1", "--image-source=assets", "--image-source-sampling=shuffle-cycle"],
        &[video[0], video[1], "--video-format=mp4", "--video-audio-num-channels=1", "--video-audio-codec=aac"],
        &[video[0], video[1], "--video-duration=1"],
        &["--audio-batch-size=1", "--audio-sample-rates=16", "--audio-depths=16"],
    ]);
}
