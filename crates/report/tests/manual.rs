//! `docs/validity.md` is written from the rules, and from the text of the notes.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use aiperf_metrics::ValidityCode;
use aiperf_report::ValidityManual;

const HEAD: &str = "# Validity

Every summary has a list `validity`: what its reader should know before believing its numbers, empty if there is nothing. The console prints \
the same after the tables.

```sh
jq '.validity[] | {code, message, advice}' artifacts/*/profile_export_aiperf.json
aiperf profile --model m --url http://localhost:8000 --strict       # exit code 3 if there is a warning
```

This page is generated: `UPDATE_DOCS=1 cargo test -p aiperf-report --test manual` rewrites it.

| field | meaning |
|---|---|
| `code` | one of those below |
| `severity` | `warning`: some number is not what it seems to be; `info`: good to know, the numbers are valid |
| `subject` | the limit, metric or field, if one code can be about several |
| `figure`, `unit` | what was seen |
| `threshold` | what the figure should have stayed at or below, in the same unit (at or above for `sample_floor`) |
| `message`, `advice` | the same in words, and what to do |

`--strict` makes a run with a note of severity `warning` end with exit code 3, so that a script cannot use its numbers by mistake. \
`--strict error_share,rate_shortfall` does so for these codes only, whatever their severity. All files are written as always. Of \
[several runs](repeated-runs.md), one that fails is enough. A run that failed or was interrupted keeps its own exit code (1, 130).

`aiperf report` derives the notes again from the records. What records do not tell (the client's health, the clock, requested lengths, \
arrivals that were delayed or dropped) it takes from the earlier summary, if there is one.

| code | meaning | threshold, and why | what to do |
|---|---|---|---|
";

fn page() -> String {
    let mut text = String::from(HEAD);
    for code in ValidityCode::ALL {
        let ValidityManual { meaning, threshold, advice } = ValidityManual::of(code);
        let several = advice.len() > 1;
        let advice = advice.iter().map(|(subject, advice)| match subject {
            Some(subject) if several => format!("`{subject}`: {}", marked(advice)),
            _ => marked(advice),
        });
        let advice = advice.collect::<Vec<_>>().join("<br>");
        let _ = writeln!(text, "| `{}` | {meaning} | {threshold} | {advice} |", code.name());
    }
    text
}

/// Options with their values, variables, fields and metrics in code marks.
fn marked(text: &str) -> String {
    let core = |word: &str| word.trim_matches(|letter: char| "(),.;:".contains(letter)).to_owned();
    let is_value = |word: &str| {
        let word = core(word);
        word.contains(':') || word.parse::<u64>().is_ok() || ["raw", "summary", "never", "pooled"].contains(&&*word)
    };
    let mut marked: Vec<String> = Vec::new();
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let name = core(word);
        if name.starts_with("--") && word.ends_with(&name) && words.peek().is_some_and(|next| is_value(next)) {
            let next = words.next().unwrap_or_default();
            let value = core(next);
            marked.push(format!("{word} {next}").replacen(&format!("{name} {value}"), &format!("`{name} {value}`"), 1));
        } else if name.starts_with("--") || name.contains(['_', '<']) || name == "[DONE]" {
            marked.push(word.replacen(&name, &format!("`{name}`"), 1));
        } else {
            marked.push(word.to_owned());
        }
    }
    marked.join(" ")
}

#[test]
fn docs_validity_md_says_what_the_program_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validity.md");
    let wanted = page();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == wanted,
        "docs/validity.md is out of date; UPDATE_DOCS=1 cargo test -p aiperf-report --test manual rewrites it"
    );
}

#[test]
fn options_and_metrics_are_marked_as_code() {
    assert_eq!(
        marked("Raise --concurrency, or quote request_latency."),
        "Raise `--concurrency`, or quote `request_latency`."
    );
    assert_eq!(marked("(vLLM: --stream-interval 1), then"), "(vLLM: `--stream-interval 1`), then");
    assert_eq!(marked("(for example, a late [DONE])"), "(for example, a late `[DONE]`)");
}
