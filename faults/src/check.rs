//! Compares what came of a command with what was expected; each difference is one line.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use crate::expectation::{Expectation, Resends};
use crate::folder::{Accounting, RunFolder, files_below};
use crate::program::Ended;
use crate::scenario::KEY;
use crate::server::ScriptedServer;

/// Differences between expected and seen.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub(crate) Vec<String>);

impl Findings {
    pub(crate) fn add(&mut self, finding: impl Into<String>) {
        self.0.push(finding.into());
    }

    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, expected: &T, seen: &T) {
        if expected != seen {
            self.add(format!("{what}: expected {expected:?}, saw {seen:?}"));
        }
    }

    fn contains(&mut self, what: &str, text: &str, wanted: &[String]) {
        for word in wanted.iter().filter(|word| !text.contains(word.as_str())) {
            self.add(format!("{what}: expected {word:?} in it, saw {:?}", shortened(text)));
        }
    }
}

/// What a command printed and how it ended.
pub(crate) fn check_ended(expect: &Expectation, ended: &Ended, findings: &mut Findings) {
    match expect.signal {
        Some(signal) => findings.equal("signal", &Some(signal), &ended.status.signal()),
        None => {
            if ended.status.code() != Some(expect.exit) {
                let said = ended.stderr.lines().last().unwrap_or_default();
                findings.add(format!("exit: expected {}, saw {}; it said {said:?}", expect.exit, ended.status));
            }
        }
    }
    if ended.seconds < expect.after_s {
        findings.add(format!("time: expected at least {} s, saw {:.2} s", expect.after_s, ended.seconds));
    }
    if let Some(most) = expect.most_mib.filter(|most| ended.most_mib > *most) {
        findings.add(format!("memory: expected at most {most} MiB, saw {} MiB", ended.most_mib));
    }
    findings.contains("stderr", &ended.stderr, &expect.stderr);
    findings.contains("stdout", &ended.stdout, &expect.stdout);
    for stream in [&ended.stdout, &ended.stderr] {
        for word in expect.unsaid.iter().map(String::as_str).chain(["panicked at", "RUST_BACKTRACE", KEY]) {
            if stream.contains(word) {
                findings.add(format!("output: expected not to say {word:?}, saw {:?}", around(stream, word)));
            }
        }
    }
}

/// The counts, errors, notes and numbers of a run.
pub(crate) fn check_folder(expect: &Expectation, out: &Path, server: &ScriptedServer, findings: &mut Findings) {
    let Some(sent) = expect.sent else { return };
    let folder = match RunFolder::read(out) {
        Ok(folder) => folder,
        Err(error) => return findings.add(format!("folder: {error:#}")),
    };
    let recorded = folder.recorded();
    let settled = with_resends(expect, recorded, findings);
    let expect = &settled;
    match folder.stated() {
        Ok(stated) => {
            check_accounting("summary", expect, sent, stated, findings);
            findings.equal("error_summary total", &(stated.failed + stated.cancelled), &folder.summed_errors());
            let ok = folder.average("request_count").unwrap_or(0.0);
            findings.equal("request_count", &(stated.ok as f64), &ok);
            let failed = folder.average("error_request_count").unwrap_or(0.0);
            findings.equal("error_request_count", &(stated.failed as f64), &failed);
        }
        Err(error) => findings.add(format!("summary: {error:#}")),
    }
    check_accounting("records", expect, sent, recorded, findings);
    if expect.counts_served {
        findings.equal("served", &expect.served.unwrap_or(sent + expect.resent), &server.served());
    }
    findings.equal("errors", &expect.errors, &folder.errors());
    findings.contains("error messages", &folder.error_messages().join("\n"), &expect.error_text);
    let notes = folder.notes();
    for code in expect.notes.iter().filter(|code| !notes.contains(&code.as_str())) {
        findings.add(format!("notes: expected {code}, saw {notes:?}"));
    }
    for code in expect.no_notes.iter().filter(|code| notes.contains(&code.as_str())) {
        findings.add(format!("notes: expected no {code}, saw {notes:?}"));
    }
    for (metric, value) in &expect.metrics {
        findings.equal(metric, &Some(*value), &folder.average(metric));
    }
    for metric in &expect.no_metrics {
        findings.equal(metric, &None, &folder.average(metric));
    }
    for (pointer, value) in &expect.summary {
        let seen = folder.summary.pointer(pointer).cloned().unwrap_or_default();
        findings.equal(pointer, value, &seen);
    }
}

/// What is expected if chance decides between a resend and a failure.
fn with_resends(expect: &Expectation, recorded: Accounting, findings: &mut Findings) -> Expectation {
    let mut settled = expect.clone();
    if expect.resends != Resends::Exact {
        settled.resent = recorded.resent;
    }
    if expect.resends == Resends::Some {
        if recorded.resent == 0 {
            findings.add("resent: expected at least 1, saw 0");
        }
        settled.errors = expect.errors.keys().map(|kind| (kind.clone(), recorded.failed)).collect();
        settled.errors.retain(|_, count| *count > 0);
    }
    settled
}

/// `sent = ok + failed + cancelled`, and each of them as expected.
fn check_accounting(whose: &str, expect: &Expectation, sent: u64, seen: Accounting, findings: &mut Findings) {
    if seen.sent != seen.ok + seen.failed + seen.cancelled {
        findings.add(format!("{whose}: sent is not ok + failed + cancelled: {seen:?}"));
    }
    let failed = expect.failed.unwrap_or_else(|| expect.errors.values().sum());
    let cancelled = expect.cancelled.unwrap_or(0);
    let ok = expect.ok.unwrap_or_else(|| sent.saturating_sub(failed + cancelled));
    findings.equal(whose, &Accounting { sent, ok, failed, cancelled, resent: expect.resent }, &seen);
}

/// What else the servers saw.
pub(crate) fn check_servers(
    expect: &Expectation,
    server: &ScriptedServer,
    other: Option<&ScriptedServer>,
    findings: &mut Findings,
) {
    if let Some(connections) = expect.connections {
        findings.equal("connections", &connections, &server.connections());
    }
    let Some(other) = other else { return };
    if let Some(served) = expect.other_served {
        findings.equal("served by the other server", &served, &other.served());
    }
    if other.saw_key() && !expect.key_goes_on {
        findings.add("the key went to the other server");
    }
}

/// Files that must and must not be there, and the secret, which must be in none.
pub(crate) fn check_files(expect: &Expectation, folder: &Path, out: &Path, findings: &mut Findings) {
    for name in expect.files.iter().filter(|name| !folder.join(name).exists()) {
        findings.add(format!("files: expected {name}, which is not there"));
    }
    for name in expect.no_files.iter().filter(|name| folder.join(name).exists()) {
        findings.add(format!("files: expected no {name}, which is there"));
    }
    for path in files_below(out) {
        let text = fs::read(&path).unwrap_or_default();
        if text.windows(KEY.len()).any(|window| window == KEY.as_bytes()) {
            let name = path.strip_prefix(folder).unwrap_or(&path);
            findings.add(format!("secrets: the key is in {}", name.display()));
        }
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 600;
    let start = text.char_indices().rev().nth(MOST).map_or(0, |(at, _)| at);
    text[start..].trim().to_owned()
}

fn around(text: &str, word: &str) -> String {
    text.lines().find(|line| line.contains(word)).unwrap_or_default().chars().take(200).collect()
}
