//! A number that is drawn, described on the command line: `lognormal:mean=100,median=60`, or the JSON object of a
//! configuration file, `{"mean": 100, "median": 60}`.

use aiperf_config::{Length, Weighted};
use serde_json::{Map, Value};

use super::number;

const FORM: &str = "write a number, normal:mean=100,stddev=10, lognormal:mean=100,median=60, uniform:low=50,high=150, \
                    empirical:100=3,400=1 (value=weight), or a JSON object such as {\"mean\": 100, \"median\": 60}";

/// Whether the text is more than a number or a list of numbers.
pub(crate) fn is_description(text: &str) -> bool {
    text.trim_start().starts_with('{') || text.contains(':')
}

pub(crate) fn read(text: &str) -> Result<Length, String> {
    if text.trim_start().starts_with('{') {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error}); {FORM}"))?;
        return from_json(&value);
    }
    let (kind, rest) = text.split_once(':').ok_or_else(|| FORM.to_owned())?;
    let mut object = Map::new();
    object.insert("type".to_owned(), Value::from(kind.trim()));
    let mut points = Vec::new();
    for pair in rest.split(',') {
        let (key, value) = pair.split_once('=').ok_or_else(|| format!("{pair:?} has no `=`; {FORM}"))?;
        let (key, value) = (key.trim(), finite(value.trim()).ok_or_else(|| not_a_number(pair))?);
        if kind.trim() == "empirical" && !["min", "max"].contains(&key) {
            let point = finite(key).ok_or_else(|| not_a_number(pair))?;
            points.push(serde_json::json!({"value": point, "weight": value}));
        } else if object.insert(key.to_owned(), Value::from(value)).is_some() {
            return Err(format!("{key} is given twice"));
        }
    }
    if !points.is_empty() {
        object.insert("points".to_owned(), Value::Array(points));
    }
    from_object(&object)
}

/// Reads what a configuration file says: a number or an object.
pub(crate) fn from_json(value: &Value) -> Result<Length, String> {
    match value {
        Value::Number(_) => Ok(Length::constant(amount(value, "it")?)),
        Value::Object(object) => from_object(object),
        _ => Err(FORM.to_owned()),
    }
}

fn from_object(object: &Map<String, Value>) -> Result<Length, String> {
    let kind = kind(object)?;
    let keys: &[&str] = match kind {
        "fixed" => &["value"],
        "normal" => &["mean", "stddev"],
        "lognormal" => &["mean", "median"],
        "uniform" => &["low", "high"],
        "empirical" => &["points"],
        "multimodal" => &["peaks"],
        other => {
            return Err(format!(
                "{other:?} is not a distribution; choose one of fixed, normal, lognormal, uniform, empirical, \
         multimodal"
            ));
        }
    };
    let known = |key: &str| keys.contains(&key) || ["type", "min", "max"].contains(&key);
    if let Some(unknown) = object.keys().find(|key| !known(key)) {
        return Err(format!(
            "a {kind} distribution has no parameter {unknown:?}; it takes {}, min, max",
            keys.join(", ")
        ));
    }
    let number = |key: &str| match object.get(key) {
        Some(value) => amount(value, key),
        None => Err(format!("a {kind} distribution needs {key}")),
    };
    let length = match kind {
        "fixed" => Length::constant(number("value")?),
        "normal" => {
            Length::normal(number("mean")?, if object.contains_key("stddev") { number("stddev")? } else { 0.0 })
        }
        "lognormal" => log_normal(number("mean")?, number("median")?)?,
        "uniform" => uniform(number("low")?, number("high")?)?,
        "empirical" => Length::Empirical(weighted(object, "points", 1, |point| {
            refuse_others(point, &["value", "weight"])?;
            amount(point.get("value").ok_or("a point needs a value")?, "value")
        })?),
        _ => Length::Multimodal(weighted(object, "peaks", 2, |peak| {
            let mut described = peak.clone();
            described.remove("weight");
            match described.remove("distribution") {
                Some(distribution) if described.is_empty() => from_json(&distribution),
                Some(_) => Err("a peak with a distribution has no other keys than weight".to_owned()),
                None => from_object(&described),
            }
        })?),
    };
    clamped(length, object)
}

