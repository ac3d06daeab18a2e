//! Whether programs that others wrote open what is made here, and find what was asked for.

#![allow(clippy::unwrap_used, reason = "a step of a test that fails must fail the test")]

use std::path::{Path, PathBuf};
use std::process::Command;

use aiperf_config::{AudioFormat, BitDepth, Channels, SoundCodec, SoundTrack, VideoContainer, VideoPicture, VideoSpec};
use aiperf_media::{Asset, ClipShape, ImageEncoding, MP3_RATES_HZ, Picture, clip, encode_video};
use aiperf_seed::Seed;
use aiperf_test_tools::available;

fn has(programs: &[&str]) -> bool {
    let commands: Vec<[&str; 2]> = programs.iter().map(|program| [*program, "-version"]).collect();
    available(&commands.iter().map(<[&str; 2]>::as_slice).collect::<Vec<_>>())
}

/// What a program prints, which must end well and have nothing to complain about.
fn said(program: &str, words: &[&str], file: &Path) -> String {
    let ended = Command::new(program).args(words).arg(file).output().unwrap();
    let complaints = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && complaints.is_empty(), "{program}: {complaints}");
    String::from_utf8(ended.stdout).unwrap().trim().to_owned()
}

fn probe(what: &str, file: &Path) -> String {
    said("ffprobe", &["-v", "error", "-show_entries", what, "-of", "compact=p=0:nk=1"], file)
}

