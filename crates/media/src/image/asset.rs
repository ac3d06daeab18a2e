//! The built-in pictures, drawn by formulas at the requested size. They have about as much smooth area, edges and fine
//! detail as a photograph, a chart, a printed page and a pattern.

use std::f64::consts::TAU;

use crate::Picture;

/// One of the built-in pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asset {
    /// Hills under a sun: smooth colours with soft edges.
    Landscape,
    /// Bars over lines: flat colours with hard edges.
    Chart,
    /// Rows of dark strokes on paper, like print.
    Page,
    /// Rings over rings: fine detail everywhere.
    Rings,
}

impl Asset {
    pub const ALL: [Self; 4] = [Self::Landscape, Self::Chart, Self::Page, Self::Rings];

    pub fn drawn(self, width: u32, height: u32) -> Picture {
        let colour = match self {
            Self::Landscape => landscape,
            Self::Chart => chart,
            Self::Page => page,
            Self::Rings => rings,
        };
        Picture::painted(width, height, |x, y| {
            colour((f64::from(x) + 0.5) / f64::from(width), (f64::from(y) + 0.5) / f64::from(height))
                .map(|share| (share.clamp(0.0, 1.0) * 255.0).round() as u8)
        })
    }
}

type Rgb = [f64; 3];

fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|part| a[part] + (b[part] - a[part]) * share)
}

fn landscape(x: f64, y: f64) -> Rgb {
    let sky = mix([0.25, 0.5, 0.85], [0.95, 0.8, 0.6], y * 1.6);
    let sun = ((x - 0.72).powi(2) + (y - 0.28).powi(2)).sqrt();
    let mut colour = mix([1.0, 0.95, 0.75], sky, (sun - 0.07) * 14.0);
    for (level, wave, height, shade) in [(0.52, 1.3, 0.09, 0.75), (0.66, 2.1, 0.07, 0.5), (0.82, 3.4, 0.05, 0.3)] {
        let ridge = level - height * ((x * wave + level) * TAU).sin() - 0.01 * (x * 31.0 * wave).sin();
        let ground = [0.35 * shade, 0.65 * shade, 0.4 * shade + 0.25 * (shade - 0.3)];
        let texture = 0.04 * ((x * 97.0).sin() * (y * 83.0 + x * 19.0).sin());
        colour = mix(colour, ground.map(|part| part + texture), (y - ridge) * 180.0);
    }
    colour
}

fn chart(x: f64, y: f64) -> Rgb {
    const BARS: [f64; 8] = [0.35, 0.6, 0.48, 0.82, 0.7, 0.25, 0.55, 0.9];
    let (left, right, floor, ceiling) = (0.1, 0.95, 0.9, 0.08);
    if x < left || x > right || !(ceiling..floor).contains(&y) {
        let axis = (x - left).abs() < 0.004 || ((y - floor).abs() < 0.006 && x > left);
        return if axis { [0.1; 3] } else { [0.97; 3] };
    }
    let place = (x - left) / (right - left) * BARS.len() as f64;
    let bar = (place as usize).min(BARS.len() - 1);
    let height = (floor - y) / (floor - ceiling);
    if (place.fract() - 0.5).abs() < 0.35 && height < BARS[bar] {
        let hue = bar as f64 / BARS.len() as f64;
        return [0.2 + 0.7 * hue, 0.45, 0.9 - 0.7 * hue];
    }
    if (height * 5.0).fract() < 0.03 { [0.8; 3] } else { [0.97; 3] }
}

fn page(x: f64, y: f64) -> Rgb {
    let paper = mix([0.98, 0.97, 0.93], [0.93, 0.91, 0.86], x * 0.5 + y * 0.5);
    if !(0.08..0.92).contains(&x) || !(0.06..0.94).contains(&y) {
        return paper;
    }
    let line = ((y - 0.06) / 0.88 * 30.0).floor();
    let within = ((y - 0.06) / 0.88 * 30.0).fract();
    let letter = ((x - 0.08) / 0.84 * 70.0).floor();
    let across = ((x - 0.08) / 0.84 * 70.0).fract();
    // Any fixed scramble of the place will do: it decides on gaps between words and on the strokes of a letter.
    let scramble = |salt: f64| ((line * 127.1 + letter * 311.7 + salt * 74.7).sin() * 43_758.545).fract().abs();
    let is_gap = scramble(0.0) < 0.17 || letter > 46.0 + 24.0 * (line * 12.99).sin().abs();
    let (row, column) = ((within * 7.0).floor(), (across * 5.0).floor());
    let is_ink = row < 5.0 && column < 4.0 && scramble(1.0 + row * 5.0 + column) < 0.5;
    if is_ink && !is_gap { [0.12, 0.12, 0.16] } else { paper }
}

fn rings(x: f64, y: f64) -> Rgb {
    let wave = |cx: f64, cy: f64, count: f64| {
        let distance = ((x - cx).powi(2) + (y - cy).powi(2)).sqrt();
        0.5 + 0.5 * (distance * count * TAU).cos()
    };
    [wave(0.2, 0.3, 18.0), wave(0.8, 0.4, 23.0), wave(0.5, 0.9, 29.0)]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_pictures_differ_and_none_is_plain() {
        let drawn: HashSet<Vec<u8>> = Asset::ALL.map(|asset| asset.drawn(64, 48).rgb().to_vec()).into();
        assert_eq!(drawn.len(), 4);
        for pixels in drawn {
            assert!(pixels.iter().collect::<HashSet<_>>().len() > 8);
        }
    }
}
