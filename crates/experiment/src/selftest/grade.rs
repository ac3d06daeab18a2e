//! Grades a self-test. Each limit gives its reason.

use std::collections::BTreeMap;

use aiperf_metrics::{ClientHealth, ClientLoad};
use aiperf_report::{ErrorLimits, ErrorStatistic, ErrorStats, Grade, JoinCounts, SelfTestProblem, TimedError};

use super::options::Load;

/// One percent of a first token after 50 ms: nobody concludes anything from less.
const TYPICAL_MS: f64 = 0.5;
/// Half the time between two tokens of a quick server (10 ms): a later stamp may be taken for the next token.
const TAIL_MS: f64 = 5.0;
/// Of the mean over a whole reply, in which single late stamps cancel out: one percent of those 10 ms, and five.
const ITL: ErrorLimits = ErrorLimits { p50: 0.1, p99: 0.5 };
/// Standard deviations by which the number of Poisson arrivals may fall short by chance: once in 30,000 tests.
const CHANCE: f64 = 4.0;

/// The limits, in milliseconds. In closed loop nothing is due at a time, so that there is no lag to limit.
pub(super) fn limits(load: Load, max_ttft_error: f64) -> BTreeMap<TimedError, ErrorLimits> {
    let usual = ErrorLimits { p50: TYPICAL_MS, p99: TAIL_MS };
    let open = matches!(load, Load::Rate(_));
    TimedError::ALL
        .into_iter()
        .filter_map(|error| match error {
            // A tighter limit on the tail is one on the middle too.
            TimedError::TimeToFirstToken => {
                Some((error, ErrorLimits { p50: TYPICAL_MS.min(max_ttft_error), p99: max_ttft_error }))
            }
            TimedError::InterTokenLatency => Some((error, ITL)),
            TimedError::ScheduleLag => open.then_some((error, usual)),
            TimedError::InterChunkLatency
            | TimedError::RequestLatency
            | TimedError::ChunkArrival
            | TimedError::SendTime => Some((error, usual)),
        })
        .collect()
}

/// All that a verdict is drawn from.
#[derive(Debug)]
pub(super) struct GradeInput<'a> {
    pub(super) load: Load,
    /// Seconds of sending.
    pub(super) duration: f64,
    pub(super) counts: &'a JoinCounts,
    pub(super) reached: &'a ClientLoad,
    pub(super) errors: &'a BTreeMap<TimedError, ErrorStats>,
    pub(super) limits: &'a BTreeMap<TimedError, ErrorLimits>,
    pub(super) simulator_lag: Option<&'a ErrorStats>,
    pub(super) health: Option<&'a ClientHealth>,
}

impl GradeInput<'_> {
    /// Worst first.
    pub(super) fn problems(&self) -> Vec<SelfTestProblem> {
        let counts = self.counts;
        let mut problems: Vec<SelfTestProblem> = Vec::new();
        if counts.compared == 0 {
            problems.push(SelfTestProblem::NothingCompared);
        }
        let counted = [
            (counts.failed, SelfTestProblem::Failed as fn(u64) -> SelfTestProblem),
            (counts.lost, SelfTestProblem::Lost),
            (counts.extra, SelfTestProblem::Extra),
            (counts.chunks_missing, SelfTestProblem::ChunksMissing),
        ];
        problems.extend(counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, problem)| problem(count)));
        problems.extend(self.load_short());
        for (error, limits) in self.limits {
            let Some(stats) = self.errors.get(error) else { continue };
            let pairs = [(ErrorStatistic::P50, stats.p50, limits.p50), (ErrorStatistic::P99, stats.p99, limits.p99)];
            let large = pairs.into_iter().filter(|(_, value, limit)| *value > limit / 2.0);
            problems.extend(large.map(|(statistic, value, limit)| SelfTestProblem::ErrorLarge {
                error: *error,
                statistic,
                value,
                limit,
            }));
        }
        if let Some(lag) = self.simulator_lag.filter(|lag| lag.p50 > TYPICAL_MS || lag.p99 > TAIL_MS) {
            problems.push(SelfTestProblem::SimulatorLate { p50: lag.p50, p99: lag.p99 });
        }
        let client = self.health.map_or(&[][..], |health| &health.limits);
        problems.extend(client.iter().copied().map(SelfTestProblem::ClientLimit));
        problems.sort_by_key(|problem| std::cmp::Reverse(problem.grade()));
        problems
    }

    /// A load that was not reached is not certified.
    fn load_short(&self) -> Option<SelfTestProblem> {
        match self.load {
            Load::Streams(asked) => {
                let reached = self.reached.in_flight;
                (reached < asked).then_some(SelfTestProblem::StreamsShort { reached, asked })
            }
            Load::Rate(asked) => {
                let expected = asked * self.duration;
                let sent = (self.counts.compared + self.counts.failed + self.counts.cut_off) as f64;
                let short = sent + CHANCE * expected.sqrt() < expected;
                short.then_some(SelfTestProblem::RateShort { reached: sent / self.duration, asked })
            }
        }
    }
}

