//! Images.

use aiperf_config::{Environment, ImageFormat, ImageSource, ImageSpec, PictureOrder, PixelSize};

use super::batch_size;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

pub(super) const OPTIONS: &[OptionId] = &[
    OptionId::ImageBatchSize,
    OptionId::ImageWidthMean,
    OptionId::ImageWidthStddev,
    OptionId::ImageHeightMean,
    OptionId::ImageHeightStddev,
    OptionId::ImageSource,
    OptionId::ImageFormat,
    OptionId::ImageSourceSampling,
];
const SWITCHES: &[OptionId] = &[
    OptionId::ImageWidthMean,
    OptionId::ImageWidthStddev,
    OptionId::ImageHeightMean,
    OptionId::ImageHeightStddev,
    OptionId::ImageSource,
];
const DEFAULT_SIDE: f64 = 512.0;

pub(super) fn resolve(raw: &RawOptions, environment: &Environment) -> Result<Option<ImageSpec>, ConfigError> {
    let sizes = [OptionId::ImageWidthMean, OptionId::ImageHeightMean];
    let batch_size = batch_size(raw, OptionId::ImageBatchSize, SWITCHES, &sizes, OPTIONS)?;
    let width = side(raw, OptionId::ImageWidthMean, OptionId::ImageWidthStddev)?;
    let height = side(raw, OptionId::ImageHeightMean, OptionId::ImageHeightStddev)?;
    let format = match raw.choice(OptionId::ImageFormat)? {
        Some("png") => ImageFormat::Png,
        Some("random") => ImageFormat::Random,
        _ => ImageFormat::Jpeg,
    };
    let order = match raw.choice(OptionId::ImageSourceSampling)? {
        Some("shuffle-cycle") => PictureOrder::ShuffleCycle,
        Some("sequential-cycle") => PictureOrder::SequentialCycle,
        _ => PictureOrder::RandomWithReplacement,
    };
    let Some(batch_size) = batch_size else { return Ok(None) };
    let source = source(raw, environment, order)?;
    Ok(Some(ImageSpec { batch_size, width, height, format, source }))
}

fn side(raw: &RawOptions, mean: OptionId, stddev: OptionId) -> Result<PixelSize, ConfigError> {
    Ok(PixelSize { mean: raw.float(mean)?.unwrap_or(DEFAULT_SIDE), stddev: raw.float(stddev)?.unwrap_or(0.0) })
}

fn source(raw: &RawOptions, environment: &Environment, order: PictureOrder) -> Result<ImageSource, ConfigError> {
    let id = OptionId::ImageSource;
    match raw.text(id).unwrap_or("noise") {
        "noise" if order != PictureOrder::RandomWithReplacement => {
            let why = "noise has no pictures to go through: every image is another one";
            Err(raw.needs_text(OptionId::ImageSourceSampling, "--image-source assets or a folder", why))
        }
        "noise" => Ok(ImageSource::Noise),
        "assets" => Ok(ImageSource::Assets(order)),
        text => {
            let path = environment.current_dir.join(text);
            if text.is_empty() || !path.is_dir() {
                let expected = "it is noise, assets, or an existing folder with PNG and JPEG files";
                return Err(raw.bad(id, text, expected));
            }
            Ok(ImageSource::Folder { path, order })
        }
    }
}
