//! `docs/cli.md`, made from the catalogue; the test fails when the file is older than the options.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use aiperf_experiment::SELFTEST_OPTIONS;
use aiperf_options::catalogue::{Arity, Group, OptionSpec, Support, ValueKind, groups, options};
use aiperf_options::{VARIABLES, variables_without_effect};
use aiperf_sim::SIM_OPTIONS;
use clap::Command;

use super::{analyze, attach, chat, compare, merge, node, plot, report};

const HEAD: &str = "\
# The command line

Run a benchmark, or print the help of a command:

```
aiperf profile --model my-model --url localhost:8000 --streaming --concurrency 8 --request-count 200
aiperf profile -h                     # the most used options
aiperf profile --help                 # all options
```

This page is generated from the option catalogue in `crates/options/src/catalogue`; do not edit it. To write it again, run
`UPDATE_DOCS=1 cargo test -p aiperf --bin aiperf`.

| command | what it does |
|---|---|
| `aiperf profile` | run a benchmark |
| `aiperf capacity` | find the highest request rate, or the most users, within SLOs; takes the options of `profile` that do not contradict it; see [capacity.md](capacity.md) |
| `aiperf chat` | chat with a server and see the latency of each reply; see [chat.md](chat.md) |
| `aiperf init` | ask for server, model and goal, and print the command to run |
| `aiperf doctor` | check this machine: limits, clocks, disk, GPUs and downloads, and what each means for a benchmark; see [troubleshooting.md](troubleshooting.md) |
| `aiperf selftest` | measure how accurate the client is on this machine; see [selftest.md](selftest.md) |
| `aiperf sim` | run a simulated inference server; see [sim.md](sim.md) |
| `aiperf genai-perf profile ...` | run a GenAI-Perf command line; see [migrating.md](migrating.md) |
| `aiperf compare FOLDER FOLDER...` | compare runs with a baseline; see [comparing.md](comparing.md) |
| `aiperf gate --baseline FOLDER FOLDER` | fail if a run is worse than a baseline |
| `aiperf node --join URL` | send a share of a run that `aiperf profile --nodes` coordinates; see [cluster.md](cluster.md) |
| `aiperf attach RUN --nats URL` | take over a run on several nodes whose coordinator is lost |
| `aiperf report FOLDER` | rebuild a run's summary files from its records; `--trace-out FILE` writes a Perfetto trace, see [timeline.md](timeline.md) |
| `aiperf analyze swim-lane FOLDER...` | draw when each session slot sent its requests; see [timeline.md](timeline.md) |
| `aiperf analyze turn-messages FOLDER...` | show the messages of each turn |
| `aiperf plot FOLDER...` | draw charts of a run or of several runs; see [plots.md](plots.md) |
| `aiperf plugins [CATEGORY] [NAME]` | list plugins; `--validate` checks yours, `new CATEGORY` begins one; see [plugins.md](plugins.md) |
| `aiperf speed-bench-report FOLDER...` | put SPEED-Bench runs into one table; see [datasets.md](datasets.md#speed_bench) |
| `aiperf config init` | list configuration files to begin with; `--template NAME` prints one |
| `aiperf config from-flags OPTIONS` | print the configuration file that options of `profile` mean |
| `aiperf config schema` | print the JSON schema of configuration files, for editors |
| `aiperf config validate FILE` | check a configuration file; see [config.md](config.md) |
| `aiperf config expand FILE` | show the runs of its sweep |
| `aiperf kube COMMAND` | run benchmarks in a Kubernetes cluster; see [kubernetes.md](kubernetes.md) |
| `aiperf analyze-trace FILE` | analyze a trace; see [traces.md](traces.md) |
| `aiperf synthesize trace FILE` | modify a trace and write the result |
| `aiperf synthesize agentic-code` | generate a trace of coding sessions |
| `aiperf validate FOLDER` | check all files of a run, or of several runs and their aggregate |
| `aiperf validate mooncake-trace FILE` | check every row of a trace |
| `aiperf completions bash\\|zsh\\|fish\\|powershell` | print a completion script |
| `aiperf man-pages FOLDER` | write a man page for each command |
| `aiperf --install-completion [--shell SHELL] [--output PATH]` | install a completion script |
| `aiperf help COMMAND`, `aiperf COMMAND --help` | print the help of a command |
| `aiperf profile -h` | print the most used options |
| `aiperf --version`, `-V` | print the version, the commit and the profile of the build, and the platform |
";

const SPELLING: &str = "
## Spelling

- `--name value` and `--name=value`; `-m x`, `-m=x` and `-mx`; short flags may be combined (`-vH A:b`).
- In long names `_` stands for `-` as well (`--max_workers`). Names must be complete, in lower case.
- A flag alone is true. To give it a value write `=true`, `=yes`, `=1`, `=false`, `=no` or `=0` (`--streaming=false`).
- Choices are read in upper or lower case, with `-` or `_`.
- Numbers have no units: `--benchmark-duration 30`, not `30s`. Options without an upper limit take `inf`.
- \"list\" options may be repeated and take commas; those marked \"several\" also take several words after one name.
- Options marked \"sweep\" take a comma list to run one benchmark per value; see [repeated runs](repeated-runs.md).
- aiperf rejects any other option that is given twice, also under two names.
- Options marked \"ours\" are not in AIPerf.
- A wrong command line ends with exit code 1 and one sentence on stderr.
";

fn manual() -> String {
    let mut text = HEAD.to_owned();
    text.push_str(SPELLING);
    text.push_str("\n## Options of `aiperf profile`\n");
    for group in groups() {
        write_group(&mut text, group);
    }
    text.push_str(
        "\n## Accepted without effect\n\nA run with one of these options starts, and a warning says why the option changes \
         nothing. No reported number depends on them.\n\n| option | why |\n|---|---|\n",
    );
    for (spec, reason) in options().filter_map(|spec| match spec.support {
        Support::Ignored(reason) => Some((spec, reason)),
        _ => None,
    }) {
        let _ = writeln!(text, "| {} | {reason} |", spellings(spec));
    }
    write_unsupported(&mut text);
    write_chat(&mut text);
    write_compare(&mut text);
    text.push_str("\n## Options of `aiperf report`\n\n[report.md](report.md) shows the HTML report, [timeline.md](timeline.md) the trace.\n\n");
    write_arguments(&mut text, &report::command());
    text.push_str(
        "\n## Options of `aiperf merge`\n\n[cluster.md](cluster.md) shows how several nodes send one run.\n\n",
    );
    write_arguments(&mut text, &merge::command());
    text.push_str("\n## Options of `aiperf node`\n\n");
    write_arguments(&mut text, &node::command());
    text.push_str("\n## Options of `aiperf attach`\n\n");
    write_arguments(&mut text, &attach::command());
    for command in analyze::command().get_subcommands() {
        let _ = writeln!(
            text,
            "\n## Options of `aiperf analyze {}`\n\n[timeline.md](timeline.md) shows what it writes.\n",
            command.get_name()
        );
        write_arguments(&mut text, command);
    }
    write_plot(&mut text);
    write_selftest(&mut text);
    write_sim(&mut text);
    text.push_str("\n## Environment variables\n\n| variable | default | meaning |\n|---|---|---|\n");
    for variable in VARIABLES {
        let _ = writeln!(text, "| `{}` | {} | {} |", variable.name, variable.default, variable.help);
    }
    text.push_str(
        "\nA variable that begins with `AIPERF_` and that nobody reads is named in a warning, with the nearest known name. \
         Names are in capitals.\n\n### Variables of AIPerf that have no effect\n\nEach is named in a warning, too.\n\n\
         | variables | why |\n|---|---|\n",
    );
    for group in variables_without_effect() {
        let names: Vec<String> = group.variables().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "| {} | {} |", names.join(", "), group.why);
    }
    text
}

