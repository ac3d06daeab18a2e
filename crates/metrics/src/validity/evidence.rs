//! All that is known of a run when its notes are derived, and the rules that need only its summary.

use aiperf_clock::Nanos;
use aiperf_protocol::RequestOutcome;

use super::field_refusal::refused_field;
use super::note::share_percent;
use super::thresholds::NOTED_SHARE_PERCENT;
use super::{LostRecords, MaxTokensField, ServerClaims, ValidityNote, samples};
use crate::summary::totals::REPLAY_DEGRADED;
use crate::{
    ClientHealth, ClientLoad, LateReads, LimitKind, Metric, Percentile, PhaseAccounting, Summary, Thresholds,
    Undecodable,
};

/// Waiting that doubles the p99 changes what a reader concludes from it; below 50 ms more it is within what a network
/// or a busy moment of either side adds.
pub const HIDDEN_WAIT_FACTOR: f64 = 2.0;
pub const HIDDEN_WAIT_MS: f64 = 50.0;
/// A smaller step moves no latency that is shown, and no line of a server's log to another request.
pub const CLOCK_STEP: Nanos = Nanos(1_000_000);
pub const REPLAY_LAG_MS: f64 = REPLAY_DEGRADED.0 as f64 / 1e6;

/// Above this (milliseconds) latency from due says something that the service time does not.
pub(super) fn hidden_wait_bound(served: f64) -> f64 {
    (HIDDEN_WAIT_FACTOR * served).max(served + HIDDEN_WAIT_MS)
}

/// All that notes about a phase are derived from.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    pub summary: &'a Summary,
    /// Of the warmup before it, if there was one.
    pub warmup: Option<&'a Summary>,
    pub thresholds: &'a Thresholds,
    pub health: Option<&'a ClientHealth>,
    pub accounting: Option<&'a PhaseAccounting>,
    /// What a self-test has shown this machine's client to measure rightly.
    pub certified: Option<ClientLoad>,
    /// Requests without a record.
    pub lost: LostRecords,
    /// Rows of the data that could not be used.
    pub rows_left_out: u64,
    /// Prompts begin like others: later turns of conversations, shared system prompts, pools of prefixes.
    pub prefixes_repeat: bool,
    /// The largest step of the wall clock during the run; zero if it was not changed.
    pub clock_step: Nanos,
    /// Reads whose time was taken by the thread that read, if the system stamped none; zero otherwise.
    pub user_timestamps: u64,
    /// The run was broken off: by the user, or because too much failed.
    pub was_stopped: bool,
    /// What the client read too late to know its time.
    pub late_reads: LateReads,
    /// How long the run had to wait for the server before its first request; zero if it was ready.
    pub waited_for_server: Nanos,
    /// What the servers' metrics pages say, if they were scraped.
    pub server: Option<ServerClaims>,
}

