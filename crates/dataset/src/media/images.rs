//! The images of all turns, as orders that are carried out when a turn is asked for.

use std::sync::Arc;

use aiperf_config::{ImageFormat, ImageSource, ImageSpec, PixelSize};
use aiperf_media::{ImageEncoding, Picture, image_content};
use aiperf_seed::{Seed, Stream};

use super::album::{Album, Draw, Print};
use crate::DatasetError;

#[derive(Debug)]
pub(super) struct Images {
    orders: Vec<ImageOrder>,
    per_turn: usize,
    album: Option<Album>,
}

#[derive(Debug, Clone, Copy)]
struct ImageOrder {
    width: u32,
    height: u32,
    encoding: ImageEncoding,
    /// The place of a picture in the album; without an album the seed of its noise.
    subject: u64,
}

impl Images {
    pub(super) fn new(spec: &ImageSpec, seed: Seed, turns: usize) -> Result<Self, DatasetError> {
        let (album, order) = match &spec.source {
            ImageSource::Noise => (None, None),
            ImageSource::Assets(order) => (Some(Album::assets()), Some(*order)),
            ImageSource::Folder { path, order } => (Some(Album::folder(path)?), Some(*order)),
        };
        let mut sides = seed.stream("dataset.image.dimensions");
        let mut formats = seed.stream("dataset.image.format");
        let mut noise = seed.stream("dataset.image.noise");
        let mut draw = album
            .as_ref()
            .zip(order)
            .map(|(album, order)| Draw::new(order, album.len(), seed.stream("dataset.image.source")));
        let orders = (0..turns * spec.batch_size)
            .map(|_| ImageOrder {
                width: side(spec.width, &mut sides),
                height: side(spec.height, &mut sides),
                encoding: encoding(spec.format, &mut formats),
                subject: draw.as_mut().map_or_else(|| noise.next_u64(), |draw| draw.next() as u64),
            })
            .collect();
        Ok(Self { orders, per_turn: spec.batch_size, album })
    }

    pub(super) fn of_turn(&self, turn: usize) -> Vec<Arc<str>> {
        self.orders[turn * self.per_turn..][..self.per_turn].iter().map(|order| self.make(*order)).collect()
    }

    fn make(&self, order: ImageOrder) -> Arc<str> {
        let ImageOrder { width, height, encoding, subject } = order;
        if let Some(album) = &self.album {
            return album.print(Print { picture: subject as usize, width, height, encoding });
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
