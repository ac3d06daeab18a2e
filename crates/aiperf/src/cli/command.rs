//! The clap commands, built from the catalogue.

use aiperf_config::catalogue::{Arity, OptionSpec, Tokens, ValueKind, groups};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};

use super::sim::{self, SimFlag};
use super::{chat, compare, report, selftest, trace};

pub(super) const INSTALL_COMPLETION: &str = "install-completion";
pub(super) const SHELL: &str = "shell";
pub(super) const OUTPUT: &str = "output";

/// Members are spelled out for completions only: what a user may type is wider, and `aiperf-config` reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Parsing,
    Completing,
}

pub(super) fn program(sim_flags: &[SimFlag], purpose: Purpose) -> Command {
    Command::new("aiperf")
        .about("Benchmarks generative-AI inference servers")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .arg(Arg::new("version").long("version").action(ArgAction::Version).help("Print the version"))
        .args(completion_args())
        .subcommand(profile(purpose))
        .subcommand(chat::command())
        .subcommand(selftest::command())
        .subcommand(sim::command(sim_flags))
        .subcommand(report::command())
        .subcommand(compare::command())
        .subcommand(compare::gate_command())
        .subcommands(trace::commands())
        .subcommand(
            Command::new(crate::genai_perf::NAME)
                .about("Take the command line of GenAI-Perf, show the one that it becomes, and run it")
                .disable_version_flag(true)
                .disable_help_flag(true),
        )
        .subcommand(
            Command::new("completions")
                .about("Print a script that completes this program's options in a shell")
                .disable_version_flag(true)
                .arg(shell_arg().index(1).required(true)),
        )
}

fn completion_args() -> [Arg; 3] {
    [
        Arg::new(INSTALL_COMPLETION)
            .long(INSTALL_COMPLETION)
            .action(ArgAction::SetTrue)
            .help("Write a completion script to where the shell looks for it"),
        shell_arg().long(SHELL).requires(INSTALL_COMPLETION),
        Arg::new(OUTPUT)
            .long(OUTPUT)
            .short('o')
            .requires(INSTALL_COMPLETION)
            .value_name("PATH")
            .value_hint(ValueHint::FilePath)
            .help("Where to write that script instead"),
    ]
}

fn shell_arg() -> Arg {
    Arg::new(SHELL).value_name("SHELL").value_parser(["bash", "zsh", "fish"]).help("Shell to complete in")
}

/// `aiperf profile` with all options of the catalogue; those that are not built are hidden.
pub(super) fn profile(purpose: Purpose) -> Command {
    let mut command = Command::new("profile")
        .about("Run a benchmark")
        .disable_version_flag(true)
        .next_line_help(true)
        .override_usage("aiperf profile --model <NAME> --url <URL> [OPTIONS]");
    for group in groups() {
        for spec in group.options {
            command = command.arg(arg(spec, purpose).help_heading(group.title));
            if let Some(negative) = spec.negative {
                command = command.arg(
                    Arg::new(negative)
                        .long(negative)
                        .action(ArgAction::SetTrue)
                        .hide(!spec.is_supported())
                        .help_heading(group.title)
                        .conflicts_with(spec.long[0]),
                );
            }
        }
    }
    command
}

/// Arguments are known to clap by their canonical names.
fn arg(spec: &'static OptionSpec, purpose: Purpose) -> Arg {
    let mut arg = Arg::new(spec.long[0])
        .long(spec.name())
        .visible_aliases(spec.long.iter().copied().filter(|name| *name != spec.name()).collect::<Vec<_>>())
        .help(help(spec))
        .hide(!spec.is_supported())
        .allow_negative_numbers(matches!(spec.value, ValueKind::Int | ValueKind::Float))
        .value_name(value_name(spec));
    // Two-letter shorts are rewritten before clap sees them.
    if let Some(short) = spec.short.filter(|short| short.len() == 1).and_then(|short| short.chars().next()) {
        arg = arg.short(short);
    }
    arg = match (spec.value, spec.arity) {
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
        ValueKind::Text => "TEXT",
        ValueKind::Path => "PATH",
        ValueKind::Choice(_) | ValueKind::Literal(_) => "CHOICE",
        ValueKind::KeyValues => "NAME:VALUE",
    }
}

fn help(spec: &OptionSpec) -> String {
    let members = match spec.value {
        ValueKind::Choice(members) | ValueKind::Literal(members) if (2..=8).contains(&members.len()) => {
            Some(format!("[{}]", members.join(", ")))
        }
        _ => None,
    };
    let short = spec.short.filter(|letters| letters.len() > 1).map(|letters| format!("[short: -{letters}]"));
    let default = spec.default.map(|default| format!("[default: {default}]"));
    [Some(spec.help.to_owned()), members, short, default].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
