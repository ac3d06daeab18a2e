//! `--random-range-ratio`: one number, or one each for input and output.

use serde::Deserialize;

use super::number;

/// The widths of the windows that input and output lengths are drawn from, relative to their means.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ratios {
    pub(crate) input: f64,
    pub(crate) output: f64,
}

const FORM: &str = "write a number, or {\"input\": 0.5, \"output\": 0.2}";

/// The ratios, and whether they were given one by one.
pub(crate) fn read(text: &str) -> Result<(Ratios, bool), String> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map(|ratios| (ratios, true)).map_err(|error| format!("{error}; {FORM}"));
    }
    let both = number::float(text.trim()).ok_or_else(|| FORM.to_owned())?;
    Ok((Ratios { input: both, output: both }, false))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_number_stands_for_both_and_json_has_one_for_each() {
        assert_eq!(read("0.5").unwrap(), (Ratios { input: 0.5, output: 0.5 }, false));
        let each = read(r#"{"input": 0.5, "output": 0}"#).unwrap();
        assert_eq!(each, (Ratios { input: 0.5, output: 0.0 }, true));
        for bad in ["", "x", "nan", "{", "{}", r#"{"input": 0.5}"#, r#"{"input": 0.5, "output": 0, "x": 1}"#] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = read(&text);
        }
    }
}
