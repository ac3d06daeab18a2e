//! The clap commands, built from the catalogue.

use aiperf_option_table::OptionRow;
use aiperf_options::catalogue::{Arity, OptionId, OptionSpec, Tokens, ValueKind, groups};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};

use super::sim;
use super::{
    HELP, analyze, attach, capacity, chat, compare, config, doctor, help, init, man_pages, merge, node, plot, plugins,
    report, selftest, speed_bench_report, trace,
};
use crate::build::VERSION;

pub(super) const INSTALL_COMPLETION: &str = "install-completion";
pub(super) const SHELL: &str = "shell";
pub(super) const OUTPUT: &str = "output";

/// Members are spelled out for completions only: what a user may type is wider, and `aiperf-config` reads it. What is
/// refused by name is known to the parser only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Parsing,
    Completing,
}

/// Lines are not longer than this, however wide the terminal is.
const MOST_COLUMNS: usize = 120;
/// Below this names and texts do not fit side by side.
const ROOM_FOR_TWO_COLUMNS: usize = 100;
/// Values of an option that a short page lists; of more it shows the first.
const MOST_VALUES: usize = 6;
/// A default that is longer than this is an explanation, which the long page has.
const LONGEST_DEFAULT: usize = 25;

/// The argument that a row of an option table describes; `value` is how its value is shown.
pub(super) fn option_arg<A>(row: &OptionRow<A>, value: &'static str) -> Arg {
    let arg = Arg::new(row.flag()).long(row.flag()).help(row.help_with_default());
    if row.value.is_empty() {
        return arg.action(ArgAction::SetTrue);
    }
    arg.value_name(value).allow_negative_numbers(true)
}

pub(super) fn program(purpose: Purpose) -> Command {
    Command::new("aiperf")
        .about("Benchmark generative-AI inference servers")
        .max_term_width(MOST_COLUMNS)
        .after_help(help::PROGRAM_EXAMPLES)
        .version(VERSION)
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .arg(Arg::new("version").long("version").short('V').action(ArgAction::Version).help("Print the version"))
        .args(completion_args())
        .subcommand(profile(purpose))
        .subcommand(capacity::command(purpose))
        .subcommand(chat::command())
        .subcommand(init::command())
        .subcommand(doctor::command())
        .subcommand(selftest::command())
        .subcommand(sim::command())
        .subcommand(report::command())
        .subcommand(merge::command())
        .subcommand(node::command())
        .subcommand(attach::command())
        .subcommand(analyze::command())
        .subcommand(config::command(purpose))
        .subcommand(plot::command(purpose))
        .subcommand(plugins::command())
        .subcommand(speed_bench_report::command())
        .subcommand(compare::command())
        .subcommand(compare::gate_command())
        .subcommands(trace::commands())
        .subcommand(
            Command::new(aiperf_genai_perf::NAME)
                .about("Run a GenAI-Perf command line; shows the `aiperf profile` line that it becomes")
                .disable_version_flag(true)
                .disable_help_flag(true),
        )
        .subcommand(
            Command::new("completions")
                .about("Print a shell completion script")
                .disable_version_flag(true)
                .arg(shell_arg().index(1).required(true)),
        )
        .subcommand(man_pages::command())
        .subcommand(
            Command::new(HELP)
                .about("Print the help of a command: `aiperf help profile`")
                .disable_version_flag(true)
                .disable_help_flag(true)
                .arg(Arg::new("command").num_args(0..).value_name("COMMAND").help("Command to describe")),
        )
}

fn completion_args() -> [Arg; 3] {
    [
        Arg::new(INSTALL_COMPLETION)
            .long(INSTALL_COMPLETION)
            .action(ArgAction::SetTrue)
            .help("Install a shell completion script where the shell looks for it"),
        shell_arg().long(SHELL).requires(INSTALL_COMPLETION),
        Arg::new(OUTPUT)
            .long(OUTPUT)
            .short('o')
            .requires(INSTALL_COMPLETION)
            .value_name("PATH")
            .value_hint(ValueHint::FilePath)
            .help("File to write the completion script to, instead of where the shell looks for it"),
    ]
}

fn shell_arg() -> Arg {
    Arg::new(SHELL)
        .value_name("SHELL")
        .value_parser(["bash", "zsh", "fish", "powershell"])
        .help("Shell that the completion script is for")
}

fn profile_base() -> Command {
    Command::new("profile")
        .about("Run a benchmark")
        .disable_version_flag(true)
        .override_usage("aiperf profile --model <NAME> --url <URL> [OPTIONS]")
}

/// `aiperf profile` with all options of the catalogue; those that are not built are hidden.
pub(super) fn profile(purpose: Purpose) -> Command {
    let command = profile_base().next_line_help(true).after_help(help::PROFILE_EXAMPLES);
    with_options(command, purpose, OptionSpec::is_supported)
}

