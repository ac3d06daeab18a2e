//! The images of all turns: planned at the start, generated when a turn is needed.

use std::sync::Arc;

use aiperf_config::{ImageFormat, ImageSource, ImageSpec, PixelSize};
use aiperf_media::{ImageEncoding, Picture, image_content};
use aiperf_seed::{Seed, Stream};

use super::picture_pool::{PicturePool, PictureSampler, PictureVariant};
use crate::DatasetError;

#[derive(Debug)]
pub(super) struct ImagePool {
    plans: Vec<ImagePlan>,
    per_turn: usize,
    pool: Option<PicturePool>,
}

#[derive(Debug, Clone, Copy)]
struct ImagePlan {
    width: u32,
    height: u32,
    encoding: ImageEncoding,
    /// The index of a picture in the pool, or the seed of the noise if there is no pool.
    subject: u64,
}

impl ImagePool {
    pub(super) fn new(spec: &ImageSpec, seed: Seed, turns: usize) -> Result<Self, DatasetError> {
        let (pool, order) = match &spec.source {
            ImageSource::Noise => (None, None),
            ImageSource::Assets(order) => (Some(PicturePool::assets()), Some(*order)),
            ImageSource::Folder { path, order } => (Some(PicturePool::folder(path)?), Some(*order)),
        };
        let mut sides = seed.stream("dataset.image.dimensions");
        let mut formats = seed.stream("dataset.image.format");
        let mut noise = seed.stream("dataset.image.noise");
        let mut draw = pool
            .as_ref()
            .zip(order)
            .map(|(pool, order)| PictureSampler::new(order, pool.len(), seed.stream("dataset.image.source")));
        let plans = (0..turns * spec.batch_size)
            .map(|_| ImagePlan {
                width: side(spec.width, &mut sides),
                height: side(spec.height, &mut sides),
                encoding: encoding(spec.format, &mut formats),
                subject: draw.as_mut().map_or_else(|| noise.next_u64(), |draw| draw.next() as u64),
            })
            .collect();
        Ok(Self { plans, per_turn: spec.batch_size, pool })
    }

    pub(super) fn of_turn(&self, turn: usize) -> Vec<Arc<str>> {
        self.plans[turn * self.per_turn..][..self.per_turn].iter().map(|plan| self.make(*plan)).collect()
    }

    fn make(&self, plan: ImagePlan) -> Arc<str> {
        let ImagePlan { width, height, encoding, subject } = plan;
        if let Some(pool) = &self.pool {
            return pool.render(PictureVariant { picture: subject as usize, width, height, encoding });
        }
        let picture = Picture::noise(width, height, &mut Seed::fixed(subject).stream("dataset.image.noise"));
        image_content(encoding, &encoding.encode(&picture))
    }
}

fn side(size: PixelSize, stream: &mut Stream) -> u32 {
    let drawn = stream.positive_normal_integer(size.mean, size.stddev);
    drawn.min(u64::from(ImageEncoding::LONGEST_SIDE)) as u32
}

fn encoding(format: ImageFormat, stream: &mut Stream) -> ImageEncoding {
    match format {
        ImageFormat::Png => ImageEncoding::Png,
        ImageFormat::Random if stream.below(2) == 0 => ImageEncoding::Png,
        ImageFormat::Jpeg | ImageFormat::Random => ImageEncoding::Jpeg,
    }
}
