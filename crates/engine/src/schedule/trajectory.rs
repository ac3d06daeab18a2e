//! Where a recorded session is entered: which of its lines of requests were in progress at its start point, what each had
//! sent last, and when each continues.

use aiperf_clock::Nanos;
use aiperf_conversation::BranchKind;

use crate::plan::PreparedConversation;

/// A session as it stood at one point of its recorded time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trajectory {
    /// The main line first, and a parent before its children. Lines that were over and that have no open children are left
    /// out, except the main line.
    pub(crate) streams: Vec<TrajectoryStream>,
    /// Conversations that were left out.
    pub(crate) ended: Vec<usize>,
}

/// One line of requests at the start point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrajectoryStream {
    pub(crate) conversation: usize,
    /// The position of the line that started it, and the turn of that line which waits for its end.
    pub(crate) parent: Option<(usize, Option<usize>)>,
    /// How many turns lie before the start point.
    pub(crate) sent: usize,
    /// How long before the start point the last turn was sent; for lines that continue.
    pub(crate) last_sent: Option<Nanos>,
    /// How long after the start point the next turn was sent; `None` if no turn is left.
    pub(crate) resumes: Option<Nanos>,
}

impl TrajectoryStream {
    /// Whether it has requests on both sides of the start point.
    pub(crate) fn is_live(&self) -> bool {
        self.last_sent.is_some() && self.resumes.is_some()
    }
}

impl Trajectory {
    /// `ratio` is the start point as a share of the recorded time, or of the turns of the main line if times are missing.
    pub(crate) fn new(conversations: &[PreparedConversation], root: usize, ratio: f64) -> Self {
        let mut streams = Vec::new();
        match span(conversations, root) {
            Some((first, last)) => {
                let point = Nanos(first.0 + ((last.0 - first.0) as f64 * ratio) as u64);
                gather(conversations, root, None, point.min(last), &mut streams);
            }
            None => streams.push(by_turns(&conversations[root], root, ratio)),
        }
        without_ended(streams)
    }
}

/// The first and the last time of a session and all that it starts; `None` if one is missing.
fn span(conversations: &[PreparedConversation], root: usize) -> Option<(Nanos, Nanos)> {
    let mut waiting = vec![root];
    let (mut first, mut last) = (None, Nanos::ZERO);
    while let Some(index) = waiting.pop() {
        for turn in &conversations[index].turns {
            let at = turn.recorded?;
            first = Some(first.unwrap_or(at).min(at));
            last = last.max(at);
            waiting.extend(turn.branches.iter().flat_map(|branch| &branch.children).map(|child| child.0));
        }
    }
    first.map(|first| (first, last))
}

fn gather(
    conversations: &[PreparedConversation],
    index: usize,
    parent: Option<(usize, Option<usize>)>,
    point: Nanos,
    streams: &mut Vec<TrajectoryStream>,
) {
    let turns = &conversations[index].turns;
    let at = |turn: usize| turns.get(turn).and_then(|turn| turn.recorded);
    let sent = turns.iter().take_while(|turn| turn.recorded.is_some_and(|at| at < point)).count();
    let resumes = at(sent).map(|at| Nanos(at.0 - point.0));
    let last_sent = sent.checked_sub(1).and_then(at).filter(|_| resumes.is_some()).map(|at| Nanos(point.0 - at.0));
    let place = streams.len();
    streams.push(TrajectoryStream { conversation: index, parent, sent, last_sent, resumes });
    for branch in turns[..sent].iter().flat_map(|turn| &turn.branches) {
        let join = match branch.kind {
            BranchKind::Spawn { join_at } => join_at.filter(|turn| *turn >= sent),
            BranchKind::Fork { .. } => None,
        };
        for child in &branch.children {
            gather(conversations, child.0, Some((place, join)), point, streams);
        }
    }
}

/// The start point by turns: at least one turn is left, and agents that were started before it count as over.
fn by_turns(root: &PreparedConversation, index: usize, ratio: f64) -> TrajectoryStream {
    let turns = root.turns.len();
    let sent = ((turns as f64 * ratio) as usize).min(turns.saturating_sub(1));
    let last_sent = (sent > 0).then_some(Nanos::ZERO);
    TrajectoryStream { conversation: index, parent: None, sent, last_sent, resumes: Some(Nanos::ZERO) }
}

