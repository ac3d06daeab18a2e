//! How far the phases of a run are, from the counters of the engine.

use aiperf_clock::{Mono, WallAnchor};
use aiperf_protocol::RequestOutcome;

use crate::facts::PhasePlan;
use crate::feed::GaugeReading;
use crate::snapshot::{PhaseProgress, PhaseStatus};

#[derive(Debug, Default)]
pub(crate) struct PhaseList {
    plans: Vec<PhasePlan>,
    progress: Vec<PhaseProgress>,
    /// Index of the current phase and when it began.
    current: Option<(usize, Mono)>,
    ended: Option<Mono>,
    last_reading: Option<Mono>,
}

/// What changed with a reading.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PhaseChanges {
    pub(crate) completed: Option<usize>,
    /// Phases that began and ended since the last reading.
    pub(crate) skipped: std::ops::Range<usize>,
    pub(crate) started: Option<usize>,
    pub(crate) sending_completed: Option<usize>,
}

impl PhaseList {
    pub(crate) fn new(plans: Vec<PhasePlan>) -> Self {
        let progress = plans.iter().enumerate().map(|(index, plan)| waiting(index, plan)).collect();
        Self { plans, progress, current: None, ended: None, last_reading: None }
    }

    pub(crate) fn progress(&self) -> &[PhaseProgress] {
        &self.progress
    }

    pub(crate) fn plan(&self, index: usize) -> Option<&PhasePlan> {
        self.plans.get(index)
    }

    pub(crate) fn current(&self) -> Option<(usize, Mono)> {
        self.current
    }

    /// When the last phase ended, if it has.
    pub(crate) fn ended(&self) -> Option<Mono> {
        self.ended
    }

    pub(crate) fn read(&mut self, reading: &GaugeReading, now: Mono, anchor: &WallAnchor) -> PhaseChanges {
        let mut changes = PhaseChanges::default();
        let before = self.last_reading.replace(now);
        let Some((next, began)) = reading.phase else { return changes };
        if self.ended.is_some() {
            return changes;
        }
        if self.current.is_none_or(|(_, since)| since != began) {
            let from = self.current.map_or(0, |(index, _)| index + 1);
            if !(from..self.plans.len()).contains(&next) {
                return changes;
            }
            if let Some((index, _)) = self.current {
                changes.completed = Some(index);
                self.finish(index, began, anchor);
            }
            for index in from..next {
                // When it began is not known; it was not before the last reading.
                let not_before = before.map_or(began, |before| before.min(began));
                self.progress[index].start_ns = Some(epoch(anchor, not_before));
                self.finish(index, began, anchor);
            }
            changes.skipped = from..next;
            self.current = Some((next, began));
            changes.started = Some(next);
            self.progress[next].start_ns = Some(epoch(anchor, began));
        }
        let Some((index, began)) = self.current else { return changes };
        let progress = &mut self.progress[index];
        progress.expected_requests = reading.expected.or(self.plans[index].requests);
        progress.sent = reading.sent;
        progress.returned = reading.returned;
        progress.in_flight = reading.sent.saturating_sub(reading.returned);
        progress.sessions_sent = reading.sessions_sent;
        progress.sessions_completed = reading.sessions_completed;
        progress.elapsed = now.since(began).as_secs_f64();
        let state = if reading.sending_ended.is_some() { PhaseStatus::Draining } else { PhaseStatus::Sending };
        if state == PhaseStatus::Draining && progress.state != state {
            changes.sending_completed = Some(index);
            progress.sent_end_ns = reading.sending_ended.map(|at| epoch(anchor, at));
        }
        progress.state = state;
        (progress.share, progress.eta) = estimate(progress);
        changes
    }

    /// One more record of a phase, which may be over: records come after their requests.
    pub(crate) fn count(&mut self, index: usize, outcome: RequestOutcome) {
        let Some(progress) = self.progress.get_mut(index) else { return };
        match outcome {
            outcome if outcome.is_success() => progress.completed += 1,
            outcome if outcome.is_cancelled() => progress.cancelled += 1,
            _ => progress.failed += 1,
        }
        // The last counters of a phase may have been read before its end.
        if progress.state == PhaseStatus::Complete {
            progress.returned = progress.returned.max(progress.completed + progress.failed + progress.cancelled);
            progress.sent = progress.sent.max(progress.returned);
        }
    }

    /// The last response of the last phase is in.
    pub(crate) fn end(&mut self, now: Mono, anchor: &WallAnchor) -> Option<usize> {
        let (index, _) = self.current.filter(|_| self.ended.is_none())?;
        self.ended = Some(now);
        self.finish(index, now, anchor);
        Some(index)
    }

    fn finish(&mut self, index: usize, at: Mono, anchor: &WallAnchor) {
        let progress = &mut self.progress[index];
        progress.state = PhaseStatus::Complete;
        // A phase ends when everything that it sent has come back.
        progress.returned = progress.sent;
        progress.in_flight = 0;
        progress.eta = None;
        progress.share = Some(1.0);
        progress.end_ns = Some(epoch(anchor, at));
        progress.sent_end_ns = progress.sent_end_ns.or(progress.end_ns);
    }
}

pub(crate) fn epoch(anchor: &WallAnchor, at: Mono) -> i64 {
    anchor.epoch(at).0 as i64
}

fn waiting(index: usize, plan: &PhasePlan) -> PhaseProgress {
    PhaseProgress {
        name: plan.name.clone(),
        kind: plan.kind,
        index,
        state: PhaseStatus::Waiting,
        expected_requests: plan.requests,
        expected_sessions: plan.sessions,
        duration: plan.duration,
        grace: plan.grace,
        sent: 0,
        returned: 0,
        completed: 0,
        failed: 0,
        cancelled: 0,
        in_flight: 0,
        sessions_sent: 0,
        sessions_completed: 0,
        elapsed: 0.0,
        eta: None,
        share: None,
        start_ns: None,
        sent_end_ns: None,
        end_ns: None,
    }
}

