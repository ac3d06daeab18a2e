//! Tests of generated media: what is drawn, what is shared, and what stays the same.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use aiperf_config::{
    AudioFormat, AudioSpec, BitDepth, Channels, ClipLength, ImageFormat, ImageSource, ImageSpec, PictureOrder,
    PixelSize,
};
use aiperf_media::{Asset, ImageEncoding, Picture, read_picture};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::picture_pool::{PicturePool, PictureSampler, PictureVariant};
use super::*;

fn images(source: ImageSource) -> ImageSpec {
    let side = PixelSize { mean: 24.0, stddev: 0.0 };
    ImageSpec { batch_size: 2, width: side, height: side, format: ImageFormat::Png, source }
}

fn audio() -> AudioSpec {
    AudioSpec {
        batch_size: 2,
        length: ClipLength { mean_s: 0.1, stddev_s: 0.05 },
        formats: vec![AudioFormat::Wav],
        rates_hz: vec![8_000, 16_000],
        depths: vec![BitDepth::Eight, BitDepth::Sixteen],
        channels: Channels::Mono,
    }
}

fn pool(images: Option<ImageSpec>, audio: Option<AudioSpec>, seed: u64, turns: &[usize]) -> MediaPool {
    let source = MediaSource { images, audio, video: None, without_text: false };
    MediaPool::new(&source, Seed::fixed(seed), turns).unwrap()
}

fn turns(pool: &MediaPool, conversation: usize, count: usize) -> Vec<Turn> {
    let mut turns = vec![Turn::default(); count];
    pool.fill(ConversationIndex(conversation), &mut turns);
    turns
}

fn file_in(content: &str) -> Vec<u8> {
    STANDARD.decode(content.split_once(',').unwrap().1).unwrap()
}

fn picture_in(content: &str) -> Picture {
    read_picture(&file_in(content)).unwrap()
}

#[test]
fn noise_is_another_one_each_time_and_the_same_whenever_it_is_asked_for() {
    let pool = pool(Some(images(ImageSource::Noise)), Some(audio()), 1, &[2, 1]);
    let later = turns(&pool, 1, 1);
    let first = turns(&pool, 0, 2);
    let contents: HashSet<Arc<str>> = first
        .iter()
        .chain(&later)
        .flat_map(|turn| turn.images[0].contents.iter().chain(&turn.audios[0].contents))
        .cloned()
        .collect();
    assert_eq!(contents.len(), 12);
    assert_eq!(turns(&pool, 1, 1), later);
    let other = super::tests::pool(Some(images(ImageSource::Noise)), Some(audio()), 2, &[2, 1]);
    assert_ne!(turns(&other, 1, 1), later);
}

#[test]
fn images_do_not_move_when_audio_is_added() {
    let alone = pool(Some(images(ImageSource::Noise)), None, 3, &[1]);
    let both = pool(Some(images(ImageSource::Noise)), Some(audio()), 3, &[1]);
    assert_eq!(turns(&alone, 0, 1)[0].images, turns(&both, 0, 1)[0].images);
}

#[test]
fn sizes_and_formats_are_drawn() {
    let mut spec = images(ImageSource::Noise);
    spec.width.stddev = 8.0;
    spec.format = ImageFormat::Random;
    let pool = pool(Some(spec), None, 4, &[30]);
    let turns = turns(&pool, 0, 30);
    let contents: Vec<&Arc<str>> = turns.iter().flat_map(|turn| &turn.images[0].contents).collect();
    let pngs = contents.iter().filter(|content| content.starts_with("data:image/png;base64,")).count();
    let jpegs = contents.iter().filter(|content| content.starts_with("data:image/jpeg;base64,")).count();
    assert!(pngs > 10 && jpegs > 10 && pngs + jpegs == 60, "{pngs} {jpegs}");
    let pictures: Vec<Picture> = contents.iter().map(|content| picture_in(content)).collect();
    assert!(pictures.iter().all(|picture| picture.height() == 24));
    assert!(pictures.iter().map(Picture::width).collect::<HashSet<_>>().len() > 10);
}

