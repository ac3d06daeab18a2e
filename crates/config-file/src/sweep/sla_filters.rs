//! `slaFilters`: limits that a point of a sweep must keep.

use aiperf_config::{SlaFilter, SlaOp};

use crate::FileError;
use crate::body::unknown_key;
use crate::names::snake;
use crate::yaml::{Node, NodeValue};

const FIELDS: [&str; 4] = ["metric_tag", "stat", "op", "threshold"];

/// Reads a list of limits; `path` is where it stands.
pub(crate) fn read(node: &Node, path: &str) -> Result<Vec<SlaFilter>, FileError> {
    match &node.value {
        NodeValue::Null => Ok(Vec::new()),
        NodeValue::List(items) => {
            items.iter().enumerate().map(|(index, item)| filter(item, &format!("{path}[{index}]"))).collect()
        }
        _ => Err(FileError::at(node.position, path, "must be a list of limits {metricTag, stat, op, threshold}")),
    }
}

fn filter(node: &Node, path: &str) -> Result<SlaFilter, FileError> {
    let wrong = |problem: String| FileError::at(node.position, path, problem);
    if !matches!(node.value, NodeValue::Map(_)) {
        return Err(wrong(format!("must be a map with metricTag, op and threshold, not {}", node.kind())));
    }
    let (mut metric, mut stat, mut op, mut threshold) = (None, SlaFilter::USUAL_STAT.to_owned(), None, None);
    for entry in node.entries() {
        let path = format!("{path}.{}", entry.key);
        let wrong = |problem: String| FileError::at(entry.value.position, path.as_str(), problem);
        let word = || entry.value.word().ok_or_else(|| wrong(format!("must be text, not {}", entry.value.kind())));
        match snake(&entry.key).as_str() {
            "metric_tag" => metric = Some(word()?),
            "stat" => stat = statistic(&entry.value, &path)?,
            "op" => {
                let name = word()?;
                let names = SlaOp::ALL.map(SlaOp::name).join(", ");
                op = Some(SlaOp::from_name(&name).ok_or_else(|| wrong(format!("{name:?} is not one of {names}")))?);
            }
            "threshold" => threshold = Some(number(&entry.value, &path)?),
            _ => return Err(unknown_key(entry, &path, FIELDS.iter().copied())),
        }
    }
    let missing = |name: &str| wrong(format!("needs `{name}`"));
    Ok(SlaFilter {
        metric: metric.ok_or_else(|| missing("metricTag"))?,
        stat,
        op: op.ok_or_else(|| missing("op"))?,
        threshold: threshold.ok_or_else(|| missing("threshold"))?,
    })
}

/// The name of a statistic.
pub(super) fn statistic(node: &Node, path: &str) -> Result<String, FileError> {
    let name = node.word().unwrap_or_default();
    if SlaFilter::STATS.contains(&name.as_str()) {
        return Ok(name);
    }
    let problem = format!("{name:?} is not a statistic; choose one of {}", SlaFilter::STATS.join(", "));
    Err(FileError::at(node.position, path, problem))
}

/// A finite number.
pub(crate) fn number(node: &Node, path: &str) -> Result<f64, FileError> {
    let value = node.word().and_then(|word| word.parse::<f64>().ok()).filter(|value| value.is_finite());
    value.ok_or_else(|| FileError::at(node.position, path, format!("must be a number, not {}", node.kind())))
}
