//! The Cholesky factor of a covariance matrix, and the systems that it solves.

/// The lower triangle `L` with `L Lᵀ` equal to a matrix, row by row.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    rows: Vec<Vec<f64>>,
}

impl Cholesky {
    /// Of a symmetric matrix, of which only the lower triangle is read. A matrix that rounding made indefinite gets a larger
    /// diagonal until it has a factor; `None` if that does not help.
    pub(crate) fn new(matrix: &[Vec<f64>]) -> Option<Self> {
        let scale = matrix.iter().enumerate().map(|(index, row)| row[index].abs()).fold(0.0, f64::max);
        let jitters = [0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4];
        jitters.into_iter().find_map(|jitter| Self::factor(matrix, jitter * scale))
    }

    fn factor(matrix: &[Vec<f64>], jitter: f64) -> Option<Self> {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
        for (i, source) in matrix.iter().enumerate() {
            let mut row = Vec::with_capacity(i + 1);
            for j in 0..=i {
                let above: &[f64] = if j == i { &row } else { &rows[j] };
                let dot: f64 = row.iter().zip(above).take(j).map(|(a, b)| a * b).sum();
                if j < i {
                    row.push((source[j] - dot) / rows[j][j]);
                } else {
                    let square = source[i] + jitter - dot;
                    if square <= 0.0 || !square.is_finite() {
                        return None;
                    }
                    row.push(square.sqrt());
                }
            }
            rows.push(row);
        }
        Some(Self { rows })
    }

    /// `x` with `L x = b`.
    pub(crate) fn solve_lower(&self, b: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(b.len());
        for (row, value) in self.rows.iter().zip(b) {
            let dot: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
            x.push((value - dot) / row[x.len()]);
        }
        x
    }

    /// `x` with `L Lᵀ x = b`.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = self.solve_lower(b);
        for i in (0..x.len()).rev() {
            x[i] /= self.rows[i][i];
            let value = x[i];
            for (j, factor) in self.rows[i].iter().enumerate().take(i) {
                x[j] -= factor * value;
            }
        }
        x
    }

    /// `L z`.
    pub(crate) fn times(&self, z: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| row.iter().zip(z).map(|(a, b)| a * b).sum()).collect()
    }

    /// The logarithm of the determinant of the matrix.
    pub(crate) fn log_determinant(&self) -> f64 {
        2.0 * self.rows.iter().filter_map(|row| row.last()).map(|value| value.ln()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved() {
        let matrix = vec![vec![4.0], vec![2.0, 5.0], vec![0.5, 1.0, 3.0]];
        let factor = Cholesky::new(&matrix).unwrap();
        let x = factor.solve(&[1.0, 2.0, 3.0]);
        let full = [[4.0, 2.0, 0.5], [2.0, 5.0, 1.0], [0.5, 1.0, 3.0]];
        for (row, expected) in full.iter().zip([1.0, 2.0, 3.0]) {
            let product: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
            assert!((product - expected).abs() < 1e-12);
        }
        // 4 (5·3 − 1) − 2 (2·3 − 0.5) + 0.5 (2 − 2.5)
        assert!((factor.log_determinant().exp() - 44.75).abs() < 1e-9);
    }

    #[test]
    fn a_matrix_of_equal_rows_gets_a_factor_and_an_indefinite_one_does_not() {
        assert!(Cholesky::new(&[vec![1.0], vec![1.0, 1.0]]).is_some());
        assert!(Cholesky::new(&[vec![1.0], vec![2.0, 1.0]]).is_none());
    }
}
