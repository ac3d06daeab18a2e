//! The name that was perhaps meant by one that nobody knows. A name that is not near is not offered: a wrong pointer costs
//! more than none.

/// Letters of a name for each one that may be wrong.
const LETTERS_PER_SLIP: usize = 6;

/// The known name that takes the fewest changes (letters changed, added, taken away or swapped), if few are enough for
/// `letters` that a user had to type right.
pub fn nearest<T: AsRef<str>>(name: &str, known: impl IntoIterator<Item = T>, letters: usize) -> Option<T> {
    let measured = known.into_iter().map(|known| (strsim::osa_distance(name, known.as_ref()), known));
    let (slips, known) = measured.min_by_key(|(slips, _)| *slips)?;
    (slips <= letters.div_ceil(LETTERS_PER_SLIP)).then_some(known)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const KNOWN: [&str; 4] = ["concurrency", "max-trials", "endpoint", "extra-inputs"];

    fn suggestion(name: &str) -> Option<&'static str> {
        nearest(name, KNOWN, name.len())
    }

    #[test]
    fn a_slip_of_the_pen_is_near() {
        assert_eq!(suggestion("concurency"), Some("concurrency"));
        assert_eq!(suggestion("Concurrency"), Some("concurrency"));
        assert_eq!(suggestion("extra-inptus"), Some("extra-inputs"));
    }

    #[test]
    fn another_name_is_not_near() {
        for name in ["max-threads", "generate-plots", "enable-checkpointing", "checkpoint-dir", "x", ""] {
            assert_eq!(suggestion(name), None, "{name}");
        }
    }
}
