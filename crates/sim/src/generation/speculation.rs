//! The simulator's report of speculative decoding: invented, but consistent in itself.

use std::io::Write as _;

/// The steps in which a reply would have come about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Speculation {
    pub(crate) steps: u64,
    pub(crate) accepted: u64,
    pub(crate) drafted: u64,
    /// How many steps accepted 0, 1, 2, ... drafts.
    histogram: Vec<u64>,
}

impl Speculation {
    /// Each step makes one token and accepts drafts in turn: none, one, two, up to all of them.
    pub(crate) fn of(tokens: u32, drafts: u32) -> Self {
        let mut made = Self { steps: 0, accepted: 0, drafted: 0, histogram: vec![0; drafts as usize + 1] };
        let mut left = tokens;
        while left > 0 {
            let accepted = (made.steps % (u64::from(drafts) + 1)) as u32;
            let accepted = accepted.min(left - 1);
            made.histogram[accepted as usize] += 1;
            made.steps += 1;
            made.accepted += u64::from(accepted);
            made.drafted += u64::from(drafts);
            left -= 1 + accepted;
        }
        made
    }
}

/// Writes the report on a reply with this number of tokens, a field of its metrics.
pub(crate) fn write_report(tokens: u32, drafts: u32, out: &mut Vec<u8>) {
    let Speculation { steps, accepted, drafted, histogram } = Speculation::of(tokens, drafts);
    let (length, rate) = (1.0 + accepted as f64 / steps as f64, accepted as f64 / drafted as f64);
    // A write to a vector cannot fail.
    let _ = write!(
        out,
        r#""speculative_decoding":{{"mean_acceptance_length":{length:?},"draft_acceptance_rate":{rate:?},"acceptance_histogram":{histogram:?},"num_accepted_draft_tokens":{accepted},"num_draft_tokens":{drafted},"num_spec_steps":{steps},"num_spec_tokens":{drafts}}}"#
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_make_exactly_the_tokens_of_the_reply() {
        assert_eq!(
            Speculation::of(10, 3),
            Speculation { steps: 4, accepted: 6, drafted: 12, histogram: vec![1, 1, 1, 1] }
        );
        for tokens in 1..50 {
            let made = Speculation::of(tokens, 4);
            assert_eq!(made.steps + made.accepted, u64::from(tokens));
            assert_eq!(made.histogram.iter().sum::<u64>(), made.steps);
        }
    }
}
