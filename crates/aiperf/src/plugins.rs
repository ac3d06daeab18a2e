//! The plugin packs of this process, and `aiperf plugins`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use aiperf_config::{Environment, Experiment, same_name};
use aiperf_plugin::{CATEGORIES, Category, EntryCheck, PackSet, ProcessPlanner, starter, user_folder, validate};
use aiperf_search::Planner;
use aiperf_table::{Align, aligned};
use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::cli::{PLUGIN_DIR, PluginsInvocation};

/// The commands that use packs.
const COMMANDS: [&str; 5] = ["profile", "capacity", "plot", "plugins", "config"];
/// Source of an entry that is part of the program.
const BUILT_IN: &str = "aiperf";

/// Reads the packs before the command line is read, because they add to the names that options accept. Packs that cannot be used
/// are one warning each.
pub(crate) fn load(args: &[OsString], environment: &Environment) -> anyhow::Result<PackSet> {
    let words: Vec<&str> = args.iter().skip(1).filter_map(|word| word.to_str()).collect();
    let Some(command) = words.first().filter(|command| COMMANDS.contains(command)) else {
        return Ok(PackSet::default());
    };
    let packs = PackSet::load(user_folder(&environment.variables).as_deref(), &named_folders(&words))?;
    if *command != "plugins" {
        for problem in &packs.problems {
            eprintln!("warning: a plugin pack is left out: {problem}");
        }
    }
    Ok(packs)
}

/// Where the rows of loaders are stored while the command runs.
pub(crate) fn rows_folder(environment: &Environment) -> PathBuf {
    let set = |name: &str| environment.variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    cache.map_or_else(env::temp_dir, |cache| cache.join("aiperf").join("plugins"))
}

/// The planner of a pack that a search names, started and told about the search.
pub(crate) fn planner(experiment: &Experiment, environment: &Environment) -> anyhow::Result<Option<Box<dyn Planner>>> {
    let Some(spec) = experiment.search.as_ref().map(|search| &search.spec) else { return Ok(None) };
    let Some(name) = &spec.plugin else { return Ok(None) };
    let category = "search_planner";
    let process = environment.extensions.process(category, name).with_context(|| format!("no planner {name}"))?;
    let settings = aiperf_search::search_settings(spec);
    let planner = ProcessPlanner::start(name, &process.command, &spec.space, &settings)
        .with_context(|| format!("plugin {category}:{name}"))?;
    Ok(Some(Box::new(planner)))
}

/// The values of `--plugin-dir`.
fn named_folders(words: &[&str]) -> Vec<String> {
    let mut folders = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--") else { continue };
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        if same_name(name, PLUGIN_DIR) {
            folders.extend(value.or_else(|| words.next().copied()).map(str::to_owned));
        }
    }
    folders
}

/// One row of a listing.
struct Listed {
    category: &'static str,
    name: String,
    source: String,
    description: String,
}

pub(crate) fn run(asked: &PluginsInvocation, packs: &PackSet) -> anyhow::Result<ExitCode> {
    match asked {
        PluginsInvocation::New { category, name, output } => create(category, name.as_deref(), output.as_ref()),
        PluginsInvocation::Validate { json } => check(packs, *json),
        PluginsInvocation::List { category: Some(category), name, json, .. } => {
            list_category(packs, category_of(category)?, name.as_deref(), *json)
        }
        PluginsInvocation::List { category: None, all, json, .. } => list(packs, *all, *json),
    }
}

fn category_of(name: &str) -> anyhow::Result<&'static Category> {
    let Some(category) = Category::named(name) else {
        let names: Vec<&str> = CATEGORIES.iter().map(|category| category.name).collect();
        bail!("{name:?} is not a category of plugins; the categories are {}", names.join(", "));
    };
    Ok(category)
}

fn entries(packs: &PackSet, category: &'static Category) -> Vec<Listed> {
    let built_in = category.built_in().into_iter().map(|entry| Listed {
        category: category.name,
        name: entry.name,
        source: BUILT_IN.to_owned(),
        description: entry.description,
    });
    let added = packs.entries().filter(|(_, entry)| entry.category.name == category.name).map(|(pack, entry)| Listed {
        category: category.name,
        name: entry.name.clone(),
        source: pack.path.display().to_string(),
        description: entry.description.clone(),
    });
    built_in.chain(added).collect()
}

impl Listed {
    fn to_json(&self) -> Value {
        let Self { category, name, source, description } = self;
        json!({"category": category, "name": name, "source": source, "description": description})
    }
}

