//! What the merged folder says of its run before the statistics are computed: the configuration of the first folder, the counts of
//! all of them, and a table of the nodes.

use std::collections::{BTreeMap, BTreeSet};

use aiperf_clock::EpochNanos;
use aiperf_metrics::PhaseAccounting;
use aiperf_report::accounting_json;
use serde_json::{Map, Value, json};

use super::node_folder::{MergedNode, NodeFolder, PhaseExtent};
use crate::window;

/// Figures of each node's own summary that the table of nodes shows.
const SHOWN: [(&str, &str); 5] = [
    ("request_throughput", "avg"),
    ("request_latency", "avg"),
    ("request_latency", "p99"),
    ("time_to_first_token", "avg"),
    ("time_to_first_token", "p99"),
];
/// Parts of the configuration that must agree for a merge to make sense.
const COMPARED: [&str; 3] = ["endpoint", "models", "phases"];

/// The summary that the statistics are added to.
pub(super) fn base_summary(folders: &[NodeFolder], nodes: &[MergedNode], version: &str) -> Value {
    let has_config =
        |folder: &&NodeFolder| folder.origin.input_config().as_object().is_some_and(|config| !config.is_empty());
    let first = &folders.iter().find(has_config).unwrap_or(&folders[0]).origin;
    let mut summary = Map::new();
    let mut put = |key: &str, value: Value| summary.insert(key.to_owned(), value);
    put("aiperf_version", version.into());
    put("benchmark_id", merged_id(folders).into());
    put("input_config", first.input_config());
    let mut info = json!({"cli_command": first.cli_command().unwrap_or_else(|| "unknown".to_owned())});
    if let Some(seed) = first.random_seed() {
        info["random_seed"] = seed.into();
    }
    put("run_info", info);
    let accounting = accounting(folders, nodes);
    put("phase_accounting", accounting.values().map(accounting_json).collect());
    let endings: Vec<(bool, Option<String>)> = folders.iter().map(ending).collect();
    put("was_cancelled", endings.iter().any(|(stopped, _)| *stopped).into());
    let reasons: Vec<String> = folders
        .iter()
        .zip(endings)
        .filter_map(|(folder, (_, why))| Some(format!("{}: {}", folder.name, why?)))
        .collect();
    if !reasons.is_empty() {
        put("incomplete_reason", reasons.join(" ").into());
    }
    put("nodes", folders.iter().zip(nodes).map(|(folder, node)| node_row(folder, node)).collect());
    Value::Object(summary)
}

/// The same for the same runs, in whatever order.
fn merged_id(folders: &[NodeFolder]) -> String {
    let ids: BTreeSet<String> =
        folders.iter().map(|folder| folder.origin.benchmark_id().unwrap_or_else(|| folder.name.clone())).collect();
    // FNV-1a over the ids.
    let hash = ids
        .iter()
        .flat_map(|id| id.bytes().chain([0]))
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{:012x}", hash >> 16)
}

fn ending(folder: &NodeFolder) -> (bool, Option<String>) {
    match &folder.origin.summary {
        None if folder.facts["state"] == "lost" => {
            let requests = folder.facts["lost_requests"].as_u64().unwrap_or(0);
            let known = known_by(&folder.facts["loss"]);
            let rest =
                replaced_by(folder).map_or_else(String::new, |other| format!("; {other} sent the rest of its share"));
            (false, Some(format!("it was lost while {requests} of its requests were under way{known}{rest}.")))
        }
        None => (false, Some("it ended before it wrote its summary.".to_owned())),
        Some(summary) => {
            (summary["was_cancelled"] == true, summary["incomplete_reason"].as_str().map(ToOwned::to_owned))
        }
    }
}

/// How it is known what a lost node had sent.
fn known_by(loss: &Value) -> String {
    let unsent = loss["unsent_requests"].as_u64().unwrap_or(0);
    match loss["known_by"].as_str() {
        Some("journal") if unsent > 0 => format!(" (counted exactly; {unsent} of them had not left the node)"),
        Some("journal") => " (counted exactly)".to_owned(),
        Some("last_heartbeat") => {
            let at = time_of_day(loss["last_heard_ns"].as_u64().unwrap_or(0));
            format!(" (counted by its last heartbeat at {at}; requests that it sent up to 0.25 s later may be missing)")
        }
        _ => String::new(),
    }
}

