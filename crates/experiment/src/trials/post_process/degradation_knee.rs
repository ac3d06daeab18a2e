//! The first value of a parameter at which a metric is worse than at the lowest value by more than a share.

use aiperf_config::MetricStat;
use aiperf_report::SweepCell;
use serde_json::{Map, Value, json};

use super::{by_parameter, leaf, metric, nothing_to_show};

pub(super) fn process(cells: &[SweepCell], of: &MetricStat, swept: &str, threshold: f64) -> Result<Value, String> {
    let points: Vec<(&Value, f64)> = by_parameter(cells, swept)
        .into_iter()
        .filter_map(|point| Some((point.written, metric(point.cell, of)?)))
        .collect();
    let Some((lowest, baseline)) = points.first().copied() else { return Err(nothing_to_show(swept, of)) };
    let knee = points.iter().skip(1).find(|(_, value)| *value > baseline * (1.0 + threshold));
    let (leaf, stat) = (leaf(swept), &of.stat);
    let point = |(at, value): &(&Value, f64)| json!({leaf: at, stat: value});
    let mut file = Map::new();
    let mut put = |key: String, value: Value| file.insert(key, value);
    put(format!("baseline_{leaf}"), lowest.clone());
    put(format!("baseline_{stat}"), baseline.into());
    put(format!("knee_{leaf}"), knee.map_or(Value::Null, |(at, _)| (*at).clone()));
    put(format!("knee_{stat}"), knee.map_or(Value::Null, |(_, value)| (*value).into()));
    put("threshold_pct".to_owned(), threshold.into());
    put("swept_metric".to_owned(), of.metric.as_str().into());
    put("stat".to_owned(), stat.as_str().into());
    put("swept_param".to_owned(), swept.into());
    put("all_points".to_owned(), points.iter().map(point).collect());
    Ok(Value::Object(file))
}
