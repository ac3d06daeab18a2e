//! Patterns for names: `*`, `?` and `[abc]`.

/// Whether a text fits a pattern as a whole.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut here) = (0, 0);
    // Where to go on if what follows the last star does not fit.
    let mut retry = None;
    loop {
        let step = pattern.get(at).copied();
        match (step, text.get(here)) {
            (Some('*'), _) => {
                retry = Some((at + 1, here));
                at += 1;
                continue;
            }
            (None, None) => return true,
            (Some(_), Some(letter)) => {
                if let Some(next) = fits(&pattern, at, *letter) {
                    (at, here) = (next, here + 1);
                    continue;
                }
            }
            _ => {}
        }
        match retry {
            Some((after, from)) if from < text.len() => {
                retry = Some((after, from + 1));
                (at, here) = (after, from + 1);
            }
            _ => return false,
        }
    }
}

/// Where the pattern goes on if the letter fits here.
fn fits(pattern: &[char], at: usize, letter: char) -> Option<usize> {
    match pattern[at] {
        '?' => Some(at + 1),
        '[' => {
            let end = at + 1 + pattern[at + 1..].iter().position(|letter| *letter == ']')?;
            let (is_not, inside) = match pattern[at + 1..end].split_first() {
                Some(('!', rest)) => (true, rest),
                _ => (false, &pattern[at + 1..end]),
            };
            let ranges = inside.windows(3).any(|range| range[1] == '-' && (range[0]..=range[2]).contains(&letter));
            ((ranges || inside.contains(&letter)) != is_not).then_some(end + 1)
        }
        same => (same == letter).then_some(at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_marks_and_sets_fit() {
        assert!(matches("*baseline*", "my_baseline_1"));
        assert!(matches("run_?", "run_1") && !matches("run_?", "run_12"));
        assert!(matches("run_[0-3]", "run_2") && !matches("run_[!0-3]", "run_2"));
        assert!(matches("*a*b", "xaxxab") && !matches("*a*b", "xaxxa"));
        assert!(matches("", "") && !matches("", "x") && matches("*", ""));
    }
}
