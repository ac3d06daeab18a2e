//! `--request-rate-series`: a JSON list of points of time and rate, bare or under `points`.

use std::time::Duration;

use aiperf_config::RatePoint;
use serde::Deserialize;
use serde_json::Value;

const FORM: &str = r#"write [{"time_s": 0, "qps": 2}, {"time_s": 60, "qps": 10}], or the same list under "points""#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Point {
    time_s: f64,
    qps: f64,
}

pub(crate) fn read(text: &str) -> Result<Vec<RatePoint>, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error}); {FORM}"))?;
    let list = list_of_points(document)?;
    if list.len() < 2 {
        return Err(format!("a series has at least 2 points, and this one has {}", list.len()));
    }
    let mut points: Vec<RatePoint> = Vec::with_capacity(list.len());
    for (index, value) in list.into_iter().enumerate() {
        let point = point(value, points.last()).map_err(|reason| format!("point {}: {reason}", index + 1))?;
        points.push(point);
    }
    Ok(points)
}

fn list_of_points(document: Value) -> Result<Vec<Value>, String> {
    match document {
        Value::Array(list) => Ok(list),
        Value::Object(mut object) => {
            let list = match object.remove("points") {
                Some(Value::Array(list)) => list,
                Some(_) => return Err(format!("\"points\" is not a list; {FORM}")),
                None => return Err(format!("it has no \"points\"; {FORM}")),
            };
            match object.keys().next() {
                Some(other) => Err(format!("{other:?} is not allowed next to \"points\"; {FORM}")),
                None => Ok(list),
            }
        }
        _ => Err(format!("it is neither a list nor an object; {FORM}")),
    }
}

fn point(value: Value, before: Option<&RatePoint>) -> Result<RatePoint, String> {
    if !value.is_object() {
        return Err("it must be an object with time_s and qps".to_owned());
    }
    let Point { time_s, qps } = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let at = Duration::try_from_secs_f64(time_s)
        .map_err(|_| format!("time_s is {time_s}; it must be a number of seconds from 0 on"))?;
    if !(qps.is_finite() && qps > 0.0) {
        return Err(format!("qps is {qps}; it must be above 0"));
    }
    match before {
        Some(before) if at <= before.at => {
            let last = before.at.as_secs_f64();
            Err(format!("time_s is {time_s}; it must be later than that of the point before, {last}"))
        }
        _ => Ok(RatePoint { at, per_second: qps }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point(seconds: f64, per_second: f64) -> RatePoint {
        RatePoint { at: Duration::from_secs_f64(seconds), per_second }
    }

    #[test]
    fn points_stand_in_a_bare_list_or_under_their_name() {
        let wanted = [point(0.5, 2.0), point(4.0, 10.5)];
        let list = r#"[{"time_s": 0.5, "qps": 2}, {"qps": 10.5, "time_s": 4}]"#;
        assert_eq!(read(list).unwrap(), wanted);
        assert_eq!(read(&format!("{{\"points\": {list}}}")).unwrap(), wanted);
    }

    #[test]
    fn what_is_no_series_is_refused_with_the_place_and_the_reason() {
        let first = r#"{"time_s": 1, "qps": 2}"#;
        for (text, parts) in [
            ("", &["not JSON", "time_s"] as &[&str]),
            ("[", &["not JSON", "line 1"]),
            ("3", &["neither a list nor an object"]),
            ("{}", &["no \"points\""]),
            (r#"{"points": 3}"#, &["not a list"]),
            (r#"{"points": [], "unit": "s"}"#, &["\"unit\""]),
            ("[]", &["at least 2", "has 0"]),
            (&format!("[{first}]"), &["at least 2", "has 1"]),
            (&format!("[{first}, [2, 3]]"), &["point 2", "object"]),
            (&format!("[{first}, {{\"time_s\": 2}}]"), &["point 2", "qps"]),
            (&format!("[{first}, {{\"time_s\": 2, \"qps\": \"3\"}}]"), &["point 2", "string"]),
            (&format!("[{first}, {{\"time_s\": 2, \"qps\": 3, \"x\": 1}}]"), &["point 2", "`x`"]),
            (&format!("[{first}, {{\"time_s\": 2, \"qps\": 0}}]"), &["point 2", "above 0"]),
            (&format!("[{first}, {{\"time_s\": 2, \"qps\": -1}}]"), &["point 2", "above 0"]),
            (&format!("[{first}, {{\"time_s\": 2, \"qps\": 1e999}}]"), &["out of range"]),
            (&format!("[{first}, {{\"time_s\": 1, \"qps\": 3}}]"), &["point 2", "later"]),
            (&format!("[{first}, {{\"time_s\": 0.5, \"qps\": 3}}]"), &["point 2", "later"]),
            (&format!("[{first}, {{\"time_s\": 1e300, \"qps\": 3}}]"), &["point 2", "seconds"]),
            (&format!("[{{\"time_s\": -1, \"qps\": 3}}, {first}]"), &["point 1", "from 0 on"]),
        ] {
            let message = read(text).expect_err(text);
            for part in parts {
                assert!(message.contains(part), "{text} says {message:?}, without {part:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = read(&text);
        }

        #[test]
        fn what_is_read_is_in_order_of_time_and_above_zero(
            pairs in prop::collection::vec((-5.0f64..100.0, -1.0f64..100.0), 0..6),
        ) {
            let list: Vec<Value> = pairs.iter().map(|(t, q)| serde_json::json!({"time_s": t, "qps": q})).collect();
            if let Ok(points) = read(&Value::Array(list).to_string()) {
                prop_assert_eq!(points.len(), pairs.len());
                prop_assert!(points.windows(2).all(|pair| pair[0].at < pair[1].at));
                prop_assert!(points.iter().all(|point| point.per_second > 0.0));
            }
        }
    }
}
