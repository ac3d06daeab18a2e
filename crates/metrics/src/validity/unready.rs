//! Whether the server took requests from the start.

use crate::Failure;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts, OUTCOME_SUCCESS, OUTCOME_UNREADY};

/// A server that is not there, or that says that it is not ready.
pub(crate) fn is_unready(failure: &Failure) -> bool {
    let refused = failure.kind == "ClientConnectorError" && failure.shortage.is_none();
    matches!(failure.code, Some(502..=504)) || refused
}

/// Requests that ended so before the first successful one began. A server that was merely busy served someone meanwhile;
/// one that was never ready has no start to speak of.
pub(super) fn before_first_success(columns: &Columns) -> u64 {
    let starts = |wanted: u64| {
        let rows = columns.rows().filter(move |row| row.fact(Fact::Outcome) == Some(wanted));
        rows.filter_map(|row| row.fact(Fact::Start).zip(row.fact(Fact::End)))
    };
    let Some(served) = starts(OUTCOME_SUCCESS).map(|(start, _)| start).min() else { return 0 };
    starts(OUTCOME_UNREADY).filter(|(start, span)| start + span <= served).count() as u64
}
