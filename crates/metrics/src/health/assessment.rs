//! Reads the samples of a run and says what limited the client, if anything did.

use aiperf_clock::{Mono, Nanos};

use super::limit::{ClientLimit, LimitKind};
use super::maxima::HealthMaxima;
use super::record_backlog::RecordBacklog;
use super::sample::{HealthSample, MachineTime, ThreadRole};
use crate::{FailureGroup, Shortage};

/// Longer than a thread that is merely waiting its turn behind others waits on Linux (a few slices of 3 ms), and as long
/// as the time between two tokens of a quick server: beyond it, what is measured is the client.
const LAG_MS: f64 = 10.0;
/// Threads do not fill processors evenly, so that all of them are never quite used.
const PROCESS_CPU_PERCENT: f64 = 90.0;
/// Work that finds a server busy for a share r of the time waits r / (2 (1 - r)) service times on average (M/D/1,
/// Kleinrock, Queueing Systems, 1975): 4.5 at 90 %, and beyond any bound soon after.
const THREAD_CPU_PERCENT: f64 = 90.0;
/// A queue that takes in bursts is empty again soon; one that stays half full is on its way to full, and then finished
/// requests of a closed loop hold their slots and the load falls; those of an open loop are spilled to disk.
const RECORD_QUEUE_PERCENT: f64 = 50.0;
/// The next burst of connections meets the limit, and each one beyond it fails.
const DESCRIPTORS_PERCENT: f64 = 95.0;

/// A worker that is merely kept waiting by others comes round far sooner. Whatever was sent or read meanwhile is late by as
/// much, so that one such stop is enough.
const STALL: Nanos = Nanos(250_000_000);

/// A state must last to count: one slow moment (a page fault, another program) does not make a run doubtful. Both must
/// be met, since one interval longer than this could hold a single slow moment.
const SUSTAINED: Nanos = Nanos(1_000_000_000);
const SUSTAINED_SAMPLES: usize = 3;
/// Lag of the second half of a stretch over that of the first, from which on it is called growing.
const GROWTH: f64 = 1.5;

/// What the client's own samples say of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClientHealth {
    /// What the client ran into; empty when it was never the limit.
    pub limits: Vec<ClientLimit>,
    pub observed: HealthMaxima,
    pub records: RecordBacklog,
}

impl ClientHealth {
    /// Assesses samples in order of time. `began`: the start of the run, from which "since when" is counted.
    pub fn assess(began: Mono, samples: &[HealthSample]) -> Self {
        let stalls = stalls(began, samples);
        let limits = stalls.into_iter().chain(RULES.iter().filter_map(|rule| rule.assess(began, samples))).collect();
        Self { limits, observed: HealthMaxima::of(samples), records: RecordBacklog::default() }
    }

    /// Adds what failed requests tell: a short run has no sample of the moment in which descriptors or ports ran out.
    pub fn add_shortages(&mut self, began: Mono, failures: &[FailureGroup]) {
        for (shortage, kind) in [(Shortage::Descriptors, LimitKind::Descriptors), (Shortage::Ports, LimitKind::Ports)] {
            let failed = failures.iter().filter(|group| group.failure.shortage == Some(shortage));
            let Some(first) = failed.map(FailureGroup::first_seen).min() else { continue };
            if self.limits.iter().all(|limit| limit.kind != kind) {
                self.limits.push(ClientLimit {
                    kind,
                    figure: 100.0,
                    threshold: DESCRIPTORS_PERCENT,
                    since: first.since(began),
                    lasted: Nanos::ZERO,
                    stolen: None,
                });
            }
        }
    }

    /// Adds what the queue to the record threads counted. Even one request that was held back makes the load lower than asked for.
    pub fn add_record_backlog(&mut self, records: RecordBacklog) {
        self.records = records;
        self.observed.record_queue_bytes = self.observed.record_queue_bytes.max(records.most_bytes);
        if records.held_back > 0 {
            self.limits.push(ClientLimit {
                kind: LimitKind::RecordsHeldBack,
                figure: records.held_back as f64,
                threshold: 0.0,
                since: records.held_back_since,
                lasted: records.held_back_for,
                stolen: None,
            });
        }
    }

    /// Whether the client, not the server, was the limit at some time.
    pub fn is_saturated(&self) -> bool {
        !self.limits.is_empty()
    }
}

