//! `aiperf kube list`.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use aiperf_kubernetes::{ClusterError, ClusterRun, ClusterRunState};

use super::open;
use crate::cli::{ListFilter, ListRequest};

pub(super) fn run(asked: &ListRequest) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    loop {
        let mut runs = match cluster.runs(asked.access.namespace.as_deref()) {
            // Few may look at all namespaces; most may look at their own.
            Err(ClusterError::Refused { code: 403, .. }) if asked.access.namespace.is_none() => {
                eprintln!("no right to list all namespaces; showing namespace {}", cluster.namespace());
                cluster.runs(Some(cluster.namespace()))?
            }
            runs => runs?,
        };
        runs.retain(|run| {
            let is_named = asked.run.as_deref().is_none_or(|name| run.name.as_str() == name);
            let is_chosen = match asked.filter {
                None => true,
                Some(ListFilter::Running) => !run.state.has_ended(),
                Some(ListFilter::Completed) => run.state == ClusterRunState::Completed,
                Some(ListFilter::Failed) => run.state == ClusterRunState::Failed,
            };
            is_named && is_chosen
        });
        crate::print(table(&runs, asked.wide).as_bytes())?;
        match asked.watch {
            None if asked.run.is_some() && runs.is_empty() => return Ok(ExitCode::FAILURE),
            None => return Ok(ExitCode::SUCCESS),
            Some(seconds) => {
                thread::sleep(Duration::from_secs_f64(seconds));
                println!("");
            }
        }
    }
}

/// Columns wide enough for their longest value.
pub(super) fn columns(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(column, cell)| format!("{cell:<width$}", width = width(column).unwrap_or(0)))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn table(runs: &[ClusterRun], wide: bool) -> String {
    if runs.is_empty() {
        return "No runs.\n".to_owned();
    }
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut rows = vec![words(&["RUN", "NAMESPACE", "STATE", "NODES", "CREATED"])];
    if wide {
        rows[0].extend(words(&["MODEL", "ENDPOINT", "OBJECT", "REASON"]));
    }
    for run in runs {
        let mut row =
            words(&[run.name.as_str(), &run.namespace, run.state.name(), &run.nodes.to_string(), &run.created]);
        if wide {
            row.extend(words(&[&run.model, &run.endpoint, run.kind, run.reason.as_deref().unwrap_or_default()]));
        }
        rows.push(row);
    }
    columns(&rows)
}

#[cfg(test)]
mod tests {
    use aiperf_kubernetes::RunName;

    use super::*;

    #[test]
    fn columns_are_aligned() {
        let run = ClusterRun {
            name: RunName::parse("my-run").unwrap(),
            namespace: "bench".to_owned(),
            kind: "Job",
            state: ClusterRunState::Failed,
            reason: Some("BackoffLimitExceeded".to_owned()),
            created: "2026-01-01T00:00:00Z".to_owned(),
            nodes: 4,
            is_coordinated: false,
            results_claim: None,
            model: "m".to_owned(),
            endpoint: "http://server".to_owned(),
        };
        assert_eq!(
            table(std::slice::from_ref(&run), false),
            "RUN     NAMESPACE  STATE   NODES  CREATED\nmy-run  bench      Failed  4      2026-01-01T00:00:00Z\n"
        );
        assert!(table(&[run], true).ends_with("m      http://server  Job     BackoffLimitExceeded\n"));
        assert_eq!(table(&[], true), "No runs.\n");
    }
}
