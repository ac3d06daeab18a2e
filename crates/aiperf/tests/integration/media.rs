//! Generated media on their way to the server: what arrives is opened again.

use std::collections::HashSet;

use aiperf_test_tools::available;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::support::{Program, requests, sim};

const FAST: &str = "ttft=0&itl=0&osl=3";

/// The parts of the user's message of this type.
fn parts(body: &Value, kind: &str) -> Vec<Value> {
    let content = body["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap();
    content.iter().filter(|part| part["type"] == kind).map(|part| part[kind].clone()).collect()
}

/// The file in a data URL of this type.
fn file_in(url: &Value, media_type: &str) -> Vec<u8> {
    let url = url["url"].as_str().unwrap();
    let start = format!("data:{media_type};base64,");
    STANDARD.decode(url.strip_prefix(&start).unwrap_or_else(|| panic!("{}", &url[..40]))).unwrap()
}

fn size_of(image: &[u8]) -> (u32, u32) {
    let picture = aiperf_media::read_picture(image).unwrap();
    (picture.width(), picture.height())
}

fn has_ffmpeg() -> bool {
    available(&[&["ffmpeg", "-version"]])
}

fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

#[test]
fn images_arrive_as_described_each_another_one() {
    let sim = sim(FAST);
    Program::against(&sim, "--request-count 4 --random-seed 42")
        .with("--image-width-mean 16 --image-height-mean 20 --image-batch-size 2")
        .succeed();
    let mut seen = HashSet::new();
    for body in requests(&sim) {
        assert_eq!(body["messages"][0]["content"].as_array().unwrap().len(), 3, "a text and two images");
        for image in parts(&body, "image_url") {
            let file = file_in(&image, "image/jpeg");
            assert_eq!(size_of(&file), (16, 20));
            seen.insert(file);
        }
    }
    assert_eq!(seen.len(), 8);
}

#[test]
fn the_same_seed_gives_the_same_media_in_inputs_json_and_on_the_wire() {
    let run = |seed: &str| {
        let sim = sim(FAST);
        let artifacts = Program::against(&sim, "--request-count 3 --image-format random --image-batch-size 1")
            .with("--image-width-mean 9 --image-width-stddev 3 --image-height-mean 7 --audio-length-mean 0.05")
            .with("--random-seed")
            .word(seed)
            .succeed();
        let shown: Vec<Value> = artifacts.inputs().into_iter().flat_map(|(_, payloads)| payloads).collect();
        let sent = requests(&sim);
        assert_eq!(sent, shown);
        sent
    };
    let first = run("7");
    assert_eq!(run("7"), first);
    assert_ne!(run("8"), first);
}

#[test]
fn text_may_be_left_out() {
    let sim = sim(FAST);
    Program::profile("--model test-model --tokenizer builtin --isl 0 --request-count 1 --image-source assets")
        .with("--image-format png --url")
        .word(sim.url())
        .succeed();
    let body = &requests(&sim)[0];
    let content = body["messages"][0]["content"].as_array().unwrap();
    assert_eq!(content.len(), 1, "{content:?}");
    assert_eq!(size_of(&file_in(&parts(body, "image_url")[0], "image/png")), (512, 512));
}

#[test]
fn audio_arrives_as_described() {
    let sim = sim(FAST);
    Program::against(&sim, "--request-count 2 --audio-length-mean 0.25 --audio-sample-rates 44.1")
        .with("--audio-depths 24 --audio-num-channels 2")
        .succeed();
    for body in requests(&sim) {
        let audio = &parts(&body, "input_audio")[0];
        assert_eq!(audio["format"], "wav");
        let file = STANDARD.decode(audio["data"].as_str().unwrap()).unwrap();
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        assert_eq!((&file[..4], word(24), file[22], file[34]), (b"RIFF".as_slice(), 44_100, 2, 24));
        assert_eq!(word(40), 11_025 * 2 * 3);
        assert_eq!(file.len(), 44 + 11_025 * 2 * 3);
    }
}

#[test]
fn video_arrives_and_one_without_noise_is_the_same_for_all() {
    if !has_ffmpeg() {
        return;
    }
    let sim = sim(FAST);
    Program::against(&sim, "--request-count 3 --video-width 64 --video-height 48").env("PATH", path()).succeed();
    let films: HashSet<Vec<u8>> =
        requests(&sim).iter().map(|body| file_in(&parts(body, "video_url")[0], "video/webm")).collect();
    assert_eq!(films.len(), 1);
    let film = films.into_iter().next().unwrap();
    assert!(film.starts_with(b"\x1a\x45\xdf\xa3"), "a webm file begins so");
}

#[test]
fn an_encoder_that_does_not_exist_is_told_before_the_run() {
    if !has_ffmpeg() {
        return;
    }
    let sim = sim(FAST);
    let ended = Program::against(&sim, "--request-count 1 --video-width 64 --video-height 48 --video-codec nope")
        .env("PATH", path())
        .run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("--video-codec nope"), "{}", ended.stderr);
    assert!(requests(&sim).is_empty());
}

#[test]
fn without_ffmpeg_the_error_says_how_to_get_it() {
    let sim = sim(FAST);
    let ended =
        Program::against(&sim, "--request-count 1 --video-width 64 --video-height 48").env("PATH", "/nowhere").run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("apt-get install ffmpeg"), "{}", ended.stderr);
    assert!(requests(&sim).is_empty());
}

/// The example needs a program that not every machine has, so it is not among those that are run everywhere.
#[test]
fn the_video_example_of_the_page_on_data_sets_runs() {
    if !has_ffmpeg() {
        return;
    }
    let page = include_str!("../../../../docs/datasets.md");
    let section = page.split("\n### Video\n").nth(1).unwrap();
    let command = section.lines().find_map(|line| line.strip_prefix("aiperf ")).unwrap();
    let sim = sim(FAST);
    Program::new(&command.replace("localhost:8000", &sim.url())).env("PATH", path()).run();
    let sent = requests(&sim);
    assert_eq!(sent.len(), 2);
    for body in sent {
        let film = file_in(&parts(&body, "video_url")[0], "video/mp4");
        assert_eq!(&film[4..8], b"ftyp");
    }
}
