//! Numbers of a whole phase: counts, sums, rates.

use aiperf_clock::{Mono, Nanos, WallAnchor};

use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};
use crate::record::formula::decoding;
use crate::summary::cost;
use crate::summary::energy::{self, PhaseWork};
use crate::summary::{Outcomes, values};
use crate::{Metric, MetricContext, Percentile, PhaseWindow, Stats};

/// A replay whose p99 of lag is above this did not keep the shape of its trace (the reference's own bound).
pub(crate) const REPLAY_DEGRADED: Nanos = Nanos(500_000_000);

/// Computes aggregates and derived metrics, in catalogue order: each may use those noted before it.
pub(crate) struct Totals<'a> {
    outcomes: &'a Outcomes,
    seconds: f64,
    /// The window covers several phases.
    is_joined: bool,
    columns: &'a Columns,
    context: &'a MetricContext,
    anchor: &'a WallAnchor,
    /// First start and last content of successful requests.
    span: Option<(Mono, Mono)>,
    /// How far each request of a replay fell behind the one that was most in time.
    replay_lag: Option<Stats>,
    /// Sums of record metrics and values of single-number ones.
    noted: Vec<Option<f64>>,
}

impl<'a> Totals<'a> {
    pub(crate) fn new(
        outcomes: &'a Outcomes,
        window: &PhaseWindow,
        columns: &'a Columns,
        context: &'a MetricContext,
        anchor: &'a WallAnchor,
    ) -> Self {
        let seconds = window.length().as_secs_f64();
        let noted = vec![None; Metric::ALL.len()];
        let replay_lag = context.applies(Metric::ReplaySchedLagP99).then(|| replay_lag(columns, context)).flatten();
        let is_joined = window.is_joined();
        Self { outcomes, seconds, is_joined, columns, context, anchor, span: active_span(columns), replay_lag, noted }
    }

    pub(crate) fn note(&mut self, metric: Metric, stats: &Stats) {
        self.noted[metric as usize] = stats.sum.or(stats.avg);
    }

    pub(crate) fn get(&self, metric: Metric) -> Option<f64> {
        let Outcomes { successful, failed, overflowed, cut_off } = *self.outcomes;
        match metric {
            Metric::RequestCount => Some(successful as f64),
            Metric::ErrorRequestCount => (failed > 0).then_some(failed as f64),
            Metric::ContextOverflowCount => (failed > 0).then_some(overflowed as f64),
            Metric::CancelledRequestCount => (cut_off > 0).then_some(cut_off as f64),
            Metric::CompletedRequestCount => Some((successful + failed) as f64),
            Metric::RequestErrorRate => {
                (successful + failed > 0).then(|| 100.0 * failed as f64 / (successful + failed) as f64)
            }
            Metric::GoodRequestCount => Some(self.counted(metric).unwrap_or(0.0)),
            Metric::OslMismatchCount | Metric::UsageDiscrepancyCount | Metric::ResentRequestCount => {
                self.counted(metric)
            }
            Metric::GoodRequestFraction => {
                let attempted = (successful + failed) as f64;
                self.noted(Metric::GoodRequestCount).map(|good| if attempted > 0.0 { good / attempted } else { 0.0 })
            }
            Metric::MinRequestTimestamp => self.span.map(|(first, _)| self.anchor.epoch(first).0 as f64),
            Metric::MaxResponseTimestamp => self.span.map(|(_, last)| self.anchor.epoch(last).0 as f64),
            // What lies between phases belongs to none of them.
            Metric::BenchmarkDuration if self.is_joined => self.span.map(|_| self.seconds * 1e9),
            Metric::BenchmarkDuration => self.span.map(|(first, last)| last.since(first).0 as f64),
            Metric::RequestThroughput => self.per_second(Some(successful as f64)),
            Metric::InputTokenThroughput => self.per_second(self.noted(Metric::TotalIsl)),
            Metric::OutputTokenThroughput => self.per_second(self.noted(Metric::TotalOsl)),
            Metric::TotalTokenThroughput => {
                self.per_second(Some(self.noted(Metric::TotalIsl)? + self.noted(Metric::TotalOsl)?))
            }
            Metric::OverallOutputTokenThroughputPerUser => self.decode_rate(),
            Metric::Goodput => self.per_second(self.noted(Metric::GoodRequestCount)),
            Metric::ReplaySchedLagP50 => self.replay_lag?.percentile(Percentile::P50),
            Metric::ReplaySchedLagP90 => self.replay_lag?.percentile(Percentile::P90),
            Metric::ReplaySchedLagP99 => self.replay_lag?.percentile(Percentile::P99),
            Metric::ReplaySchedDegraded => {
                Some(f64::from(self.noted(Metric::ReplaySchedLagP99)? > REPLAY_DEGRADED.0 as f64))
            }
            Metric::OverallThinkingEfficiency => {
                ratio(self.noted(Metric::TotalReasoningTokens)?, self.noted(Metric::TotalOutputTokens)?)
            }
            Metric::OverallUsagePromptCacheReadPct => {
                let (read, all) = (Metric::TotalUsagePromptCacheReadTokens, Metric::TotalUsagePromptTokens);
                ratio(self.noted(read)?, self.noted(all)?).map(|share| share * 100.0)
            }
            Metric::SpecDecodeTokenWeightedAcceptanceLength => {
                let (accepted, steps) = (Metric::TotalAcceptedDraftTokens, Metric::TotalSpecDecodeSteps);
                ratio(self.noted(accepted)?, self.noted(steps)?).map(|drafts| 1.0 + drafts)
            }
            Metric::SpecDecodeOverallDraftAcceptanceRate => {
                let (accepted, drafted) = (Metric::TotalAcceptedDraftTokens, Metric::TotalDraftTokens);
                ratio(self.noted(accepted)?, self.noted(drafted)?).map(|share| share * 100.0)
            }
            _ => {
                if let Some(summed) = summed(metric) {
                    return self.noted(summed);
                }
                let work = self.work();
                energy::value(metric, &self.context.gpu_energy, &work)
                    .or_else(|| cost::value(metric, self.context.cost_per_hour, &work))
            }
        }
    }

