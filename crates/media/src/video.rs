//! Videos, encoded by the program `ffmpeg`. It gets the frames on its standard input. The sound and the finished video are
//! temporary files, since a container format needs to seek back when it is finished.

mod frames;

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use aiperf_config::{VideoContainer, VideoSpec};
use aiperf_seed::Stream;
use tempfile::TempDir;

use crate::audio::{ClipShape, wav_noise};

#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    #[error(
        "--video-width: videos are encoded by ffmpeg, which was not found on the PATH; install it (`apt-get install ffmpeg`, \
         `dnf install ffmpeg-free`, `brew install ffmpeg`, or https://ffmpeg.org/download.html), or leave video out"
    )]
    NoFfmpeg,
    #[error("--video-codec {codec}: ffmpeg cannot encode this video ({width}x{height}, {container}): {reason}")]
    Refused { codec: String, width: u32, height: u32, container: &'static str, reason: String },
    #[error("cannot write a video to the temporary folder (TMPDIR): {0}")]
    Disk(#[from] io::Error),
}

/// A video as a file. The streams are drawn from only if the pixels or the sound are noise.
pub fn encode_video(spec: &VideoSpec, pixels: &mut Stream, sound: &mut Stream) -> Result<Vec<u8>, VideoError> {
    encode_with("ffmpeg", spec, pixels, sound)
}

fn encode_with(
    program: &str,
    spec: &VideoSpec,
    pixels: &mut Stream,
    sound: &mut Stream,
) -> Result<Vec<u8>, VideoError> {
    let folder = tempfile::tempdir()?;
    write_sound(spec, folder.path(), sound)?;
    let mut command = Command::new(program);
    command.args(arguments(spec, folder.path()));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(File::create(folder.path().join("log"))?);
    let mut running = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => VideoError::NoFfmpeg,
        _ => VideoError::Disk(error),
    })?;
    if let Some(mut input) = running.stdin.take() {
        for number in 0..spec.frames() {
            // An encoder that fails closes its end of the pipe; its log says why.
            if input.write_all(frames::frame(spec, number, pixels).rgb()).is_err() {
                break;
            }
        }
    }
    if running.wait()?.success() {
        return Ok(std::fs::read(folder.path().join("video"))?);
    }
    Err(VideoError::Refused {
        codec: spec.codec.clone(),
        width: spec.width,
        height: spec.height,
        container: spec.container.name(),
        reason: reason(&folder),
    })
}

fn write_sound(spec: &VideoSpec, folder: &Path, stream: &mut Stream) -> io::Result<()> {
    let Some(sound) = spec.sound else { return Ok(()) };
    let seconds = spec.frames() as f64 / f64::from(spec.fps);
    let samples = ClipShape::samples_in(seconds, sound.rate_hz);
    let file = wav_noise(samples, sound.rate_hz, sound.depth, sound.channels, stream);
    std::fs::write(folder.join("sound.wav"), file)
}

/// The arguments of ffmpeg: one thread, and no time or version in the file, so that the same frames give the same bytes.
fn arguments(spec: &VideoSpec, folder: &Path) -> Vec<String> {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let size = format!("{}x{}", spec.width, spec.height);
    let rate = spec.fps.to_string();
    let mut words: Vec<String> = "-hide_banner -loglevel error -y -f rawvideo -pixel_format rgb24"
        .split(' ')
        .chain(["-video_size", &size, "-framerate", &rate, "-i", "pipe:0"])
        .map(str::to_owned)
        .collect();
    let mut add = |more: &[&str]| words.extend(more.iter().map(|word| (*word).to_owned()));
    if let Some(sound) = spec.sound {
        add(&["-i", &path("sound.wav"), "-map", "0:v", "-map", "1:a", "-shortest"]);
        add(&["-c:a", sound.codec.name(), "-ac", &sound.channels.count().to_string()]);
    }
    add(&["-c:v", &spec.codec, "-pix_fmt", "yuv420p", "-threads", "1"]);
    if spec.codec.starts_with("libvpx") {
        // The defaults of these encoders are very slow.
        add(&["-deadline", "realtime", "-cpu-used", "8"]);
    }
    if spec.container == VideoContainer::Mp4 {
        add(&["-movflags", "+faststart"]);
    }
    add(&["-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact"]);
    add(&["-f", spec.container.name(), &path("video")]);
    words
}

/// The first line of the encoder's log; the others follow from it.
fn reason(folder: &TempDir) -> String {
    let log = std::fs::read(folder.path().join("log")).unwrap_or_default();
    let text = String::from_utf8_lossy(&log);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("it failed without an error message");
    first.split_once("] ").map_or(first, |(_, said)| said).to_owned()
}

#[cfg(test)]
mod tests {
    use aiperf_config::VideoPicture;
    use aiperf_seed::Seed;

    use super::*;

    #[test]
    fn without_the_program_the_error_says_how_to_get_it() {
        let spec = VideoSpec {
            batch_size: 1,
            width: 16,
            height: 16,
            duration_s: 1.0,
            fps: 2,
            picture: VideoPicture::Noise,
            container: VideoContainer::Webm,
            codec: "libvpx-vp9".to_owned(),
            sound: None,
        };
        let seed = Seed::fixed(1);
        let error = encode_with("no-such-ffmpeg", &spec, &mut seed.stream("a"), &mut seed.stream("b")).unwrap_err();
        assert!(matches!(error, VideoError::NoFfmpeg) && error.to_string().contains("apt-get install ffmpeg"));
    }
}
