//! Whether prompts have the length that the data or its description asked for.

use super::ValidityNote;
use super::note::share_percent;
use super::thresholds::NOTED_SHARE_PERCENT;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};

/// Of the length asked for. What a server's chat template adds to a prompt of a few hundred tokens is less.
pub const OFF_PERCENT: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct InputLengths {
    off: u64,
    of: u64,
    /// Differences in percent of what was asked for, added up.
    percents: f64,
}

impl InputLengths {
    /// Of the requests that had a length to meet.
    pub(super) fn of(columns: &Columns) -> Self {
        let mut seen = Self::default();
        for row in columns.rows().filter(Facts::succeeded) {
            let asked = row.fact(Fact::RequestedInput).filter(|asked| *asked > 0);
            let Some((asked, sent)) = asked.zip(row.fact(Fact::InputTokens)) else { continue };
            let percent = 100.0 * (sent as f64 - asked as f64) / asked as f64;
            seen.of += 1;
            seen.off += u64::from(percent.abs() > OFF_PERCENT);
            seen.percents += percent;
        }
        seen
    }

    pub(super) fn off_target(&self) -> Option<ValidityNote> {
        let Self { off: requests, of, percents } = *self;
        let average_percent = percents / of.max(1) as f64;
        (share_percent(requests, of) > NOTED_SHARE_PERCENT).then_some(ValidityNote::InputLengthOff {
            requests,
            of,
            average_percent,
            allowed_percent: OFF_PERCENT,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_prompts_may_miss_their_length() {
        assert_eq!(InputLengths::default().off_target(), None);
        assert_eq!(InputLengths { off: 1, of: 100, percents: 20.0 }.off_target(), None);
        let note = ValidityNote::InputLengthOff { requests: 50, of: 100, average_percent: 12.0, allowed_percent: 10.0 };
        assert_eq!(InputLengths { off: 50, of: 100, percents: 1_200.0 }.off_target(), Some(note));
    }
}