pub(super) fn grade_of(problems: &[SelfTestProblem]) -> Grade {
    problems.iter().map(SelfTestProblem::grade).max().unwrap_or(Grade::Pass)
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Nanos;
    use aiperf_metrics::{ClientLimit, LimitKind};

    use super::*;

    const REACHED: ClientLoad = ClientLoad { in_flight: 100, chunks_per_second: 9_000.0, requests_per_second: 90.0 };

    fn of(p50: f64, p99: f64) -> ErrorStats {
        ErrorStats { count: 100, p50, p99, max: 2.0 * p99, mean: p50 }
    }

    fn judged(
        load: Load,
        counts: JoinCounts,
        errors: &[(TimedError, ErrorStats)],
        max_ttft: f64,
        health: Option<&ClientHealth>,
    ) -> (Grade, Vec<SelfTestProblem>) {
        let (limits, errors) = (limits(load, max_ttft), errors.iter().copied().collect());
        let input = GradeInput {
            load,
            duration: 10.0,
            counts: &counts,
            reached: &REACHED,
            errors: &errors,
            limits: &limits,
            simulator_lag: None,
            health,
        };
        let problems = input.problems();
        (grade_of(&problems), problems)
    }

    const STREAMS: Load = Load::Streams(100);
    const WHOLE: JoinCounts = JoinCounts { compared: 900, failed: 0, cut_off: 0, lost: 0, extra: 0, chunks_missing: 0 };

    fn grade(p50: f64, p99: f64, max_ttft: f64) -> Grade {
        judged(STREAMS, WHOLE, &[(TimedError::TimeToFirstToken, of(p50, p99))], max_ttft, None).0
    }

    #[test]
    fn small_errors_pass_half_a_limit_warns_and_a_whole_one_fails() {
        assert_eq!(grade(0.1, 1.0, 5.0), Grade::Pass);
        assert_eq!(grade(0.3, 1.0, 5.0), Grade::Warn);
        assert_eq!(grade(0.1, 3.0, 5.0), Grade::Warn);
        assert_eq!(grade(0.6, 1.0, 5.0), Grade::Fail);
        assert_eq!(grade(0.1, 5.1, 5.0), Grade::Fail);
    }

    #[test]
    fn the_users_own_limit_is_the_one_that_counts() {
        assert_eq!(grade(0.1, 5.1, 20.0), Grade::Pass);
        assert_eq!(grade(0.1, 1.0, 0.000_001), Grade::Fail);
        assert_eq!(limits(STREAMS, 0.2)[&TimedError::TimeToFirstToken], ErrorLimits { p50: 0.2, p99: 0.2 });
    }

    #[test]
    fn what_is_lost_extra_failed_or_never_came_fails_whatever_the_times() {
        let ttft = [(TimedError::TimeToFirstToken, of(0.1, 1.0))];
        let fails = |counts| judged(STREAMS, counts, &ttft, 5.0, None);
        for counts in [
            JoinCounts { lost: 1, ..WHOLE },
            JoinCounts { extra: 1, ..WHOLE },
            JoinCounts { failed: 1, ..WHOLE },
            JoinCounts { chunks_missing: 1, ..WHOLE },
            JoinCounts::default(),
        ] {
            let (grade, problems) = fails(counts);
            assert_eq!((grade, problems.len()), (Grade::Fail, 1), "{problems:?}");
        }
        assert_eq!(fails(JoinCounts { cut_off: 5, ..WHOLE }).0, Grade::Pass, "the end of the run is no mistake");
    }

    #[test]
    fn a_load_that_was_not_reached_fails() {
        let (grade, problems) = judged(Load::Streams(1_000), WHOLE, &[], 5.0, None);
        assert_eq!((grade, problems[0]), (Grade::Fail, SelfTestProblem::StreamsShort { reached: 100, asked: 1_000 }));
        assert_eq!(judged(Load::Rate(95.0), WHOLE, &[], 5.0, None).0, Grade::Pass, "chance may take so much");
        assert_eq!(judged(Load::Rate(120.0), WHOLE, &[], 5.0, None).0, Grade::Fail);
    }

    #[test]
    fn lag_counts_where_there_is_a_schedule() {
        let late = [(TimedError::ScheduleLag, of(8.0, 20.0))];
        assert_eq!(judged(STREAMS, WHOLE, &late, 5.0, None).0, Grade::Pass);
        assert_eq!(judged(Load::Rate(90.0), WHOLE, &late, 5.0, None).0, Grade::Fail);
    }

    #[test]
    fn a_simulator_that_is_late_itself_is_named_beside_what_it_spoils() {
        let (limits, errors) = (limits(STREAMS, 5.0), [(TimedError::SendTime, of(6.0, 30.0))].into());
        let late = of(0.1, 20.0);
        let problems = GradeInput {
            load: STREAMS,
            duration: 10.0,
            counts: &WHOLE,
            reached: &REACHED,
            errors: &errors,
            limits: &limits,
            simulator_lag: Some(&late),
            health: None,
        }
        .problems();
        assert_eq!(grade_of(&problems), Grade::Fail);
        assert_eq!(problems.last(), Some(&SelfTestProblem::SimulatorLate { p50: 0.1, p99: 20.0 }));
    }

    #[test]
    fn a_client_at_its_limit_warns_and_comes_after_what_failed() {
        let limit = ClientLimit {
            kind: LimitKind::ProcessCpu,
            figure: 97.0,
            threshold: 90.0,
            since: Nanos(0),
            lasted: Nanos(2_000_000_000),
            stolen: None,
        };
        let health = ClientHealth { limits: vec![limit], ..ClientHealth::default() };
        assert_eq!(judged(STREAMS, WHOLE, &[], 5.0, Some(&health)).0, Grade::Warn);
        let lost = JoinCounts { lost: 2, ..WHOLE };
        let (grade, problems) = judged(STREAMS, lost, &[], 5.0, Some(&health));
        assert_eq!((grade, problems[0], problems.len()), (Grade::Fail, SelfTestProblem::Lost(2), 2));
    }
}
