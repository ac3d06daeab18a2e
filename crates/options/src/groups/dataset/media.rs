//! Generated media: what switches each of them on, and what goes with what.

pub(crate) mod audio;
pub(crate) mod image;
pub(crate) mod video;

use aiperf_config::{EndpointConfig, Environment, MediaSource};
use aiperf_protocol::{EndpointKind, Medium};

use crate::catalogue::{OptionId, OptionSpec};
use crate::{ConfigError, RawOptions};

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
) -> Result<Option<MediaSource>, ConfigError> {
    let images = image::resolve(raw, environment)?;
    let audio = audio::resolve(raw)?;
    let video = video::resolve(raw)?;
    for (medium, is_on, ids) in [
        (Medium::Image, images.is_some(), image::OPTIONS),
        (Medium::Audio, audio.is_some(), audio::OPTIONS),
        (Medium::Video, video.is_some(), video::OPTIONS),
    ] {
        if let Some(id) = given(raw, ids).filter(|_| is_on && !endpoint.kind.takes(medium)) {
            return Err(not_taken(raw, id, medium, endpoint.kind));
        }
    }
    let any = images.is_some() || audio.is_some() || video.is_some();
    Ok(any.then_some(MediaSource { images, audio, video, without_text: false }))
}

/// How many contents of each kind a request has. A pool of the user's is drawn from in these numbers too.
pub(super) const BATCH_SIZES: [OptionId; 4] =
    [OptionId::PromptBatchSize, OptionId::ImageBatchSize, OptionId::AudioBatchSize, OptionId::VideoBatchSize];

/// The first option that was given about what media are like: data brings its own.
pub(super) fn given_shape(raw: &RawOptions) -> Option<OptionId> {
    let all = [image::OPTIONS, audio::OPTIONS, video::OPTIONS].into_iter().flatten().copied();
    all.filter(|id| !BATCH_SIZES.contains(id)).find(|id| raw.is_given(*id))
}

fn given(raw: &RawOptions, ids: &[OptionId]) -> Option<OptionId> {
    ids.iter().copied().find(|id| raw.is_given(*id))
}

fn not_taken(raw: &RawOptions, id: OptionId, medium: Medium, kind: EndpointKind) -> ConfigError {
    let why = format!("the {} endpoint does not take {}", kind.facts().name, medium.name());
    raw.needs_text(id, "--endpoint-type chat", &why)
}

/// How many of a medium a turn has. `None`: none, because nothing switches it on, or because it is switched off by a number
/// or a size of 0.
fn batch_size(
    raw: &RawOptions,
    batch: OptionId,
    switches: &[OptionId],
    sizes: &[OptionId],
    all: &[OptionId],
) -> Result<Option<usize>, ConfigError> {
    let count = raw.int::<usize>(batch)?;
    let mut zero = None;
    for id in sizes {
        if raw.float(*id)? == Some(0.0) {
            zero = zero.or(Some(*id));
        }
    }
    match (count, zero) {
        (Some(0), _) | (None, Some(_)) => Ok(None),
        (Some(_), Some(id)) => {
            Err(raw.conflict(batch, id, "a size of 0 sends nothing; give 0 for both, or for neither"))
        }
        (Some(count), None) => Ok(Some(count)),
        (None, None) if given(raw, switches).is_some() => Ok(Some(1)),
        (None, None) => match given(raw, all) {
            None => Ok(None),
            Some(id) => Err(raw.needs(id, batch, "without it nothing of this kind is sent")),
        },
    }
}

/// Each value of a list, checked against the range of its option.
fn numbers(raw: &RawOptions, id: OptionId) -> Result<Vec<(f64, String)>, ConfigError> {
    let spec: &OptionSpec = id.spec();
    raw.list(id)
        .into_iter()
        .map(|text| {
            let value = crate::grammar::number::float(text)
                .filter(|value| value.is_finite())
                .ok_or_else(|| raw.bad(id, text, "must be a number without a unit"))?;
            let in_range = spec.range.contains(value);
            let problem = || raw.bad(id, text, &format!("it must be {}", spec.range));
            if in_range { Ok((value, text.to_owned())) } else { Err(problem()) }
        })
        .collect()
}

/// A sample rate in Hz; up to 96, numbers are kHz.
fn rate_hz(raw: &RawOptions, id: OptionId, value: f64, text: &str) -> Result<u32, ConfigError> {
    const LARGEST_KHZ: f64 = 96.0;
    const LARGEST_HZ: f64 = 768_000.0;
    let hz = if value > LARGEST_KHZ { value } else { value * 1e3 }.round();
    if (1.0..=LARGEST_HZ).contains(&hz) {
        Ok(hz as u32)
    } else {
        Err(raw.bad(id, text, "not a possible sample rate; give kHz, such as 16 or 44.1, or Hz, such as 44100"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::options;

    #[test]
    fn every_option_about_media_is_known_here() {
        let known: usize = [image::OPTIONS, audio::OPTIONS, video::OPTIONS].iter().map(|ids| ids.len()).sum();
        let named =
            |spec: &&OptionSpec| ["image-", "audio-", "video-"].iter().any(|start| spec.long[0].starts_with(start));
        assert_eq!(options().filter(named).count(), known);
    }
}
