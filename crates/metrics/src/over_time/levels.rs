//! What is going on at one instant of a run, and the curves it leaves behind as time goes on.

use std::panic::resume_unwind;
use std::thread;

use crate::over_time::step::StepCurve;
use crate::over_time::time_weighted::InFlightRequest;
use crate::summary::statistics::CompensatedSum;
use crate::{Metric, PhaseWindow, Stats};

const NANOS_PER_SECOND: f64 = 1e9;

/// A sum of what its holders add. Back at exactly 0 when the last one leaves, so that rounding does not pile up.
#[derive(Debug, Default)]
struct RateSum {
    sum: CompensatedSum,
    holders: usize,
}

impl RateSum {
    fn join(&mut self, amount: f64) {
        self.holders += 1;
        self.change(amount);
    }

    fn leave(&mut self, amount: f64) {
        self.holders = self.holders.saturating_sub(1);
        self.change(-amount);
        if self.holders == 0 {
            self.sum = CompensatedSum::default();
        }
    }

    fn change(&mut self, amount: f64) {
        self.sum.add(amount);
    }

    fn value(&self) -> f64 {
        self.sum.value()
    }

    fn per_holder_of(&self, users: usize) -> f64 {
        if users == 0 { 0.0 } else { self.value() / users as f64 }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Levels {
    now: u64,
    window_end: u64,
    /// Times that do not count.
    gaps: Vec<(u64, u64)>,
    in_flight: usize,
    prefilling: usize,
    decoding: usize,
    prefill_rate: RateSum,
    /// From chunk to chunk.
    decode_rate: RateSum,
    /// Prefill and decode, each spread evenly over its phase.
    total_rate: RateSum,
    tokens: RateSum,
    curves: Curves,
}

#[derive(Debug, Default)]
pub(crate) struct Curves {
    concurrency: StepCurve,
    decode_concurrency: StepCurve,
    prefill_concurrency: StepCurve,
    decode: StepCurve,
    prefill: StepCurve,
    total: StepCurve,
    decode_per_user: StepCurve,
    prefill_per_user: StepCurve,
    tokens: StepCurve,
}

impl Curves {
    fn each(&self) -> [&StepCurve; 9] {
        let Self { concurrency, decode_concurrency, prefill_concurrency, decode, prefill, total, .. } = self;
        let Self { decode_per_user, prefill_per_user, tokens, .. } = self;
        [
            concurrency,
            decode_concurrency,
            prefill_concurrency,
            decode,
            prefill,
            total,
            decode_per_user,
            prefill_per_user,
            tokens,
        ]
    }

    /// Whether one of them must be drawn again.
    pub(crate) fn need_second_pass(&self) -> bool {
        self.each().into_iter().any(StepCurve::needs_second_pass)
    }

    pub(crate) fn second_pass(self) -> Self {
        Self {
            concurrency: self.concurrency.second_pass(),
            decode_concurrency: self.decode_concurrency.second_pass(),
            prefill_concurrency: self.prefill_concurrency.second_pass(),
            decode: self.decode.second_pass(),
            prefill: self.prefill.second_pass(),
            total: self.total.second_pass(),
            decode_per_user: self.decode_per_user.second_pass(),
            prefill_per_user: self.prefill_per_user.second_pass(),
            tokens: self.tokens.second_pass(),
        }
    }

    /// Each curve may have many segments to sort, so each is given a thread.
    pub(crate) fn statistics(self) -> Vec<(Metric, Stats)> {
        let curves = [
            (self.concurrency, Metric::EffectiveConcurrency, None),
            (self.decode, Metric::EffectiveDecodeThroughput, Some(Metric::ActiveDecodeThroughput)),
            (self.prefill, Metric::EffectivePrefillThroughput, Some(Metric::ActivePrefillThroughput)),
            (self.decode_concurrency, Metric::EffectiveDecodeConcurrency, None),
            (self.prefill_concurrency, Metric::EffectivePrefillConcurrency, None),
            (self.total, Metric::EffectiveTotalThroughput, Some(Metric::ActiveTotalThroughput)),
            (
                self.decode_per_user,
                Metric::EffectiveDecodeThroughputPerUser,
                Some(Metric::ActiveDecodeThroughputPerUser),
            ),
            (
                self.prefill_per_user,
                Metric::EffectivePrefillThroughputPerUser,
                Some(Metric::ActivePrefillThroughputPerUser),
            ),
            (self.tokens, Metric::TokensInFlight, None),
        ];
        thread::scope(|scope| {
            let jobs = curves.map(|(curve, always, active)| (scope.spawn(|| curve.statistics()), always, active));
            let mut results = Vec::new();
            for (job, always, active) in jobs {
                let (over_all_time, while_active) = job.join().unwrap_or_else(|panic| resume_unwind(panic));
                results.push((always, over_all_time));
                results.extend(active.map(|metric| (metric, while_active)));
            }
            results
        })
    }
}

impl Levels {
    pub(crate) fn new(window: &PhaseWindow, curves: Curves) -> Self {
        let (now, window_end) = (window.start.as_nanos(), window.end.as_nanos());
        Self { now, window_end, gaps: window.gaps().collect(), curves, ..Self::default() }
    }

    /// Lets time pass; only what lies in the window counts.
    pub(crate) fn advance(&mut self, to: u64) {
        let to = to.min(self.window_end);
        let passed = to.saturating_sub(self.now);
        if passed == 0 {
            return;
        }
        let left_out = if self.gaps.is_empty() { 0 } else { self.left_out(to) };
        self.now = to;
        let held = passed - left_out;
        if held == 0 {
            return;
        }
        let (decoding, prefilling) = (self.decoding > 0, self.prefilling > 0);
        let curves = &mut self.curves;
        curves.concurrency.hold(self.in_flight as f64, held, self.in_flight > 0);
        curves.decode_concurrency.hold(self.decoding as f64, held, decoding);
        curves.prefill_concurrency.hold(self.prefilling as f64, held, prefilling);
        curves.decode.hold(self.decode_rate.value(), held, decoding);
        curves.prefill.hold(self.prefill_rate.value(), held, prefilling);
        curves.total.hold(self.total_rate.value(), held, self.in_flight > 0);
        curves.decode_per_user.hold(self.decode_rate.per_holder_of(self.decoding), held, decoding);
        curves.prefill_per_user.hold(self.prefill_rate.per_holder_of(self.prefilling), held, prefilling);
        curves.tokens.hold(self.tokens.value(), held, self.in_flight > 0);
    }

    /// How much of the time from now until then does not count.
    fn left_out(&mut self, to: u64) -> u64 {
        self.gaps.retain(|(_, end)| *end > self.now);
        let inside = |(start, end): &(u64, u64)| (*end).min(to).saturating_sub((*start).max(self.now));
        self.gaps.iter().map(inside).sum()
    }

    pub(crate) fn begin(&mut self, request: &InFlightRequest) {
        self.in_flight += 1;
        self.tokens.join(request.input_tokens);
    }

    pub(crate) fn begin_prefill(&mut self, request: &InFlightRequest, span: u64) {
        self.prefilling += 1;
        let rate = rate(request.input_tokens, span);
        self.prefill_rate.join(rate);
        self.total_rate.join(rate);
    }

    pub(crate) fn end_prefill(&mut self, request: &InFlightRequest, span: u64) {
        self.prefilling -= 1;
        let rate = rate(request.input_tokens, span);
        self.prefill_rate.leave(rate);
        self.total_rate.leave(rate);
    }

    pub(crate) fn begin_decode(&mut self, request: &InFlightRequest, span: u64) {
        self.decoding += 1;
        self.tokens.change(request.output_tokens.min(1.0));
        let rate = rate(later_tokens(request), span);
        self.total_rate.join(rate);
        if request.real_gaps == 0 {
            self.decode_rate.join(rate);
        }
    }

    pub(crate) fn end_decode(&mut self, request: &InFlightRequest, span: u64) {
        self.decoding -= 1;
        let rate = rate(later_tokens(request), span);
        self.total_rate.leave(rate);
        if request.real_gaps == 0 {
            self.decode_rate.leave(rate);
        }
    }

    pub(crate) fn begin_gap(&mut self, request: &InFlightRequest, gap: u64) {
        if gap > 0 {
            self.decode_rate.join(rate(later_tokens(request) / request.real_gaps as f64, gap));
        }
    }

    pub(crate) fn end_gap(&mut self, request: &InFlightRequest, gap: u64) {
        if gap > 0 {
            self.decode_rate.leave(rate(later_tokens(request) / request.real_gaps as f64, gap));
        }
        self.tokens.change(later_tokens(request) / request.gaps as f64);
    }

    /// The request is over, with it `received` tokens of its output.
    pub(crate) fn end(&mut self, request: &InFlightRequest, received: f64) {
        self.in_flight -= 1;
        self.tokens.leave(request.input_tokens + received);
    }

    pub(crate) fn finish(mut self) -> Curves {
        self.advance(self.window_end);
        self.curves
    }
}

/// All output tokens but the first, which ends the prefill.
fn later_tokens(request: &InFlightRequest) -> f64 {
    (request.output_tokens - 1.0).max(0.0)
}

fn rate(tokens: f64, span: u64) -> f64 {
    if span == 0 { 0.0 } else { tokens / (span as f64 / NANOS_PER_SECOND) }
}
