//! Values by rank.

/// Linear interpolation at rank `q (n - 1)`, counted from 0: the definition that summaries use.
pub(crate) fn linear(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(at(sorted, q * last as f64))
}

/// The value at a rank counted from 0, between its neighbours where the rank is no whole number.
pub(crate) fn at(sorted: &[f64], rank: f64) -> f64 {
    let last = sorted.len() - 1;
    let rank = rank.clamp(0.0, last as f64);
    let below = rank.floor() as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    let share = rank - rank.floor();
    if share == 0.0 { low } else { low + (high - low) * share }
}
