//! Separates the requests of several agents that were recorded as one list. A request continues the one whose blocks it
//! repeats; a request that cannot continue the main chain belongs to another agent.

use std::sync::Arc;

use aiperf_config::AgentDetection;

use super::recording::{AgentRequests, RecordedCall, end_of};

/// The chains of requests in one list.
#[derive(Debug)]
pub(super) struct Split {
    pub(super) main: AgentRequests,
    /// The other agents, in the order of their first requests.
    pub(super) others: Vec<AgentChain>,
}

/// Requests of one agent.
#[derive(Debug)]
pub(super) struct AgentChain {
    /// `fa:000`, `wg:000_000` or `aux:000`.
    pub(super) name: String,
    pub(super) strand: AgentRequests,
}

/// A chain that may still grow: the indexes of its requests.
#[derive(Debug)]
struct OpenChain {
    calls: Vec<usize>,
    /// The request at which it left another chain, and the number of blocks that they share.
    left_at: Option<(usize, usize)>,
}

pub(super) fn split(strand: AgentRequests, block_size: usize, knobs: &AgentDetection) -> Split {
    let calls = &strand.calls;
    if !knobs.split_flattened || calls.len() < 2 {
        return Split { main: strand, others: Vec::new() };
    }
    let ids: Vec<&[i64]> = calls.iter().map(|call| call.whole_blocks(block_size)).collect();
    let mut lines = vec![OpenChain { calls: vec![0], left_at: None }];
    for place in 1..calls.len() {
        let (line, left_at) = continued(&lines, place, calls, &ids, knobs);
        match line {
            Some(line) => lines[line].calls.push(place),
            None => lines.push(OpenChain { calls: vec![place], left_at }),
        }
    }
    let names = names(&lines, calls, knobs);
    distribute(strand, &lines, names, block_size)
}

/// The chain that a request continues; otherwise where it left one.
fn continued(
    lines: &[OpenChain],
    place: usize,
    calls: &[RecordedCall],
    ids: &[&[i64]],
    knobs: &AgentDetection,
) -> (Option<usize>, Option<(usize, usize)>) {
    let call = &calls[place];
    if call.ids.is_empty() {
        return (Some(0), None);
    }
    let mut best: Option<(usize, usize, usize)> = None;
    let mut left_at: Option<(usize, usize)> = None;
    for (line, tail) in lines.iter().enumerate().filter_map(|(line, of)| Some((line, *of.calls.last()?))) {
        let shared = shared(ids[tail], ids[place]);
        if shared > 0 && left_at.is_none_or(|(_, before)| shared > before) {
            left_at = Some((tail, shared));
        }
        // Only the main chain may continue with a completely different prompt, as after a summary of the history.
        let goes_on = calls[tail].model == call.model
            && calls[tail].end_s() <= call.start_s
            && (shared > 0 || line == 0)
            && is_near(&calls[tail], call, shared, ids[tail].len(), knobs);
        if goes_on && best.is_none_or(|(_, _, before)| shared > before || shared == before && shared > 0) {
            best = Some((line, tail, shared));
        }
    }
    let Some((line, tail, own)) = best else { return (None, left_at) };
    let another_returns = own < ids[tail].len()
        && (place + 1..calls.len()).any(|later| {
            let returning = shared(ids[tail], ids[later]);
            calls[later].model == call.model && returning > own && returning > shared(ids[place], ids[later])
        });
    if another_returns { (None, left_at) } else { (Some(line), None) }
}

/// Whether two requests are close enough. After a long pause a request must share many blocks with the one that it continues.
fn is_near(tail: &RecordedCall, call: &RecordedCall, shared: usize, blocks: usize, knobs: &AgentDetection) -> bool {
    let gap = call.start_s - tail.end_s();
    gap <= knobs.seam_max_gap_s || shared as f64 >= knobs.seam_min_overlap * blocks as f64
}

