//! Whether the server took requests from the start.

use aiperf_protocol::RequestOutcome;

use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};

/// Requests that failed because the server was not ready, before the first successful one began. A server that was merely busy served someone meanwhile;
/// one that was never ready has no start to speak of.
pub(super) fn before_first_success(columns: &Columns) -> u64 {
    let starts = |wanted: RequestOutcome| {
        let rows = columns.rows().filter(move |row| row.outcome() == Some(wanted));
        rows.filter_map(|row| row.fact(Fact::Start).zip(row.fact(Fact::End)))
    };
    let Some(served) = starts(RequestOutcome::Success).map(|(start, _)| start).min() else { return 0 };
    starts(RequestOutcome::ServerNotReady).filter(|(start, span)| start + span <= served).count() as u64
}
