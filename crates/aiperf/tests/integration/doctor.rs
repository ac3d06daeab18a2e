//! `aiperf doctor`: what it finds on this machine, whichever it is.

use serde_json::Value;

use crate::support::Program;

#[test]
fn every_finding_has_a_rank_and_those_that_matter_say_what_they_mean() {
    // The hub is not asked: what it answers is not known here.
    let said = Program::new("doctor --json").env("HF_HUB_OFFLINE", "1").run();
    let document: Value = serde_json::from_str(&said.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap();
    let checks: Vec<&str> = findings.iter().map(|finding| finding["check"].as_str().unwrap()).collect();
    for check in ["governor", "timer", "descriptors", "disk", "gpu", "hub"] {
        assert!(checks.contains(&check), "{check} is missing in {checks:?}");
    }
    for finding in findings {
        assert_eq!(finding["rank"] == "ok", finding.get("meaning").is_none(), "{finding}");
    }
    let has_problem = findings.iter().any(|finding| finding["rank"] == "problem");
    assert_eq!(said.code, Some(i32::from(has_problem)));
}

#[test]
fn a_folder_that_cannot_be_written_is_a_problem() {
    let said = Program::new("doctor --artifact-dir /proc/self/aiperf").env("HF_HUB_OFFLINE", "1").run();
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("problem  disk"), "{}", said.stdout);
    assert!(said.stdout.contains("/proc/self/aiperf: cannot be written"), "{}", said.stdout);
}
