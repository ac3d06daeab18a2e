//! Limits that a point of a search must keep: `time_to_first_token:p95:lt:200`, and groups of them with a label.

use aiperf_config::{SearchSpec, SlaFilter, SlaOp, SlaTier};

use super::number;

const FORM: &str =
    "write METRIC:STAT:OP:THRESHOLD, where OP is lt, le, gt or ge, such as time_to_first_token:p95:lt:200";

/// One limit.
pub fn read(text: &str) -> Result<SlaFilter, String> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let [metric, stat, op, threshold] = parts[..] else { return Err(FORM.to_owned()) };
    if metric.is_empty() {
        return Err(FORM.to_owned());
    }
    if !SlaFilter::STATS.contains(&stat) {
        return Err(format!("{stat:?} is not a statistic; choose one of {}", SlaFilter::STATS.join(", ")));
    }
    let op = SlaOp::from_name(op).ok_or_else(|| format!("{op:?} is not one of lt, le, gt, ge; {FORM}"))?;
    let threshold = number::float(threshold).filter(|threshold| threshold.is_finite());
    let threshold = threshold.ok_or_else(|| format!("the threshold must be a number; {FORM}"))?;
    Ok(SlaFilter { metric: metric.to_owned(), stat: stat.to_owned(), op, threshold })
}

/// All tiers: `[label:]limit[,limit...]` each. One without a label is called after its place.
pub(crate) fn read_tiers(texts: &[String]) -> Result<Vec<SlaTier>, String> {
    let tiers = texts.iter().enumerate().map(|(place, text)| tier(place, text)).collect::<Result<Vec<_>, _>>()?;
    check_tiers(&tiers)?;
    Ok(tiers)
}

/// The rules about all tiers of a search.
pub(crate) fn check_tiers(tiers: &[SlaTier]) -> Result<(), String> {
    let allowed = SearchSpec::TIERS;
    if !allowed.contains(&tiers.len()) {
        return Err(format!("a search has {} to {} tiers, not {}", allowed.start(), allowed.end(), tiers.len()));
    }
    let twice =
        tiers.iter().enumerate().find(|(place, tier)| tiers[..*place].iter().any(|other| other.label == tier.label));
    match twice {
        Some((_, tier)) => Err(format!("two tiers are called {}; give each a label of its own", tier.label)),
        None => Ok(()),
    }
}

fn tier(place: usize, text: &str) -> Result<SlaTier, String> {
    let (label, limits) = match text.split(',').next().map(|first| first.split(':').count()) {
        Some(5) => text.split_once(':').map_or((String::new(), text), |(label, rest)| (label.trim().to_owned(), rest)),
        _ => (format!("tier_{}", place + 1), text),
    };
    if label.is_empty() {
        return Err(format!("the label of a tier must not be empty; {FORM}"));
    }
    let filters = limits.split(',').map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(SlaTier { label, filters, rank: place as i64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_four_parts() {
        let filter = read("time_to_first_token:p95:lt:200").unwrap();
        assert_eq!(
            (filter.metric.as_str(), filter.stat.as_str(), filter.op),
            ("time_to_first_token", "p95", SlaOp::Lt)
        );
        for wrong in ["", "a:p95:lt", "a:p95:below:3", "a:p97.5:lt:3", "a:p95:lt:x", ":p95:lt:1", "a:p95:lt:1:2"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tiers_have_labels_of_their_own_or_after_their_place() {
        let texts = ["gold:a:p95:lt:30,b:avg:ge:2".to_owned(), "a:p95:lt:70".to_owned()];
        let tiers = read_tiers(&texts).unwrap();
        assert_eq!((tiers[0].label.as_str(), tiers[0].filters.len()), ("gold", 2));
        assert_eq!((tiers[1].label.as_str(), tiers[1].rank), ("tier_2", 1));
        assert!(read_tiers(&texts[..1]).is_err());
        assert!(read_tiers(&["x:a:p95:lt:1".to_owned(), "x:a:p95:lt:2".to_owned()]).unwrap_err().contains("called x"));
    }
}
