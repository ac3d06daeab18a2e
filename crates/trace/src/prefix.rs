//! The prefix tree of a trace: every distinct row of leading blocks is a node.

use crate::hash::NumberMap;
use crate::{BlockId, Trace};

/// Every request as the nodes that it passes, and every node with its place in the tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrefixTree {
    /// The nodes of all requests, one behind the other.
    nodes: Vec<u32>,
    /// Where the nodes of each request begin; one more at the end.
    starts: Vec<usize>,
    /// The node before it. The root is node 0 and stands before the first.
    pub(crate) parent: Vec<u32>,
    pub(crate) block: Vec<BlockId>,
    /// Blocks up to and with it.
    pub(crate) depth: Vec<u32>,
    /// How many requests pass it.
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

    /// The nodes that a request passes, the first block's first.
    pub(crate) fn path(&self, request: usize) -> &[u32] {
        &self.nodes[self.starts[request]..self.starts[request + 1]]
    }

    /// Nodes without the root.
    pub(crate) fn len(&self) -> usize {
        self.parent.len() - 1
    }

    /// Blocks of all requests together.
    pub(crate) fn passes(&self) -> usize {
        self.nodes.len()
    }
}
