//! One line on how many drafts the steps of speculative decoding accepted.

/// Steps that accepted this many or more share one row.
const LAST_BUCKET: usize = 8;

/// `None` if no server said so.
pub(super) fn steps(acceptance: &[u64]) -> Option<String> {
    let all: u64 = acceptance.iter().sum();
    if all == 0 {
        return None;
    }
    let share = |steps: u64| format!("{:.0}%", 100.0 * steps as f64 / all as f64);
    let single = acceptance.iter().take(LAST_BUCKET).enumerate();
    let mut parts: Vec<String> = single.map(|(drafts, steps)| format!("{drafts}: {}", share(*steps))).collect();
    if let Some(rest) = acceptance.get(LAST_BUCKET..).filter(|rest| !rest.is_empty()) {
        parts.push(format!("≥{LAST_BUCKET}: {}", share(rest.iter().sum())));
    }
    Some(format!("  Accepted drafts per step (% of steps):  {}", parts.join("   ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_accepted_many_drafts_are_put_together() {
        let line = steps(&[1, 1, 1, 1]).unwrap();
        assert_eq!(line, "  Accepted drafts per step (% of steps):  0: 25%   1: 25%   2: 25%   3: 25%");
        assert!(steps(&[5, 0, 0, 0, 0, 0, 0, 0, 3, 2]).unwrap().ends_with("7: 0%   ≥8: 50%"));
        assert_eq!((steps(&[]), steps(&[0])), (None, None));
    }
}
