//! When there is something to say. Each rule gives its reason and its source.

use super::field_refusal::refused_field;
use super::{Finding, MaxTokensField};
use crate::totals::REPLAY_DEGRADED;
use crate::{ClientHealth, ClientLoad, Metric, Percentile, PhaseAccounting, Summary, Thresholds, Undecodable};

/// Waiting that doubles the p99 changes what a reader concludes from it; below 50 ms more it is within what a network
/// or a busy moment of either side adds.
const HIDDEN_WAIT_FACTOR: f64 = 2.0;
const HIDDEN_WAIT_MS: f64 = 50.0;
/// From one arrival in a hundred on, the p99 of a run is that of requests that waited.
pub(super) const DELAYED_PERCENT: f64 = 1.0;
pub(super) const REPLAY_DEGRADED_MS: f64 = REPLAY_DEGRADED.0 as f64 / 1e6;

/// Above this (milliseconds) latency from due says something that the service time does not.
pub(super) fn hidden_wait_bound(served: f64) -> f64 {
    (HIDDEN_WAIT_FACTOR * served).max(served + HIDDEN_WAIT_MS)
}

/// All that findings about a phase are drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    pub summary: &'a Summary,
    pub thresholds: &'a Thresholds,
    pub health: Option<&'a ClientHealth>,
    pub accounting: Option<&'a PhaseAccounting>,
    /// What a self-test has shown this machine's client to measure rightly.
    pub certified: Option<ClientLoad>,
    /// Rows of the data that could not be used.
    pub rows_left_out: u64,
}

impl Evidence<'_> {
    /// In the order in which they are worth reading.
    pub fn findings(&self) -> Vec<Finding> {
        let limits = self.health.map_or(&[][..], |health| &health.limits);
        let mut findings: Vec<_> = self.field_refused().into_iter().collect();
        findings.extend(limits.iter().copied().map(Finding::ClientSaturated));
        let rest = [
            self.beyond_certified(),
            self.hidden_wait(),
            self.replay_degraded(),
            self.ceiling(),
            self.undecodable_events(),
            self.output_length(),
            self.token_counts(),
            self.cache_counts(),
            (self.rows_left_out > 0).then_some(Finding::RowsLeftOut { rows: self.rows_left_out }),
        ];
        findings.extend(rest.into_iter().flatten());
        findings
    }

    fn average(&self, metric: Metric) -> Option<f64> {
        self.summary.get(metric)?.avg
    }

    fn field_refused(&self) -> Option<Finding> {
        let refused = |field: MaxTokensField| {
            let groups = self.summary.failures.iter().filter(move |group| refused_field(&group.failure) == Some(field));
            (groups.map(|group| group.count).sum::<u64>(), field)
        };
        let fields = [refused(MaxTokensField::MaxCompletionTokens), refused(MaxTokensField::MaxTokens)];
        let (requests, field) = fields.into_iter().max_by_key(|(requests, _)| *requests)?;
        (requests > 0).then_some(Finding::MaxTokensFieldRefused { field, requests })
    }

    fn beyond_certified(&self) -> Option<Finding> {
        let (reached, certified) = (ClientLoad::of(self.summary)?, self.certified?);
        let axis = reached.beyond(&certified)?;
        Some(Finding::BeyondCertified { axis, reached, certified })
    }

    /// Of the whole latency, or where that passes (long answers hide much) of the first token.
    fn hidden_wait(&self) -> Option<Finding> {
        let p99 = |metric: Metric| self.summary.get(metric)?.percentile(Percentile::P99);
        let pairs = [
            (Metric::RequestLatencyFromDue, Metric::RequestLatency),
            (Metric::TimeToFirstTokenFromDue, Metric::TimeToFirstToken),
        ];
        pairs.into_iter().find_map(|(from_due, plain)| {
            let (waited, served) = (p99(from_due)?, p99(plain)?);
            (waited > hidden_wait_bound(served)).then_some(Finding::HiddenWait { from_due, waited, served })
        })
    }

    fn replay_degraded(&self) -> Option<Finding> {
        self.average(Metric::ReplaySchedDegraded).filter(|mark| *mark > 0.0)?;
        Some(Finding::ReplayDegraded { lag_p99: self.average(Metric::ReplaySchedLagP99)? })
    }

    /// A dropped arrival is in no number at all, so that even one is worth a word.
    fn ceiling(&self) -> Option<Finding> {
        let accounting = self.accounting?;
        let (delayed, dropped) = (accounting.arrivals_delayed, accounting.arrivals_dropped);
        let found = Finding::CeilingReached { delayed, dropped, arrivals: accounting.arrivals() };
        (dropped > 0 || found.figure() > DELAYED_PERCENT).then_some(found)
    }

    /// Even one: what it said is in no count.
    fn undecodable_events(&self) -> Option<Finding> {
        let Undecodable { events, requests } = self.summary.undecodable;
        (events > 0).then_some(Finding::EventsUndecodable { events, requests, of: self.summary.successful })
    }

    fn output_length(&self) -> Option<Finding> {
        let requests = self.average(Metric::OslMismatchCount).filter(|count| *count > 0.0)? as u64;
        Some(Finding::OutputLengthOff {
            requests,
            of: self.summary.successful,
            average_percent: self.average(Metric::OslMismatchDiffPct)?,
            allowed_percent: self.thresholds.osl_mismatch_pct,
            allowed_tokens: self.thresholds.osl_mismatch_max_tokens,
        })
    }

    fn token_counts(&self) -> Option<Finding> {
        let requests = self.average(Metric::UsageDiscrepancyCount).filter(|count| *count > 0.0)? as u64;
        let allowed_percent = self.thresholds.usage_diff_pct;
        Some(Finding::TokenCountsDiffer { requests, of: self.summary.successful, allowed_percent })
    }

    /// Only of endpoints that generate: others cache nothing that a count could be about.
    fn cache_counts(&self) -> Option<Finding> {
        self.summary.get(Metric::UsageCompletionTokens)?;
        let requests = self.summary.get(Metric::UsagePromptTokens)?.count?;
        let counted = self.summary.get(Metric::UsagePromptCacheReadTokens).is_some();
        (!counted).then_some(Finding::CacheCountsMissing { requests })
    }
}
