//! The prefix tree of a trace: every distinct sequence of leading blocks is a node.

use crate::number_map::NumberMap;
use crate::{BlockId, Trace};

/// The nodes of every request, and the position of every node in the tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrefixTree {
    /// The nodes of all requests, one request after the other.
    nodes: Vec<u32>,
    /// The start of each request in `nodes`, and the end of the last one.
    starts: Vec<usize>,
    /// The parent of each node. The root is node 0.
    pub(crate) parent: Vec<u32>,
    pub(crate) block: Vec<BlockId>,
    /// The number of blocks up to and including each node.
    pub(crate) depth: Vec<u32>,
    /// The number of requests that pass each node.
    pub(crate) count: Vec<u32>,
}

pub(crate) const ROOT: u32 = 0;

impl PrefixTree {
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut numbers: NumberMap<u32> = NumberMap::default();
        let mut children: NumberMap<u32> = NumberMap::default();
        let mut tree = Self {
            starts: Vec::with_capacity(trace.requests.len() + 1),
            parent: vec![ROOT],
            block: vec![BlockId(0)],
            depth: vec![0],
            count: vec![0],
            ..Self::default()
        };
        for request in &trace.requests {
            tree.starts.push(tree.nodes.len());
            let mut at = ROOT;
            for block in request.blocks() {
                let next = numbers.len() as u32;
                let number = *numbers.entry(block.0 as u64).or_insert(next);
                let fresh = tree.parent.len() as u32;
                let node = *children.entry(u64::from(at) << 32 | u64::from(number)).or_insert(fresh);
                if node == fresh {
                    tree.parent.push(at);
                    tree.block.push(*block);
                    tree.depth.push(tree.depth[at as usize] + 1);
                    tree.count.push(0);
                }
                tree.count[node as usize] += 1;
                tree.nodes.push(node);
                at = node;
            }
        }
        tree.starts.push(tree.nodes.len());
        tree
    }

    /// The nodes of a request, from the first block on.
    pub(crate) fn path(&self, request: usize) -> &[u32] {
        &self.nodes[self.starts[request]..self.starts[request + 1]]
    }

    /// The number of nodes without the root.
    pub(crate) fn len(&self) -> usize {
        self.parent.len() - 1
    }

    /// The number of blocks of all requests.
    pub(crate) fn passes(&self) -> usize {
        self.nodes.len()
    }
}
