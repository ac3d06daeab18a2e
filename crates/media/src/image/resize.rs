//! Resizes pictures by bicubic interpolation over as many source pixels as one pixel of the result covers, so that a
//! smaller picture has no aliasing (Keys, "Cubic Convolution Interpolation for Digital Image Processing", 1981, a = -0.5).

use crate::Picture;

impl Picture {
    pub fn resized(&self, width: u32, height: u32) -> Picture {
        if (self.width(), self.height()) == (width, height) {
            return self.clone();
        }
        let samples: Vec<f32> = self.rgb().iter().map(|sample| f32::from(*sample)).collect();
        let (old_width, old_height) = (self.width() as usize, self.height() as usize);
        let columns = taps(old_width, width as usize);
        let mut wide = vec![0.0_f32; width as usize * old_height * 3];
        for (row, out) in samples.chunks_exact(old_width * 3).zip(wide.chunks_exact_mut(width as usize * 3)) {
            for (pixel, tap) in out.as_chunks_mut::<3>().0.iter_mut().zip(&columns) {
                for (weight, source) in tap.weights.iter().zip(&row.as_chunks::<3>().0[tap.first..]) {
                    for (sum, sample) in pixel.iter_mut().zip(source) {
                        *sum += weight * sample;
                    }
                }
            }
        }
        let mut picture = Picture::black(width, height);
        let row_length = width as usize * 3;
        let mut row = vec![0.0_f32; row_length];
        let mut done = Vec::with_capacity(picture.rgb().len());
        for tap in taps(old_height, height as usize) {
            row.fill(0.0);
            for (weight, source) in tap.weights.iter().zip(wide[tap.first * row_length..].chunks_exact(row_length)) {
                for (sum, sample) in row.iter_mut().zip(source) {
                    *sum += weight * sample;
                }
            }
            done.extend(row.iter().map(|sample| sample.round().clamp(0.0, 255.0) as u8));
        }
        if let Some(resized) = Picture::new(width, height, done) {
            picture = resized;
        }
        picture
    }
}

/// The weights that neighbouring source pixels have in one pixel of the result.
struct FilterTap {
    first: usize,
    weights: Vec<f32>,
}

fn taps(old: usize, new: usize) -> Vec<FilterTap> {
    let ratio = old as f64 / new as f64;
    let reach = ratio.max(1.0);
    (0..new)
        .map(|place| {
            let centre = (place as f64 + 0.5) * ratio;
            let first = (centre - 2.0 * reach).floor().max(0.0) as usize;
            let end = ((centre + 2.0 * reach).ceil() as usize).min(old);
            let raw: Vec<f64> = (first..end).map(|at| cubic((at as f64 + 0.5 - centre) / reach)).collect();
            let sum: f64 = raw.iter().sum();
            FilterTap { first, weights: raw.iter().map(|weight| (weight / sum) as f32).collect() }
        })
        .collect()
}

fn cubic(distance: f64) -> f64 {
    let x = distance.abs();
    if x < 1.0 {
        (1.5 * x - 2.5) * x * x + 1.0
    } else if x < 2.0 {
        ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Asset;

    #[test]
    fn a_plain_picture_stays_plain_at_any_size() {
        let plain = Picture::painted(7, 5, |_, _| [10, 200, 255]);
        for (width, height) in [(1, 1), (3, 11), (70, 2), (7, 6)] {
            assert_eq!(plain.resized(width, height), Picture::painted(width, height, |_, _| [10, 200, 255]));
        }
    }

    #[test]
    fn smaller_and_larger_again_is_nearly_the_same_picture() {
        let picture = Asset::ALL[0].drawn(120, 80);
        let back = picture.resized(60, 40).resized(120, 80);
        let apart: u64 = back.rgb().iter().zip(picture.rgb()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        assert!(apart / (back.rgb().len() as u64) < 8, "{apart}");
    }
}
