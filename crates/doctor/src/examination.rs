//! All checks in the order in which they are shown.

use std::path::Path;

use aiperf_hub::HubEnvironment;
use serde::Serialize;

use crate::check::{
    clock_source, command, cores, cpu_limit, descriptors, disk, governor, gpu, hub, memory, ports, proxy, steal, timer,
};
use crate::finding::{Finding, Rank};
use crate::machine_files::MachineFiles;

#[derive(Debug, Clone, Serialize)]
pub struct Examination {
    pub findings: Vec<Finding>,
}

/// Takes about a second: stolen time and timers are measured, and the hub is asked.
pub fn examine(
    files: &MachineFiles,
    artifacts: &Path,
    hub_environment: &HubEnvironment,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Examination {
    let findings = [
        cores::check(files),
        cpu_limit::check(files),
        Some(governor::check(files)),
        steal::check(files),
        clock_source::check(files),
        Some(timer::check()),
        memory::check(files),
        Some(descriptors::check()),
        ports::check(files),
        Some(disk::check(artifacts)),
        Some(gpu::check()),
        Some(hub::check(hub_environment)),
        proxy::check(variable),
        command(variable),
    ];
    Examination { findings: findings.into_iter().flatten().collect() }
}

fn command(variable: &dyn Fn(&str) -> Option<String>) -> Option<Finding> {
    command::check(&std::env::current_exe().ok()?, &variable("PATH")?)
}

impl Examination {
    pub fn count(&self, rank: Rank) -> usize {
        self.findings.iter().filter(|finding| finding.rank == rank).count()
    }

    /// For a person: a line for each check, and what a finding means below it, within `columns`.
    pub fn text(&self, columns: usize) -> String {
        let names = self.findings.iter().map(|finding| finding.check.title().len()).max().unwrap_or(0);
        let indent = "problem".len() + 2 + names + 2;
        let mut text = String::new();
        for finding in &self.findings {
            let head = format!("{:<7}  {:<names$}  ", finding.rank.word(), finding.check.title());
            text.push_str(&head);
            push_wrapped(&mut text, &finding.seen, indent, columns);
            if !finding.meaning.is_empty() {
                text.push_str(&" ".repeat(indent));
                push_wrapped(&mut text, &finding.meaning, indent, columns);
            }
        }
        text.push('\n');
        text.push_str(&self.verdict());
        text.push('\n');
        text
    }

    fn verdict(&self) -> String {
        let (problems, notes) = (self.count(Rank::Problem), self.count(Rank::Note));
        let counted = |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
        match (problems, notes) {
            (0, 0) => "This machine is ready for a benchmark.".to_owned(),
            (0, notes) => format!("This machine can run benchmarks; {} above.", counted(notes, "note")),
            (problems, 0) => format!("{} above.", counted(problems, "problem")),
            (problems, notes) => format!("{} and {} above.", counted(problems, "problem"), counted(notes, "note")),
        }
    }
}

/// Words on lines of at most `columns`; further lines begin at `indent`. The first line has been begun.
fn push_wrapped(text: &mut String, words: &str, indent: usize, columns: usize) {
    let room = columns.saturating_sub(indent).max(20);
    let mut used = 0;
    for word in words.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > room {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            used = 0;
        } else if used > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Check;

    #[test]
    fn findings_are_shown_with_their_meaning_below_them() {
        let findings = vec![
            Finding::ok(Check::Timer, "late by 0.06 ms at most"),
            Finding::note(Check::Governor, "powersave", "The cores slow down when nothing is to be done."),
        ];
        let text = Examination { findings }.text(50);
        let expected = "ok       timer          late by 0.06 ms at most\n\
                        note     CPU frequency  powersave\n\
                        \u{20}                       The cores slow down when\n\
                        \u{20}                       nothing is to be done.\n\n\
                        This machine can run benchmarks; 1 note above.\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_last_line_counts_what_was_found() {
        let with = |ranks: &[Rank]| {
            let finding = |rank: &Rank| Finding { rank: *rank, ..Finding::ok(Check::Disk, "") };
            Examination { findings: ranks.iter().map(finding).collect() }.verdict()
        };
        assert_eq!(with(&[Rank::Ok]), "This machine is ready for a benchmark.");
        assert_eq!(with(&[Rank::Problem, Rank::Problem]), "2 problems above.");
        assert_eq!(with(&[Rank::Problem, Rank::Note]), "1 problem and 1 note above.");
    }
}