fn shared(one: &[i64], other: &[i64]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// The names of all chains but the first.
fn names(lines: &[OpenChain], calls: &[RecordedCall], knobs: &AgentDetection) -> Vec<String> {
    let mut names = vec![String::new(); lines.len()];
    let main_model = &calls[0].model;
    let peak = lines[0].calls.iter().map(|place| calls[*place].input).max().unwrap_or(0);
    let mut sidecars = 0;
    for (line, name) in lines.iter().zip(&mut names).skip(1) {
        if is_sidecar(line, calls, main_model, peak, knobs) {
            *name = format!("aux:{sidecars:03}");
            sidecars += 1;
        }
    }
    for (group, members) in worker_groups(lines, calls, &names, knobs).into_iter().enumerate() {
        for (member, line) in members.into_iter().enumerate() {
            names[line] = format!("wg:{group:03}_{member:03}");
        }
    }
    let unnamed = names.iter_mut().skip(1).filter(|name| name.is_empty());
    unnamed.enumerate().for_each(|(number, name)| *name = format!("fa:{number:03}"));
    names
}

/// Whether a chain is a sidecar: a short request next to the main work, such as a title, a summary or a question to a smaller
/// model.
fn is_sidecar(
    line: &OpenChain,
    calls: &[RecordedCall],
    main_model: &Arc<str>,
    peak: u64,
    knobs: &AgentDetection,
) -> bool {
    if line.calls.len() > knobs.aux_max_requests {
        return false;
    }
    let first = &calls[line.calls[0]];
    let is_small = (first.input as f64) < knobs.aux_isl_ratio * peak as f64 || first.input < knobs.aux_isl_floor;
    let is_foreign = knobs.aux_cross_model && first.model != *main_model;
    let is_reduction = first.output < knobs.aux_reduction_osl_max
        && first.input as f64 >= knobs.aux_reduction_ratio * first.output.max(1) as f64;
    is_small || is_foreign || is_reduction
}

/// Groups of chains that left another chain at the same request and ran at the same time.
fn worker_groups(
    lines: &[OpenChain],
    calls: &[RecordedCall],
    names: &[String],
    knobs: &AgentDetection,
) -> Vec<Vec<usize>> {
    /// The request at which its members left, the end of the last of them, and their indexes.
    struct WorkerGroup {
        left_at: Option<(usize, usize)>,
        until: f64,
        members: Vec<usize>,
    }
    let mut groups: Vec<WorkerGroup> = Vec::new();
    for (number, line) in lines.iter().enumerate().skip(1) {
        if !names[number].is_empty() || line.left_at.is_none() {
            continue;
        }
        let start = calls[line.calls[0]].start_s;
        let end = end_of(line.calls.iter().map(|place| &calls[*place]), start);
        match groups.iter_mut().find(|group| group.left_at == line.left_at && start < group.until) {
            Some(group) => {
                group.until = group.until.max(end);
                group.members.push(number);
            }
            None => groups.push(WorkerGroup { left_at: line.left_at, until: end, members: vec![number] }),
        }
    }
    groups.retain(|group| group.members.len() >= knobs.worker_group_min.max(1));
    groups.into_iter().map(|group| group.members).collect()
}

fn distribute(strand: AgentRequests, lines: &[OpenChain], names: Vec<String>, block_size: usize) -> Split {
    let AgentRequests { system_tokens, calls } = strand;
    let mut owner = vec![0; calls.len()];
    for (number, line) in lines.iter().enumerate() {
        line.calls.iter().for_each(|place| owner[*place] = number);
    }
    let system_blocks = usize::try_from(system_tokens.div_ceil(block_size as u64)).unwrap_or(usize::MAX);
    let system_ids: Box<[i64]> = calls[0].ids.iter().take(system_blocks).copied().collect();
    let mut strands: Vec<AgentRequests> = lines.iter().map(|_| AgentRequests::default()).collect();
    for (call, owner) in calls.into_iter().zip(owner) {
        let strand = &mut strands[owner];
        // Another agent has the same tools and system prompt only if it begins with the same blocks.
        if strand.calls.is_empty() && call.ids.starts_with(&system_ids) {
            strand.system_tokens = system_tokens;
        }
        strand.calls.push(call);
    }
    let mut chains = strands.into_iter().zip(names);
    let main = chains.next().map(|(main, _)| main).unwrap_or_default();
    Split { main, others: chains.map(|(strand, name)| AgentChain { name, strand }).collect() }
}

#[cfg(test)]
mod tests;
