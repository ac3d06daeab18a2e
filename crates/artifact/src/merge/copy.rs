//! The records of all folders, written into one file in the order in which requests ended.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::batch::Lines;
use super::node_folder::{MergedNode, NodeFolder, ReadFolder};
use super::request_ids::RequestIds;
use crate::ArtifactError;
use crate::records::ContextOf;

/// Bytes that are written at once, and how many such blocks may wait.
const BLOCK_BYTES: usize = 1 << 20;
const BLOCKS: usize = 4;

/// What is done about a request that two folders have.
pub(super) enum Repeats<'a> {
    /// It is written twice. The readers make columns of all records, and note the ids.
    Keep(&'a ContextOf<'a>),
    /// It is written once.
    LeaveOut(RequestIds),
}

/// Writes the lines, and returns what the readers made of them.
pub(super) fn copy_records(
    folders: &[NodeFolder],
    nodes: &mut [MergedNode],
    path: &Path,
    mut repeats: Repeats<'_>,
) -> Result<Vec<ReadFolder>, ArtifactError> {
    let file = File::create(path).map_err(ArtifactError::write(path))?;
    let context_of = if let Repeats::Keep(context_of) = &repeats { Some(*context_of) } else { None };
    thread::scope(|scope| {
        let (readers, mut lines): (Vec<_>, Vec<_>) =
            folders.iter().map(|folder| folder.start(scope, context_of)).unzip();
        let (mut blocks, to_write, spare) = BlockSender::new();
        let writer = scope.spawn(move || write_blocks(file, &to_write, &spare));
        let mut next: BinaryHeap<Reverse<(u64, usize)>> =
            lines.iter_mut().enumerate().filter_map(|(node, lines)| Some(Reverse((lines.next_end()?, node)))).collect();
        while let Some(mut top) = next.peek_mut() {
            let Reverse((_, node)) = *top;
            let Some((line, text)) = lines[node].take() else { break };
            let is_new = match &mut repeats {
                Repeats::Keep(_) => true,
                Repeats::LeaveOut(seen) => line.id.is_none_or(|id| seen.insert(id)),
            };
            if is_new {
                nodes[node].add(line);
                if !blocks.put(text) {
                    break;
                }
            } else {
                nodes[node].duplicates += 1;
            }
            match lines[node].next_end() {
                Some(end) => *top = Reverse((end, node)),
                None => drop(PeekMut::pop(top)),
            }
        }
        blocks.send();
        drop(blocks);
        joined(writer.join()).map_err(ArtifactError::write(path))?;
        drop::<Vec<Lines>>(lines);
        let mut read = Vec::new();
        for (reader, node) in readers.into_iter().zip(nodes) {
            let folder = joined(reader.join())?;
            node.unreadable = folder.unreadable;
            read.push(folder);
        }
        Ok(read)
    })
}

fn joined<T>(ended: thread::Result<T>) -> T {
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Collects text into blocks for the thread that writes them.
struct BlockSender {
    block: Vec<u8>,
    filled: SyncSender<Vec<u8>>,
    used: Receiver<Vec<u8>>,
}

impl BlockSender {
    fn new() -> (Self, Receiver<Vec<u8>>, Sender<Vec<u8>>) {
        let (filled, to_write) = sync_channel(BLOCKS);
        let (spare, used) = channel();
        (Self { block: Vec::new(), filled, used }, to_write, spare)
    }

    /// Whether somebody still writes.
    fn put(&mut self, text: &[u8]) -> bool {
        self.block.extend_from_slice(text);
        self.block.len() < BLOCK_BYTES || self.send()
    }

    fn send(&mut self) -> bool {
        let mut empty = self.used.try_recv().unwrap_or_default();
        empty.clear();
        self.filled.send(std::mem::replace(&mut self.block, empty)).is_ok()
    }
}

fn write_blocks(mut file: File, filled: &Receiver<Vec<u8>>, spare: &Sender<Vec<u8>>) -> std::io::Result<()> {
    for block in filled {
        file.write_all(&block)?;
        // Whoever fills blocks may have ended: then nobody needs it.
        let _ = spare.send(block);
    }
    Ok(())
}
