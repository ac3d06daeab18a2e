//! Pictures in memory and as PNG and JPEG files.

mod asset;
mod picture;
mod reading;
mod resize;

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use png::{BitDepth, DeflateCompression, Filter};

pub use asset::Asset;
pub use picture::Picture;
pub use reading::{PictureError, is_picture, read_picture};

const JPEG_QUALITY: u8 = 85;
const DEFLATE_LEVEL: u8 = 6;
/// The largest side that a JPEG file can have.
const LONGEST_SIDE: u32 = 65_535;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageEncoding {
    Png,
    Jpeg,
}

impl ImageEncoding {
    /// The longest side that both encodings support.
    pub const LONGEST_SIDE: u32 = LONGEST_SIDE;

    /// The subtype in `image/...`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
        }
    }

    /// The picture as a file. PNG at level 6; JPEG at quality 85 with the colours at full resolution (4:4:4).
    ///
    /// # Panics
    /// If a side is longer than [`Self::LONGEST_SIDE`]. Nothing else fails when writing to memory.
    #[expect(clippy::expect_used, reason = "writing to memory does not fail, and the size is the caller's duty")]
    pub fn encode(self, picture: &Picture) -> Vec<u8> {
        match self {
            Self::Png => png(picture).expect("memory takes every byte"),
            Self::Jpeg => jpeg(picture).expect("memory takes every byte, and the sides are at most 65535"),
        }
    }
}

fn png(picture: &Picture) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::with_capacity(picture.rgb().len() + picture.height() as usize + 1024);
    let mut encoder = png::Encoder::new(&mut file, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_deflate_compression(DeflateCompression::Level(DEFLATE_LEVEL));
    encoder.set_filter(Filter::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.rgb())?;
    writer.finish()?;
    Ok(file)
}

fn jpeg(picture: &Picture) -> Result<Vec<u8>, jpeg_encoder::EncodingError> {
    let side = |side: u32| u16::try_from(side).unwrap_or(0);
    let mut file = Vec::with_capacity(picture.rgb().len());
    let mut encoder = Encoder::new(&mut file, JPEG_QUALITY);
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    encoder.encode(picture.rgb(), side(picture.width()), side(picture.height()), ColorType::Rgb)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;
    use crate::{Asset, read_picture};

    #[test]
    fn a_png_has_every_pixel_that_went_in() {
        for (width, height) in [(1, 1), (3, 7), (64, 48)] {
            let picture = Picture::noise(width, height, &mut Seed::fixed(1).stream("test"));
            assert_eq!(read_picture(&ImageEncoding::Png.encode(&picture)).unwrap(), picture);
        }
    }

    #[test]
    fn a_jpeg_has_its_size_and_nearly_its_colours() {
        for (width, height) in [(1, 1), (9, 5), (200, 120)] {
            let picture = Asset::ALL[0].drawn(width, height);
            let read = read_picture(&ImageEncoding::Jpeg.encode(&picture)).unwrap();
            assert_eq!((read.width(), read.height()), (width, height));
            let apart: u64 = read.rgb().iter().zip(picture.rgb()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
            assert!(apart / (read.rgb().len() as u64) < 10, "{apart} over {}", read.rgb().len());
        }
    }

    /// The frame header says 1x1 for every component: full resolution of the colours.
    #[test]
    fn a_jpeg_keeps_its_colours_at_full_resolution() {
        let file = ImageEncoding::Jpeg.encode(&Asset::ALL[1].drawn(16, 16));
        let frame = file.windows(2).position(|marker| marker == [0xff, 0xc0]).unwrap();
        let components = &file[frame + 10..frame + 10 + 9];
        assert_eq!([components[1], components[4], components[7]], [0x11; 3]);
    }

    #[test]
    fn the_same_stream_gives_the_same_bytes() {
        let made = |seed| {
            let picture = Picture::noise(33, 17, &mut Seed::fixed(seed).stream("test"));
            [ImageEncoding::Png.encode(&picture), ImageEncoding::Jpeg.encode(&picture)]
        };
        assert_eq!(made(7), made(7));
        assert_ne!(made(7), made(8));
    }
}