/// All stops of the client together: the longest is the figure.
fn stalls(began: Mono, samples: &[HealthSample]) -> Option<ClientLimit> {
    let stopped: Vec<&HealthSample> = samples.iter().filter(|sample| sample.worker_lag >= STALL).collect();
    let first = stopped.first()?;
    let longest = stopped.iter().map(|sample| sample.worker_lag).max()?;
    Some(ClientLimit {
        kind: LimitKind::Stalled,
        figure: longest.as_millis_f64(),
        threshold: STALL.as_millis_f64(),
        since: Nanos(first.at.since(began).0.saturating_sub(first.worker_lag.0)),
        lasted: stopped.iter().fold(Nanos::ZERO, |sum, sample| sum + sample.worker_lag),
        stolen: MachineTime::stolen_share(stopped.iter().copied()),
    })
}

/// A figure of each sample that must not stay at or above a threshold.
struct LimitRule {
    kind: LimitKind,
    threshold: f64,
    figure: fn(&HealthSample) -> Option<f64>,
}

const RULES: [LimitRule; 7] = [
    LimitRule {
        kind: LimitKind::ScheduleLag { growing: false },
        threshold: LAG_MS,
        figure: |sample| Some(sample.schedule_lag.as_millis_f64()),
    },
    LimitRule {
        kind: LimitKind::WorkerLag,
        threshold: LAG_MS,
        figure: |sample| Some(sample.worker_lag.as_millis_f64()),
    },
    LimitRule {
        kind: LimitKind::ProcessCpu,
        threshold: PROCESS_CPU_PERCENT,
        figure: |sample| Some(100.0 * sample.cpu_share),
    },
    LimitRule {
        kind: LimitKind::ThreadCpu(ThreadRole::Scheduler),
        threshold: THREAD_CPU_PERCENT,
        figure: |sample| thread_percent(sample, ThreadRole::Scheduler),
    },
    LimitRule {
        kind: LimitKind::ThreadCpu(ThreadRole::Worker),
        threshold: THREAD_CPU_PERCENT,
        figure: |sample| thread_percent(sample, ThreadRole::Worker),
    },
    LimitRule {
        kind: LimitKind::RecordQueue,
        threshold: RECORD_QUEUE_PERCENT,
        figure: |sample| percent(sample.record_queue_bytes, sample.record_queue_budget),
    },
    LimitRule {
        kind: LimitKind::Descriptors,
        threshold: DESCRIPTORS_PERCENT,
        figure: |sample| sample.descriptors.and_then(|used| percent(used.open, used.limit)),
    },
];