impl Evidence<'_> {
    /// In the order in which they are worth reading.
    pub fn notes(&self) -> Vec<ValidityNote> {
        let limits = self.health.map_or(&[][..], |health| &health.limits);
        let digest = &self.summary.digest;
        let dropped = self.accounting.map_or(0, |accounting| accounting.arrivals_dropped);
        let mut notes: Vec<_> =
            [self.field_refused(), self.not_ready(), self.errors(), self.resent()].into_iter().flatten().collect();
        notes.extend(limits.iter().copied().map(ValidityNote::ClientSaturated));
        let rest = [
            digest.send_delays.noticeable(),
            self.late_first_tokens(),
            self.merged_chunks(),
            self.beyond_certified(),
            (self.clock_step > CLOCK_STEP).then_some(ValidityNote::ClockStepped { step: self.clock_step }),
            (self.user_timestamps > 0).then_some(ValidityNote::UserTimestamps { reads: self.user_timestamps }),
            self.lost.any().then_some(ValidityNote::RecordsLost(self.lost)),
            digest.pacing.and_then(|pacing| pacing.shortfall(dropped)),
            self.concurrency_not_reached(),
            self.ceiling(),
            digest.waits.exhausted(),
            self.hidden_wait(),
            self.replay_degraded(),
            digest.occupancy.and_then(|occupancy| occupancy.gap()),
            digest.cold_start.filter(|_| self.warmup.is_none()).and_then(|start| start.noticeable()),
            samples::drift(self.summary, self.client_late()),
            samples::floor(self.summary),
            digest.deliveries.not_streamed(),
            digest.chunking.several(),
            self.undecodable_events(),
            digest.input_lengths.off_target(),
            self.output_length(),
            self.token_counts(),
            digest.server_counts.missing(),
            self.server_tokens(),
            self.server_first_token(),
            self.cache_counts(),
            (self.rows_left_out > 0).then_some(ValidityNote::RowsLeftOut { rows: self.rows_left_out }),
        ];
        notes.extend(rest.into_iter().flatten());
        notes
    }

    fn average(&self, metric: Metric) -> Option<f64> {
        self.summary.get(metric)?.avg
    }

    fn field_refused(&self) -> Option<ValidityNote> {
        let refused = |field: MaxTokensField| {
            let groups = self.summary.failures.iter().filter(move |group| refused_field(&group.failure) == Some(field));
            (groups.map(|group| group.count).sum::<u64>(), field)
        };
        let fields = [refused(MaxTokensField::MaxCompletionTokens), refused(MaxTokensField::MaxTokens)];
        let (requests, field) = fields.into_iter().max_by_key(|(requests, _)| *requests)?;
        (requests > 0).then_some(ValidityNote::MaxTokensFieldRefused { field, requests })
    }

    /// A wait that was asked for did its work; requests that met no server did not.
    fn not_ready(&self) -> Option<ValidityNote> {
        let met_none = [self.warmup, Some(self.summary)].into_iter().flatten().map(|summary| summary.digest.unready);
        let requests: u64 = met_none.sum();
        if requests > 0 {
            return Some(ValidityNote::ServerNotReady { requests });
        }
        let waited = self.waited_for_server;
        (waited > Nanos::ZERO).then_some(ValidityNote::ServerWaitedFor { waited })
    }

    /// Without those that were cancelled on purpose.
    fn errors(&self) -> Option<ValidityNote> {
        let on_purpose =
            self.summary.failures.iter().filter(|group| group.failure.outcome == RequestOutcome::CancelledOnPurpose);
        let on_purpose: u64 = on_purpose.map(|group| group.count).sum();
        let failed = self.summary.failed.saturating_sub(on_purpose);
        let of = self.summary.successful + failed;
        (share_percent(failed, of) > NOTED_SHARE_PERCENT).then_some(ValidityNote::ErrorShare { failed, of })
    }

    fn late_first_tokens(&self) -> Option<ValidityNote> {
        let LateReads { first_tokens: late, requests: of, .. } = self.late_reads;
        (share_percent(late, of) > NOTED_SHARE_PERCENT).then_some(ValidityNote::LateFirstTokens { late, of })
    }

    fn merged_chunks(&self) -> Option<ValidityNote> {
        let LateReads { merged_chunks: merged, chunks: of, .. } = self.late_reads;
        (share_percent(merged, of) > NOTED_SHARE_PERCENT).then_some(ValidityNote::MergedChunks { merged, of })
    }

    /// The client was stopped, or read so late that times to first token are its own.
    fn client_late(&self) -> bool {
        let mut limits = self.health.iter().flat_map(|health| &health.limits);
        limits.any(|limit| limit.kind == LimitKind::Stalled) || self.late_first_tokens().is_some()
    }

    /// A run that was broken off need not have come to its load.
    fn concurrency_not_reached(&self) -> Option<ValidityNote> {
        let asked = self.summary.digest.asked_concurrency.filter(|_| !self.was_stopped)?;
        let most = self.summary.get(Metric::EffectiveConcurrency)?.max? as u64;
        asked.shortfall(most, self.accounting?)
    }

    /// Even one: the server saw a request more than there are records.
    fn resent(&self) -> Option<ValidityNote> {
        let resent = self.average(Metric::ResentRequestCount)? as u64;
        let of = self.summary.successful + self.summary.failed + self.summary.cut_off;
        (resent > 0).then_some(ValidityNote::RequestsResent { resent, of })
    }

    fn beyond_certified(&self) -> Option<ValidityNote> {
        let (reached, certified) = (ClientLoad::of(self.summary)?, self.certified?);
        let axis = reached.beyond(&certified)?;
        Some(ValidityNote::BeyondCertified { axis, reached, certified })
    }

    /// Of the whole latency, or if that passes (long answers hide much) of the first token.
    fn hidden_wait(&self) -> Option<ValidityNote> {
        let p99 = |metric: Metric| self.summary.get(metric)?.percentile(Percentile::P99);
        let pairs = [
            (Metric::RequestLatencyFromDue, Metric::RequestLatency),
            (Metric::TimeToFirstTokenFromDue, Metric::TimeToFirstToken),
        ];
        pairs.into_iter().find_map(|(from_due, plain)| {
            let (waited, served) = (p99(from_due)?, p99(plain)?);
            (waited > hidden_wait_bound(served)).then_some(ValidityNote::HiddenWait { from_due, waited, served })
        })
    }

    fn replay_degraded(&self) -> Option<ValidityNote> {
        self.average(Metric::ReplaySchedDegraded).filter(|mark| *mark > 0.0)?;
        Some(ValidityNote::ReplayDegraded { lag_p99: self.average(Metric::ReplaySchedLagP99)? })
    }

    /// A dropped arrival is in no number at all, so that even one is worth a word.
    fn ceiling(&self) -> Option<ValidityNote> {
        let accounting = self.accounting?;
        let (delayed, dropped) = (accounting.arrivals_delayed, accounting.arrivals_dropped);
        let found = ValidityNote::CeilingReached { delayed, dropped, arrivals: accounting.arrivals() };
        (dropped > 0 || found.figure() > NOTED_SHARE_PERCENT).then_some(found)
    }

    /// Even one: what it said is in no count.
    fn undecodable_events(&self) -> Option<ValidityNote> {
        let Undecodable { events, requests } = self.summary.undecodable;
        (events > 0).then_some(ValidityNote::EventsUndecodable { events, requests, of: self.summary.successful })
    }

    fn output_length(&self) -> Option<ValidityNote> {
        let requests = self.average(Metric::OslMismatchCount).filter(|count| *count > 0.0)? as u64;
        let note = ValidityNote::OutputLengthOff {
            requests,
            of: self.summary.successful,
            average_percent: self.average(Metric::OslMismatchDiffPct)?,
            allowed_percent: self.thresholds.osl_mismatch_pct,
            allowed_tokens: self.thresholds.osl_mismatch_max_tokens,
        };
        (note.figure() > NOTED_SHARE_PERCENT).then_some(note)
    }

    fn token_counts(&self) -> Option<ValidityNote> {
        let requests = self.average(Metric::UsageDiscrepancyCount).filter(|count| *count > 0.0)? as u64;
        let allowed_percent = self.thresholds.usage_diff_pct;
        let note = ValidityNote::TokenCountsDiffer { requests, of: self.summary.successful, allowed_percent };
        (note.figure() > NOTED_SHARE_PERCENT).then_some(note)
    }

    /// Only if there is something to find in a cache, and of endpoints that generate: others cache nothing that a count
    /// could be about.
    fn cache_counts(&self) -> Option<ValidityNote> {
        let known_blocks = self.average(Metric::TheoreticalPrefixCacheHit).is_some_and(|share| share > 0.0);
        if !(self.prefixes_repeat || known_blocks) {
            return None;
        }
        self.summary.get(Metric::UsageCompletionTokens)?;
        let requests = self.summary.get(Metric::UsagePromptTokens)?.count?;
        let counted = self.summary.get(Metric::UsagePromptCacheReadTokens).is_some();
        (!counted).then_some(ValidityNote::CacheCountsMissing { requests })
    }
}
