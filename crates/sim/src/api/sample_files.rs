//! The smallest files that programs accept as an image or a video.

use crate::api::embeddings::write_base64;

/// One grey dot.
pub(crate) const PNG: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0x77, 0xCD, 0x72, 0xB6, 0x00, 0x00,
    0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
];

pub(crate) fn png_base64() -> String {
    let mut text = Vec::new();
    write_base64(PNG, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A movie without tracks: its type and its header.
pub(crate) fn mp4() -> Vec<u8> {
    let boxed = |kind: &[u8; 4], content: &[u8]| {
        let length = u32::try_from(content.len() + 8).unwrap_or(u32::MAX);
        [&length.to_be_bytes()[..], kind, content].concat()
    };
    let mut header = vec![0; 12];
    // Ticks in a second, duration, speed, volume.
    header.extend_from_slice(&1_000_u32.to_be_bytes());
    header.extend_from_slice(&[0; 4]);
    header.extend_from_slice(&0x0001_0000_u32.to_be_bytes());
    header.extend_from_slice(&0x0100_u16.to_be_bytes());
    header.extend_from_slice(&[0; 10]);
    for diagonal in [0x0001_0000_u32, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000] {
        header.extend_from_slice(&diagonal.to_be_bytes());
    }
    header.extend_from_slice(&[0; 24]);
    header.extend_from_slice(&1_u32.to_be_bytes());
    [boxed(b"ftyp", b"isom\0\0\x02\0isomiso2mp41"), boxed(b"moov", &boxed(b"mvhd", &header))].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_have_the_lengths_that_they_say() {
        assert_eq!(PNG.len(), 67);
        let movie = mp4();
        let length = |at: usize| u32::from_be_bytes(movie[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(length(0) + length(length(0)), movie.len());
        assert_eq!(length(length(0) + 8), 108);
    }
}
