//! `aiperf kube preflight`.

use std::process::ExitCode;

use aiperf_kubernetes::{PreflightOptions, PreflightState};
use serde_json::json;

use super::{list, open};
use crate::cli::PreflightRequest;

pub(super) fn run(asked: &PreflightRequest) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    let secrets = asked.image_pull_secrets.iter().chain(&asked.secrets).cloned().collect();
    let options = PreflightOptions { secrets, endpoint: asked.endpoint.clone(), nodes: asked.nodes };
    let checks = cluster.preflight(&options);
    let failed = checks.iter().filter(|check| check.state == PreflightState::Fail).count();
    if asked.json {
        let checks: Vec<_> = checks
            .iter()
            .map(|check| json!({"name": check.name, "state": check.state.name(), "detail": check.detail}))
            .collect();
        println!("{:#}", json!({"passed": failed == 0, "checks": checks}));
    } else {
        let row = |check: &aiperf_kubernetes::PreflightCheck| {
            vec![check.state.name().to_owned(), check.name.clone(), check.detail.clone()]
        };
        crate::print(list::columns(&checks.iter().map(row).collect::<Vec<_>>()).as_bytes())?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
