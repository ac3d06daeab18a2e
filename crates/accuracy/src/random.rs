//! The random numbers of Python's `random` module. Benchmarks choose worked examples and the order of choices with it, and the same
//! prompts need the same numbers (Matsumoto and Nishimura, "Mersenne Twister", 1998).

const SIZE: usize = 624;
const MIDDLE: usize = 397;

/// `random.Random(seed)`.
pub(crate) struct PythonRandom {
    state: [u32; SIZE],
    next: usize,
}

impl PythonRandom {
    pub(crate) fn new(seed: u32) -> Self {
        let mut state = [0_u32; SIZE];
        state[0] = 19_650_218;
        for i in 1..SIZE {
            state[i] = 1_812_433_253_u32.wrapping_mul(state[i - 1] ^ (state[i - 1] >> 30)).wrapping_add(i as u32);
        }
        // The key has one number, so that its place is always 0.
        let mut at = 1;
        let mut step = |state: &mut [u32; SIZE], factor: u32, change: &dyn Fn(u32, u32) -> u32| {
            let before = state[at - 1] ^ (state[at - 1] >> 30);
            state[at] = change(state[at] ^ before.wrapping_mul(factor), at as u32);
            at += 1;
            if at == SIZE {
                state[0] = state[SIZE - 1];
                at = 1;
            }
        };
        for _ in 0..SIZE {
            step(&mut state, 1_664_525, &|mixed, _| mixed.wrapping_add(seed));
        }
        for _ in 1..SIZE {
            step(&mut state, 1_566_083_941, &|mixed, at| mixed.wrapping_sub(at));
        }
        state[0] = 0x8000_0000;
        Self { state, next: SIZE }
    }

    fn draw(&mut self) -> u32 {
        if self.next == SIZE {
            for i in 0..SIZE {
                let joined = self.state[i] & 0x8000_0000 | self.state[(i + 1) % SIZE] & 0x7fff_ffff;
                let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + MIDDLE) % SIZE] ^ (joined >> 1) ^ twist;
            }
            self.next = 0;
        }
        let mut value = self.state[self.next];
        self.next += 1;
        value ^= value >> 11;
        value ^= value << 7 & 0x9d2c_5680;
        value ^= value << 15 & 0xefc6_0000;
        value ^ value >> 18
    }

    /// `randrange(count)`, for a count of at least 1.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let bits = usize::BITS - count.leading_zeros();
        loop {
            let value = (self.draw() >> (32 - bits)) as usize;
            if value < count {
                return value;
            }
        }
    }

    /// `shuffle(values)`.
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            values.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_python() {
        // `r = random.Random(0); [r.getrandbits(32) for _ in range(3)]` and `x = list(range(9)); random.Random(0).shuffle(x)`
        let mut random = PythonRandom::new(0);
        assert_eq!([random.draw(), random.draw(), random.draw()], [3_626_764_237, 1_654_615_998, 3_255_389_356]);
        let mut values: Vec<usize> = (0..9).collect();
        PythonRandom::new(0).shuffle(&mut values);
        assert_eq!(values, [7, 5, 1, 3, 4, 2, 0, 8, 6]);
        let mut random = PythonRandom::new(4_294_967_295);
        assert_eq!((0..8).map(|_| random.below(10)).collect::<Vec<_>>(), [9, 3, 3, 9, 8, 4, 9, 5]);
    }
}
