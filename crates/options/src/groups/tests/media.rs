//! Generated media: what switches each medium on, its defaults, and what is refused.

use aiperf_config::{
    AudioFormat, AudioSpec, BitDepth, Channels, ClipLength, DatasetSource, ImageFormat, ImageSource, ImageSpec,
    MediaSource, PictureOrder, PixelSize, SoundCodec, SoundTrack, VideoContainer, VideoPicture, VideoSpec,
};
use serde_json::{Value, json};

use super::{check, input_file, with_model};

fn media(words: &[&str]) -> Option<MediaSource> {
    match with_model(words).unwrap().dataset.source {
        DatasetSource::Synthetic(source) => source.media.map(|media| *media),
        DatasetSource::File(_) | DatasetSource::Public(_) | DatasetSource::Accuracy(_) => None,
    }
}

fn images(words: &[&str]) -> Option<ImageSpec> {
    media(words).and_then(|media| media.images)
}

fn audio(words: &[&str]) -> Option<AudioSpec> {
    media(words).and_then(|media| media.audio)
}

fn video(words: &[&str]) -> Option<VideoSpec> {
    media(words).and_then(|media| media.video)
}

fn shown(words: &[&str]) -> Value {
    with_model(words).unwrap().to_input_config()["datasets"][0].clone()
}

const PLAIN: PixelSize = PixelSize { mean: 512.0, stddev: 0.0 };

#[test]
fn nothing_is_made_unless_it_is_asked_for() {
    assert_eq!(media(&[]), None);
    for off in [
        &["--image-batch-size=0"] as &[&str],
        &["--image-batch-size=0", "--image-width-mean=64"],
        &["--image-width-mean=0"],
        &["--audio-batch-size=0", "--audio-format=mp3"],
        &["--audio-length-mean=0"],
        &["--video-batch-size=0"],
        &["--video-batch-size=0", "--video-width=64"],
    ] {
        assert_eq!(media(off), None, "{off:?}");
    }
}

