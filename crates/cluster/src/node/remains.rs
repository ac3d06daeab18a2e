//! What a process that was killed has left on its disk: records that the stream does not have, and the count of what it had sent. Another
//! process sends them in its place, so that nothing of a run is lost with the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::shipping::{FolderShipper, Sender, Status};
use crate::ClusterError;
use crate::bus::Bus;
use crate::journal::FoundJournal;
use crate::message::NodeEnd;
use crate::names::run_bucket;

/// Why the node ended, if its own reporter says so.
const KILLED: &str = "its process was killed";
/// Why the node ended, if that was found out later.
const FOUND: &str = "its process had ended before it sent all of its results";

/// What a process has left.
#[derive(Debug)]
pub struct Remains {
    journal: FoundJournal,
}

/// The result of sending them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shipped {
    /// The stream of the run has them.
    Yes,
    /// Nobody waits for them: the run is over.
    RunIsGone,
}

impl Remains {
    /// Of the process that wrote to this folder, which is ending. `None`: it had nothing to report.
    pub fn of_killed(place: &Path) -> Result<Option<Self>, ClusterError> {
        Ok(FoundJournal::read(place, true, KILLED)?.map(|journal| Self { journal }))
    }

    /// Of all processes that have written to this spool and are dead.
    pub fn find(spool: &Path) -> Vec<Self> {
        // A folder for each run, and in it one for each process.
        let places = entries(spool).into_iter().flat_map(|run| entries(&run));
        let read = |place: PathBuf| {
            let found = FoundJournal::read(&place, false, FOUND);
            found.inspect_err(|error| log::warn!("{error}")).ok().flatten()
        };
        places.filter_map(read).map(|journal| Self { journal }).collect()
    }

    pub fn run(&self) -> &str {
        &self.journal.note.run
    }

    /// The NATS server that the process used.
    pub fn url(&self) -> &str {
        &self.journal.note.url
    }

    /// How long to wait for it.
    pub fn patience(&self) -> std::time::Duration {
        std::time::Duration::from_secs(self.journal.note.patience_s)
    }

    /// The folder with the records.
    pub fn folder(&self) -> &Path {
        &self.journal.note.folder
    }

    /// Sends them in the place of the process. To do so twice changes nothing.
    pub fn ship(&self, bus: &Arc<dyn Bus>) -> Result<Shipped, ClusterError> {
        let FoundJournal { note, shipped, killed, .. } = &self.journal;
        if !bus.has_bucket(&run_bucket(&note.run))? {
            return Ok(Shipped::RunIsGone);
        }
        let sender = Sender { bus: Arc::clone(bus), run: note.run.clone(), node: note.node.clone(), index: note.index };
        let mut shipper = FolderShipper::new(sender, note.folder.clone(), note.records.clone());
        shipper.go_on(*shipped);
        let status = Status { clock: None, counters: killed.counters.clone() };
        shipper.tell_of_kill(killed.clone(), &status)?;
        while shipper.ship_records(&status)? {}
        let end = NodeEnd { is_killed: true, ..NodeEnd::new(Some(killed.reason.clone()), killed.counters.clone()) };
        shipper.end(end, &status)?;
        self.journal.close();
        Ok(Shipped::Yes)
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten();
    found.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect()
}
