//! MP3 files (MPEG-1, MPEG-2 and MPEG-2.5 Layer III) of noise. There is no sound to analyse, so this is not an encoder: it
//! draws the spectrum itself, one of -1, 0 and 1 for each of the 576 lines of a granule. A decoder turns it into noise that
//! is close to Gaussian, since every sample is the sum of many lines. Header and side information follow ISO/IEC 11172-3 and
//! 13818-3.

mod bits;
mod duration;
mod tag;

use aiperf_config::Channels;
use aiperf_seed::Stream;

use bits::Bits;

pub use duration::mp3_seconds;

/// The sample rates that MP3 supports.
pub const RATES_HZ: [u32; 9] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

/// Pairs of spectral lines in a granule.
const PAIRS: u32 = 288;
/// The gain at which all lines together have a standard deviation of about 0.3 of full scale.
const GLOBAL_GAIN: u32 = 189;
/// The Huffman table of pairs that are at most 1: code and length by `2 * |x| + |y|`.
const TABLE: u32 = 1;
const PAIR_CODES: [(u32, u32); 4] = [(0b1, 1), (0b001, 3), (0b01, 2), (0b000, 3)];
const HEADER_BITS: u32 = 32;

/// A file of noise with this many samples per channel. `rate_hz` is one of [`RATES_HZ`].
pub(crate) fn noise(samples: u64, rate_hz: u32, channels: Channels, stream: &mut Stream) -> Vec<u8> {
    let layout = FrameLayout::of(rate_hz, channels);
    let padding = tag::Padding::around(samples, layout.frame_samples());
    let frames = padding.frames;
    let mut sound = Vec::new();
    let mut rounding = 0;
    for _ in 0..frames {
        // A frame has a whole number of bytes, so that some are one byte longer to keep the average bit rate.
        let exact = layout.samples_per_byte_rate(layout.bit_rate_kbps());
        rounding += exact % layout.rate_hz;
        let longer = rounding >= layout.rate_hz;
        rounding -= if longer { layout.rate_hz } else { 0 };
        frame(layout, longer, stream, &mut sound);
    }
    let mut file = tag::frame(layout, padding, sound.len());
    file.append(&mut sound);
    file
}

/// The layout of frames at one sample rate and number of channels.
#[derive(Debug, Clone, Copy)]
struct FrameLayout {
    rate_hz: u32,
    generation: Generation,
    channels: Channels,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Generation {
    Mpeg1,
    Mpeg2,
    Mpeg25,
}

impl FrameLayout {
    fn of(rate_hz: u32, channels: Channels) -> Self {
        let generation = match rate_hz {
            32_000.. => Generation::Mpeg1,
            16_000.. => Generation::Mpeg2,
            _ => Generation::Mpeg25,
        };
        Self { rate_hz, generation, channels }
    }

    fn granules(self) -> u32 {
        if self.generation == Generation::Mpeg1 { 2 } else { 1 }
    }

    fn frame_samples(self) -> u64 {
        u64::from(self.granules()) * 576
    }

    fn side_bytes(self) -> u32 {
        match (self.generation, self.channels) {
            (Generation::Mpeg1, Channels::Mono) => 17,
            (Generation::Mpeg1, Channels::Stereo) => 32,
            (_, Channels::Mono) => 9,
            (_, Channels::Stereo) => 17,
        }
    }

