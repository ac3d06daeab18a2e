//! Generated media: what differs from the defaults.

use serde_json::Value;

use crate::section::Section;
use crate::{
    AudioFormat, AudioSpec, BitDepth, Channels, ImageFormat, ImageSource, ImageSpec, MediaSource, PictureOrder,
    SoundTrack, VideoContainer, VideoPicture, VideoSpec,
};

pub(crate) fn put_media(section: &mut Section, media: Option<&MediaSource>) {
    let Some(media) = media else { return };
    section.put_some("images", media.images.as_ref().map(images));
    section.put_some("audio", media.audio.as_ref().map(audio));
    section.put_some("video", media.video.as_ref().map(video));
}

fn images(spec: &ImageSpec) -> Value {
    let mut section = Section::default();
    section.put("batch_size", spec.batch_size);
    section.put("width", spread(spec.width.mean, spec.width.stddev));
    section.put("height", spread(spec.height.mean, spec.height.stddev));
    section.put_some(
        "format",
        match spec.format {
            ImageFormat::Jpeg => None,
            ImageFormat::Png => Some("png"),
            ImageFormat::Random => Some("random"),
        },
    );
    let (source, order) = match &spec.source {
        ImageSource::Noise => (None, PictureOrder::default()),
        ImageSource::Assets(order) => (Some("assets".to_owned()), *order),
        ImageSource::Folder { path, order } => (Some(path.to_string_lossy().into_owned()), *order),
    };
    section.put_some("source", source);
    section.put_some(
        "source_sampling",
        match order {
            PictureOrder::RandomWithReplacement => None,
            PictureOrder::ShuffleCycle => Some("shuffle-cycle"),
            PictureOrder::SequentialCycle => Some("sequential-cycle"),
        },
    );
    section.finish()
}

fn audio(spec: &AudioSpec) -> Value {
    let mut section = Section::default();
    section.put("batch_size", spec.batch_size);
    section.put("length", spread(spec.length.mean_s, spec.length.stddev_s));
    match spec.formats[..] {
        [AudioFormat::Wav] => {}
        [only] => section.put("format", only.name()),
        _ => section.put("format", "random"),
    }
    let rates: Vec<f64> = spec.rates_hz.iter().map(|rate| f64::from(*rate) / 1e3).collect();
    section.put_some("sample_rates", (rates != [16.0]).then_some(rates));
    let depths: Vec<u16> = spec.depths.iter().map(|depth| depth.bits()).collect();
    section.put_some("depths", (depths != [16]).then_some(depths));
    section.put_some("channels", (spec.channels != Channels::Mono).then(|| spec.channels.count()));
    section.finish()
}

fn video(spec: &VideoSpec) -> Value {
    let mut section = Section::default();
    section.put("batch_size", spec.batch_size);
    section.put("width", spec.width);
    section.put("height", spec.height);
    section.put("duration", spec.duration_s);
    section.put("fps", spec.fps);
    section.put_some("format", (spec.container != VideoContainer::Webm).then(|| spec.container.name()));
    section.put_some("codec", (spec.codec != "libvpx-vp9").then_some(&*spec.codec));
    section.put_some(
        "synth_type",
        match spec.picture {
            VideoPicture::MovingShapes => None,
            VideoPicture::GridClock => Some("grid_clock"),
            VideoPicture::Noise => Some("noise"),
        },
    );
    section.put_some("audio", spec.sound.map(sound));
    section.finish()
}

fn sound(track: SoundTrack) -> Value {
    let mut section = Section::default();
    section.put("sample_rate", f64::from(track.rate_hz) / 1e3);
    section.put("channels", track.channels.count());
    section.put("codec", track.codec.name());
    section.put_some("depth", (track.depth != BitDepth::Sixteen).then(|| track.depth.bits()));
    section.finish()
}

fn spread(mean: f64, stddev: f64) -> Value {
    let mut section = Section::default();
    section.put("mean", mean);
    section.put_some("stddev", (stddev != 0.0).then_some(stddev));
    section.finish()
}
