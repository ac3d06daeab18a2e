//! Sobol points: they fill a space evenly from the first one on. Scrambled as in `SciPy`: each dimension is multiplied by a random
//! triangular matrix of bits and shifted.

use super::direction_numbers::DIMENSIONS;
use super::numpy_random::Pcg64;
use super::sample::Sampling;

/// Bits of a coordinate.
const BITS: usize = 30;

/// Most dimensions that have direction numbers.
pub(super) const MAX_DIMENSIONS: usize = DIMENSIONS.len() + 1;

pub(super) fn points(sampling: &Sampling) -> Vec<Vec<f64>> {
    let count = sampling.dimensions();
    let mut directions: Vec<[u32; BITS]> = (0..count).map(directions).collect();
    let mut shift = vec![0_u32; count];
    if sampling.scramble {
        scramble(&mut directions, &mut shift, &mut Pcg64::new(sampling.seed.unwrap_or(0)));
    }
    // Each point differs from the one before it in one direction: the lowest zero bit of its number.
    let mut current = shift;
    let mut points = Vec::with_capacity(sampling.samples);
    for index in 0..sampling.samples {
        points.push(current.iter().map(|bits| f64::from(*bits) / f64::from(1_u32 << BITS)).collect());
        let bit = (!index).trailing_zeros() as usize;
        for (bits, directions) in current.iter_mut().zip(&directions) {
            *bits ^= directions[bit.min(BITS - 1)];
        }
    }
    points
}

/// The direction numbers of a dimension, as fractions with 30 bits.
fn directions(dimension: usize) -> [u32; BITS] {
    let mut numbers = [1_u32; BITS];
    if let Some((polynomial, first)) = dimension.checked_sub(1).and_then(|index| DIMENSIONS.get(index)) {
        let degree = first.len();
        numbers[..degree].copy_from_slice(first);
        for index in degree..BITS {
            let mut number = numbers[index - degree] ^ numbers[index - degree] << degree;
            for back in 1..degree {
                if polynomial >> (degree - back) & 1 == 1 {
                    number ^= numbers[index - back] << back;
                }
            }
            numbers[index] = number;
        }
    }
    for (index, number) in numbers.iter_mut().enumerate() {
        *number <<= BITS - 1 - index;
    }
    numbers
}

fn scramble(directions: &mut [[u32; BITS]], shift: &mut [u32], random: &mut Pcg64) {
    for bits in shift.iter_mut() {
        *bits = (0..BITS).map(|bit| random.below(2) << bit).fold(0, |bits, bit| bits | bit);
    }
    // The matrices are drawn whole before any is used; what is above the diagonal is drawn and not used.
    let matrices: Vec<Vec<u32>> =
        directions.iter().map(|_| (0..BITS * BITS).map(|_| random.below(2)).collect()).collect();
    for (numbers, matrix) in directions.iter_mut().zip(&matrices) {
        let row = |index: usize| -> u32 {
            let cells = &matrix[index * BITS..(index + 1) * BITS];
            // The diagonal is one, and columns count from the highest bit.
            cells
                .iter()
                .take(index)
                .enumerate()
                .fold(1 << (BITS - 1 - index), |bits, (column, cell)| bits | cell << (BITS - 1 - column))
        };
        let rows: Vec<u32> = (0..BITS).map(row).collect();
        for number in numbers.iter_mut() {
            *number = rows
                .iter()
                .enumerate()
                .fold(0, |bits, (index, row)| bits | ((row & *number).count_ones() & 1) << (BITS - 1 - index));
        }
    }
}
