//! Statistics that cannot be: a mean beyond the largest value, an interval upside down.

use serde_json::{Map, Value};

use super::SAME;

/// Each must not be above the next, if both are there.
const CHAINS: [[&str; 3]; 4] =
    [["min", "mean", "max"], ["min", "avg", "max"], ["min", "median", "max"], ["ci_low", "mean", "ci_high"]];

/// Every place in a file where numbers are out of order.
pub(super) fn disorder(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    search(value, "", &mut found);
    found
}

fn search(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            found.extend(CHAINS.iter().filter_map(|chain| out_of_order(object, chain, place)));
            object.iter().for_each(|(key, value)| search(value, &format!("{place}/{key}"), found));
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| search(value, &format!("{place}/{at}"), found));
        }
        _ => {}
    }
}

fn out_of_order(object: &Map<String, Value>, chain: &[&str; 3], place: &str) -> Option<String> {
    let known: Vec<(&str, f64)> = chain.iter().filter_map(|key| Some((*key, object.get(*key)?.as_f64()?))).collect();
    let wrong = known.windows(2).find(|pair| pair[0].1 - pair[1].1 > SAME * pair[0].1.abs().max(pair[1].1.abs()))?;
    let [(low, below), (high, above)] = [wrong[0], wrong[1]];
    Some(format!("{place}: {low} is {below}, above {high}, which is {above}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mean_lies_between_the_least_and_the_most() {
        assert!(disorder(&json!({"a": [{"min": 1, "mean": 1.0, "max": 1}], "ci_low": null, "mean": 3})).is_empty());
        assert_eq!(
            disorder(&json!({"a": [{"min": 1, "mean": 4, "max": 3}]})),
            ["/a/0: mean is 4, above max, which is 3"]
        );
        assert_eq!(disorder(&json!({"ci_low": 2, "ci_high": 1})), [": ci_low is 2, above ci_high, which is 1"]);
    }
}
