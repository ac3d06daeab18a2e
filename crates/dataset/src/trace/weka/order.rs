//! The order of requests of different agents of one session. A request that was sent after another had been answered may
//! depend on that answer.

use aiperf_conversation::{Conversation, ConversationIndex};

/// Records for every turn which turns had been answered before it was sent. `spans` are the times of the conversations from
/// `first` on, turn by turn. Two turns that took no time and started together do not wait for each other.
pub(super) fn keep(spans: &[Vec<(f64, f64)>], first: usize, conversations: &mut [Conversation]) {
    // The time at which a turn and all before it had been answered.
    let ends: Vec<Vec<f64>> = spans
        .iter()
        .map(|turns| {
            let answered = turns.iter().scan(f64::MIN, |last, (_, end)| {
                *last = last.max(*end);
                Some(*last)
            });
            answered.collect()
        })
        .collect();
    for (own, turns) in spans.iter().enumerate() {
        let mut known = vec![0; spans.len()];
        for (turn, (start, _)) in turns.iter().enumerate() {
            let mut before = Vec::new();
            for other in (0..spans.len()).filter(|other| *other != own) {
                let begun = spans[other].partition_point(|(begin, _)| begin < start);
                let answered = ends[other][..begun].partition_point(|end| end <= start);
                if answered > known[other] {
                    known[other] = answered;
                    before.push((ConversationIndex(first + other), answered - 1));
                }
            }
            conversations[first + own].turns[turn].answered_before = before;
        }
    }
}