/// Adds all options of the catalogue; those that are not shown are hidden, and left out of completions.
pub(super) fn with_options(mut command: Command, purpose: Purpose, is_shown: fn(&OptionSpec) -> bool) -> Command {
    for group in groups() {
        for spec in group.options.iter().filter(|spec| purpose == Purpose::Parsing || is_shown(spec)) {
            command = command.arg(arg(spec, purpose).hide(!is_shown(spec)).help_heading(group.title));
            if let Some(negative) = spec.negative {
                command = command.arg(
                    Arg::new(negative)
                        .long(negative)
                        .action(ArgAction::SetTrue)
                        .help(spec.negative_help)
                        .hide(!is_shown(spec))
                        .help_heading(group.title)
                        .conflicts_with(spec.long[0]),
                );
            }
        }
    }
    command
}

/// `aiperf profile` with the options that people use most, for a page of help.
pub(super) fn brief_profile(columns: usize) -> Command {
    brief(profile_base(), &help::BRIEF, &format!("{}\n\n{}", help::PROFILE_EXAMPLES, help::MORE), columns)
}

/// A command with some options by heading, and what follows them.
pub(super) fn brief(base: Command, options: &[(&'static str, &[OptionId])], after: &str, columns: usize) -> Command {
    let mut command = base
        .term_width(columns.min(MOST_COLUMNS))
        .next_line_help(columns < ROOM_FOR_TWO_COLUMNS)
        .disable_help_flag(true);
    for (title, ids) in options {
        for spec in ids.iter().map(|id| id.spec()) {
            command = command.arg(named(spec).help(brief_text(spec)).help_heading(*title));
        }
    }
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort).help_heading("Help");
    command.arg(help.help("Print this page (-h) or all options (--help)")).after_help(after.to_owned())
}

/// Arguments are known to clap by their canonical names.
fn arg(spec: &'static OptionSpec, purpose: Purpose) -> Arg {
    let arg = named(spec)
        .visible_aliases(spec.long.iter().copied().filter(|name| *name != spec.name()).collect::<Vec<_>>())
        .help(help_text(spec))
        .allow_negative_numbers(matches!(spec.value, ValueKind::Int | ValueKind::Float));
    let arg = match (spec.value, spec.arity) {
        (ValueKind::Flag, _) => arg
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .hide_possible_values(true),
        (_, Arity::List(form)) => {
            let arg = arg.action(ArgAction::Append);
            match form.tokens {
                Tokens::One => arg.num_args(1),
                Tokens::OneOrMore => arg.num_args(1..),
                Tokens::Any => arg.num_args(0..),
            }
        }
        _ => arg.action(ArgAction::Set).num_args(1),
    };
    match spec.value {
        ValueKind::Path => arg.value_hint(ValueHint::AnyPath),
        ValueKind::Choice(members) | ValueKind::Literal(members) if purpose == Purpose::Completing => {
            arg.value_parser(PossibleValuesParser::new(members))
        }
        _ => arg,
    }
}

/// With its usual name and its letter; two-letter ones are rewritten before clap sees them.
fn named(spec: &'static OptionSpec) -> Arg {
    let letter = spec.short.filter(|short| short.len() == 1).and_then(|short| short.chars().next());
    let arg = Arg::new(spec.long[0]).long(spec.name()).short(letter).value_name(value_name(spec));
    if spec.value == ValueKind::Flag { arg.num_args(0) } else { arg }
}

fn value_name(spec: &OptionSpec) -> &'static str {
    match spec.value {
        ValueKind::Flag => "BOOL",
        ValueKind::Int | ValueKind::Float => match spec.unit {
            Some("s") => "SECONDS",
            Some("ms") => "MS",
            Some("tokens") => "TOKENS",
            Some("req/s") => "PER_SECOND",
            _ => "N",
        },
        ValueKind::Text => match spec.id {
            OptionId::Url => "URL",
            OptionId::ModelNames | OptionId::Tokenizer => "NAME",
            OptionId::Goodput => "LIMITS",
            OptionId::Slo => "METRIC:LIMIT",
            OptionId::Precision => "PERCENT",
            OptionId::Strict => "CODE",
            _ => "TEXT",
        },
        ValueKind::Path => "PATH",
        ValueKind::Choice(_) | ValueKind::Literal(_) => "CHOICE",
        ValueKind::KeyValues => "NAME:VALUE",
    }
}

/// All that is to be said of an option.
fn help_text(spec: &OptionSpec) -> String {
    let members = spec.members();
    let values = (!members.is_empty()).then(|| format!("[values: {}]", members.join(", ")));
    let short = spec.short.filter(|letters| letters.len() > 1).map(|letters| format!("[short: -{letters}]"));
    let default = spec.default.map(|default| format!("[default: {default}]"));
    [Some(spec.help.to_owned()), values, short, default].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The same in one line or two.
fn brief_text(spec: &OptionSpec) -> String {
    let values = match spec.members() {
        [] => None,
        // The text names them.
        members if members.iter().any(|member| spec.summary().contains(&format!("`{member}`"))) => None,
        members if members.len() > MOST_VALUES => Some(format!("[{}, ...]", members[..MOST_VALUES].join(", "))),
        members => Some(format!("[{}]", members.join(", "))),
    };
    let short_default = spec.default.filter(|default| default.len() <= LONGEST_DEFAULT);
    let default = short_default.map(|default| format!("[default: {default}]"));
    [Some(spec.summary().to_owned()), values, default].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