/// How much of a phase is done, and how many seconds it will take. The condition that is met first ends the phase.
fn estimate(phase: &PhaseProgress) -> (Option<f64>, Option<f64>) {
    let of_count = |done: u64, all: Option<u64>| {
        all.filter(|all| *all > 0).map(|all| {
            let share = (done as f64 / all as f64).min(1.0);
            (share, (done > 0).then(|| phase.elapsed * (all.saturating_sub(done)) as f64 / done as f64))
        })
    };
    let of_time = phase.duration.filter(|duration| *duration > 0.0).map(|duration| {
        let eta = (phase.state == PhaseStatus::Sending).then(|| (duration - phase.elapsed).max(0.0));
        ((phase.elapsed / duration).min(1.0), eta)
    });
    let all = [
        of_count(phase.returned, phase.expected_requests),
        of_count(phase.sessions_completed, phase.expected_sessions),
        of_time,
    ];
    let share = all
        .iter()
        .flatten()
        .map(|(share, _)| *share)
        .fold(None, |most: Option<f64>, share| Some(most.map_or(share, |most| most.max(share))));
    let eta = all
        .iter()
        .flatten()
        .filter_map(|(_, eta)| *eta)
        .fold(None, |least: Option<f64>, eta| Some(least.map_or(eta, |least| least.min(eta))));
    (share, eta)
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Nanos;
    use aiperf_metrics::MetricContext;
    use aiperf_protocol::{EndpointKind, PhaseKind};

    use super::*;

    fn plan(kind: PhaseKind, requests: Option<u64>, duration: Option<f64>) -> PhasePlan {
        let context = MetricContext::new(EndpointKind::Chat, true);
        PhasePlan { name: kind.name().to_owned(), kind, requests, sessions: None, duration, grace: Some(30.0), context }
    }

    fn at(seconds: f64) -> Mono {
        Mono::from_nanos(1_000_000_000) + Nanos::from_secs_f64(seconds)
    }

    #[test]
    fn phases_follow_each_other_and_estimate_their_end() {
        let anchor = WallAnchor::take();
        let mut list = PhaseList::new(vec![
            plan(PhaseKind::Warmup, Some(10), None),
            plan(PhaseKind::Profiling, Some(100), Some(20.0)),
        ]);
        let mut reading = GaugeReading { phase: Some((0, at(0.0))), sent: 4, ..GaugeReading::default() };
        let changes = list.read(&reading, at(0.1), &anchor);
        assert_eq!(changes, PhaseChanges { started: Some(0), ..PhaseChanges::default() });
        reading.phase = Some((1, at(1.0)));
        (reading.sent, reading.returned) = (30, 25);
        let changes = list.read(&reading, at(3.0), &anchor);
        assert_eq!((changes.completed, changes.started), (Some(0), Some(1)));
        let [warmup, profiling] = list.progress() else { panic!() };
        assert_eq!((warmup.state, profiling.state), (PhaseStatus::Complete, PhaseStatus::Sending));
        assert!((profiling.eta.unwrap() - 6.0).abs() < 1e-9 && profiling.in_flight == 5);
        assert!((profiling.share.unwrap() - 0.25).abs() < 1e-9);
        reading.sending_ended = Some(at(4.0));
        assert_eq!(list.read(&reading, at(4.1), &anchor).sending_completed, Some(1));
        assert_eq!(list.end(at(5.0), &anchor), Some(1));
        assert_eq!(list.end(at(6.0), &anchor), None);
    }

    #[test]
    fn records_that_come_after_the_end_of_their_phase_count() {
        let anchor = WallAnchor::take();
        let mut list =
            PhaseList::new(vec![plan(PhaseKind::Warmup, None, Some(1.0)), plan(PhaseKind::Profiling, None, None)]);
        let phase = Some((0, at(0.0)));
        let reading = GaugeReading { phase, sent: 3, returned: 1, ..GaugeReading::default() };
        list.read(&reading, at(0.1), &anchor);
        list.count(0, RequestOutcome::Success);
        let phase = Some((1, at(1.0)));
        list.read(&GaugeReading { phase, ..GaugeReading::default() }, at(1.1), &anchor);
        (0..3).for_each(|_| list.count(0, RequestOutcome::Success));
        let warmup = &list.progress()[0];
        assert_eq!((warmup.sent, warmup.returned, warmup.completed), (4, 4, 4));
        assert_eq!(list.progress()[1].completed, 0);
    }

    #[test]
    fn a_phase_that_is_shorter_than_the_time_between_readings_is_complete() {
        let anchor = WallAnchor::take();
        let mut list =
            PhaseList::new(vec![plan(PhaseKind::Warmup, Some(2), None), plan(PhaseKind::Profiling, None, None)]);
        list.read(&GaugeReading::default(), at(0.05), &anchor);
        let phase = Some((1, at(0.1)));
        let changes = list.read(&GaugeReading { phase, ..GaugeReading::default() }, at(0.2), &anchor);
        assert_eq!((changes.skipped, changes.started, changes.completed), (0..1, Some(1), None));
        (0..2).for_each(|_| list.count(0, RequestOutcome::Success));
        let warmup = &list.progress()[0];
        assert_eq!((warmup.state, warmup.returned, warmup.completed), (PhaseStatus::Complete, 2, 2));
        assert_eq!((warmup.start_ns, warmup.end_ns), (Some(epoch(&anchor, at(0.05))), Some(epoch(&anchor, at(0.1)))));
    }
}
