//! What `aiperf genai-perf --help` says: each option and what it becomes.

use std::fmt::Write;

use crate::commands::{ANALYZE, CONFIG, PROCESS, TEMPLATE};
use crate::table::{Becomes, GenaiPerfFlag, PERF_ANALYZER, PROFILE};

const INTRODUCTION: &str = "\
Takes the command line of GenAI-Perf, shows the `aiperf profile` that does the same, and runs it

Usage: aiperf genai-perf profile --model NAME [OPTIONS] [-- OPTIONS OF perf_analyzer]
       aiperf genai-perf analyze --model NAME [--sweep-type WHAT] [OPTIONS] [-- OPTIONS OF perf_analyzer]
       aiperf genai-perf config --file FILE [--override-config OPTIONS]
       aiperf genai-perf create-template [--file FILE]
       aiperf genai-perf process-export-files --input-directory FOLDER

Files have GenAI-Perf's names besides ours, in the folder that it would make: profile_export_genai_perf.json and .csv, and
the records as profile_export.json.
";

pub(crate) fn page() -> String {
    let mut text = INTRODUCTION.to_owned();
    for (title, table) in [
        ("Options of profile and what they become", PROFILE),
        ("Options of analyze, which makes a run for each of several values, besides those of profile", ANALYZE),
        ("Options of config, which runs what a file says, besides those of profile and analyze", CONFIG),
        ("Options of create-template, which writes such a file", TEMPLATE),
        ("Options after --", PERF_ANALYZER),
        ("Options of process-export-files, which merges runs", PROCESS),
    ] {
        let _ = writeln!(text, "\n{title}:");
        for flag in table {
            let _ = writeln!(text, "  {}\n      {}", flag.names.join(", "), becomes(flag).replace('`', ""));
        }
    }
    text
}

/// In words, with Markdown's quotes around what is typed.
pub(crate) fn becomes(flag: &GenaiPerfFlag) -> String {
    match flag.becomes {
        Becomes::Same(name) => format!("`{name}`"),
        Becomes::UnlessZero(name) => format!("`{name}`; 0 is left out"),
        Becomes::Joined(name, " ") => format!("`{name}`, all in one word with blanks"),
        Becomes::Joined(name, between) => format!("`{name}`, all in one word with `{between}`"),
        Becomes::FlagRule(_, words) => words.to_owned(),
        Becomes::Refused(why) => format!("refused: it {why}"),
    }
}
