//! `--goodput`: `metric:limit` pairs with blanks between them.

/// Metric tags and limits, in the units that are shown; else what is wrong with the text.
pub fn read(text: &str) -> Result<Vec<(String, f64)>, String> {
    let mut limits: Vec<(String, f64)> = Vec::new();
    for pair in text.split_whitespace() {
        let (metric, limit) = pair
            .split_once(':')
            .ok_or_else(|| format!("{pair:?} has no `:`; write metric:limit, such as time_to_first_token:200"))?;
        let limit = super::number::float(limit)
            .filter(|limit| limit.is_finite())
            .ok_or_else(|| format!("the limit of {metric:?} must be a number, not {limit:?}"))?;
        if metric.is_empty() {
            return Err(format!("{pair:?} has no metric before its `:`"));
        }
        if limits.iter().any(|(known, _)| known == metric) {
            return Err(format!("{metric} has two limits"));
        }
        limits.push((metric.to_owned(), limit));
    }
    if limits.is_empty() {
        return Err("write metric:limit pairs, such as \"time_to_first_token:200 inter_token_latency:20\"".to_owned());
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_are_split_at_blanks() {
        assert_eq!(read("a:1  b:2.5").unwrap(), [("a".to_owned(), 1.0), ("b".to_owned(), 2.5)]);
    }

    #[test]
    fn what_is_no_pair_is_refused() {
        for bad in ["", "  ", "a", "a:x", "a:inf", ":1", "a:1 a:2"] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = read(&text);
        }
    }
}
