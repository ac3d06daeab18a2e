//! Several folders as one run: the records of all of them in one file, each with the node that it comes from, and every statistic
//! computed on all of them together.

mod line_head;
pub(crate) mod node_facts;
mod node_folder;
mod origin;
mod request_ids;

use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::thread;

use aiperf_report::ArtifactPaths;

pub use self::node_folder::MergedNode;
use self::node_folder::{NodeFolder, NodeLine};
use self::request_ids::RequestIds;
use crate::{ArtifactError, Folder, RebuildOptions, Rebuilt, rebuild};

/// Bytes that are written at once.
const BUFFER_BYTES: usize = 1 << 20;

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
    let mut nodes: Vec<MergedNode> = folders.iter().map(NodeFolder::summary).collect();
    copy_records(&folders, &mut nodes, &paths.records())?;
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
    let rebuilt = rebuild(&folder, asked, version)?;
    Ok(Merged { rebuilt, folder, nodes, warnings })
}

/// Nodes of one run have the same data, so the file of the first is that of all.
fn copy_inputs(folders: &[NodeFolder], to: &ArtifactPaths) -> Result<(), ArtifactError> {
    let found = folders.iter().map(|folder| ArtifactPaths::new(folder.dir(), None).inputs()).find(|path| path.exists());
    let Some(path) = found else { return Ok(()) };
    fs::copy(&path, to.inputs()).map(drop).map_err(ArtifactError::write(&to.inputs()))
}

/// The next line of a folder. The greatest is the one that is written first: the earliest end, then the first folder.
struct NextLine {
    line: NodeLine,
    node: usize,
}

impl NextLine {
    fn key(&self) -> (std::cmp::Reverse<u64>, std::cmp::Reverse<usize>) {
        (std::cmp::Reverse(self.line.end_ns), std::cmp::Reverse(self.node))
    }
}

impl PartialEq for NextLine {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for NextLine {}
impl PartialOrd for NextLine {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for NextLine {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Writes the lines of all folders into one file, in the order in which requests ended. A request id that was written before is a
/// duplicate and is left out.
fn copy_records(folders: &[NodeFolder], nodes: &mut [MergedNode], path: &Path) -> Result<(), ArtifactError> {
    let file = File::create(path).map_err(ArtifactError::write(path))?;
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
    thread::scope(|scope| {
        let (readers, lines): (Vec<_>, Vec<_>) = folders.iter().map(|folder| folder.start(scope)).unzip();
        let mut streams: Vec<Lines> = lines.into_iter().map(Lines::new).collect();
        let mut next: BinaryHeap<NextLine> = BinaryHeap::new();
        for (node, stream) in streams.iter_mut().enumerate() {
            next.extend(stream.next().map(|line| NextLine { line, node }));
        }
        let mut seen = RequestIds::default();
        while let Some(NextLine { line, node }) = next.pop() {
            if line.id.is_none_or(|id| seen.insert(id)) {
                nodes[node].add(&line);
                out.write_all(&line.text).and_then(|()| out.write_all(b"\n")).map_err(ArtifactError::write(path))?;
            } else {
                nodes[node].duplicates += 1;
            }
            next.extend(streams[node].next().map(|line| NextLine { line, node }));
        }
        drop(streams);
        for (reader, node) in readers.into_iter().zip(nodes) {
            match reader.join() {
                Ok(read) => node.unreadable = read?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        out.flush().map_err(ArtifactError::write(path))
    })
}

/// The lines of one folder, batch by batch.
struct Lines {
    batches: Receiver<Vec<NodeLine>>,
    batch: std::vec::IntoIter<NodeLine>,
}

impl Lines {
    fn new(batches: Receiver<Vec<NodeLine>>) -> Self {
        Self { batches, batch: Vec::new().into_iter() }
    }
}

impl Iterator for Lines {
    type Item = NodeLine;

    fn next(&mut self) -> Option<NodeLine> {
        loop {
            if let Some(line) = self.batch.next() {
                return Some(line);
            }
            self.batch = self.batches.recv().ok()?.into_iter();
        }
    }
}
