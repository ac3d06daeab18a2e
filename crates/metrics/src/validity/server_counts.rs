//! Whether the server counted tokens if its counts were asked for.

use super::ValidityNote;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};
use crate::record::formula::output_length;
use crate::{Metric, MetricContext};

/// Successful requests, and those among them without a count that the endpoint should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ServerCounts {
    missing: u64,
    of: u64,
}

impl ServerCounts {
    pub(super) fn of(columns: &Columns, context: &MetricContext) -> Self {
        let mut seen = Self::default();
        if !context.server_token_count {
            return seen;
        }
        let input = context.applies(Metric::InputSequenceLength);
        let output = context.applies(Metric::OutputSequenceLength);
        for row in columns.rows().filter(Facts::succeeded) {
            let lacks = (input && row.fact(Fact::InputTokens).is_none()) || (output && output_length(&row).is_none());
            seen.of += 1;
            seen.missing += u64::from(lacks);
        }
        seen
    }

    /// Even one: it is in no token metric.
    pub(super) fn missing(&self) -> Option<ValidityNote> {
        (self.missing > 0).then_some(ValidityNote::ServerCountsMissing { requests: self.missing, of: self.of })
    }
}
