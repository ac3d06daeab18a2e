//! Whether there are samples enough for the percentiles that people quote, and whether they are of one and the same state.
//! The methods are those of `aiperf-stats`; what they found is in the summary.

use aiperf_stats::steady::Unsteady;

use super::ValidityNote;
use crate::{IntervalSupport, Metric, Percentile, Summary};

/// Those that summaries always had. Rarer ones are marked next to the number: few runs are long enough for them.
const QUOTED: [Percentile; 5] = [Percentile::P50, Percentile::P75, Percentile::P90, Percentile::P95, Percentile::P99];

/// Of the request latency, which every endpoint has.
pub(super) fn floor(summary: &Summary) -> Option<ValidityNote> {
    let latency = summary.results.iter().find(|result| result.metric == Metric::RequestLatency)?;
    let confidence = latency.confidence.as_ref()?;
    let from = QUOTED.into_iter().find(|percentile| confidence.percentile(*percentile).is_unsupported())?;
    let IntervalSupport::TooFew { needed } = confidence.percentile(Percentile::P99) else { return None };
    // What the values are worth differs from percentile to percentile; that it is less than needed is known.
    let worth = confidence.effective_samples.min(latency.stats.count? as f64) as u64;
    Some(ValidityNote::SampleFloor { from, samples: worth.min(needed.saturating_sub(1)), needed })
}

/// A run that is too short to tell is not one that drifts.
pub(super) fn drift(summary: &Summary, client_late: bool) -> Option<ValidityNote> {
    match &summary.steady.as_ref()?.outcome {
        Err(Unsteady::Drifts { signal, change }) => {
            Some(ValidityNote::NonStationary { drifting: Metric::from_tag(signal)?, change: *change, client_late })
        }
        Ok(_) | Err(Unsteady::TooShort { .. }) => None,
    }
}
