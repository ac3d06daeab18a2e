//! The frames of generated videos.

use std::f64::consts::TAU;

use aiperf_config::{VideoPicture, VideoSpec};
use aiperf_seed::Stream;

use crate::Picture;

const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const DARK: [u8; 3] = [40, 40, 40];
const LINE: [u8; 3] = [80, 80, 80];
const WHITE: [u8; 3] = [255, 255, 255];
const GRID: u32 = 32;

/// Digits as 3x5 dots: three bits per row, from the top.
const DIGITS: [u16; 10] = [
    0b111_101_101_101_111,
    0b010_110_010_010_111,
    0b111_001_111_100_111,
    0b111_001_111_001_111,
    0b101_101_111_001_001,
    0b111_100_111_001_111,
    0b111_100_111_101_111,
    0b111_001_010_010_010,
    0b111_101_111_101_111,
    0b111_101_111_001_111,
];

/// The frame with this number. Only noise draws from the stream.
pub(crate) fn frame(spec: &VideoSpec, number: u64, stream: &mut Stream) -> Picture {
    let share = number as f64 / spec.frames().max(1) as f64;
    match spec.picture {
        VideoPicture::MovingShapes => moving_shapes(spec.width, spec.height, share),
        VideoPicture::GridClock => grid_clock(spec.width, spec.height, share, number),
        VideoPicture::Noise => Picture::noise(spec.width, spec.height, stream),
    }
}

/// A circle to the right and a square downwards, each twice through the picture during the video, and a circle to the upper
/// left at one and a half times their speed.
fn moving_shapes(width: u32, height: u32, share: f64) -> Picture {
    let mut picture = Picture::black(width, height);
    let (wide, high) = (f64::from(width), f64::from(height));
    let along = |side: f64, turns: f64| (share * turns * side).rem_euclid(side);
    disc(&mut picture, along(wide, 2.0), high / 3.0, 15.0, RED);
    square(&mut picture, wide / 2.0, along(high, 2.0), 25, GREEN);
    disc(&mut picture, along(wide, -3.0), along(high, -3.0), 10.0, BLUE);
    picture
}

/// A clock over a grid, with the number of the frame: what a model was shown, and in which order, can be told.
fn grid_clock(width: u32, height: u32, share: f64, number: u64) -> Picture {
    let mut picture = Picture::painted(width, height, |x, y| if x % GRID == 0 || y % GRID == 0 { LINE } else { DARK });
    let (x, y) = (f64::from(width) / 2.0, f64::from(height) / 2.0);
    let radius = x.min(y) * 0.8;
    for (turns, length, colour) in [(1.0, 0.9, WHITE), (1.0 / 12.0, 0.55, RED)] {
        hand(&mut picture, [x, y], share * turns, radius * length, colour);
    }
    let dot = i64::from((width / 64).clamp(1, 8));
    for (place, digit) in number.to_string().bytes().enumerate() {
        let left = 4 * dot + place as i64 * 4 * dot;
        digit_at(&mut picture, usize::from(digit - b'0'), left, 4 * dot, dot);
    }
    picture
}

fn disc(picture: &mut Picture, x: f64, y: f64, radius: f64, colour: [u8; 3]) {
    let reach = radius.ceil() as i64;
    let (cx, cy) = (x as i64, y as i64);
    for dy in -reach..=reach {
        for dx in -reach..=reach {
            if ((dx * dx + dy * dy) as f64) <= radius * radius {
                picture.set(cx + dx, cy + dy, colour);
            }
        }
    }
}

fn square(picture: &mut Picture, x: f64, y: f64, side: i64, colour: [u8; 3]) {
    let (left, top) = (x as i64 - side / 2, y as i64 - side / 2);
    for dy in 0..side {
        for dx in 0..side {
            picture.set(left + dx, top + dy, colour);
        }
    }
}

/// From the centre, clockwise from the top, in turns.
fn hand(picture: &mut Picture, [x, y]: [f64; 2], turns: f64, length: f64, colour: [u8; 3]) {
    let (sine, cosine) = (turns * TAU).sin_cos();
    for step in 0..=(length * 2.0) as i64 {
        let away = step as f64 / 2.0;
        let (at_x, at_y) = ((x + sine * away) as i64, (y - cosine * away) as i64);
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            picture.set(at_x + dx, at_y + dy, colour);
        }
    }
}

fn digit_at(picture: &mut Picture, digit: usize, left: i64, top: i64, dot: i64) {
    for place in (0..15).filter(|place| DIGITS[digit] >> (14 - place) & 1 == 1) {
        for dy in 0..dot {
            for dx in 0..dot {
                picture.set(left + (place % 3) * dot + dx, top + (place / 3) * dot + dy, WHITE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_config::VideoContainer;
    use aiperf_seed::Seed;

    use super::*;

    fn frames(picture: VideoPicture) -> Vec<Picture> {
        let spec = VideoSpec {
            batch_size: 1,
            width: 96,
            height: 64,
            duration_s: 2.0,
            fps: 3,
            picture,
            container: VideoContainer::Webm,
            codec: "libvpx-vp9".to_owned(),
            sound: None,
        };
        let mut stream = Seed::fixed(1).stream("test");
        (0..spec.frames()).map(|number| frame(&spec, number, &mut stream)).collect()
    }

    #[test]
    fn no_frame_is_like_the_one_before() {
        for picture in [VideoPicture::MovingShapes, VideoPicture::GridClock, VideoPicture::Noise] {
            let frames = frames(picture);
            assert_eq!(frames.len(), 6);
            assert!(frames.windows(2).all(|two| two[0] != two[1]), "{picture:?}");
        }
    }

    #[test]
    fn shapes_have_their_colours() {
        let frames = frames(VideoPicture::MovingShapes);
        for colour in [RED, GREEN, BLUE] {
            assert!(frames[1].rgb().as_chunks::<3>().0.contains(&colour), "{colour:?}");
        }
    }
}
