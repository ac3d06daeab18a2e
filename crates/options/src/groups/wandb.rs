//! The Weights & Biases run that a benchmark is written as.

use aiperf_config::WandbConfig;

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// Characters that Weights & Biases does not allow in the name of a project.
const FORBIDDEN: [char; 6] = ['/', '\\', '#', '?', '%', ':'];

pub(super) fn resolve(raw: &RawOptions) -> Result<Option<WandbConfig>, ConfigError> {
    let project = OptionId::WandbProject;
    let Some(name) = raw.text(project).map(str::trim) else {
        let others = [OptionId::WandbEntity, OptionId::WandbRunName, OptionId::WandbTag];
        return match others.into_iter().find(|other| raw.is_given(*other)) {
            Some(other) => Err(raw.needs(other, project, "it describes a run of Weights & Biases")),
            None => Ok(None),
        };
    };
    if name.is_empty() || name.contains(FORBIDDEN) {
        return Err(raw.bad(project, name, "give the name of a project, without / \\ # ? % :"));
    }
    let named = |id| match raw.text(id).map(str::trim) {
        Some("") => Err(raw.bad(id, "", "the text is empty; give one or leave out the option")),
        given => Ok(given.map(ToOwned::to_owned)),
    };
    Ok(Some(WandbConfig {
        project: name.to_owned(),
        entity: named(OptionId::WandbEntity)?,
        run_name: named(OptionId::WandbRunName)?,
        tags: raw.list(OptionId::WandbTag).into_iter().map(ToOwned::to_owned).collect(),
    }))
}