#[test]
fn a_number_alone_or_a_shape_alone_switches_images_on() {
    let plain = |batch_size| ImageSpec {
        batch_size,
        width: PLAIN,
        height: PLAIN,
        format: ImageFormat::Jpeg,
        source: ImageSource::Noise,
    };
    assert_eq!(images(&["--batch-size-image=2"]), Some(plain(2)));
    assert_eq!(
        images(&["--image-height-mean=64", "--image-height-stddev=2.5", "--image-format=PNG"]),
        Some(ImageSpec { height: PixelSize { mean: 64.0, stddev: 2.5 }, format: ImageFormat::Png, ..plain(1) })
    );
    assert_eq!(
        images(&["--image-source=assets", "--image-source-sampling=shuffle_cycle", "--image-format=random"]),
        Some(ImageSpec {
            source: ImageSource::Assets(PictureOrder::ShuffleCycle),
            format: ImageFormat::Random,
            ..plain(1)
        })
    );
    assert_eq!(images(&["--image-source=noise", "--image-source-sampling=random-with-replacement"]), Some(plain(1)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_path_buf();
    let word = format!("--image-source={}", path.display());
    let source = ImageSource::Folder { path, order: PictureOrder::RandomWithReplacement };
    assert_eq!(images(&[&word]), Some(ImageSpec { source, ..plain(1) }));
}

#[test]
fn a_number_alone_or_a_length_alone_switches_audio_on() {
    let plain = AudioSpec {
        batch_size: 1,
        length: ClipLength { mean_s: 10.0, stddev_s: 0.0 },
        formats: vec![AudioFormat::Wav],
        rates_hz: vec![16_000],
        depths: vec![BitDepth::Sixteen],
        channels: Channels::Mono,
    };
    assert_eq!(audio(&["--audio-batch-size=1"]), Some(plain.clone()));
    assert_eq!(
        audio(&[
            "--audio-length-mean=2.5",
            "--audio-length-stddev=1",
            "--audio-sample-rates=8,44.1,48000",
            "--audio-depths=8,24,32",
            "--audio-num-channels=2"
        ]),
        Some(AudioSpec {
            length: ClipLength { mean_s: 2.5, stddev_s: 1.0 },
            rates_hz: vec![8_000, 44_100, 48_000],
            depths: vec![BitDepth::Eight, BitDepth::TwentyFour, BitDepth::ThirtyTwo],
            channels: Channels::Stereo,
            ..plain.clone()
        })
    );
    assert_eq!(
        audio(&["--audio-length-stddev=1", "--audio-format=mp3", "--audio-sample-rates=11.025"]),
        Some(AudioSpec {
            length: ClipLength { mean_s: 10.0, stddev_s: 1.0 },
            formats: vec![AudioFormat::Mp3],
            rates_hz: vec![11_025],
            ..plain.clone()
        })
    );
    let random = audio(&["--audio-batch-size=1", "--audio-format=random", "--audio-depths=16"]);
    assert_eq!(random, Some(AudioSpec { formats: AudioFormat::ALL.to_vec(), ..plain }), "each clip has one of the two");
}

#[test]
fn a_size_switches_video_on() {
    let plain = VideoSpec {
        batch_size: 1,
        width: 64,
        height: 48,
        duration_s: 1.0,
        fps: 4,
        picture: VideoPicture::MovingShapes,
        container: VideoContainer::Webm,
        codec: "libvpx-vp9".to_owned(),
        sound: None,
    };
    let size = ["--video-width=64", "--video-height=48"];
    assert_eq!(video(&size), Some(plain.clone()));
    let sound = |codec| Some(SoundTrack { rate_hz: 44_100, channels: Channels::Mono, depth: BitDepth::Sixteen, codec });
    let words = ["--video-audio-num-channels=1", size[0], size[1]];
    assert_eq!(video(&words), Some(VideoSpec { sound: sound(SoundCodec::Vorbis), ..plain.clone() }));
    let words = ["--video-audio-num-channels=1", "--video-format=mp4", size[0], size[1]];
    let mp4 = VideoSpec { sound: sound(SoundCodec::Opus), container: VideoContainer::Mp4, ..plain };
    assert_eq!(video(&words), Some(mp4));
    let words = [
        size[0],
        size[1],
        "--video-batch-size=2",
        "--video-duration=0.29",
        "--video-fps=100",
        "--video-synth-type=grid-clock",
        "--video-format=mp4",
        "--video-codec=libx264",
        "--video-audio-num-channels=2",
        "--video-audio-sample-rate=48",
        "--video-audio-codec=aac",
        "--video-audio-depth=24",
    ];
    let film = video(&words).unwrap();
    assert_eq!(film.frames(), 29, "a product just below a whole number is that number");
    let stereo =
        SoundTrack { rate_hz: 48_000, channels: Channels::Stereo, depth: BitDepth::TwentyFour, codec: SoundCodec::Aac };
    assert_eq!((film.batch_size, film.picture, &*film.codec), (2, VideoPicture::GridClock, "libx264"));
    assert_eq!(film.sound, Some(stereo));
}

#[test]
fn text_may_be_left_out_beside_media_only() {
    assert!(media(&["--isl=0", "--image-batch-size=1"]).unwrap().without_text);
    assert!(!media(&["--image-batch-size=1"]).unwrap().without_text);
    check(&[
        (&["--isl=0"], &["--isl", "would be empty"]),
        (&["--isl=0", "--image-batch-size=0"], &["--isl", "would be empty"]),
    ]);
}

#[test]
fn what_has_no_effect_is_refused() {
    check(&[
        (&["--image-format=png"], &["--image-format", "--image-batch-size"]),
        (&["--image-source-sampling=random-with-replacement"], &["--image-source-sampling", "--image-batch-size"]),
        (
            &["--image-batch-size=1", "--image-source-sampling=sequential-cycle"],
            &["--image-source-sampling", "--image-source assets"],
        ),
        (&["--image-batch-size=1", "--image-width-mean=0"], &["--image-batch-size", "--image-width-mean"]),
        (&["--image-source=nowhere"], &["--image-source", "nowhere", "existing folder"]),
        (&["--image-width-mean=70000"], &["--image-width-mean", "at most 65535"]),
        (&["--image-width-mean=-1"], &["--image-width-mean", "at least 0"]),
        (&["--audio-format=mp3"], &["--audio-format", "--audio-batch-size"]),
        (&["--audio-format=flac", "--audio-batch-size=1"], &["--audio-format", "wav, mp3"]),
        (&["--audio-num-channels=2"], &["--audio-num-channels", "--audio-batch-size"]),
        (&["--audio-num-channels=3", "--audio-batch-size=1"], &["--audio-num-channels", "at most 2"]),
        (&["--audio-batch-size=1", "--audio-sample-rates=0"], &["--audio-sample-rates", "above 0"]),
        (&["--audio-batch-size=1", "--audio-sample-rates=16,x"], &["--audio-sample-rates", "\"x\""]),
        (&["--audio-batch-size=1", "--audio-sample-rates=1e9"], &["--audio-sample-rates", "44.1"]),
        (&["--audio-batch-size=1", "--audio-depths=0"], &["--audio-depths", "above 0"]),
        (&["--audio-batch-size=1", "--audio-depths=16,12"], &["--audio-depths", "\"12\"", "8, 16, 24 or 32"]),
        (
            &["--audio-batch-size=1", "--audio-format=mp3", "--audio-depths=16"],
            &["--audio-depths", "--audio-format wav"],
        ),
        (
            &["--audio-batch-size=1", "--audio-format=mp3", "--audio-sample-rates=96"],
            &["--audio-sample-rates", "44.1 and 48 kHz"],
        ),
        (&["--audio-batch-size=1", "--audio-length-mean=0"], &["--audio-batch-size", "--audio-length-mean"]),
        (&["--audio-length-mean=1e6"], &["--audio-length-mean", "gigabyte"]),
        (&["--video-width=64"], &["--video-width", "--video-height"]),
        (&["--video-height=64"], &["--video-height", "--video-width"]),
        (&["--video-batch-size=1"], &["--video-batch-size", "--video-width and --video-height"]),
        (&["--video-fps=5"], &["--video-fps", "--video-width and --video-height"]),
        (&["--video-duration=0"], &["--video-duration", "above 0"]),
        (&["--video-width=64", "--video-height=64", "--video-duration=0.1"], &["--video-duration", "one frame"]),
        (&["--video-width=64", "--video-height=64", "--video-codec="], &["--video-codec", "libvpx-vp9"]),
        (
            &["--video-width=64", "--video-height=64", "--video-audio-codec=aac"],
            &["--video-audio-codec", "--video-audio-num-channels"],
        ),
        (
            &["--video-width=64", "--video-height=64", "--video-audio-num-channels=0", "--video-audio-depth=8"],
            &["--video-audio-depth", "--video-audio-num-channels"],
        ),
        (
            &["--video-width=64", "--video-height=64", "--video-audio-num-channels=1", "--video-audio-codec=aac"],
            &["--video-audio-codec", "--video-format mp4"],
        ),
    ]);
}

#[test]
fn files_and_endpoints_that_cannot_have_media_refuse_them() {
    let (_folder, input) = input_file(&[r#"{"text": "hi"}"#]);
    for word in ["--image-format=png", "--audio-length-mean=1", "--video-width=64"] {
        let name = word.split('=').next().unwrap();
        check(&[(&[&input, word], &[name, "--input-file"])]);
    }
    for endpoint in ["--endpoint-type=completions", "--endpoint-type=embeddings"] {
        check(&[
            (&[endpoint, "--image-batch-size=1"], &["--image-batch-size", "--endpoint-type chat", "does not take"]),
            (&[endpoint, "--audio-length-mean=1"], &["--audio-length-mean", "--endpoint-type chat", "does not take"]),
            (
                &[endpoint, "--video-width=64", "--video-height=64"],
                &["--video-width", "--endpoint-type chat", "does not take"],
            ),
        ]);
        assert!(with_model(&[endpoint, "--image-batch-size=0"]).is_ok());
    }
}

#[test]
fn result_files_show_the_media() {
    let dataset = shown(&["--image-width-mean=16", "--image-height-mean=16", "--image-batch-size=2"]);
    assert_eq!(dataset["images"], json!({"batch_size": 2, "width": {"mean": 16.0}, "height": {"mean": 16.0}}));
    let dataset = shown(&["--audio-batch-size=1", "--audio-sample-rates=44100", "--audio-num-channels=2"]);
    let audio = json!({"batch_size": 1, "length": {"mean": 10.0}, "sample_rates": [44.1], "channels": 2});
    assert_eq!(dataset["audio"], audio);
    let dataset = shown(&["--video-width=64", "--video-height=48", "--video-audio-num-channels=1"]);
    let sound = json!({"sample_rate": 44.1, "channels": 1, "codec": "libvorbis"});
    let video = json!({"batch_size": 1, "width": 64, "height": 48, "duration": 1.0, "fps": 4, "audio": sound});
    assert_eq!(dataset["video"], video);
}
