//! `aiperf plugins`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

pub(super) const NAME: &str = "plugins";
const WORDS: &str = "category";
const ALL: &str = "all";
const VALIDATE: &str = "validate";
const JSON: &str = "json";
const OUTPUT: &str = "output";
/// The option that every command with plugins has.
pub(crate) const PLUGIN_DIR: &str = "plugin-dir";
const NEW: &str = "new";

/// What to do about plugins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PluginsInvocation {
    /// List packs, or with a category its entries, or with a name that entry.
    List { category: Option<String>, name: Option<String>, all: bool, json: bool },
    /// Run the self-tests.
    Validate { json: bool },
    /// Write a pack to begin with.
    New { category: String, name: Option<String>, output: Option<PathBuf> },
}

pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("List plugins, check them, or begin a new one")
        .after_help(
            "Plugin packs are read from $XDG_CONFIG_HOME/aiperf/plugins (~/.config/aiperf/plugins) and from --plugin-dir.\n\
             With --validate: exit code 0 if every pack and entry passed its self-test, else 1.\n\n\
             Examples:\n  aiperf plugins --all\n  aiperf plugins endpoint\n  aiperf plugins endpoint chat\n  \
             aiperf plugins --validate --plugin-dir ./my-plugins\n  aiperf plugins new endpoint my_api",
        )
        .disable_version_flag(true)
        .override_usage("aiperf plugins [CATEGORY] [NAME] [OPTIONS]\n       aiperf plugins new CATEGORY [NAME] [--output FOLDER]")
        .arg(
            Arg::new(WORDS)
                .num_args(0..=3)
                .value_names(["CATEGORY", "NAME"])
                .help("Category, such as endpoint, and the name of an entry; or `new` with a category and a name"),
        )
        .arg(Arg::new(ALL).long(ALL).short('a').action(ArgAction::SetTrue).help("List all categories with their entries"))
        .arg(
            Arg::new(VALIDATE)
                .long(VALIDATE)
                .short('v')
                .action(ArgAction::SetTrue)
                .help("Run the self-test of every entry of your packs"),
        )
        .arg(Arg::new(JSON).long(JSON).action(ArgAction::SetTrue).help("Print JSON"))
        .arg(
            Arg::new(OUTPUT)
                .long(OUTPUT)
                .short('o')
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("With `new`: folder for the files of the pack [default: its name]"),
        )
        .arg(folder_arg())
}

/// `--plugin-dir`, whose folders were read before the command line was.
pub(super) fn folder_arg() -> Arg {
    Arg::new(PLUGIN_DIR)
        .long(PLUGIN_DIR)
        .value_name("FOLDER")
        .value_hint(ValueHint::DirPath)
        .action(ArgAction::Append)
        .help("Folder with plugin packs, in addition to the plugins folder of your configuration; repeatable")
}

pub(super) fn read(matches: &ArgMatches) -> Result<PluginsInvocation, super::CliError> {
    let words: Vec<String> = matches.get_many::<String>(WORDS).into_iter().flatten().cloned().collect();
    let [all, validate, json] = [ALL, VALIDATE, JSON].map(|flag| matches.get_flag(flag));
    let output = matches.get_one::<String>(OUTPUT).map(PathBuf::from);
    let stray =
        |word: &str, advice: &str| super::CliError::StrayWord { word: word.to_owned(), advice: advice.to_owned() };
    if words.first().is_some_and(|word| word == NEW) {
        let Some(category) = words.get(1) else {
            return Err(super::CliError::MissingValue("aiperf plugins new CATEGORY".to_owned()));
        };
        return Ok(PluginsInvocation::New { category: category.clone(), name: words.get(2).cloned(), output });
    }
    if let Some(word) = words.get(2) {
        return Err(stray(word, "aiperf plugins takes a category and a name"));
    }
    if output.is_some() {
        return Err(stray("--output", "it is for aiperf plugins new CATEGORY"));
    }
    if validate {
        return Ok(PluginsInvocation::Validate { json });
    }
    let mut words = words.into_iter();
    Ok(PluginsInvocation::List { category: words.next(), name: words.next(), all, json })
}