fn kind(object: &Map<String, Value>) -> Result<&str, String> {
    match object.get("type") {
        Some(Value::String(kind)) => Ok(kind),
        Some(other) => Err(format!("type is {other}; it must be a name")),
        None => {
            let by_key =
                [("peaks", "multimodal"), ("points", "empirical"), ("median", "lognormal"), ("mean", "normal")];
            let by_key = by_key.into_iter().chain([("low", "uniform"), ("high", "uniform"), ("value", "fixed")]);
            let mut found = by_key.filter(|(key, _)| object.contains_key(*key)).map(|(_, kind)| kind);
            found.next().ok_or_else(|| FORM.to_owned())
        }
    }
}

fn log_normal(mean: f64, median: f64) -> Result<Length, String> {
    if median <= 0.0 {
        return Err(format!("median is {median}; it must be above 0"));
    }
    if mean < median {
        return Err(format!(
            "mean is {mean}, below the median {median}; the mean of a lognormal is at least its median"
        ));
    }
    Ok(Length::LogNormal { mean, median })
}

fn uniform(low: f64, high: f64) -> Result<Length, String> {
    if low > high {
        return Err(format!("low is {low}, above high, which is {high}"));
    }
    Ok(Length::Uniform { low, high })
}

fn weighted<T>(
    object: &Map<String, Value>,
    key: &str,
    least: usize,
    read: impl Fn(&Map<String, Value>) -> Result<T, String>,
) -> Result<Vec<Weighted<T>>, String> {
    let list = object.get(key).and_then(Value::as_array).ok_or_else(|| format!("{key} must be a list"))?;
    if list.len() < least {
        return Err(format!("{key} has {} entries; it needs at least {least}", list.len()));
    }
    let entry = |(place, entry): (usize, &Value)| {
        let place = place + 1;
        let entry = entry.as_object().ok_or_else(|| format!("{key}, entry {place}: it must be an object"))?;
        let weight = entry.get("weight").map_or(Ok(1.0), |weight| amount(weight, "weight"));
        let weight = weight.map_err(|reason| format!("{key}, entry {place}: {reason}"))?;
        let value = read(entry).map_err(|reason| format!("{key}, entry {place}: {reason}"))?;
        Ok(Weighted { value, weight })
    };
    let entries: Vec<Weighted<T>> = list.iter().enumerate().map(entry).collect::<Result<_, String>>()?;
    let sum: f64 = entries.iter().map(|entry| entry.weight).sum();
    if sum > 0.0 && sum.is_finite() { Ok(entries) } else { Err(format!("the weights of {key} add up to {sum}")) }
}

fn clamped(length: Length, object: &Map<String, Value>) -> Result<Length, String> {
    let limit = |key: &str| object.get(key).map(|value| amount(value, key)).transpose();
    let (min, max) = (limit("min")?, limit("max")?);
    if min.is_none() && max.is_none() {
        return Ok(length);
    }
    let (min, max) = (min.unwrap_or(0.0), max.unwrap_or(f64::MAX));
    if min > max {
        return Err(format!("min is {min}, above max, which is {max}"));
    }
    Ok(Length::Clamped { length: Box::new(length), min, max })
}

fn refuse_others(object: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(other) => Err(format!("{other:?} is unknown; it takes {}", known.join(", "))),
        None => Ok(()),
    }
}

fn amount(value: &Value, name: &str) -> Result<f64, String> {
    let number = value.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("{name} is {value}; it must be a number of at least 0"))
}

fn finite(text: &str) -> Option<f64> {
    number::float(text).filter(|number| number.is_finite())
}

