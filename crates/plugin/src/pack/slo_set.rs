//! A set of limits with a name, for `--goodput NAME`.

use aiperf_config_file::FileError;
use aiperf_options::read_goodput;

use super::field::{Checked, Field, Form, field, required};

pub(super) const FIELDS: &[Field] = &[
    field("description", Form::Text, "What the entry is for, in one line."),
    required("limits", Form::TextMap, "Metrics and their limits, such as time_to_first_token: 200."),
];

/// The limits as `--goodput` takes them.
pub(super) fn read(entry: &Checked<'_>) -> Result<String, FileError> {
    let pairs = entry.pairs("limits").into_iter().map(|(metric, limit)| format!("{metric}:{}", limit.concat()));
    let text = pairs.collect::<Vec<_>>().join(" ");
    read_goodput(&text).map_err(|problem| entry.problem("limits", problem))?;
    Ok(text)
}
