//! Reading the user's pictures: PNG and JPEG files.

use std::error::Error;
use std::io::Cursor;

use png::{ColorType, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::Picture;

/// A picture with more pixels would take gigabytes to open.
const MOST_PIXELS: u64 = 1 << 28;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    #[error("it is neither PNG nor JPEG")]
    UnknownFormat,
    #[error("it has {width}x{height} pixels; at most 268435456 can be opened")]
    TooLarge { width: u64, height: u64 },
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// Whether a file that begins with these eight bytes is a PNG or JPEG file.
pub fn is_picture(start: &[u8]) -> bool {
    is_png(start) || is_jpeg(start)
}

/// The picture in a PNG or JPEG file. Transparency is dropped.
pub fn read_picture(file: &[u8]) -> Result<Picture, PictureError> {
    if is_png(file) {
        read_png(file)
    } else if is_jpeg(file) {
        let mut decoder = jpeg_reader(file)?;
        let rgb = decoder.decode().map_err(damaged)?;
        let (width, height) = decoder.dimensions().unwrap_or_default();
        complete(width as u32, height as u32, rgb)
    } else {
        Err(PictureError::UnknownFormat)
    }
}

fn is_png(file: &[u8]) -> bool {
    file.starts_with(b"\x89PNG\r\n\x1a\n")
}

fn is_jpeg(file: &[u8]) -> bool {
    file.starts_with(b"\xff\xd8\xff")
}

fn damaged<E: Error>(error: E) -> PictureError {
    PictureError::Damaged(error.to_string())
}

fn check_size(width: u64, height: u64) -> Result<(), PictureError> {
    if width.saturating_mul(height) > MOST_PIXELS { Err(PictureError::TooLarge { width, height }) } else { Ok(()) }
}

fn complete(width: u32, height: u32, rgb: Vec<u8>) -> Result<Picture, PictureError> {
    Picture::new(width, height, rgb).ok_or_else(|| PictureError::Damaged("pixels are missing".to_owned()))
}

fn jpeg_reader(file: &[u8]) -> Result<JpegDecoder<Cursor<&[u8]>>, PictureError> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(file), options);
    decoder.decode_headers().map_err(damaged)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    check_size(width as u64, height as u64)?;
    Ok(decoder)
}

fn png_reader(file: &[u8]) -> Result<png::Reader<Cursor<&[u8]>>, PictureError> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let reader = decoder.read_info().map_err(damaged)?;
    let (width, height) = reader.info().size();
    check_size(u64::from(width), u64::from(height))?;
    Ok(reader)
}

fn read_png(file: &[u8]) -> Result<Picture, PictureError> {
    let mut reader = png_reader(file)?;
    let size = reader.output_buffer_size().ok_or_else(|| PictureError::Damaged("its size overflows".to_owned()))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(damaged)?;
    pixels.truncate(info.buffer_size());
    let grey = |sample: &u8| [*sample; 3];
    let rgb = match info.color_type {
        ColorType::Rgb => pixels,
        ColorType::Rgba => pixels.as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect(),
        ColorType::Grayscale => pixels.iter().flat_map(grey).collect(),
        ColorType::GrayscaleAlpha => pixels.as_chunks::<2>().0.iter().flat_map(|[sample, _]| grey(sample)).collect(),
        ColorType::Indexed => return Err(PictureError::Damaged("its palette is missing".to_owned())),
    };
    complete(info.width, info.height, rgb)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Asset, ImageEncoding};

    fn png_of(colour: ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 2, 1);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if colour == ColorType::Indexed {
            encoder.set_palette([9_u8, 8, 7, 6, 5, 4].as_slice());
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        file
    }

    #[test]
    fn every_kind_of_png_becomes_red_green_and_blue() {
        use png::BitDepth::{Eight, Sixteen};
        for (colour, depth, data, expected) in [
            (ColorType::Grayscale, Eight, &[3_u8, 4] as &[u8], [3, 3, 3, 4, 4, 4]),
            (ColorType::GrayscaleAlpha, Eight, &[3, 0, 4, 255], [3, 3, 3, 4, 4, 4]),
            (ColorType::Rgba, Eight, &[1, 2, 3, 0, 4, 5, 6, 9], [1, 2, 3, 4, 5, 6]),
            (ColorType::Indexed, Eight, &[1, 0], [6, 5, 4, 9, 8, 7]),
            (ColorType::Rgb, Sixteen, &[1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0], [1, 2, 3, 4, 5, 6]),
        ] {
            let read = read_picture(&png_of(colour, depth, data)).unwrap();
            assert_eq!(read.rgb(), expected, "{colour:?}");
        }
    }

    #[test]
    fn a_file_that_is_not_a_picture_says_why() {
        assert_eq!(read_picture(b"GIF89a").unwrap_err(), PictureError::UnknownFormat);
        assert!(matches!(read_picture(b"\x89PNG\r\n\x1a\nrest"), Err(PictureError::Damaged(_))));
        let file = ImageEncoding::Png.encode(&Asset::ALL[0].drawn(64, 64));
        assert!(is_picture(&file[..8]) && !is_picture(b"GIF89a"));
        assert!(matches!(read_picture(&file[..file.len() / 2]), Err(PictureError::Damaged(_))));
        assert!(check_size(1 << 14, 1 << 14).is_ok());
        assert!(matches!(check_size(1 << 15, 1 << 14), Err(PictureError::TooLarge { .. })));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_refused_or_read_but_never_panic(start in 0_usize..3, bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let magic: &[u8] = [b"".as_slice(), b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"][start];
            let file = [magic, &bytes].concat();
            let _ = read_picture(&file);
        }

        #[test]
        fn damaged_files_never_panic(at in 0_usize..600, bit in 0_u8..8, jpeg in any::<bool>()) {
            let encoding = if jpeg { ImageEncoding::Jpeg } else { ImageEncoding::Png };
            let mut file = encoding.encode(&Asset::ALL[2].drawn(24, 16));
            let at = at % file.len();
            file[at] ^= 1 << bit;
            let _ = read_picture(&file);
        }
    }
}
