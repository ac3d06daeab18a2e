//! Images.

use aiperf_config::{Environment, ImageFormat, ImageSource, ImageSpec, PictureOrder, PixelSize};

use super::batch_size;
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Image Input: generated images.
pub(crate) const IMAGE: &[OptionSpec] = &[
    OptionSpec::new(OptionId::ImageWidthMean, &["image-width-mean"], ValueKind::Float, "Mean width of an image.")
        .at_least(0.0)
        .at_most(65535.0)
        .unit("px")
        .default("512 when images are on")
        .supported(),
    OptionSpec::new(
        OptionId::ImageWidthStddev,
        &["image-width-stddev"],
        ValueKind::Float,
        "Standard deviation of the width of an image.",
    )
    .at_least(0.0)
    .unit("px")
    .default("0")
    .supported(),
    OptionSpec::new(OptionId::ImageHeightMean, &["image-height-mean"], ValueKind::Float, "Mean height of an image.")
        .at_least(0.0)
        .at_most(65535.0)
        .unit("px")
        .default("512 when images are on")
        .supported(),
    OptionSpec::new(
        OptionId::ImageHeightStddev,
        &["image-height-stddev"],
        ValueKind::Float,
        "Standard deviation of the height of an image.",
    )
    .at_least(0.0)
    .unit("px")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::ImageBatchSize,
        &["image-batch-size", "batch-size-image"],
        ValueKind::Int,
        "Number of images per request.",
    )
    .at_least(0.0)
    .default("0; 1 with a size or source")
    .supported(),
    OptionSpec::new(
        OptionId::ImageFormat,
        &["image-format"],
        ValueKind::Choice(&["png", "jpeg", "random"]),
        "File format of images.",
    )
    .default("jpeg")
    .supported(),
    OptionSpec::new(
        OptionId::ImageSource,
        &["image-source"],
        ValueKind::Text,
        "Where images come from: random pixels (`noise`), built-in pictures (`assets`), or the path of a \
         folder of pictures.",
    )
    .default("noise")
    .supported(),
    OptionSpec::new(
        OptionId::ImageSourceSampling,
        &["image-source-sampling"],
        ValueKind::Choice(&["random-with-replacement", "shuffle-cycle", "sequential-cycle"]),
        "Order in which pictures are taken from `--image-source assets` or from a folder.",
    )
    .default("random-with-replacement")
    .supported(),
];

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
            let why = "noise has no list of pictures: every image is generated";
            Err(raw.needs_text(OptionId::ImageSourceSampling, "--image-source assets or a folder", why))
        }
        "noise" => Ok(ImageSource::Noise),
        "assets" => Ok(ImageSource::Assets(order)),
        text => {
            let path = environment.current_dir.join(text);
            if text.is_empty() || !path.is_dir() {
                let expected = "must be noise, assets, or an existing folder with PNG and JPEG files";
                return Err(raw.bad(id, text, expected));
            }
            Ok(ImageSource::Folder { path, order })
        }
    }
}