    fn bit_rates(self) -> &'static [u32] {
        match self.generation {
            Generation::Mpeg1 => &[0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
            _ => &[0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        }
    }

    /// About the default of common encoders.
    fn bit_rate_kbps(self) -> u32 {
        let mono = match self.rate_hz {
            32_000.. => 64,
            16_000.. => 32,
            11_025.. => 24,
            _ => 16,
        };
        mono * u32::from(self.channels.count())
    }

    fn bit_rate_index(self, kbps: u32) -> u32 {
        self.bit_rates().iter().position(|rate| *rate == kbps).unwrap_or(1) as u32
    }

    /// Bytes of a frame, times the sample rate.
    fn samples_per_byte_rate(self, kbps: u32) -> u32 {
        self.granules() * 72 * kbps * 1_000
    }

    fn frame_bytes(self, kbps: u32) -> u32 {
        self.samples_per_byte_rate(kbps) / self.rate_hz
    }

    fn write_header(self, kbps: u32, longer: bool, bits: &mut Bits) {
        let (version, rates) = match self.generation {
            Generation::Mpeg1 => (0b11, [44_100, 48_000, 32_000]),
            Generation::Mpeg2 => (0b10, [22_050, 24_000, 16_000]),
            Generation::Mpeg25 => (0b00, [11_025, 12_000, 8_000]),
        };
        let rate = rates.iter().position(|rate| *rate == self.rate_hz).unwrap_or(0);
        bits.put(0x7ff, 11);
        bits.put(version, 2);
        // Layer III, without checksum.
        bits.put(0b011, 3);
        bits.put(self.bit_rate_index(kbps), 4);
        bits.put(rate as u32, 2);
        bits.put(u32::from(longer) << 1, 2);
        bits.put(if self.channels == Channels::Mono { 0b11 } else { 0b00 }, 2);
        bits.put(0, 6);
    }
}

fn frame(layout: FrameLayout, longer: bool, stream: &mut Stream, file: &mut Vec<u8>) {
    let kbps = layout.bit_rate_kbps();
    let bytes = layout.frame_bytes(kbps) + u32::from(longer);
    let parts = layout.granules() * u32::from(layout.channels.count());
    let budget = (bytes * 8 - HEADER_BITS - layout.side_bytes() * 8) / parts;
    let mut main = Bits::default();
    let mut bits = Bits::default();
    layout.write_header(kbps, longer, &mut bits);
    let is_first_generation = layout.generation == Generation::Mpeg1;
    let (front, scale_bits) = match (is_first_generation, layout.channels) {
        (true, Channels::Mono) => (9 + 5 + 4, 4),
        (true, Channels::Stereo) => (9 + 3 + 8, 4),
        (false, Channels::Mono) => (8 + 1, 9),
        (false, Channels::Stereo) => (8 + 2, 9),
    };
    // Nothing is kept from earlier frames, and no scale factors are shared.
    bits.put(0, front);
    for _ in 0..parts {
        let before = main.len();
        let pairs = spectrum(budget, stream, &mut main);
        bits.put(main.len() - before, 12);
        bits.put(pairs, 9);
        bits.put(GLOBAL_GAIN, 8);
        bits.put(0, scale_bits);
        bits.put(0, 1);
        for _ in 0..3 {
            bits.put(TABLE, 5);
        }
        // The regions that these counts divide the spectrum into all have the same table.
        bits.put(7, 4);
        bits.put(13, 3);
        bits.put(0, if is_first_generation { 3 } else { 2 });
    }
    file.extend(bits.into_bytes());
    let mut main = main.into_bytes();
    main.resize((bytes - HEADER_BITS / 8 - layout.side_bytes()) as usize, 0);
    file.append(&mut main);
}

/// Draws as many pairs of spectral lines as the budget has room for, the lowest frequencies first, and returns their number.
fn spectrum(budget: u32, stream: &mut Stream, bits: &mut Bits) -> u32 {
    const LONGEST_PAIR: u32 = 5;
    let end = bits.len() + budget;
    for pair in 0..PAIRS {
        if bits.len() + LONGEST_PAIR > end {
            return pair;
        }
        let drawn = stream.next_u64() as u32;
        let (x, y) = (drawn >> 1 & 1, drawn & 1);
        let (code, length) = PAIR_CODES[(2 * x + y) as usize];
        bits.put(code, length);
        for (value, sign) in [(x, drawn >> 2 & 1), (y, drawn >> 3 & 1)] {
            bits.put(sign, value);
        }
    }
    PAIRS
}