fn write_unsupported(text: &mut String) {
    text.push_str("\n## Not supported yet\n\n");
    let mut unsupported = options().filter(|spec| spec.support == Support::NotYet).peekable();
    if unsupported.peek().is_none() {
        text.push_str("aiperf has every option of the reference's `profile`, except those [without effect](#accepted-without-effect).\n");
        return;
    }
    text.push_str("These options of the reference are known and refused by name.\n\n| option | meaning |\n|---|---|\n");
    for spec in unsupported {
        let _ = writeln!(text, "| {} | {} |", spellings(spec), cell(spec.help));
    }
}

fn write_group(text: &mut String, group: &Group) {
    let mut built = group.options.iter().filter(|spec| spec.is_supported()).peekable();
    if built.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\n### {}\n\n| option | takes | default | meaning |\n|---|---|---|---|", group.title);
    for spec in built {
        let default = spec.default.map_or("–".to_owned(), cell);
        let _ = writeln!(text, "| {} | {} | {default} | {} |", spellings(spec), takes(spec), meaning(spec));
    }
}

fn meaning(spec: &OptionSpec) -> String {
    let ours = if spec.ours { " (ours)" } else { "" };
    let negative = spec.negative.map_or_else(String::new, |name| format!(" `--{name}`: {}", spec.negative_help));
    format!("{}{negative}{ours}", cell(spec.help))
}

