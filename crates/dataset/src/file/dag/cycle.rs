//! Finds a conversation that starts itself, directly or through others.

/// One cycle among `count` nodes, each step from parent to child, starting with its lowest node; `None` if there is none.
///
/// Repeatedly removes nodes without a parent; those that remain lie on a cycle or below one (Kahn, "Topological sorting of
/// large networks", 1962).
pub(super) fn find(count: usize, edges: impl Iterator<Item = (usize, usize)> + Clone) -> Option<Vec<usize>> {
    let mut parents = vec![0_usize; count];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (parent, child) in edges.clone() {
        parents[child] += 1;
        children[parent].push(child);
    }
    let mut free: Vec<usize> = (0..count).filter(|node| parents[*node] == 0).collect();
    while let Some(node) = free.pop() {
        for child in &children[node] {
            parents[*child] -= 1;
            if parents[*child] == 0 {
                free.push(*child);
            }
        }
    }
    let mut node = parents.iter().position(|left| *left > 0)?;
    // Every remaining node has a remaining parent, so following parents must reach a cycle.
    let mut above = vec![0; count];
    for (parent, child) in edges.filter(|(parent, _)| parents[*parent] > 0) {
        above[child] = parent;
    }
    let mut step: Vec<Option<usize>> = vec![None; count];
    let mut path = Vec::new();
    let start = loop {
        if let Some(start) = step[node] {
            break start;
        }
        step[node] = Some(path.len());
        path.push(node);
        node = above[node];
    };
    let mut cycle: Vec<usize> = path.drain(start..).rev().collect();
    let lowest = cycle.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(place, _)| place);
    cycle.rotate_left(lowest);
    Some(cycle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[(usize, usize)]) -> Option<Vec<usize>> {
        find(6, edges.iter().copied())
    }

    #[test]
    fn a_cycle_is_told_from_what_hangs_above_and_below_it() {
        assert_eq!(found(&[(0, 4), (4, 2), (2, 3), (3, 4), (3, 5)]), Some(vec![2, 3, 4]));
        assert_eq!(found(&[(1, 1)]), Some(vec![1]));
    }

    #[test]
    fn ways_that_meet_again_are_no_cycle() {
        assert_eq!(found(&[(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)]), None);
        assert_eq!(found(&[]), None);
    }
}