/// The packs; with `all`, the entries of every category.
fn list(packs: &PackSet, all: bool, as_json: bool) -> anyhow::Result<ExitCode> {
    if as_json {
        let entries: Vec<Value> =
            CATEGORIES.iter().flat_map(|category| entries(packs, category)).map(|entry| entry.to_json()).collect();
        return print_json(&json!({"packs": pack_list(packs), "entries": entries, "problems": packs.problems}));
    }
    let mut lines = if all {
        let row = |category: &'static Category| {
            let names: Vec<String> = entries(packs, category).into_iter().map(|entry| entry.name).collect();
            let names =
                if names.is_empty() { category.note().unwrap_or_default().to_owned() } else { names.join(", ") };
            [category.name.to_owned(), names]
        };
        let rows: Vec<[String; 2]> =
            [["Category".to_owned(), "Entries".to_owned()]].into_iter().chain(CATEGORIES.iter().map(row)).collect();
        aligned(&rows, [Align::Left, Align::Left])
    } else {
        let head = ["Pack", "Plugins", "Description", "File"].map(str::to_owned);
        let count = CATEGORIES.iter().map(|category| category.built_in().len()).sum::<usize>();
        let own = [BUILT_IN.to_owned(), count.to_string(), "built into this program".to_owned(), String::new()];
        let row = |pack: &aiperf_plugin::Pack| {
            [
                pack.name.clone(),
                pack.entries.len().to_string(),
                pack.description.clone(),
                pack.path.display().to_string(),
            ]
        };
        let rows: Vec<[String; 4]> = [head, own].into_iter().chain(packs.packs.iter().map(row)).collect();
        aligned(&rows, [Align::Left, Align::Right, Align::Left, Align::Left])
    };
    lines.extend(packs.problems.iter().map(|problem| format!("left out: {problem}")));
    print_lines(&lines)
}

fn pack_list(packs: &PackSet) -> Vec<Value> {
    let pack = |pack: &aiperf_plugin::Pack| {
        json!({
            "name": pack.name, "file": pack.path.display().to_string(), "description": pack.description,
            "plugins": pack.entries.len(),
        })
    };
    packs.packs.iter().map(pack).collect()
}

fn list_category(
    packs: &PackSet,
    category: &'static Category,
    name: Option<&str>,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let entries = entries(packs, category);
    if let Some(name) = name {
        let Some(entry) = entries.iter().find(|entry| same_name(&entry.name, name)) else {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            bail!("{} has no entry {name:?}; its entries are {}", category.name, names.join(", "));
        };
        if as_json {
            return print_json(&entry.to_json());
        }
        let rows = [("Type", &entry.name), ("Source", &entry.source), ("Description", &entry.description)];
        let mut rows: Vec<[String; 2]> = rows.into_iter().map(|(key, value)| [key.to_owned(), value.clone()]).collect();
        rows.insert(1, ["Category".to_owned(), category.name.to_owned()]);
        return print_lines(&aligned(&rows, [Align::Left, Align::Left]));
    }
    if as_json {
        return print_json(&Value::Array(entries.iter().map(Listed::to_json).collect()));
    }
    let mut lines = vec![format!("{}: {}", category.name, category.description)];
    if let Some(note) = category.note().filter(|_| entries.is_empty()) {
        lines.push(format!("{} is {note}.", category.name));
    } else {
        let head = ["Type", "Source", "Description"].map(str::to_owned);
        let rows = entries.into_iter().map(|entry| [entry.name, entry.source, entry.description]);
        let rows: Vec<[String; 3]> = [head].into_iter().chain(rows).collect();
        lines.extend(aligned(&rows, [Align::Left, Align::Left, Align::Left]));
    }
    if category.takes_packs() {
        lines.push(format!("Begin your own with: aiperf plugins new {}", category.name));
    }
    print_lines(&lines)
}

/// The self-tests of all packs.
fn check(packs: &PackSet, as_json: bool) -> anyhow::Result<ExitCode> {
    let checks = validate(packs);
    let is_fine = packs.problems.is_empty() && checks.iter().all(|check| check.problem.is_none());
    let code = if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if as_json {
        let row = |EntryCheck { category, name, problem }: &EntryCheck| json!({"category": category, "name": name, "problem": problem});
        let checks: Vec<Value> = checks.iter().map(row).collect();
        print_json(&json!({"entries": checks, "problems": packs.problems}))?;
        return Ok(code);
    }
    let mut lines: Vec<String> = packs.problems.iter().map(|problem| format!("(FAIL) {problem}")).collect();
    lines.extend(checks.iter().map(|EntryCheck { category, name, problem }| match problem {
        None => format!("(OK) {category}:{name}"),
        Some(problem) => format!("(FAIL) {category}:{name} - {problem}"),
    }));
    if lines.is_empty() {
        lines.push("no plugin packs found; begin one with: aiperf plugins new CATEGORY".to_owned());
    }
    print_lines(&lines)?;
    Ok(code)
}

/// Writes a pack to begin with. An existing file is not replaced.
fn create(category: &str, name: Option<&str>, output: Option<&PathBuf>) -> anyhow::Result<ExitCode> {
    let category = category_of(category)?;
    let usual = format!("my_{}", category.name);
    let name = name.unwrap_or(&usual);
    let Some(files) = starter(category, name) else {
        bail!("packs cannot add to {}; they can add to {}", category.name, aiperf_plugin::pack_categories().join(", "));
    };
    let folder = output.cloned().unwrap_or_else(|| PathBuf::from(name));
    if let Some(file) = files.iter().find(|file| folder.join(file.name).exists()) {
        bail!("{} exists; choose another name or --output FOLDER", folder.join(file.name).display());
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut lines = Vec::new();
    for file in &files {
        let path = folder.join(file.name);
        fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
        lines.push(path.display().to_string());
    }
    lines.push(format!("Check it with: aiperf plugins --validate --plugin-dir {}", folder.display()));
    print_lines(&lines)
}

fn print_lines(lines: &[String]) -> anyhow::Result<ExitCode> {
    let text: String = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect::<Vec<_>>().concat();
    crate::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn print_json(value: &Value) -> anyhow::Result<ExitCode> {
    crate::print((serde_json::to_string_pretty(value)? + "\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
