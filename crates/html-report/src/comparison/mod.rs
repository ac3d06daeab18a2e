//! The report of a comparison: the rows of `aiperf compare`, and what the runs look like next to each other.

mod settings;
mod side;

use std::path::{Path, PathBuf};

use aiperf_compare::{ComparisonReport, Format, Page};
use serde_json::{Value, json};

use self::side::SidePicture;
use crate::HtmlReportError;
use crate::page::{self, PageKind};
use crate::payload::ColumnStore;

/// The page of a comparison. `folders`: the baseline first, each as the user wrote it and where it is. `version`: this program's
/// own.
pub fn comparison_page(
    report: &ComparisonReport,
    folders: &[(PathBuf, PathBuf)],
    version: &str,
) -> Result<String, HtmlReportError> {
    let rows = Page { report, gate: None, version }.render(Format::Json);
    let rows: Value = serde_json::from_str(&rows).unwrap_or_default();
    let mut sides = Vec::new();
    for (name, place) in folders {
        sides.push(SidePicture::read(name, place)?);
    }
    let configs: Vec<&Value> = sides.iter().map(|side| &side.input_config).collect();
    let names: Vec<String> = folders.iter().map(|(name, _)| shown(name)).collect();
    let head = json!({
        "kind": "comparison",
        "meta": {
            "title": format!("{} compared with {}", names.iter().skip(1).cloned().collect::<Vec<_>>().join(", "), names.first().cloned().unwrap_or_default()),
            "made_by": format!("aiperf {version}"),
        },
        "comparison": rows,
        "sides": sides.iter().map(SidePicture::json).collect::<Vec<_>>(),
        "settings": settings::differences(&configs),
    });
    let title = format!("{} – aiperf comparison", head["meta"]["title"].as_str().unwrap_or("Comparison"));
    page::write(PageKind::Comparison, &title, &head, &ColumnStore::default())
}

fn shown(name: &Path) -> String {
    name.display().to_string()
}
