//! How large a picture is, in units of length: letters have the same size in a small picture as in a large one.

/// Width and height of a picture before it is enlarged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureSize {
    width: f32,
    height: f32,
}

/// A smaller picture has no room for its labels, a larger one does not fit into memory.
const WIDTHS: (f32, f32) = (320.0, 6400.0);
const HEIGHTS: (f32, f32) = (240.0, 6400.0);

impl PictureSize {
    /// The nearest size that a chart can have.
    pub fn new(width: f32, height: f32) -> Self {
        let within =
            |length: f32, (least, most): (f32, f32)| if length.is_nan() { least } else { length.clamp(least, most) };
        Self { width: within(width, WIDTHS), height: within(height, HEIGHTS) }
    }

    pub fn width(self) -> f32 {
        self.width
    }

    pub fn height(self) -> f32 {
        self.height
    }
}

/// The size of the files that `aiperf plot` writes.
impl Default for PictureSize {
    fn default() -> Self {
        Self { width: 1600.0, height: 800.0 }
    }
}