/// `08:01:14.450 UTC`.
fn time_of_day(epoch_ns: u64) -> String {
    let millis = epoch_ns / 1_000_000 % 86_400_000;
    let (seconds, millis) = (millis / 1000, millis % 1000);
    format!("{:02}:{:02}:{:02}.{millis:03} UTC", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The counts of each phase over all nodes. A node that left none is counted by its records.
fn accounting(folders: &[NodeFolder], nodes: &[MergedNode]) -> BTreeMap<String, PhaseAccounting> {
    let mut all: BTreeMap<String, PhaseAccounting> = BTreeMap::new();
    for (folder, node) in folders.iter().zip(nodes) {
        let counted = folder.origin.accounting();
        for (name, extent) in &node.phases {
            let mut own = match counted.iter().find(|phase| phase.phase == *name) {
                Some(own) => in_common_time(own, folder),
                None => by_records(folder, name, extent),
            };
            // A duplicate is one request that two folders have.
            own.sent = own.sent.saturating_sub(node.duplicates.min(own.sent.saturating_sub(extent.records)));
            let joined = all.get(name).map_or(Some(own.clone()), |earlier| PhaseAccounting::joined([earlier, &own]));
            all.extend(joined.map(|joined| (name.clone(), joined)));
        }
    }
    all
}

/// Times of a node are on its own clock.
fn in_common_time(own: &PhaseAccounting, folder: &NodeFolder) -> PhaseAccounting {
    let moved = |at: EpochNanos| EpochNanos(at.0.saturating_add_signed(-folder.clock.offset_at(at.0)));
    PhaseAccounting { started: moved(own.started), ended: moved(own.ended), ..own.clone() }
}

fn by_records(folder: &NodeFolder, name: &str, extent: &PhaseExtent) -> PhaseAccounting {
    let (start, end) = window::of_records(&folder.origin, name, extent.first_ns, extent.end_ns);
    PhaseAccounting {
        phase: name.to_owned(),
        started: EpochNanos(start),
        ended: EpochNanos(end),
        sent: extent.records,
        completed: extent.records - extent.failed - extent.cancelled,
        errors: extent.failed,
        cut: extent.cancelled,
        sessions_sent: 0,
        sessions_completed: 0,
        sessions_cancelled: 0,
        arrivals_delayed: 0,
        arrivals_dropped: 0,
    }
}

/// The node that took over from a lost one.
fn replaced_by(folder: &NodeFolder) -> Option<String> {
    folder.facts["replaced_by"].as_u64().map(|index| format!("node-{index}"))
}

fn node_row(folder: &NodeFolder, node: &MergedNode) -> Value {
    let mut row = json!({"node": node.name, "records": node.records, "errors": node.failed});
    let mut put = |key: &str, value: Value| row[key] = value;
    if let Some(host) = &node.host {
        put("host", host.clone().into());
    }
    if let Some(address) = &node.address {
        put("address", address.clone().into());
    }
    if folder.facts["state"].is_string() {
        put("state", folder.facts["state"].clone());
    }
    if folder.facts["lost_requests"].as_u64().is_some_and(|requests| requests > 0) {
        put("lost_requests", folder.facts["lost_requests"].clone());
    }
    if folder.facts["loss"].is_object() {
        put("loss", folder.facts["loss"].clone());
    }
    if let Some(other) = replaced_by(folder) {
        put("replaced_by", other.into());
    }
    if let Some(bound) = node.clock_bound_ns {
        put("clock_bound_ns", bound.into());
    }
    if node.duplicates > 0 {
        put("duplicates", node.duplicates.into());
    }
    if node.unreadable > 0 {
        put("unreadable_lines", node.unreadable.into());
    }
    if let Some(id) = folder.origin.benchmark_id() {
        put("benchmark_id", id.into());
    }
    for (metric, stat) in SHOWN {
        let figure =
            folder.origin.summary.as_ref().map(|summary| &summary[metric][stat]).filter(|value| value.is_number());
        if let Some(figure) = figure {
            put(&format!("{metric}_{stat}"), figure.clone());
        }
    }
    let cpu =
        folder.origin.summary.as_ref().map(|summary| &summary["client_health"]).filter(|health| health.is_object());
    if let Some(health) = cpu {
        put("client_health", health.clone());
    }
    row
}

/// What a reader should know about the folders.
pub(super) fn warnings(folders: &[NodeFolder], nodes: &[MergedNode]) -> Vec<String> {
    let mut warnings = Vec::new();
    for node in nodes {
        if node.duplicates > 0 {
            warnings
                .push(format!("{}: {} records are in another folder too and count once", node.name, node.duplicates));
        }
        if node.unreadable > 0 {
            warnings.push(format!("{}: {} lines cannot be read and are left out", node.name, node.unreadable));
        }
    }
    for part in COMPARED {
        let own = |folder: &NodeFolder| folder.origin.input_config()[part].clone();
        let first = own(&folders[0]);
        let differs = |folder: &&NodeFolder| !own(folder).is_null() && !first.is_null() && own(folder) != first;
        if let Some(other) = folders.iter().find(differs) {
            warnings.push(format!(
                "{} and {} have different {part} in their configuration; the merged numbers mix them",
                folders[0].name, other.name
            ));
        }
    }
    warnings.extend(missing_nodes(folders));
    warnings
}

/// Nodes of the run that no folder is of.
fn missing_nodes(folders: &[NodeFolder]) -> Option<String> {
    let count = folders.iter().filter_map(|folder| folder.facts["count"].as_u64()).max()?;
    let found: BTreeSet<u64> = folders.iter().filter_map(|folder| folder.facts["index"].as_u64()).collect();
    let missing: Vec<String> =
        (0..count).filter(|index| !found.contains(index)).map(|index| index.to_string()).collect();
    (!missing.is_empty()).then(|| format!("of {count} nodes, these have no folder: {}", missing.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_says_how_it_is_known_what_was_sent() {
        let exact = json!({"known_by": "journal", "unsent_requests": 0, "last_heard_ns": 1});
        assert_eq!(known_by(&exact), " (counted exactly)");
        let some_unsent = json!({"known_by": "journal", "unsent_requests": 2});
        assert!(known_by(&some_unsent).contains("2 of them had not left the node"));
        let heard = json!({"known_by": "last_heartbeat", "last_heard_ns": 1_794_902_474_450_858_482_u64});
        assert!(
            known_by(&heard).contains("at 08:01:14.450 UTC; requests that it sent up to 0.25 s later may be missing")
        );
        assert_eq!(known_by(&Value::Null), "");
    }
}
