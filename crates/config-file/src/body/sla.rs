//! Limits of a phase: `metric: {stat: {op: threshold}}`, or a list of them.

use aiperf_config::{SlaFilter, SlaOp};

use super::reader::must_be_map;
use crate::FileError;
use crate::sweep::sla_filters;
use crate::yaml::{Node, NodeValue};

/// `path` is where the limits stand.
pub(super) fn read(node: &Node, path: &str) -> Result<Vec<SlaFilter>, FileError> {
    if !matches!(node.value, NodeValue::Map(_)) {
        return sla_filters::read(node, path);
    }
    let mut limits = Vec::new();
    for metric in node.entries() {
        let path = format!("{path}.{}", metric.key);
        must_be_map(&metric.value, &path)?;
        for stat in metric.value.entries() {
            let path = format!("{path}.{}", stat.key);
            if !SlaFilter::STATS.contains(&stat.key.as_str()) {
                let problem =
                    format!("{:?} is not a statistic; choose one of {}", stat.key, SlaFilter::STATS.join(", "));
                return Err(FileError::at(stat.key_position, path, problem));
            }
            must_be_map(&stat.value, &path)?;
            for limit in stat.value.entries() {
                let path = format!("{path}.{}", limit.key);
                let names = SlaOp::ALL.map(SlaOp::name).join(", ");
                let op = SlaOp::from_name(&limit.key).ok_or_else(|| {
                    FileError::at(limit.key_position, path.as_str(), format!("{:?} is not one of {names}", limit.key))
                })?;
                let threshold = sla_filters::number(&limit.value, &path)?;
                limits.push(SlaFilter { metric: metric.key.clone(), stat: stat.key.clone(), op, threshold });
            }
        }
    }
    Ok(limits)
}
