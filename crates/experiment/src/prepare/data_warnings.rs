//! What a user should know of the data that a run sends.

use aiperf_dataset::Dataset;

/// After the run: only then is it known.
pub(crate) fn warn_of_lengths(dataset: &Dataset) {
    if dataset.inexact_texts() > 0 {
        log::warn!("{} prompts could not be given the exact length asked for", dataset.inexact_texts());
    }
}

/// Whether the data are recorded load with times.
fn has_unused_times(dataset: &Dataset) -> bool {
    dataset.file_format.is_some_and(|format| format.facts().is_trace)
        && dataset.roots().iter().any(|root| dataset.first_timestamp_ms(*root).is_some())
}

/// Before the run. `is_scheduled` when requests go out at the times of the data.
pub(crate) fn warn(dataset: &Dataset, is_scheduled: bool) {
    if dataset.empty_outputs > 0 {
        log::warn!(
            "Requests of the trace without output when they were recorded: {}. They are sent and ask for one token",
            dataset.empty_outputs
        );
    }
    if !is_scheduled && has_unused_times(dataset) {
        log::warn!("Ignoring the trace's timestamps; use --fixed-schedule to replay them");
    }
    let skipped = &dataset.skipped_rows;
    if skipped.count > 0 {
        log::warn!("Unusable rows of the input file that are skipped: {}, among them", skipped.count);
        skipped.reasons.iter().for_each(|reason| log::warn!("{reason}"));
    }
    if dataset.long_pauses > 0 {
        log::warn!(
            "{} pauses between turns are longer than a minute; --inter-turn-delay-cap-seconds shortens them",
            dataset.long_pauses
        );
    }
}
