//! Several folders as one run: the records of all of them in one file, each with the node that it comes from, and every statistic
//! computed on all of them together.

mod batch;
mod copy;
pub(crate) mod node_facts;
mod node_fields;
mod node_folder;
mod origin;
mod request_ids;

use std::fs;
use std::path::{Path, PathBuf};

use aiperf_protocol::PhaseKind;
use aiperf_report::ArtifactPaths;

use self::copy::{Repeats, copy_records};
pub use self::node_folder::MergedNode;
use self::node_folder::{NodeFolder, ReadFolder};
use self::request_ids::{RequestIds, has_repeats};
use crate::origin::RunOrigin;
use crate::rebuild::{ReadBefore, rebuild_with};
use crate::seen_metrics::SeenMetrics;
use crate::{ArtifactError, Folder, RebuildOptions, Rebuilt};

/// Several folders as one.
#[derive(Debug)]
pub struct Merged {
    pub rebuilt: Rebuilt,
    pub folder: Folder,
    /// One for each folder, in their order.
    pub nodes: Vec<MergedNode>,
    /// What a reader should know about the folders.
    pub warnings: Vec<String>,
}

/// The folders that a path stands for: itself, or the `node-*` folders in it.
pub fn node_folders(dir: &Path) -> Result<Vec<PathBuf>, ArtifactError> {
    let entries = fs::read_dir(dir).map_err(ArtifactError::read(dir))?;
    let is_node = |path: &PathBuf| {
        let number = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix("node-"));
        path.is_dir() && number.is_some_and(|number| number.parse::<u64>().is_ok())
    };
    let mut nodes: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_node).collect();
    if nodes.is_empty() || Folder::open(dir).is_ok_and(|folder| folder.paths().records().exists()) {
        return Ok(vec![dir.to_owned()]);
    }
    nodes.sort_by_key(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.trim_start_matches("node-").parse::<u64>().unwrap_or(u64::MAX)
    });
    Ok(nodes)
}

/// Merges the folders into `output`, which must not have records yet. `version` is this program's own.
pub fn merge(dirs: &[PathBuf], output: &Path, asked: &RebuildOptions, version: &str) -> Result<Merged, ArtifactError> {
    let folders =
        dirs.iter().enumerate().map(|(place, dir)| NodeFolder::open(dir, place)).collect::<Result<Vec<_>, _>>()?;
    let paths = ArtifactPaths::new(output, None);
    if paths.records().exists() {
        return Err(ArtifactError::OutputInUse { folder: output.to_owned() });
    }
    fs::create_dir_all(output).map_err(ArtifactError::write(output))?;
    let (nodes, read) = copy_once(&folders, &paths.records(), asked, version)?;
    // A node that was lost early may have sent nothing, but somebody has.
    let is_empty = |node: &MergedNode| node.records + node.duplicates == 0;
    let all_empty = nodes.iter().all(is_empty);
    let empty = folders.iter().zip(&nodes).find(|(folder, node)| is_empty(node) && (all_empty || !folder.is_collected));
    if let Some((empty, _)) = empty {
        return Err(ArtifactError::Empty { path: empty.records_path() });
    }
    copy_inputs(&folders, &paths)?;
    let warnings = origin::warnings(&folders, &nodes);
    let base = origin::base_summary(&folders, &nodes, version);
    let summary = paths.summary_json();
    fs::write(&summary, base.to_string()).map_err(ArtifactError::write(&summary))?;
    let folder = Folder::open(output)?;
    let rebuilt = rebuild_with(&folder, asked, version, read)?;
    Ok(Merged { rebuilt, folder, nodes, warnings })
}

/// Nodes of one run have the same data, so the file of the first is that of all.
fn copy_inputs(folders: &[NodeFolder], to: &ArtifactPaths) -> Result<(), ArtifactError> {
    let found = folders.iter().map(|folder| ArtifactPaths::new(folder.dir(), None).inputs()).find(|path| path.exists());
    let Some(path) = found else { return Ok(()) };
    fs::copy(&path, to.inputs()).map(drop).map_err(ArtifactError::write(&to.inputs()))
}

/// Writes the records of all folders, each request once. Returns what the nodes sent, and the records if they need not be read again.
///
/// Folders of one run have no request in common. This is taken for granted, so that each line is read once, and is seen at the end.
fn copy_once(
    folders: &[NodeFolder],
    path: &Path,
    asked: &RebuildOptions,
    version: &str,
) -> Result<(Vec<MergedNode>, Option<ReadBefore>), ArtifactError> {
    let mut seen = SeenMetrics::default();
    for path in folders.iter().map(NodeFolder::records_path).filter(|path| path.exists()) {
        seen = seen.or(SeenMetrics::peek(&path)?);
    }
    let summaries = || folders.iter().map(NodeFolder::summary).collect::<Vec<_>>();
    let mut nodes = summaries();
    // Counts are not known yet, but what the records are about is.
    let origin = RunOrigin::of_summary(origin::base_summary(folders, &nodes, version));
    let context_of =
        |kind: PhaseKind, name: &str| origin.context((kind, name), asked.endpoint, asked.goodput.as_deref(), seen);
    let read = copy_records(folders, &mut nodes, path, Repeats::Keep(&context_of))?;
    let (parts, ids): (Vec<_>, Vec<_>) = read.into_iter().map(|ReadFolder { records, ids, .. }| (records, ids)).unzip();
    if !has_repeats(&ids) {
        return Ok((nodes, Some(ReadBefore { parts, seen })));
    }
    drop((parts, ids));
    let mut nodes = summaries();
    copy_records(folders, &mut nodes, path, Repeats::LeaveOut(RequestIds::default()))?;
    Ok((nodes, None))
}
