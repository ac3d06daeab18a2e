//! `--seq-dist`: pairs of input and output lengths with their shares in percent, in three notations.

use aiperf_config::{Length, LengthPair, Weighted};
use serde::Deserialize;

use super::number;

const FORM: &str = "write 256,128:40;512,256:60 (input,output:percent), with deviations 256|10,128|5:100, in brackets \
                    [(256,128):40,(512,256):60], or as JSON {\"pairs\":[{\"isl\":256,\"osl\":128,\"prob\":100}]}";

/// How far the shares may be from 100 together.
const TOLERANCE: f64 = 1e-6;

pub fn read(text: &str) -> Result<Vec<Weighted<LengthPair>>, String> {
    let text = text.trim();
    let pairs = if text.starts_with('{') {
        json(text)?
    } else if let Some(inner) = text.strip_prefix('[') {
        brackets(inner.strip_suffix(']').ok_or_else(|| format!("the `[` is never closed; {FORM}"))?)?
    } else {
        semicolons(text)?
    };
    if pairs.is_empty() {
        return Err(FORM.to_owned());
    }
    let sum: f64 = pairs.iter().map(|pair| pair.weight).sum();
    if (sum - 100.0).abs() > TOLERANCE {
        return Err(format!("the shares add up to {sum}; they are percent and must add up to 100"));
    }
    Ok(pairs)
}

fn semicolons(text: &str) -> Result<Vec<Weighted<LengthPair>>, String> {
    let pieces = text.split(';').map(str::trim).filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| {
            let (lengths, share) = piece.rsplit_once(':').ok_or_else(|| format!("{piece:?} has no `:`; {FORM}"))?;
            pair(lengths, share)
        })
        .collect()
}

fn brackets(text: &str) -> Result<Vec<Weighted<LengthPair>>, String> {
    let mut pairs = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let wrong = || format!("{rest:?} does not begin with (input,output):percent; {FORM}");
        let (lengths, after) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(wrong)?;
        let after = after.trim_start().strip_prefix(':').ok_or_else(wrong)?;
        let (share, next) = after.split_once(',').unwrap_or((after, ""));
        pairs.push(pair(lengths, share)?);
        rest = next.trim();
    }
    Ok(pairs)
}

fn pair(lengths: &str, share: &str) -> Result<Weighted<LengthPair>, String> {
    let (input, output) =
        lengths.split_once(',').ok_or_else(|| format!("{lengths:?} is not a pair input,output; {FORM}"))?;
    let (share, text) = (number::float(share.trim()), share);
    Ok(Weighted {
        value: LengthPair { input: length(input)?, output: length(output)? },
        weight: percent(share.ok_or_else(|| format!("{text:?} is not a percentage; {FORM}"))?)?,
    })
}

/// `256` or `256|10`.
fn length(text: &str) -> Result<Length, String> {
    let (mean, stddev) = text.split_once('|').map_or((text, None), |(mean, stddev)| (mean, Some(stddev)));
    let mean = number::int(mean.trim()).filter(|mean| *mean >= 1 && *mean <= i128::from(u32::MAX));
    let mean = mean.ok_or_else(|| format!("{text:?} is not a length; a length is a whole number of at least 1"))?;
    let stddev = match stddev {
        None => Some(0.0),
        Some(stddev) => number::float(stddev.trim()),
    };
    Ok(Length::normal(
        mean as f64,
        deviation(stddev.ok_or_else(|| format!("{text:?} has no standard deviation after `|`"))?)?,
    ))
}

fn deviation(stddev: f64) -> Result<f64, String> {
    if stddev.is_finite() && stddev >= 0.0 {
        Ok(stddev)
    } else {
        Err(format!("the standard deviation {stddev} must be at least 0"))
    }
}

