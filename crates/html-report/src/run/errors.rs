//! R12: what failed, by kind over time and as a table of distinct failures.

use std::collections::{BTreeMap, HashMap};

use aiperf_artifact::RecordedFailure;
use serde_json::{Value, json};

use crate::number::short;
use crate::time_bins::TimeBins;

/// Rows of the table.
const MOST_SHOWN: usize = 50;
/// Kinds with a colour of their own; the rest is drawn together.
const MOST_KINDS: usize = 6;
/// Distinct failures that are distinguished; a server that puts an id into each message would fill the memory otherwise.
const MOST_KEPT: usize = 10_000;
/// Characters of a message.
const LONGEST_MESSAGE: usize = 600;

#[derive(Debug, Default)]
pub(crate) struct ErrorGroups {
    groups: HashMap<RecordedFailure, ErrorGroup>,
    /// Kind of each failed request, and when it ended.
    ends: BTreeMap<String, Vec<u64>>,
    /// Failures beyond those that are distinguished.
    unnamed: u64,
}

#[derive(Debug)]
struct ErrorGroup {
    count: u64,
    first_ns: u64,
    last_ns: u64,
}

impl ErrorGroups {
    pub(crate) fn add(&mut self, failure: &RecordedFailure, end_ns: u64) {
        self.ends.entry(kind(failure)).or_default().push(end_ns);
        let full = self.groups.len() >= MOST_KEPT;
        match self.groups.get_mut(failure) {
            Some(group) => {
                group.count += 1;
                group.first_ns = group.first_ns.min(end_ns);
                group.last_ns = group.last_ns.max(end_ns);
            }
            None if full => self.unnamed += 1,
            None => {
                let group = ErrorGroup { count: 1, first_ns: end_ns, last_ns: end_ns };
                self.groups.insert(failure.clone(), group);
            }
        }
    }

    pub(crate) fn json(&self, bins: &TimeBins) -> Value {
        if self.ends.is_empty() {
            return Value::Null;
        }
        let mut kinds: Vec<(&String, &Vec<u64>)> = self.ends.iter().collect();
        kinds.sort_by_key(|(name, ends)| (std::cmp::Reverse(ends.len()), *name));
        let (named, rest) = kinds.split_at(kinds.len().min(MOST_KINDS));
        let mut series: Vec<Value> =
            named.iter().map(|(name, ends)| json!({"name": name, "counts": counts(ends, bins)})).collect();
        if !rest.is_empty() {
            let ends: Vec<u64> = rest.iter().flat_map(|(_, ends)| ends.iter().copied()).collect();
            series.push(json!({"name": format!("{} other kinds", rest.len()), "counts": counts(&ends, bins)}));
        }
        let mut groups: Vec<(&RecordedFailure, &ErrorGroup)> = self.groups.iter().collect();
        groups.sort_by(|a, b| b.1.count.cmp(&a.1.count).then_with(|| a.0.cmp(b.0)));
        let rows: Vec<Value> =
            groups.iter().take(MOST_SHOWN).map(|(failure, group)| row(failure, group, bins)).collect();
        json!({
            "kinds": series,
            "rows": rows,
            "distinct": groups.len(),
            "not_distinguished": self.unnamed,
            "first": first(&groups, bins),
        })
    }
}

/// The failure that came first: what to look at before what followed from it.
fn first(groups: &[(&RecordedFailure, &ErrorGroup)], bins: &TimeBins) -> Value {
    let earliest = groups.iter().min_by_key(|(failure, group)| (group.first_ns, *failure));
    earliest.map_or(Value::Null, |(failure, group)| row(failure, group, bins))
}

fn row(failure: &RecordedFailure, group: &ErrorGroup, bins: &TimeBins) -> Value {
    let message: String = failure.message.chars().take(LONGEST_MESSAGE).collect();
    json!({
        "code": failure.code,
        "kind": failure.kind,
        "message": message,
        "count": group.count,
        "first": short(bins.offset_s(group.first_ns)),
        "last": short(bins.offset_s(group.last_ns)),
    })
}

fn kind(failure: &RecordedFailure) -> String {
    match (failure.code, failure.kind.as_str()) {
        (Some(code), "") => code.to_string(),
        (Some(code), kind) => format!("{code} {kind}"),
        (None, "") => "without a code".to_owned(),
        (None, kind) => kind.to_owned(),
    }
}

fn counts(ends: &[u64], bins: &TimeBins) -> Vec<u32> {
    let mut counts = vec![0; bins.len()];
    for end in ends {
        counts[bins.index(*end)] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: u16, message: &str) -> RecordedFailure {
        RecordedFailure { code: Some(code), kind: "Error".to_owned(), message: message.to_owned() }
    }

    #[test]
    fn failures_are_counted_by_kind_and_distinguished_by_message() {
        let second = 1_000_000_000;
        let mut errors = ErrorGroups::default();
        for (code, message, at) in [(500, "a", 1), (500, "a", 3), (500, "b", 3), (429, "c", 9)] {
            errors.add(&failure(code, message), at * second);
        }
        let shown = errors.json(&TimeBins::of((0, 10 * second), 200));
        assert_eq!(shown["kinds"][0]["name"], "500 Error");
        assert_eq!(shown["kinds"][0]["counts"], json!([0, 1, 0, 2, 0, 0, 0, 0, 0, 0]));
        assert_eq!(shown["rows"].as_array().unwrap().len(), 3);
        assert_eq!((&shown["rows"][0]["message"], &shown["rows"][0]["count"]), (&json!("a"), &json!(2)));
        assert_eq!((&shown["rows"][0]["first"], &shown["rows"][0]["last"]), (&json!(1), &json!(3)));
        assert_eq!(shown["first"]["message"], "a");
        assert_eq!(ErrorGroups::default().json(&TimeBins::of((0, second), 1)), Value::Null);
    }

    #[test]
    fn the_table_has_fifty_rows_at_most() {
        let mut errors = ErrorGroups::default();
        (0..70_u64).for_each(|i| errors.add(&failure(500, &format!("request {i}")), i));
        let shown = errors.json(&TimeBins::of((0, 100), 70));
        assert_eq!((shown["rows"].as_array().unwrap().len(), &shown["distinct"]), (50, &json!(70)));
    }
}
