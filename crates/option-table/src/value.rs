//! Numbers as option tables take them. Each error says which values fit.

use std::fmt::Display;
use std::str::FromStr;

/// A number of any type.
pub fn number<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// A whole number from 1 on.
pub fn at_least_one<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    match text.parse::<T>() {
        Ok(number) if number >= T::from(1) => Ok(number),
        _ => Err("must be a whole number of at least 1".to_owned()),
    }
}

/// A finite number from 0 on.
pub fn at_least_zero(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("must be a number of at least 0".to_owned()),
    }
}

/// A finite number above 0.
pub fn above_zero(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("must be a number above 0".to_owned()),
    }
}

/// A number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("must be a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_the_limits_fit_and_others_are_explained() {
        assert_eq!(at_least_one::<u32>("1"), Ok(1));
        assert_eq!(at_least_one::<u32>("0"), Err("must be a whole number of at least 1".to_owned()));
        assert_eq!((at_least_zero("0"), share("1")), (Ok(0.0), Ok(1.0)));
        for text in ["-1", "inf", "NaN", "x", ""] {
            assert!(at_least_zero(text).is_err() && above_zero(text).is_err() && share(text).is_err(), "{text}");
        }
        assert!(above_zero("0").is_err() && share("1.1").is_err());
        assert_eq!(number::<u8>("7"), Ok(7));
        assert!(number::<u8>("256").unwrap_err().contains("too large"));
    }
}
