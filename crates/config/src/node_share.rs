//! Which part of a run one node sends. Everything that is divided is numbered once for all nodes, and number `k` belongs to node
//! `k mod count`: a node knows its part without a message.

/// Node `index` of `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeShare {
    index: u64,
    count: u64,
}

impl NodeShare {
    /// The only node: everything is its own.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// `None` unless the index is below the count.
    pub const fn new(index: u64, count: u64) -> Option<Self> {
        if index < count { Some(Self { index, count }) } else { None }
    }

    pub const fn index(self) -> u64 {
        self.index
    }

    pub const fn count(self) -> u64 {
        self.count
    }

    pub const fn is_whole(self) -> bool {
        self.count == 1
    }

    /// Whether this number is its own.
    pub const fn takes(self, number: u64) -> bool {
        number % self.count == self.index
    }

    /// How many of the `total` numbers from `first` on are its own.
    pub const fn of(self, first: u64, total: u64) -> u64 {
        self.below(first + total) - self.below(first)
    }

    /// How many numbers below `end` are its own.
    const fn below(self, end: u64) -> u64 {
        end / self.count + (end % self.count > self.index) as u64
    }
}

impl Default for NodeShare {
    fn default() -> Self {
        Self::WHOLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_each_number_has_one_owner() {
        for count in 1..9 {
            let nodes: Vec<NodeShare> = (0..count).map(|index| NodeShare::new(index, count).unwrap()).collect();
            for first in 0..20 {
                for total in 0..40 {
                    let own = |node: &NodeShare| (first..first + total).filter(|k| node.takes(*k)).count() as u64;
                    assert!(nodes.iter().all(|node| node.of(first, total) == own(node)));
                    assert_eq!(nodes.iter().map(|node| node.of(first, total)).sum::<u64>(), total);
                }
            }
        }
        assert_eq!(NodeShare::new(3, 3), None);
    }
}