fn write_chat(text: &mut String) {
    text.push_str(
        "\n## Options of `aiperf chat`\n\n[chat.md](chat.md) shows a conversation.\n\n\
         | option | takes | default | meaning |\n|---|---|---|---|\n",
    );
    for row in &chat::OPTIONS {
        let short = row.action.short.map(|short| format!("` `-{short}")).unwrap_or_default();
        let _ = writeln!(text, "{}", row.markdown(&format!("--{}{short}", row.name), row.value));
    }
}

fn write_compare(text: &mut String) {
    text.push_str(
        "\n## Options of `aiperf compare` and `aiperf gate`\n\n[comparing.md](comparing.md) says what the verdicts mean.\n\n\
         | option | takes | default | meaning |\n|---|---|---|---|\n",
    );
    for row in compare::OPTIONS.iter().chain(&compare::GATE_OPTIONS) {
        let _ = writeln!(text, "{}", row.markdown(&format!("--{}", row.name), row.value));
    }
}

/// The options of a command whose help names their defaults.
fn write_arguments(text: &mut String, command: &Command) {
    text.push_str("| option | takes | meaning |\n|---|---|---|\n");
    for argument in command.get_arguments() {
        let value = argument.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
        let takes = if argument.get_action().takes_values() { value } else { "flag" };
        let spelling = match argument.get_long() {
            Some(long) => format!("`--{long}`"),
            None => format!("`{value}`"),
        };
        let short = argument.get_short().map(|short| format!(" `-{short}`")).unwrap_or_default();
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "| {spelling}{short} | {takes} | {} |", cell(&help));
    }
}

fn write_plot(text: &mut String) {
    text.push_str(
        "\n## Options of `aiperf plot`\n\n[plots.md](plots.md) shows the charts and explains the configuration.\n\n\
         | option | takes | default | meaning |\n|---|---|---|---|\n",
    );
    for row in &plot::OPTIONS {
        let _ = writeln!(text, "{}", row.markdown(&format!("--{}", row.name), row.value));
    }
}

fn write_selftest(text: &mut String) {
    text.push_str(
        "\n## Options of `aiperf selftest`\n\n[selftest.md](selftest.md) says what is measured and what the verdict means.\n\n\
         | option | takes | default | meaning |\n|---|---|---|---|\n",
    );
    for row in SELFTEST_OPTIONS {
        let _ = writeln!(text, "{}", row.markdown(&format!("--{}", row.flag()), row.value));
    }
}

fn write_sim(text: &mut String) {
    text.push_str(
        "\n## Options of `aiperf sim`\n\n[sim.md](sim.md) explains them; after `sim:?` they are written with `_` instead of `-`.\n\n\
         | option | takes | default | meaning |\n|---|---|---|---|\n\
         | `--host` | ADDRESS | 127.0.0.1 | Address to listen on; not after `sim:?` |\n\
         | `--port` `-p` | PORT | 8000 | Port to listen on, 0 for a free one; not after `sim:?` |\n",
    );
    for row in SIM_OPTIONS {
        let _ = writeln!(text, "{}", row.markdown(&format!("--{}", row.flag()), row.value));
    }
}

fn spellings(spec: &OptionSpec) -> String {
    let aliases = spec.long.iter().filter(|name| **name != spec.name());
    let long = [spec.name()].into_iter().chain(aliases.copied()).chain(spec.negative).map(|name| format!("`--{name}`"));
    long.chain(spec.short.map(|short| format!("`-{short}`"))).collect::<Vec<_>>().join(" ")
}

fn takes(spec: &OptionSpec) -> String {
    let mut text = match spec.value {
        ValueKind::Flag => "flag".to_owned(),
        ValueKind::Int => "whole number".to_owned(),
        ValueKind::Float => "number".to_owned(),
        ValueKind::Text => "text".to_owned(),
        ValueKind::Path => "path".to_owned(),
        ValueKind::Choice(members) | ValueKind::Literal(members) => members.join(", "),
        ValueKind::KeyValues => "`name:value` or JSON".to_owned(),
    };
    if !spec.range.is_unbounded() {
        let _ = write!(text, ", {}", spec.range);
    }
    if let Some(unit) = spec.unit {
        let _ = write!(text, ", in {unit}");
    }
    match spec.arity {
        Arity::One => {}
        Arity::Sweep(_) => text.push_str("; sweep"),
        Arity::List(form) if form.tokens == aiperf_options::catalogue::Tokens::One => text.push_str("; list"),
        Arity::List(_) => text.push_str("; list, several"),
    }
    text
}

/// Bars would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[test]
fn docs_cli_md_says_what_the_catalogue_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let wanted = manual();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/cli.md is out of date; UPDATE_DOCS=1 cargo test -p aiperf writes it again");
}