fn percent(share: f64) -> Result<f64, String> {
    if (0.0..=100.0).contains(&share) {
        Ok(share)
    } else {
        Err(format!("the share {share} must be a percentage from 0 to 100"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    pairs: Vec<Pair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    isl: u32,
    #[serde(default)]
    isl_stddev: f64,
    osl: u32,
    #[serde(default)]
    osl_stddev: f64,
    prob: f64,
}

fn json(text: &str) -> Result<Vec<Weighted<LengthPair>>, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| format!("{error}; {FORM}"))?;
    let read = |pair: &Pair| {
        let length = |mean: u32, stddev: f64| {
            if mean == 0 {
                return Err("isl and osl are whole numbers of at least 1".to_owned());
            }
            Ok(Length::normal(f64::from(mean), deviation(stddev)?))
        };
        Ok(Weighted {
            value: LengthPair { input: length(pair.isl, pair.isl_stddev)?, output: length(pair.osl, pair.osl_stddev)? },
            weight: percent(pair.prob)?,
        })
    };
    let numbered = document.pairs.iter().enumerate();
    numbered.map(|(place, pair)| read(pair).map_err(|reason: String| format!("pair {}: {reason}", place + 1))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wanted(pairs: &[(f64, f64, f64, f64, f64)]) -> Vec<Weighted<LengthPair>> {
        let pair = |&(isl, isl_stddev, osl, osl_stddev, weight)| Weighted {
            value: LengthPair { input: Length::normal(isl, isl_stddev), output: Length::normal(osl, osl_stddev) },
            weight,
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn all_three_notations_say_the_same() {
        let plain = wanted(&[(256.0, 0.0, 128.0, 0.0, 40.0), (512.0, 0.0, 256.0, 0.0, 60.0)]);
        for text in [
            "256,128:40;512,256:60",
            " 256 , 128 : 40 ; 512 , 256 : 60 ; ",
            "[(256,128):40,(512,256):60]",
            "[ (256, 128): 40, (512, 256): 60 ]",
            r#"{"pairs":[{"isl":256,"osl":128,"prob":40},{"isl":512,"osl":256,"prob":60}]}"#,
        ] {
            assert_eq!(read(text).unwrap(), plain, "{text}");
        }
        let spread = wanted(&[(256.0, 10.0, 128.0, 5.5, 40.0), (512.0, 20.0, 256.0, 0.0, 60.0)]);
        for text in [
            "256|10,128|5.5:40;512|20,256:60",
            "[(256|10,128|5.5):40,(512|20,256):60]",
            r#"{"pairs":[{"isl":256,"isl_stddev":10,"osl":128,"osl_stddev":5.5,"prob":40},
                         {"isl":512,"isl_stddev":20,"osl":256,"prob":60}]}"#,
        ] {
            assert_eq!(read(text).unwrap(), spread, "{text}");
        }
    }

    #[test]
    fn what_is_no_mix_is_refused_with_the_reason() {
        for (text, part) in [
            ("", "input,output:percent"),
            (";", "input,output:percent"),
            ("[]", "input,output:percent"),
            ("256,128", "no `:`"),
            ("256:100", "not a pair"),
            ("256,128:40", "add up to 40"),
            ("256,128:40;512,256:60.1", "add up to 100.1"),
            ("0,128:100", "at least 1"),
            ("256,-1:100", "at least 1"),
            ("2.5,1:100", "whole number"),
            ("256|-1,128:100", "standard deviation -1"),
            ("256|x,128:100", "no standard deviation"),
            ("256|inf,128:100", "standard deviation inf"),
            ("256,128:x", "not a percentage"),
            ("256,128:-10;256,128:110", "from 0 to 100"),
            ("[(256,128):100", "never closed"),
            ("[256,128:100]", "does not begin with"),
            ("[(256,128)100]", "does not begin with"),
            ("{", "EOF"),
            ("{}", "missing field `pairs`"),
            (r#"{"pairs":[]}"#, "input,output:percent"),
            (r#"{"pairs":[{"isl":0,"osl":1,"prob":100}]}"#, "pair 1: isl and osl"),
            (r#"{"pairs":[{"isl":1.5,"osl":1,"prob":100}]}"#, "1.5"),
            (r#"{"pairs":[{"isl":1,"osl":1,"prob":100,"x":1}]}"#, "`x`"),
            (r#"{"pairs":[{"isl":1,"osl":1,"isl_stddev":-1,"prob":100}]}"#, "standard deviation -1"),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains(part), "{text:?} says {message:?}, without {part:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*|[\\[\\](){}0-9,;:|. ]{0,40}") {
            let _ = read(&text);
        }

        #[test]
        fn what_is_read_adds_up_to_all(shares in prop::collection::vec(0_u32..60, 1..5)) {
            let text: Vec<String> = shares.iter().map(|share| format!("5,6:{share}")).collect();
            let read = read(&text.join(";"));
            prop_assert_eq!(read.is_ok(), shares.iter().sum::<u32>() == 100);
        }
    }
}