fn written(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// All samples, decoded, as shares of full scale; channels take turns.
fn heard(file: &Path) -> Vec<f32> {
    let words = ["-v", "error", "-i", file.to_str().unwrap(), "-f", "f32le", "-"];
    let ended = Command::new("ffmpeg").args(words).output().unwrap();
    let complaints = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && complaints.is_empty(), "{complaints}");
    ended.stdout.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn deviation(samples: &[f32]) -> f64 {
    let all = || samples.iter().map(|sample| f64::from(*sample));
    let mean = all().sum::<f64>() / samples.len() as f64;
    (all().map(|sample| (sample - mean).powi(2)).sum::<f64>() / samples.len() as f64).sqrt()
}

#[test]
fn imagemagick_opens_every_picture() {
    if !has(&["identify"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut stream = Seed::fixed(1).stream("test");
    for (width, height) in [(1, 1), (17, 33), (512, 512)] {
        let mut pictures = vec![Picture::noise(width, height, &mut stream)];
        pictures.extend(Asset::ALL.map(|asset| asset.drawn(width, height)));
        for (encoding, expected) in [(ImageEncoding::Png, "PNG"), (ImageEncoding::Jpeg, "JPEG")] {
            for picture in &pictures {
                let file = written(&folder, "picture", &encoding.encode(picture));
                let found = said("identify", &["-regard-warnings", "-format", "%m %w %h %z"], &file);
                assert_eq!(found, format!("{expected} {width} {height} 8"));
            }
        }
    }
}

#[test]
fn a_jpeg_has_the_quality_and_the_colour_resolution_that_it_is_made_with() {
    if !has(&["identify"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = written(&folder, "picture.jpg", &ImageEncoding::Jpeg.encode(&Asset::Landscape.drawn(64, 64)));
    assert_eq!(said("identify", &["-format", "%Q %[jpeg:sampling-factor]"], &file), "85 1x1,1x1,1x1");
}

#[test]
fn ffmpeg_hears_every_wav_as_it_was_described() {
    if !has(&["ffprobe", "ffmpeg"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for depth in BitDepth::ALL {
        for (channels, rate_hz, samples) in
            [(Channels::Mono, 8_000, 80), (Channels::Stereo, 44_100, 22_051), (Channels::Mono, 16_000, 16_001)]
        {
            let shape = ClipShape { format: AudioFormat::Wav, rate_hz, depth, channels, samples };
            let file = written(&folder, "clip.wav", &clip(&shape, &mut Seed::fixed(2).stream("test")));
            let codec = match depth {
                BitDepth::Eight => "pcm_u8".to_owned(),
                _ => format!("pcm_s{}le", depth.bits()),
            };
            let found = probe("stream=codec_name,sample_rate,channels,bits_per_sample", &file);
            assert_eq!(found, format!("{codec}|{rate_hz}|{}|{}", channels.count(), depth.bits()));
            let heard = heard(&file);
            assert_eq!(heard.len() as u64, samples * u64::from(channels.count()));
            let deviation = deviation(&heard);
            assert!(samples < 100 || (0.29..0.31).contains(&deviation), "{deviation}");
        }
    }
}

#[test]
fn ffmpeg_hears_every_mp3_for_exactly_as_long_as_it_was_described() {
    if !has(&["ffprobe", "ffmpeg"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for rate_hz in MP3_RATES_HZ {
        for channels in [Channels::Mono, Channels::Stereo] {
            for samples in [u64::from(rate_hz) / 100, u64::from(rate_hz) + 77] {
                let depth = BitDepth::Sixteen;
                let shape = ClipShape { format: AudioFormat::Mp3, rate_hz, depth, channels, samples };
                let file = written(&folder, "clip.mp3", &clip(&shape, &mut Seed::fixed(3).stream("test")));
                let found = probe("stream=codec_name,sample_rate,channels", &file);
                assert_eq!(found, format!("mp3|{rate_hz}|{}", channels.count()));
                let heard = heard(&file);
                assert_eq!(heard.len() as u64, samples * u64::from(channels.count()), "{rate_hz} {channels:?}");
                let deviation = deviation(&heard);
                let is_short = samples < 1_000;
                assert!(is_short || (0.25..0.35).contains(&deviation), "{rate_hz} {channels:?} {samples}: {deviation}");
            }
        }
    }
}

fn described(picture: VideoPicture, container: VideoContainer, codec: &str) -> VideoSpec {
    VideoSpec {
        batch_size: 1,
        width: 96,
        height: 64,
        duration_s: 1.5,
        fps: 4,
        picture,
        container,
        codec: codec.to_owned(),
        sound: None,
    }
}

fn encoded(spec: &VideoSpec, seed: u64) -> Vec<u8> {
    let seed = Seed::fixed(seed);
    encode_video(spec, &mut seed.stream("pixels"), &mut seed.stream("sound")).unwrap()
}

#[test]
fn ffmpeg_shows_every_video_as_it_was_described() {
    use VideoContainer::{Mp4, Webm};
    use VideoPicture::{GridClock, MovingShapes, Noise};

    if !has(&["ffprobe", "ffmpeg"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (picture, container, codec, expected) in [
        (MovingShapes, Webm, "libvpx-vp9", "vp9"),
        (GridClock, Mp4, "libx264", "h264"),
        (Noise, Mp4, "libvpx-vp9", "vp9"),
        (Noise, Webm, "libvpx", "vp8"),
    ] {
        let spec = described(picture, container, codec);
        let bytes = encoded(&spec, 4);
        assert_eq!(bytes, encoded(&spec, 4), "the same seed, the same bytes");
        let file = written(&folder, "video", &bytes);
        assert_eq!(probe("stream=codec_name,width,height,r_frame_rate", &file), format!("{expected}|96|64|4/1"));
        let counted = ["-v", "warning", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0"];
        assert_eq!(said("ffprobe", &counted, &file), "6");
        let seconds: f64 = probe("format=duration", &file).parse().unwrap();
        assert!((seconds - 1.5).abs() < 0.01, "{seconds}");
        assert!(probe("format=format_name", &file).contains(container.name()));
    }
}

#[test]
fn a_video_has_the_sound_that_was_described() {
    if !has(&["ffprobe", "ffmpeg"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (container, codec, name) in [
        (VideoContainer::Webm, SoundCodec::Vorbis, "vorbis"),
        (VideoContainer::Webm, SoundCodec::Opus, "opus"),
        (VideoContainer::Mp4, SoundCodec::Aac, "aac"),
    ] {
        for depth in BitDepth::ALL {
            let mut spec = described(VideoPicture::MovingShapes, container, "libvpx-vp9");
            spec.sound = Some(SoundTrack { rate_hz: 48_000, channels: Channels::Stereo, depth, codec });
            let file = written(&folder, "video", &encoded(&spec, 5));
            assert_eq!(probe("stream=codec_name,sample_rate,channels", &file), format!("vp9\n{name}|48000|2"));
            let seconds = heard(&file).len() as f64 / 2.0 / 48_000.0;
            assert!((seconds - 1.5).abs() < 0.05, "{seconds}");
        }
    }
}

#[test]
fn what_ffmpeg_refuses_is_told_with_its_reason() {
    if !has(&["ffmpeg"]) {
        return;
    }
    let seed = Seed::fixed(1);
    for (container, codec, part) in [
        (VideoContainer::Webm, "no-such-codec", "Unknown encoder 'no-such-codec'"),
        (VideoContainer::Webm, "libx264", "VP8 or VP9 or AV1"),
    ] {
        let spec = described(VideoPicture::Noise, container, codec);
        let error = encode_video(&spec, &mut seed.stream("a"), &mut seed.stream("b")).unwrap_err().to_string();
        assert!(error.contains("--video-codec") && error.contains(part), "{error}");
    }
}
