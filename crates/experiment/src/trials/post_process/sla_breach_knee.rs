//! The highest value of a parameter that keeps all limits, and the first that does not.

use aiperf_config::SlaFilter;
use aiperf_report::{SlaBreach, SweepCell};
use serde_json::{Map, Value, json};

use super::{by_parameter, leaf};
use crate::trials::sla;

/// All points with one value of the parameter. It passes only if all of them do.
struct PassingPoint<'a> {
    at: f64,
    written: &'a Value,
    breaches: Vec<SlaBreach>,
}

pub(super) fn process(cells: &[SweepCell], filters: &[SlaFilter], swept: &str) -> Result<Value, String> {
    let mut points: Vec<PassingPoint<'_>> = Vec::new();
    for point in by_parameter(cells, swept) {
        let found = sla::breaches(point.cell, filters);
        match points.last_mut().filter(|last| last.at.total_cmp(&point.at).is_eq()) {
            Some(last) => last.breaches.extend(found),
            None => points.push(PassingPoint { at: point.at, written: point.written, breaches: found }),
        }
    }
    if points.is_empty() {
        return Err(format!("no point has a number for {swept}; check the name"));
    }
    let passes = |point: &&PassingPoint<'_>| point.breaches.is_empty();
    let highest = points.iter().rev().find(passes);
    let failing = points.iter().find(|point| !passes(point));
    // Once a value fails, all higher ones do.
    let is_monotonic = points.windows(2).all(|pair| pair[0].breaches.is_empty() || !pair[1].breaches.is_empty());
    let leaf = leaf(swept);
    let written = |point: Option<&PassingPoint<'_>>| point.map_or(Value::Null, |point| point.written.clone());
    let all = points.iter().map(|point| {
        json!({
            leaf: point.written,
            "feasible": point.breaches.is_empty(),
            "breaches": point.breaches.iter().map(SlaBreach::json).collect::<Vec<_>>(),
        })
    });
    let breach = failing.and_then(|point| point.breaches.first()).map_or(Value::Null, SlaBreach::json);
    let mut file = Map::new();
    let mut put = |key: String, value: Value| file.insert(key, value);
    put("swept_param".to_owned(), swept.into());
    put(format!("max_passing_{leaf}"), written(highest));
    put(format!("first_failing_{leaf}"), written(failing));
    put("first_failing_breach".to_owned(), breach);
    put("all_points".to_owned(), all.collect());
    put("monotonicity_check".to_owned(), is_monotonic.into());
    put("filters".to_owned(), filters.iter().map(|filter| sla::limit(filter).json()).collect());
    Ok(Value::Object(file))
}
