//! A search recipe: options of `aiperf profile` that `--search-recipe NAME` stands for.

use aiperf_config::OptionSet;
use aiperf_config_file::{FileError, nearest};
use aiperf_options::catalogue::{OptionId, options};

use super::field::{Checked, Field, Form, field, required};

pub(super) const FIELDS: &[Field] = &[
    field("description", Form::Text, "What the entry is for, in one line."),
    required("options", Form::Words, "Options of aiperf profile, without dashes. What the user gives goes first."),
];

pub(super) fn read(name: &str, entry: &Checked<'_>) -> Result<OptionSet, FileError> {
    let options = entry.pairs("options");
    for (option, _) in &options {
        let known = self::options().find(|spec| spec.long.contains(&option.as_str()));
        match known {
            None => {
                let near = nearest(option, self::options().map(aiperf_options::catalogue::OptionSpec::name));
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(entry.problem("options", format!("`{option}` is not an option of aiperf profile{hint}")));
            }
            Some(spec) if spec.id == OptionId::PluginDir || spec.id == OptionId::Config => {
                return Err(entry.problem("options", format!("`{option}` cannot be set by a recipe")));
            }
            Some(_) => {}
        }
    }
    Ok(OptionSet { name: name.to_owned(), options })
}
