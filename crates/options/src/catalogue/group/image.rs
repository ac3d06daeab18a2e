//! Image Input: generated images.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(OptionId::ImageWidthMean, &["image-width-mean"], ValueKind::Float, "Mean width of an image.")
        .at_least(0.0)
        .at_most(65535.0)
        .unit("px")
        .default("512 when images are on")
        .supported(),
    OptionSpec::new(OptionId::ImageWidthStddev, &["image-width-stddev"], ValueKind::Float, "Standard deviation of the width of an image.")
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
    OptionSpec::new(OptionId::ImageHeightStddev, &["image-height-stddev"], ValueKind::Float, "Standard deviation of the height of an image.")
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
        "Where images come from: random pixels (`noise`), built-in pictures (`assets`), or the path of a folder of pictures.",
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
