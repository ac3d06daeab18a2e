//! Warnings about the data of a run.

use aiperf_dataset::Dataset;

/// After the run: only then is it known.
pub(crate) fn warn_of_lengths(dataset: &Dataset) {
    if dataset.inexact_texts() > 0 {
        log::warn!("{} prompts do not have exactly the requested length", dataset.inexact_texts());
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
            "{} requests of the trace have no recorded output; they are sent with a limit of one token",
            dataset.empty_outputs
        );
    }
    if !is_scheduled && has_unused_times(dataset) {
        log::warn!("Ignoring the trace's timestamps; use --fixed-schedule to replay them");
    }
    let skipped = &dataset.skipped_rows;
    if skipped.count > 0 {
        log::warn!("Skipped {} unusable rows of the input file, among them:", skipped.count);
        skipped.reasons.iter().for_each(|reason| log::warn!("{reason}"));
    }
    if dataset.long_pauses > 0 {
        log::warn!(
            "{} pauses between turns are longer than a minute; shorten them with --inter-turn-delay-cap-seconds",
            dataset.long_pauses
        );
    }
}
