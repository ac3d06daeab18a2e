//! What to do about a client that is the limit.

use aiperf_metrics::{ClientLimit, LimitKind, ThreadRole};

use super::Wording;
use crate::console::number::grouped;

/// From here on the p95 of whatever is timed is one that met a pause.
const MUCH_STOLEN: f64 = 0.05;
const OF_A_HOST: &str = "Repeat the run when the host is quiet, or on a machine whose processors are its own.";

pub(super) fn limit(limit: &ClientLimit) -> Wording {
    let figure = grouped(limit.figure);
    let seen = match limit.kind {
        LimitKind::ScheduleLag { growing: false } => {
            format!("requests were sent up to {figure} ms after they were due")
        }
        LimitKind::ScheduleLag { growing: true } => {
            format!("requests were sent later and later, up to {figure} ms after they were due")
        }
        LimitKind::WorkerLag => format!("worker threads came round up to {figure} ms late"),
        LimitKind::ProcessCpu => format!("{figure}% of its processor time was used up"),
        LimitKind::ThreadCpu(ThreadRole::Conductor) => {
            format!("the thread that gives out requests was busy {figure}% of the time")
        }
        LimitKind::ThreadCpu(ThreadRole::Worker) => format!("a worker thread was busy {figure}% of the time"),
        LimitKind::RecordQueue => format!("finished requests filled {figure}% of the queue to the record threads"),
        LimitKind::Descriptors => format!("{figure}% of its file descriptors were in use"),
    };
    let stolen = match limit.stolen {
        Some(share) if share >= MUCH_STOLEN => format!(
            " Meanwhile the host of this virtual machine gave its processors to others for {}% of the time they were wanted.",
            grouped(100.0 * share),
        ),
        _ => String::new(),
    };
    let unit = limit.kind.unit().label();
    let space = if unit == "%" { "" } else { " " };
    let statement = format!(
        "The client was the limit, not the server: {seen}, first {:.1} s into the run, for {:.1} s in all (limit \
         {}{space}{unit}).{stolen}",
        limit.since.as_secs_f64(),
        limit.lasted.as_secs_f64(),
        limit.threshold,
    );
    let advice = if stolen.is_empty() { advice(limit.kind) } else { OF_A_HOST };
    Wording::new(statement, advice)
}

fn advice(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::ScheduleLag { growing: false } => {
            "Raise --workers-max where processors are free, or move the client to a machine of its own."
        }
        LimitKind::ScheduleLag { growing: true } => {
            "The rate asked for was not reached: lower it, raise --workers-max where processors are free, or split the \
             load over several clients."
        }
        LimitKind::WorkerLag => {
            "Requests may be sent late by as much; response times are late only where the kernel did not stamp them (see \
             timestamps). Raise --workers-max where processors are free, move the client to a machine of its own, or \
             lower the load."
        }
        LimitKind::ProcessCpu => {
            "Give it more processors or a machine apart from the server's, or spend less: --export-level summary, \
             --use-server-token-count."
        }
        LimitKind::ThreadCpu(ThreadRole::Conductor) => {
            "A schedule is kept by one thread: lower the rate or split the load over several clients."
        }
        LimitKind::ThreadCpu(ThreadRole::Worker) => "Raise --workers-max, or lower the load.",
        LimitKind::RecordQueue => {
            "When it is full, finished requests hold their slots and the load falls. Raise --record-processors, or \
             spend less on each record: --export-level summary, --use-server-token-count."
        }
        LimitKind::Descriptors => "Raise the limit (ulimit -n) before the run, or lower --concurrency.",
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Nanos;

    use super::*;

    #[test]
    fn a_host_that_takes_processors_away_is_named_with_what_to_do_about_it() {
        let late = |stolen| {
            let (since, lasted) = (Nanos::ZERO, Nanos(2_000_000_000));
            limit(&ClientLimit { kind: LimitKind::WorkerLag, figure: 30.0, threshold: 10.0, since, lasted, stolen })
        };
        let by_host = late(Some(0.333));
        assert!(by_host.statement.contains("for 33.30% of the time they were wanted"), "{}", by_host.statement);
        assert_eq!(by_host.advice, OF_A_HOST);
        assert_eq!(late(Some(0.01)), late(None));
    }
}
