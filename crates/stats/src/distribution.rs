//! The distributions that intervals are read from: normal, Student's t, beta. Accurate to about 1e-9, which is far more
//! than an interval needs.

use std::cell::RefCell;
use std::collections::VecDeque;

/// ln Γ(x) for x > 0 (Lanczos' series with g = 7, nine terms).
pub fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        // Reflection, so that the series is used where it is accurate.
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let base = x + 7.5;
    let series: f64 = TERMS.iter().enumerate().map(|(index, term)| term / (x + index as f64 + 1.0)).sum();
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + (series + 0.999_999_999_999_809_9).ln()
}

/// The regularised incomplete beta function: how likely a Beta(a, b) value is at most `x`.
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    // The fraction converges fast on this side of the mean; the other side by symmetry.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

/// Lentz's evaluation of the continued fraction (Numerical Recipes, 6.4).
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let keep = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut above, mut below) = (1.0, 1.0 / keep(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = below;
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for term in [even, odd] {
            below = 1.0 / keep(1.0 + term * below);
            above = keep(1.0 + term / above);
            factor = below * above;
            fraction *= factor;
        }
        if (factor - 1.0).abs() < 1e-13 {
            break;
        }
    }
    fraction
}

/// How likely a value of Student's t with `freedom` degrees is at most `t`.
pub fn student_t_cdf(t: f64, freedom: f64) -> f64 {
    let tail = 0.5 * beta_cdf(freedom / (freedom + t * t), freedom / 2.0, 0.5);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The value that Student's t with `freedom` degrees stays below with chance `p`.
pub fn student_t_quantile(p: f64, freedom: f64) -> f64 {
    if freedom > 1e6 {
        return normal_quantile(p);
    }
    if p < 0.5 {
        return -student_t_quantile(1.0 - p, freedom);
    }
    remembered(p, freedom, || {
        let mut high = 2.0;
        while student_t_cdf(high, freedom) < p && high < 1e12 {
            high *= 2.0;
        }
        bisect(0.0, high, |t| student_t_cdf(t, freedom) < p)
    })
}

/// How likely a standard normal value is at most `z`.
pub fn normal_cdf(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let tail = 0.5 * erfc(x);
    if z > 0.0 { 1.0 - tail } else { tail }
}

/// The complementary error function for x >= 0: its series near 0, its continued fraction further out.
fn erfc(x: f64) -> f64 {
    let root_pi = std::f64::consts::PI.sqrt();
    if x < 2.0 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term.abs() > 1e-17 * sum.abs() && n < 200.0 {
            n += 1.0;
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return 1.0 - 2.0 / root_pi * sum;
    }
    let fraction = (1..=60).rev().fold(x, |below, k| x + f64::from(k) / 2.0 / below);
    (-x * x).exp() / root_pi / fraction
}

/// The value that a standard normal one stays below with chance `p`.
pub fn normal_quantile(p: f64) -> f64 {
    if p < 0.5 {
        return -normal_quantile(1.0 - p);
    }
    remembered(p, f64::INFINITY, || bisect(0.0, 40.0, |z| normal_cdf(z) < p))
}

/// The quantiles that were asked for last, by chance and degrees of freedom. All metrics of a run ask for the same few, and each takes a
/// hundred evaluations of the distribution.
fn remembered(p: f64, freedom: f64, compute: impl Fn() -> f64) -> f64 {
    const KEPT: usize = 32;
    thread_local! {
        static LAST: RefCell<VecDeque<(u64, u64, f64)>> = const { RefCell::new(VecDeque::new()) };
    }
    let (chance, degrees) = (p.to_bits(), freedom.to_bits());
    LAST.with_borrow_mut(|last| {
        if let Some((_, _, value)) = last.iter().find(|known| (known.0, known.1) == (chance, degrees)) {
            return *value;
        }
        let value = compute();
        if last.len() == KEPT {
            last.pop_front();
        }
        last.push_back((chance, degrees, value));
        value
    })
}

/// Where `below` turns from true to false.
pub(crate) fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-6 * wanted.abs().max(1.0), "{found} is not {wanted}");
    }

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        near(normal_quantile(0.975), 1.959_963_985);
        near(normal_quantile(0.01), -2.326_347_874);
        near(student_t_quantile(0.975, 1.0), 12.706_204_736);
        near(student_t_quantile(0.975, 29.0), 2.045_229_642);
        near(student_t_quantile(0.05, 10.0), -1.812_461_123);
        near(student_t_quantile(0.975, 1e7), 1.959_963_985);
    }

    #[test]
    fn the_beta_distribution_counts_like_the_binomial() {
        // P(at least 3 of 10 heads) = I_0.5(3, 8) = 1 - 56/1024.
        near(beta_cdf(0.5, 3.0, 8.0), 1.0 - 56.0 / 1024.0);
        near(beta_cdf(0.2, 1.0, 1.0), 0.2);
        near(ln_gamma(5.0), 24.0_f64.ln());
        near(normal_cdf(0.0), 0.5);
        near(normal_cdf(3.0), 0.998_650_102);
        near(normal_cdf(-1.0), 0.158_655_254);
    }
}