fn not_a_number(pair: &str) -> String {
    format!("{pair:?} has no number where one must be; {FORM}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_distribution_has_a_short_form_and_a_json_form() {
        let points = [(100.0, 3.0), (400.0, 1.0)].map(|(value, weight)| Weighted { value, weight }).to_vec();
        let log_normal = Length::LogNormal { mean: 100.0, median: 60.0 };
        for (short, json, wanted) in [
            ("fixed:value=7", r#"{"value": 7}"#, Length::constant(7.0)),
            ("normal:mean=100, stddev=10", r#"{"mean": 100, "stddev": 10}"#, Length::normal(100.0, 10.0)),
            ("normal:mean=100", r#"{"type": "normal", "mean": 100}"#, Length::constant(100.0)),
            ("lognormal:mean=100,median=60", r#"{"mean": 100, "median": 60}"#, log_normal.clone()),
            ("uniform:low=5,high=9", r#"{"low": 5, "high": 9}"#, Length::Uniform { low: 5.0, high: 9.0 }),
            (
                "empirical:100=3,400=1",
                r#"{"points": [{"value": 100, "weight": 3}, {"value": 400}]}"#,
                Length::Empirical(points),
            ),
            (
                "lognormal:mean=100,median=60,max=500",
                r#"{"type": "lognormal", "mean": 100, "median": 60, "max": 500}"#,
                Length::Clamped { length: Box::new(log_normal), min: 0.0, max: 500.0 },
            ),
        ] {
            assert!(is_description(short) && is_description(json));
            assert_eq!(read(short).unwrap(), wanted, "{short}");
            assert_eq!(read(json).unwrap(), wanted, "{json}");
        }
        let peaks = r#"{"peaks": [{"mean": 100, "stddev": 5, "weight": 3}, {"mean": 90, "median": 80}]}"#;
        let wanted = vec![
            Weighted { value: Length::normal(100.0, 5.0), weight: 3.0 },
            Weighted { value: Length::LogNormal { mean: 90.0, median: 80.0 }, weight: 1.0 },
        ];
        let nested = r#"{"peaks": [{"distribution": {"mean": 100, "stddev": 5}, "weight": 3}, {"distribution": {"mean": 90, "median": 80}}]}"#;
        assert_eq!(read(nested).unwrap(), read(peaks).unwrap());
        assert_eq!(read(peaks).unwrap(), Length::Multimodal(wanted));
        assert_eq!(from_json(&Value::from(512)).unwrap(), Length::constant(512.0));
    }

    #[test]
    fn plain_numbers_and_sweeps_are_no_descriptions() {
        for text in ["5", "5,6", "-5", "inf", "", "1e3"] {
            assert!(!is_description(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_distribution_is_refused_with_the_reason() {
        for (text, part) in [
            ("{", "not JSON"),
            ("{}", "write a number"),
            ("[1]:", "no `=`"),
            ("weibull:shape=1", "\"weibull\" is not a distribution"),
            ("normal:mean", "no `=`"),
            ("normal:mean=x", "number"),
            ("normal:mean=inf", "number"),
            ("normal:mean=-1", "at least 0"),
            ("normal:mean=1,mean=2", "twice"),
            ("normal:stddev=1", "needs mean"),
            ("normal:mean=1,median=1", "a normal distribution has no parameter \"median\""),
            ("lognormal:mean=50,median=60", "at least its median"),
            ("lognormal:mean=50,median=0", "above 0"),
            ("uniform:low=2,high=1", "above high"),
            ("normal:mean=1,min=3,max=2", "above max"),
            ("empirical:a=1", "number"),
            ("empirical:5=0", "add up to 0"),
            (r#"{"points": []}"#, "at least 1"),
            (r#"{"points": 3}"#, "must be a list"),
            (r#"{"points": [3]}"#, "entry 1: it must be an object"),
            (r#"{"points": [{"weight": 1}]}"#, "entry 1: a point needs a value"),
            (r#"{"points": [{"value": 1, "x": 1}]}"#, "\"x\" is unknown"),
            (r#"{"peaks": [{"mean": 1}]}"#, "at least 2"),
            (r#"{"peaks": [{"mean": 1}, {"mean": -1}]}"#, "entry 2: mean is -1"),
            (r#"{"peaks": [{"mean": 1}, {"mean": 1, "distribution": 3}]}"#, "entry 2: a peak with a distribution"),
            (r#"{"mean": "5"}"#, "mean is \"5\""),
            (r#"{"mean": 1, "type": 3}"#, "type is 3"),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains(part), "{text} says {message:?}, without {part:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*|\\{.*\\}|[a-z]{1,9}:[a-z0-9=,.]{0,30}") {
            let _ = read(&text);
        }
    }
}