fn without_ended(streams: Vec<TrajectoryStream>) -> Trajectory {
    let mut wanted = vec![false; streams.len()];
    for place in (0..streams.len()).rev() {
        wanted[place] |= place == 0 || streams[place].resumes.is_some();
        if let (true, Some((parent, _))) = (wanted[place], streams[place].parent) {
            wanted[parent] = true;
        }
    }
    let mut places = Vec::with_capacity(streams.len());
    let (mut kept, mut ended) = (Vec::new(), Vec::new());
    for (mut stream, wanted) in streams.into_iter().zip(wanted) {
        places.push(kept.len());
        if wanted {
            stream.parent = stream.parent.map(|(parent, join)| (places[parent], join));
            kept.push(stream);
        } else {
            ended.push(stream.conversation);
        }
    }
    Trajectory { streams: kept, ended }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aiperf_conversation::{Branch, ContextMode, ConversationIndex, Lineage};

    use super::*;
    use crate::plan::PreparedTurn;

    const SECOND: u64 = 1_000_000_000;

    fn conversation(times: &[f64]) -> PreparedConversation {
        let turn = |at: &f64| PreparedTurn {
            needs_replies: false,
            timestamp_ms: None,
            recorded: Some(Nanos::from_secs_f64(*at)),
            answered_before: Vec::new(),
            delay: None,
            branches: Vec::new(),
        };
        PreparedConversation {
            session_id: Arc::from("c"),
            turns: times.iter().map(turn).collect(),
            lineage: Lineage::Root,
            context_mode: ContextMode::MessageArrayWithResponses,
        }
    }

    /// A main line of three, which starts an agent at its first turn and one at its second, for which the third waits.
    fn session() -> Vec<PreparedConversation> {
        let mut all = vec![conversation(&[0.0, 2.0, 4.0]), conversation(&[0.5, 1.0, 10.0]), conversation(&[2.5, 3.0])];
        let spawn = |child: usize, join_at| Branch {
            kind: BranchKind::Spawn { join_at },
            children: vec![ConversationIndex(child)],
        };
        all[0].turns[0].branches.push(spawn(1, None));
        all[0].turns[1].branches.push(spawn(2, Some(2)));
        all
    }

    fn shown(ratio: f64) -> Vec<(usize, usize, Option<f64>, Option<f64>)> {
        let seconds = |span: Nanos| span.0 as f64 / SECOND as f64;
        let streams = Trajectory::new(&session(), 0, ratio).streams;
        let show = |s: &TrajectoryStream| (s.conversation, s.sent, s.last_sent.map(seconds), s.resumes.map(seconds));
        streams.iter().map(show).collect()
    }

    #[test]
    fn at_its_beginning_a_session_has_sent_nothing() {
        assert_eq!(shown(0.0), [(0, 0, None, Some(0.0))]);
    }

    #[test]
    fn every_line_goes_on_from_where_it_was() {
        assert_eq!(
            shown(0.27),
            [(0, 2, Some(0.7), Some(1.3)), (1, 2, Some(1.7), Some(7.3)), (2, 1, Some(0.2), Some(0.3))]
        );
        let waited_for = Trajectory::new(&session(), 0, 0.27).streams[2].parent;
        assert_eq!(waited_for, Some((0, Some(2))), "the third turn waits for it");
    }

    #[test]
    fn a_main_line_that_is_over_stays_for_the_agents_that_are_not() {
        assert_eq!(shown(0.9), [(0, 3, None, None), (1, 2, Some(8.0), Some(1.0))]);
        assert_eq!(Trajectory::new(&session(), 0, 0.9).ended, [2], "an agent of which nothing is left");
        assert_eq!(shown(1.0), [(0, 3, None, None), (1, 2, Some(9.0), Some(0.0))]);
    }

    #[test]
    fn an_agent_that_had_not_sent_yet_is_no_live_line_but_will_begin() {
        assert_eq!(shown(0.03), [(0, 1, Some(0.3), Some(1.7)), (1, 0, None, Some(0.2))]);
        assert!(!Trajectory::new(&session(), 0, 0.03).streams[1].is_live());
    }

    #[test]
    fn without_times_a_turn_is_left_at_least() {
        let mut all = session();
        all[0].turns[1].recorded = None;
        for (ratio, sent) in [(0.0, 0), (0.5, 1), (1.0, 2)] {
            let streams = Trajectory::new(&all, 0, ratio).streams;
            assert_eq!((streams.len(), streams[0].sent, streams[0].resumes), (1, sent, Some(Nanos::ZERO)));
        }
    }
}