    fn work(&self) -> PhaseWork {
        let requests = self.outcomes.successful as f64;
        PhaseWork {
            seconds: self.seconds,
            requests,
            mean_latency_seconds: self.noted(Metric::RequestLatency).and_then(|sum| ratio(sum * 1e-9, requests)),
            requests_per_second: self.noted(Metric::RequestThroughput),
            output_tokens_per_second: self.noted(Metric::OutputTokenThroughput),
            goodput: self.noted(Metric::Goodput),
            input_tokens: self.noted(Metric::TotalIsl),
            output_tokens: self.noted(Metric::TotalOsl),
            concurrency: self.context.concurrency,
        }
    }

    fn noted(&self, metric: Metric) -> Option<f64> {
        self.noted[metric as usize]
    }

    /// A ratio of sums: one reply that came all at once does not outweigh the others, as it does in a mean of rates.
    fn decode_rate(&self) -> Option<f64> {
        let parts = self.columns.rows().filter_map(|row| decoding(&row, self.context));
        let (tokens, nanos) = parts.fold((0.0, 0.0), |(tokens, nanos), (more, span)| (tokens + more, nanos + span));
        ratio(tokens, nanos * 1e-9)
    }

    /// How many records say 1; `None` when no record says anything.
    fn counted(&self, metric: Metric) -> Option<f64> {
        let marks = values(metric, self.columns, self.context);
        (!marks.is_empty()).then(|| marks.iter().sum())
    }

    /// A run in which nothing succeeded has no rates.
    fn per_second(&self, amount: Option<f64>) -> Option<f64> {
        let has_rate = self.outcomes.successful > 0 && self.seconds > 0.0;
        amount.filter(|_| has_rate).map(|amount| amount / self.seconds)
    }
}

/// The record metric that a total sums up.
fn summed(total: Metric) -> Option<Metric> {
    Some(match total {
        Metric::TotalIsl => Metric::InputSequenceLength,
        Metric::TotalOsl => Metric::OutputSequenceLength,
        Metric::TotalOutputTokens => Metric::OutputTokenCount,
        Metric::TotalReasoningTokens => Metric::ReasoningTokenCount,
        Metric::TotalErrorIsl => Metric::ErrorIsl,
        Metric::TotalUsagePromptTokens => Metric::UsagePromptTokens,
        Metric::TotalUsagePromptCacheReadTokens => Metric::UsagePromptCacheReadTokens,
        Metric::TotalUsagePromptCacheWriteTokens => Metric::UsagePromptCacheWriteTokens,
        Metric::TotalUsagePromptCacheMissTokens => Metric::UsagePromptCacheMissTokens,
        Metric::TotalUsagePromptAudioTokens => Metric::UsagePromptAudioTokens,
        Metric::TotalUsageToolUsePromptTokens => Metric::UsageToolUsePromptTokens,
        Metric::TotalUsagePromptAudioSeconds => Metric::UsagePromptAudioSeconds,
        Metric::TotalUsageCompletionTokens => Metric::UsageCompletionTokens,
        Metric::TotalUsageReasoningTokens => Metric::UsageReasoningTokens,
        Metric::TotalUsageCompletionAudioTokens => Metric::UsageCompletionAudioTokens,
        Metric::TotalUsageAcceptedPredictionTokens => Metric::UsageAcceptedPredictionTokens,
        Metric::TotalUsageRejectedPredictionTokens => Metric::UsageRejectedPredictionTokens,
        Metric::TotalUsageTotalTokens => Metric::UsageTotalTokens,
        Metric::TotalSpecDecodeSteps => Metric::SpecDecodeSteps,
        Metric::TotalAcceptedDraftTokens => Metric::SpecDecodeAcceptedDraftTokens,
        Metric::TotalDraftTokens => Metric::SpecDecodeDraftTokens,
        _ => return None,
    })
}

/// Relative to the least lag, so that a replay that is late as a whole still counts as true to its trace; how late it
/// was as a whole is in `schedule_lag`.
fn replay_lag(columns: &Columns, context: &MetricContext) -> Option<Stats> {
    let offsets = values(Metric::ReplaySendScheduleOffset, columns, context);
    let least = offsets.iter().copied().reduce(f64::min)?;
    Stats::of(offsets.into_iter().map(|offset| offset - least).collect())
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

fn active_span(columns: &Columns) -> Option<(Mono, Mono)> {
    let mut span: Option<(u64, u64)> = None;
    for row in columns.rows().filter(Facts::succeeded) {
        let (Some(start), Some(latency)) = (row.fact(Fact::Start), row.fact(Fact::LastContent)) else { continue };
        let (first, last) = span.unwrap_or((start, start));
        span = Some((first.min(start), last.max(start + latency)));
    }
    span.map(|(first, last)| (Mono::from_nanos(first), Mono::from_nanos(last)))
}
