//! Names that plugin packs add: what they stand for takes their place before the rules about options are applied.

use std::borrow::Cow;

use aiperf_config::Environment;
use aiperf_protocol::EndpointKind;

use crate::catalogue::{OptionId, OptionSpec, ValueKind, options};
use crate::{ConfigError, RawOptions};

/// Plugins: packs of the user's.
pub(crate) const PLUGINS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::PluginDir,
    &["plugin-dir"],
    ValueKind::Path,
    "Folder with plugin packs, in addition to the plugins folder of your configuration. Repeatable.",
)
.repeatable()
.ours()
.supported()];

/// The options with every name of a pack replaced by what it stands for.
pub(super) fn apply<'r>(raw: &'r RawOptions, environment: &Environment) -> Result<Cow<'r, RawOptions>, ConfigError> {
    let extensions = &environment.extensions;
    let unread = raw.tokens(OptionId::PluginDir).iter().find(|folder| !extensions.folders.contains(folder));
    if let Some(folder) = unread {
        return Err(raw.bad(OptionId::PluginDir, folder, "give the folder on the command line of this program"));
    }
    let typed = raw;
    let raw = set_recipe(Cow::Borrowed(raw), environment)?;
    let raw = set_objectives(raw, environment);
    let raw = unset_planner(raw, environment);
    let mut raw = set_rows(raw, environment)?;
    if let Cow::Owned(raw) = &mut raw {
        raw.remember_typed(typed);
    }
    Ok(raw)
}

fn set_recipe<'r>(raw: Cow<'r, RawOptions>, environment: &Environment) -> Result<Cow<'r, RawOptions>, ConfigError> {
    let id = OptionId::SearchRecipe;
    let Some(recipe) = raw.text(id).and_then(|name| environment.extensions.recipe(name)) else { return Ok(raw) };
    let mut raw = raw.into_owned();
    raw.remove(id);
    for (name, values) in &recipe.options {
        let Some(spec) = options().find(|spec| spec.long.contains(&name.as_str())) else {
            return Err(ConfigError::Unknown { flag: format!("--{name}") });
        };
        if !raw.is_given(spec.id) {
            let spelling = format!("{} (set by {} {})", spec.id.flag(), id.flag(), recipe.name);
            raw.push(spec.id, spelling, values.clone());
        }
    }
    Ok(Cow::Owned(raw))
}

/// `--goodput NAME` and `--slo NAME` stand for the limits of the set with this name; limits may stand next to it.
fn set_objectives<'r>(mut raw: Cow<'r, RawOptions>, environment: &Environment) -> Cow<'r, RawOptions> {
    let set = |word: &str| environment.extensions.slo_set(word).map(str::to_owned);
    for id in [OptionId::Goodput, OptionId::Slo] {
        let has_name = |text: &String| text.split_whitespace().any(|word| set(word).is_some());
        if !raw.tokens(id).iter().any(has_name) {
            continue;
        }
        let limits = |text: &String| {
            let words = text.split_whitespace().map(|word| set(word).unwrap_or_else(|| word.to_owned()));
            words.collect::<Vec<_>>().join(" ")
        };
        let values = raw.tokens(id).iter().map(limits).collect();
        raw.to_mut().set(id, id.flag(), values);
    }
    raw
}

/// A planner of a pack is not among those that the rules about options know.
fn unset_planner<'r>(raw: Cow<'r, RawOptions>, environment: &Environment) -> Cow<'r, RawOptions> {
    if planner(&raw, environment).is_none() {
        return raw;
    }
    let mut raw = raw.into_owned();
    raw.remove(OptionId::SearchPlanner);
    Cow::Owned(raw)
}

/// The planner of a pack that was asked for.
pub(super) fn planner(raw: &RawOptions, environment: &Environment) -> Option<String> {
    let name = raw.text(OptionId::SearchPlanner)?;
    environment.extensions.process("search_planner", name).map(|process| process.name.clone())
}

/// A loader writes its rows to a file, which is then read like any other.
fn set_rows<'r>(raw: Cow<'r, RawOptions>, environment: &Environment) -> Result<Cow<'r, RawOptions>, ConfigError> {
    let id = OptionId::CustomDatasetType;
    let Some((loaders, name)) = raw.text(id).and_then(|name| environment.extensions.loader(name)) else {
        return Ok(raw);
    };
    let rows = loaders.load(&name, raw.text(OptionId::InputFile)).map_err(|problem| raw.bad(id, &name, &problem))?;
    let mut raw = raw.into_owned();
    raw.set(id, format!("{} {name}", id.flag()), vec![rows.format.name().to_owned()]);
    raw.set(OptionId::InputFile, OptionId::InputFile.flag(), vec![rows.path.display().to_string()]);
    Ok(Cow::Owned(raw))
}

/// The endpoint type that was asked for.
pub(super) fn endpoint(raw: &RawOptions, environment: &Environment) -> Result<EndpointKind, ConfigError> {
    let id = OptionId::EndpointType;
    let Some(text) = raw.text(id) else { return Ok(EndpointKind::Chat) };
    let built_in = EndpointKind::from_name(text);
    built_in.or_else(|| environment.extensions.endpoint(text)).ok_or_else(|| {
        let declared = environment.extensions.endpoints.iter().map(|kind| kind.facts().name);
        let names: Vec<&str> = EndpointKind::NAMES.iter().copied().chain(declared).collect();
        raw.bad(id, text, &super::read::choose_one_of(&names, text))
    })
}

/// The user's headers, and those of a declared endpoint type that the user does not set.
pub(super) fn headers(mut given: Vec<(String, String)>, kind: EndpointKind) -> Vec<(String, String)> {
    let EndpointKind::Declared(endpoint) = kind else { return given };
    for (name, value) in &endpoint.declaration().headers {
        if !given.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            given.push((name.clone(), value.clone()));
        }
    }
    given
}