#[test]
fn the_seconds_of_a_turn_are_those_of_its_files() {
    let pool = pool(None, Some(audio()), 5, &[20]);
    for (place, turn) in turns(&pool, 0, 20).iter().enumerate() {
        let seconds: f64 = turn.audios[0]
            .contents
            .iter()
            .map(|content| {
                let file = file_in(content);
                let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
                f64::from(word(40)) / f64::from(word(28))
            })
            .sum();
        let announced = pool.audio.as_ref().unwrap().seconds(place);
        assert!((announced - seconds).abs() < 1e-12 && seconds >= 0.02, "{announced} {seconds}");
    }
}

#[test]
fn a_picture_is_encoded_once_and_shared() {
    let pool = pool(Some(images(ImageSource::Assets(PictureOrder::SequentialCycle))), None, 6, &[4]);
    let turns = turns(&pool, 0, 4);
    let contents: Vec<&Arc<str>> = turns.iter().flat_map(|turn| &turn.images[0].contents).collect();
    for place in 0..4 {
        assert!(Arc::ptr_eq(contents[place], contents[place + 4]));
        assert_eq!(picture_in(contents[place]), Asset::ALL[place].drawn(24, 24));
    }
}

#[test]
fn finite_sources_are_gone_through_in_the_order_that_was_asked_for() {
    let drawn = |order, count: usize| -> Vec<usize> {
        let mut draw = PictureSampler::new(order, 3, Seed::fixed(1).stream("dataset.image.source"));
        (0..count).map(|_| draw.next()).collect()
    };
    assert_eq!(drawn(PictureOrder::SequentialCycle, 7), [0, 1, 2, 0, 1, 2, 0]);
    let shuffled = drawn(PictureOrder::ShuffleCycle, 30);
    for round in shuffled.chunks(3) {
        assert_eq!(round.iter().collect::<HashSet<_>>().len(), 3);
    }
    assert!(shuffled.chunks(3).collect::<HashSet<_>>().len() > 1);
    let random = drawn(PictureOrder::RandomWithReplacement, 30);
    assert!(random.chunks(3).any(|three| three.iter().collect::<HashSet<_>>().len() < 3));
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).unwrap();
}

#[test]
fn pictures_of_a_folder_come_by_name_and_damaged_ones_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let png = |asset: Asset| ImageEncoding::Png.encode(&asset.drawn(24, 24));
    write(folder.path(), "b.png", &png(Asset::Chart));
    write(folder.path(), "c.JPG", &png(Asset::Page));
    write(folder.path(), "a.png", b"no picture");
    write(folder.path(), "d.webp", b"RIFFxxxxWEBP");
    write(folder.path(), "notes.txt", b"hello");
    let whole = png(Asset::Rings);
    write(folder.path(), "e.png", &whole[..whole.len() / 2]);
    write(folder.path(), "0.png", &whole[..whole.len() / 2]);
    let album = PicturePool::folder(folder.path()).unwrap();
    assert_eq!(album.len(), 3, "b, c, and e, which looks well from outside");
    let render = |picture| {
        let content = album.render(PictureVariant { picture, width: 24, height: 24, encoding: ImageEncoding::Png });
        picture_in(&content)
    };
    assert_eq!(render(0), Asset::Chart.drawn(24, 24));
    assert_eq!(render(1), Asset::Page.drawn(24, 24));
    assert_eq!(render(2), Asset::Chart.drawn(24, 24), "the next that can be opened stands in");
    let small = album.render(PictureVariant { picture: 0, width: 7, height: 5, encoding: ImageEncoding::Jpeg });
    assert_eq!((picture_in(&small).width(), picture_in(&small).height()), (7, 5));
}

#[test]
fn a_folder_without_pictures_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.png", b"no picture");
    let error = PicturePool::folder(folder.path()).unwrap_err().to_string();
    assert!(error.contains("--image-source") && error.contains("no image that can be opened"), "{error}");
    assert!(PicturePool::folder(&folder.path().join("none")).is_err());
}
