//! What `aiperf genai-perf --help` says: each option and what it becomes.

use std::fmt::Write;

use crate::commands::{ANALYZE, CONFIG, PROCESS, TEMPLATE};
use crate::table::{Becomes, GenaiPerfFlag, PERF_ANALYZER, PROFILE};

const INTRODUCTION: &str = "\
Run a GenAI-Perf command line: translate it to `aiperf profile`, show that command and run it

Usage: aiperf genai-perf profile --model NAME [OPTIONS] [-- OPTIONS OF perf_analyzer]
       aiperf genai-perf analyze --model NAME [--sweep-type WHAT] [OPTIONS] [-- OPTIONS OF perf_analyzer]
       aiperf genai-perf config --file FILE [--override-config OPTIONS]
       aiperf genai-perf create-template [--file FILE]
       aiperf genai-perf process-export-files --input-directory FOLDER

The run folder has the name that GenAI-Perf would give it. It contains GenAI-Perf's files in addition to those of aiperf:
profile_export_genai_perf.json and .csv, and the records in profile_export.json.
";

pub(crate) fn page() -> String {
    let mut text = INTRODUCTION.to_owned();
    for (title, table) in [
        ("Options of profile and what they become", PROFILE),
        ("Options of analyze, which makes one run per value, in addition to those of profile", ANALYZE),
        ("Options of config, which runs a configuration file, in addition to those of profile and analyze", CONFIG),
        ("Options of create-template, which writes a configuration file", TEMPLATE),
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
        Becomes::Joined(name, " ") => format!("`{name}`, all values in one argument, separated by blanks"),
        Becomes::Joined(name, between) => format!("`{name}`, all values in one argument, separated by `{between}`"),
        Becomes::FlagRule(_, words) => words.to_owned(),
        Becomes::Refused(why) => format!("rejected: it {why}"),
    }
}
