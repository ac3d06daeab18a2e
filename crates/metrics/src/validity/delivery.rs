//! Whether responses to streaming requests were streamed.

use super::ValidityNote;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};
use crate::{Metric, MetricContext};

/// Successful requests, and those among them whose response came as one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Deliveries {
    whole: u64,
    of: u64,
}

impl Deliveries {
    pub(super) fn of(columns: &Columns, context: &MetricContext) -> Self {
        let mut seen = Self::default();
        if !context.applies(Metric::TimeToFirstToken) {
            return seen;
        }
        for row in columns.rows().filter(Facts::succeeded) {
            seen.of += 1;
            seen.whole += u64::from(row.fact(Fact::FirstContent).is_none());
        }
        seen
    }

    /// Even one: its first token is in no number.
    pub(super) fn not_streamed(&self) -> Option<ValidityNote> {
        (self.whole > 0).then_some(ValidityNote::NotStreamed { requests: self.whole, of: self.of })
    }
}