fn thread_percent(sample: &HealthSample, role: ThreadRole) -> Option<f64> {
    sample.busiest_thread.filter(|thread| thread.role == role).map(|thread| 100.0 * thread.share)
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

impl LimitRule {
    fn assess(&self, began: Mono, samples: &[HealthSample]) -> Option<ClientLimit> {
        let mut limit: Option<ClientLimit> = None;
        let mut growing = false;
        let mut meanwhile: Vec<&HealthSample> = Vec::new();
        let mut edge = began;
        let mut rest = samples;
        while let Some(first) = rest.first() {
            let length = rest.iter().take_while(|sample| self.exceeds(sample)).count();
            if length == 0 {
                edge = first.at;
                rest = &rest[1..];
                continue;
            }
            let (stretch, after) = rest.split_at(length);
            let end = stretch[length - 1].at;
            let lasted = end.since(edge);
            if self.is_sustained(length, lasted) {
                let worst = stretch.iter().filter_map(self.figure).fold(self.threshold, f64::max);
                growing |= self.grows(stretch);
                let so_far = limit.get_or_insert(ClientLimit {
                    kind: self.kind,
                    figure: worst,
                    threshold: self.threshold,
                    since: edge.since(began),
                    lasted: Nanos::ZERO,
                    stolen: None,
                });
                so_far.figure = so_far.figure.max(worst);
                so_far.lasted = so_far.lasted + lasted;
                meanwhile.extend(stretch);
            }
            edge = end;
            rest = after;
        }
        limit.map(|limit| {
            let stolen = MachineTime::stolen_share(meanwhile);
            match limit.kind {
                LimitKind::ScheduleLag { .. } => {
                    ClientLimit { kind: LimitKind::ScheduleLag { growing }, stolen, ..limit }
                }
                _ => ClientLimit { stolen, ..limit },
            }
        })
    }

    fn exceeds(&self, sample: &HealthSample) -> bool {
        (self.figure)(sample).is_some_and(|figure| figure >= self.threshold)
    }

    /// Descriptors run out at one instant; all else must last.
    fn is_sustained(&self, samples: usize, lasted: Nanos) -> bool {
        self.kind == LimitKind::Descriptors || samples >= SUSTAINED_SAMPLES && lasted >= SUSTAINED
    }

    fn grows(&self, stretch: &[HealthSample]) -> bool {
        let mean = |part: &[HealthSample]| part.iter().filter_map(self.figure).sum::<f64>() / part.len().max(1) as f64;
        let (early, late) = stretch.split_at(stretch.len() / 2);
        stretch.len() > SUSTAINED_SAMPLES && mean(late) > GROWTH * mean(early)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::failures::Failures;
    use crate::{DescriptorUse, Failure, FailureKind, MachineTime, ThreadLoad};

    const BEGAN: Mono = Mono::from_nanos(5_000_000_000);
    const EVERY: u64 = 250_000_000;

    fn millis(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    /// A busy but healthy client: what each test changes is what it is about.
    fn run(samples: u64, change: impl Fn(u64, &mut HealthSample)) -> ClientHealth {
        let sample = |index: u64| {
            let mut sample = HealthSample {
                at: BEGAN + Nanos((index + 1) * EVERY),
                worker_lag: Nanos(80_000),
                arrival_to_read_delay_p99: Nanos(60_000),
                arrival_to_read_delay: Nanos(90_000),
                cpu_share: 0.6,
                busiest_thread: Some(ThreadLoad { role: ThreadRole::Worker, share: 0.5 }),
                record_queue_bytes: 10,
                record_queue_budget: 1_000,
                schedule_lag: Nanos(60_000),
                in_flight: 64,
                descriptors: Some(DescriptorUse { open: 90, limit: 1_024 }),
                machine: Some(MachineTime { busy: millis(300), stolen: Nanos::ZERO }),
            };
            change(index, &mut sample);
            sample
        };
        ClientHealth::assess(BEGAN, &(0..samples).map(sample).collect::<Vec<_>>())
    }

    fn only(health: &ClientHealth) -> ClientLimit {
        assert_eq!(health.limits.len(), 1, "{:?}", health.limits);
        health.limits[0]
    }

    #[test]
    fn a_client_with_room_to_spare_is_healthy() {
        let health = run(40, |_, _| {});
        assert!(!health.is_saturated());
        assert_eq!((health.observed.samples, health.observed.in_flight), (40, 64));
        assert_eq!(health.observed.descriptors, Some(90));
        assert!(!ClientHealth::assess(BEGAN, &[]).is_saturated());
    }

    #[test]
    fn one_slow_moment_is_seen_but_does_not_condemn_the_run() {
        let health = run(40, |index, sample| {
            if index == 7 {
                sample.worker_lag = millis(200);
                sample.schedule_lag = millis(300);
                sample.cpu_share = 1.0;
                sample.record_queue_bytes = 1_000;
            }
        });
        assert!(!health.is_saturated());
        assert_eq!(health.observed.worker_lag, millis(200));
    }

    #[test]
    fn a_client_that_was_stopped_once_is_a_limit_of_its_own() {
        let stops = |stopped: &'static [(u64, u64)]| {
            run(40, move |index, sample| {
                if let Some((_, lag)) = stopped.iter().find(|(at, _)| *at == index) {
                    sample.worker_lag = millis(*lag);
                }
            })
        };
        let limit = only(&stops(&[(15, 3_000)]));
        assert_eq!((limit.kind, limit.since, limit.lasted), (LimitKind::Stalled, millis(1_000), millis(3_000)));
        let twice = only(&stops(&[(15, 300), (30, 400)]));
        assert_eq!((twice.lasted, twice.since), (millis(700), millis(3_700)));
        assert!((twice.figure - 400.0).abs() < 1e-9 && (twice.threshold - 250.0).abs() < 1e-9);
    }

    #[test]
    fn connections_that_failed_for_want_of_descriptors_or_ports_are_a_limit_without_a_sample() {
        let failed = |shortage| {
            let mut failures = Failures::default();
            let mut failure = Failure::new(None, FailureKind::Connect, "too many");
            failure.shortage = shortage;
            failures.add(&failure, 3, BEGAN + millis(20));
            failures.into_groups()
        };
        let health = |shortage| {
            let mut health = ClientHealth::assess(BEGAN, &[]);
            health.add_shortages(BEGAN, &failed(shortage));
            health
        };
        assert!(!health(None).is_saturated());
        let limit = only(&health(Some(Shortage::Descriptors)));
        assert_eq!((limit.kind, limit.since), (LimitKind::Descriptors, millis(20)));
        assert_eq!(only(&health(Some(Shortage::Ports))).kind, LimitKind::Ports);
        let mut seen = run(4, |_, sample| sample.descriptors = Some(DescriptorUse { open: 64, limit: 64 }));
        seen.add_shortages(BEGAN, &failed(Some(Shortage::Descriptors)));
        assert_eq!(only(&seen).kind, LimitKind::Descriptors, "known from samples already");
    }

    #[test]
    fn workers_that_keep_coming_round_late_are_a_limit_from_when_they_began_to() {
        let health = run(40, |index, sample| {
            if index >= 8 {
                sample.worker_lag = millis(10 + index);
            }
        });
        let limit = only(&health);
        assert_eq!(
            (limit.kind, limit.since, limit.lasted),
            (LimitKind::WorkerLag, Nanos(8 * EVERY), Nanos(32 * EVERY))
        );
        assert!((limit.figure - 49.0).abs() < 1e-9 && (limit.threshold - 10.0).abs() < 1e-9);
    }

    #[test]
    fn all_processors_in_use_are_a_limit() {
        let limit = only(&run(8, |_, sample| sample.cpu_share = 0.97));
        assert_eq!((limit.kind, limit.since), (LimitKind::ProcessCpu, Nanos::ZERO));
        assert!((limit.figure - 97.0).abs() < 1e-9);
    }

    #[test]
    fn one_full_thread_is_a_limit_on_a_machine_that_is_idle_otherwise() {
        for role in [ThreadRole::Scheduler, ThreadRole::Worker] {
            let health = run(8, |_, sample| {
                sample.cpu_share = 0.1;
                sample.busiest_thread = Some(ThreadLoad { role, share: 0.99 });
            });
            assert_eq!(only(&health).kind, LimitKind::ThreadCpu(role));
        }
    }

    #[test]
    fn a_record_queue_that_stays_filled_is_a_limit() {
        let limit = only(&run(20, |index, sample| sample.record_queue_bytes = 50 * index));
        assert_eq!((limit.kind, limit.since), (LimitKind::RecordQueue, Nanos(10 * EVERY)));
        assert!((limit.figure - 95.0).abs() < 1e-9);
    }

    #[test]
    fn lag_that_grows_is_told_from_lag_that_stays() {
        let stays = run(20, |_, sample| sample.schedule_lag = millis(40));
        assert_eq!(only(&stays).kind, LimitKind::ScheduleLag { growing: false });
        let grows = run(20, |index, sample| sample.schedule_lag = millis(20 * index));
        assert_eq!(only(&grows).kind, LimitKind::ScheduleLag { growing: true });
    }

    #[test]
    fn what_the_host_took_away_is_told_of_the_time_of_the_limit_and_of_the_run() {
        let health = run(40, |index, sample| {
            if (10..20).contains(&index) {
                sample.worker_lag = millis(30);
                sample.machine = Some(MachineTime { busy: millis(300), stolen: millis(100) });
            }
        });
        assert_eq!(only(&health).stolen, Some(0.25));
        let share = health.observed.stolen.unwrap();
        assert!((share - 1_000.0 / 13_000.0).abs() < 1e-9, "{share}");
        let unknown = run(40, |_, sample| sample.machine = None);
        assert_eq!(unknown.observed.stolen, None);
    }

    #[test]
    fn descriptors_need_not_run_out_for_long() {
        let health = run(20, |index, sample| {
            if index == 12 {
                sample.descriptors = Some(DescriptorUse { open: 1_020, limit: 1_024 });
            }
        });
        let limit = only(&health);
        assert_eq!((limit.kind, limit.since), (LimitKind::Descriptors, Nanos(12 * EVERY)));
        assert_eq!(health.observed.descriptors, Some(1_020));
    }

    #[test]
    fn several_stretches_are_added_up_and_dated_by_the_first() {
        let limit = only(&run(40, |index, sample| {
            if (4..10).contains(&index) || (20..24).contains(&index) || index == 30 {
                sample.worker_lag = millis(if index < 10 { 15 } else { 25 });
            }
        }));
        assert_eq!((limit.since, limit.lasted), (Nanos(4 * EVERY), Nanos(10 * EVERY)));
        assert!((limit.figure - 25.0).abs() < 1e-9);
    }
}
