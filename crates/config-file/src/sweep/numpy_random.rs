//! Random numbers as `NumPy` draws them from a seed, so that a sampled sweep has the points that users know from the reference:
//! a seed sequence that fills the state of a PCG64 generator.

const POOL: usize = 4;
const XSHIFT: u32 = 16;
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// PCG64: a 128-bit linear congruential generator whose output is folded to 64 bits.
#[derive(Debug)]
pub(super) struct Pcg64 {
    state: u128,
    increment: u128,
    /// The second half of a number of which only 32 bits were used.
    half: Option<u32>,
}

impl Pcg64 {
    pub(super) fn new(seed: u64) -> Self {
        let words = seed_words(seed);
        let state = u128::from(words[0]) << 64 | u128::from(words[1]);
        let stream = u128::from(words[2]) << 64 | u128::from(words[3]);
        let mut generator = Self { state: 0, increment: stream << 1 | 1, half: None };
        generator.step();
        generator.state = generator.state.wrapping_add(state);
        generator.step();
        generator
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    pub(super) fn next_u64(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// Halves of 64-bit numbers, the lower one first.
    fn next_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let number = self.next_u64();
        self.half = Some((number >> 32) as u32);
        number as u32
    }

    /// From 0 up to 1.
    pub(super) fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below the bound, all alike (Lemire's method).
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// The numbers below `count` in random order.
    pub(super) fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.up_to(last as u32) as usize);
        }
        order
    }

    /// A number up to the bound: one that is above it after the higher bits were masked is drawn again.
    fn up_to(&mut self, bound: u32) -> u32 {
        let mask = u32::MAX >> bound.leading_zeros().min(31);
        loop {
            let value = self.next_u32() & mask;
            if value <= bound {
                return value;
            }
        }
    }
}

/// Four 64-bit words that the bits of the seed are spread over.
fn seed_words(seed: u64) -> [u64; 4] {
    let entropy = [seed as u32, (seed >> 32) as u32];
    let mut constant: u32 = 0x43b0_d7e5;
    let mut hash = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(0x931e_8875);
        let value = value.wrapping_mul(constant);
        value ^ value >> XSHIFT
    };
    let mix = |x: u32, y: u32| {
        let mixed = 0xca01_f9dd_u32.wrapping_mul(x).wrapping_sub(0x4973_f715_u32.wrapping_mul(y));
        mixed ^ mixed >> XSHIFT
    };
    let mut pool = [0_u32; POOL];
    for (index, word) in pool.iter_mut().enumerate() {
        *word = hash(entropy.get(index).copied().unwrap_or(0));
    }
    for from in 0..POOL {
        for to in 0..POOL {
            if from != to {
                pool[to] = mix(pool[to], hash(pool[from]));
            }
        }
    }
    let mut constant: u32 = 0x8b51_f9dd;
    let mut words = [0_u64; 4];
    for index in 0..8 {
        let value = pool[index % POOL] ^ constant;
        constant = constant.wrapping_mul(0x58f3_8ded);
        let value = value.wrapping_mul(constant);
        let value = value ^ value >> XSHIFT;
        words[index / 2] |= u64::from(value) << (32 * (index % 2));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_numpy() {
        let mut generator = Pcg64::new(1);
        let drawn: Vec<f64> = (0..3).map(|_| generator.next_f64()).collect();
        let expected = [0.511_821_624_700_256_7, 0.950_463_696_325_935_3, 0.144_159_612_719_633_73];
        for (ours, theirs) in drawn.iter().zip(expected) {
            assert!((ours - theirs).abs() < 1e-15, "{ours} is not {theirs}");
        }
    }
}
