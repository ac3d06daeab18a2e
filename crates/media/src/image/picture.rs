//! Pixels in memory.

use aiperf_seed::Stream;

/// Red, green and blue, eight bits each, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    /// `None` if there is no pixel, or not exactly three bytes per pixel.
    pub(crate) fn new(width: u32, height: u32, rgb: Vec<u8>) -> Option<Self> {
        let fits = width > 0 && height > 0 && rgb.len() == width as usize * height as usize * 3;
        fits.then_some(Self { width, height, rgb })
    }

    pub(crate) fn black(width: u32, height: u32) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        Self { width, height, rgb: vec![0; width as usize * height as usize * 3] }
    }

    /// A picture whose pixels are a function of their coordinates.
    pub(crate) fn painted(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Self {
        let mut picture = Self::black(width, height);
        let places = (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y)));
        for (pixel, (x, y)) in picture.rgb.as_chunks_mut().0.iter_mut().zip(places) {
            *pixel = colour(x, y);
        }
        picture
    }

    /// Uniform noise: every byte is drawn independently.
    pub fn noise(width: u32, height: u32, stream: &mut Stream) -> Self {
        let mut picture = Self::black(width, height);
        let (eights, rest) = picture.rgb.as_chunks_mut();
        for bytes in eights {
            *bytes = stream.next_u64().to_le_bytes();
        }
        if !rest.is_empty() {
            let last = stream.next_u64().to_le_bytes();
            rest.copy_from_slice(&last[..rest.len()]);
        }
        picture
    }

    pub const fn width(&self) -> u32 {
        self.width
    }

    pub const fn height(&self) -> u32 {
        self.height
    }

    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// Sets one pixel; coordinates outside the picture are ignored.
    pub(crate) fn set(&mut self, x: i64, y: i64, colour: [u8; 3]) {
        let inside = |place: i64, end: u32| (0..i64::from(end)).contains(&place);
        if inside(x, self.width) && inside(y, self.height) {
            let start = (y as usize * self.width as usize + x as usize) * 3;
            self.rgb[start..start + 3].copy_from_slice(&colour);
        }
    }
}
