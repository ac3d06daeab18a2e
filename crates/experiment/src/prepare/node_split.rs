//! The sessions of a schedule that this node starts.

use aiperf_config::{NodeShare, Pace, PhaseConfig, ScheduleZero};
use aiperf_engine::FixedSchedule;

use aiperf_socket::host_name;
use serde_json::{Value, json};

use crate::error::RunError;

/// The `node` object of the summary, for runs that are a part of one.
pub(crate) fn summary_object(share: NodeShare) -> Option<(String, Value)> {
    let node = || json!({"index": share.index(), "count": share.count(), "host": host_name()});
    (!share.is_whole()).then(|| ("node".to_owned(), node()))
}

/// Keeps the sessions of a schedule that the node starts. Their times count from the start of the whole schedule.
pub(crate) fn divide_schedule(
    phases: &mut [PhaseConfig],
    share: NodeShare,
    schedule: &mut FixedSchedule,
) -> Result<(), RunError> {
    let Some((_, earliest)) = schedule.first().copied().filter(|_| !share.is_whole()) else { return Ok(()) };
    let sessions = schedule.len();
    let mut numbers = 0..;
    schedule.retain(|_| numbers.next().is_some_and(|number| share.takes(number)));
    if schedule.is_empty() {
        return Err(RunError::TooFewSessions { nodes: share.count(), sessions });
    }
    for phase in phases {
        if let Pace::FixedSchedule { zero: zero @ ScheduleZero::Earliest, .. } = &mut phase.pace {
            *zero = ScheduleZero::At(earliest);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use aiperf_config::{PhaseKind, StopConditions};

    use super::*;

    #[test]
    fn a_schedule_keeps_its_zero_on_every_node() {
        let share = NodeShare::new(1, 2).unwrap();
        let pace = Pace::FixedSchedule { zero: ScheduleZero::Earliest, ceiling: None };
        let mut phases = [PhaseConfig::new(PhaseKind::Profiling, pace, StopConditions::default())];
        let mut schedule = vec![(4, 100.0), (3, 110.0), (2, 120.0), (1, 130.0), (0, 140.0)];
        divide_schedule(&mut phases, share, &mut schedule).unwrap();
        assert_eq!(schedule, [(3, 110.0), (1, 130.0)]);
        assert_eq!(phases[0].pace, Pace::FixedSchedule { zero: ScheduleZero::At(100.0), ceiling: None });
        let mut short = vec![(0, 1.0)];
        assert!(divide_schedule(&mut phases, share, &mut short).is_err());
    }
}
