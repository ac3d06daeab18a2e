//! The text of notes about a client that was the limit.

use aiperf_clock::Nanos;
use aiperf_metrics::{ClientLimit, LimitKind, ThreadRole};

use super::{Wording, share};
use aiperf_table::{grouped, whole};

/// From here on the p95 of whatever is timed is one that met a pause.
const MUCH_STOLEN: f64 = 0.05;
const KEPT_FROM_READING: &str = "The server is not the cause, and request_latency is not affected. Find out what keeps the \
     client from its processors (a CPU limit, other programs, a paused machine), or move it to a machine of its own, and repeat \
     the run.";
const OF_A_HOST: &str = "Repeat the run when the host is idle, or on a machine with dedicated processors.";

pub(super) fn limit(limit: &ClientLimit) -> Wording {
    let figure = grouped(limit.figure);
    let seen = match limit.kind {
        LimitKind::ScheduleLag { growing: false } => {
            format!("requests were sent up to {figure} ms after they were due")
        }
        LimitKind::ScheduleLag { growing: true } => {
            format!("requests were sent later and later, up to {figure} ms after they were due")
        }
        LimitKind::WorkerLag => format!("worker threads ran up to {figure} ms late"),
        LimitKind::ProcessCpu => format!("it used {figure}% of its processor time"),
        LimitKind::ThreadCpu(ThreadRole::Scheduler) => {
            format!("the scheduler thread was busy {figure}% of the time")
        }
        LimitKind::ThreadCpu(ThreadRole::Worker) => format!("a worker thread was busy {figure}% of the time"),
        LimitKind::RecordQueue => format!("finished requests filled {figure}% of the queue to the record threads"),
        LimitKind::RecordsHeldBack => {
            format!("{figure} finished requests waited for the record threads before the next ones were sent")
        }
        LimitKind::Stalled => return stalled(limit),
        LimitKind::Descriptors => format!("{figure}% of its file descriptors were in use"),
        LimitKind::Ports => format!("{figure}% of its local ports were in use"),
    };
    let stolen = stolen(limit);
    let unit = limit.kind.unit().label();
    let space = if unit == "%" { "" } else { " " };
    let statement = format!(
        "The client was the limit, not the server: {seen}, first {:.1} s into the run{} (limit {}{space}{unit}).{stolen}",
        limit.since.as_secs_f64(),
        lasted(limit),
        limit.threshold,
    );
    let advice = if stolen.is_empty() { advice(limit.kind) } else { OF_A_HOST };
    Wording::new(statement, advice)
}

fn stolen(limit: &ClientLimit) -> String {
    match limit.stolen {
        Some(share) if share >= MUCH_STOLEN => format!(
            " During this time the host of this virtual machine withheld its processors for {}% of the time they were needed (steal time).",
            grouped(100.0 * share),
        ),
        _ => String::new(),
    }
}

/// Failed requests tell when it began, not for how long.
fn lasted(limit: &ClientLimit) -> String {
    match limit.lasted {
        Nanos::ZERO => String::new(),
        lasted => format!(", for {:.1} s in all", lasted.as_secs_f64()),
    }
}

fn stalled(limit: &ClientLimit) -> Wording {
    let stolen = stolen(limit);
    let statement = format!(
        "The client was stopped for {:.1} s in all, first {:.1} s into the run, for up to {} ms at once (limit {} ms): it \
         neither sent nor read during that time. Throughput and latencies of that part of the run reflect the client, not the \
         server.{stolen}",
        limit.lasted.as_secs_f64(),
        limit.since.as_secs_f64(),
        grouped(limit.figure),
        limit.threshold,
    );
    let advice = if stolen.is_empty() { advice(limit.kind) } else { OF_A_HOST };
    Wording::new(statement, advice)
}

pub(super) fn late_first_tokens(late: u64, of: u64) -> Wording {
    Wording::new(
        format!(
            "The client read first tokens late: {} have a first token that waited over 1 ms to be read and shares the time of a \
             later chunk. Their time to first token is too long; the p99 is one of them.",
            share(late, of)
        ),
        KEPT_FROM_READING,
    )
}

pub(super) fn user_timestamps(reads: u64) -> Wording {
    Wording::new(
        format!(
            "The system does not say when bytes arrive: the times of all {} reads are those at which the client read them. They \
             include how long a busy client took to get there.",
            whole(reads)
        ),
        "For exact times under a high load, run the client on Linux and connect over TCP. Other systems also start requests up to \
         1 ms late.",
    )
}

pub(super) fn late_sends(late: u64, of: u64) -> Wording {
    Wording::new(
        format!(
            "{} spent more than 1 ms, and more than a tenth of their latency, in the client before their first byte left. The \
             server got them later than the load asked for.",
            share(late, of)
        ),
        "Latencies count from when the client began on a request, so they do not include the wait before that. To shorten \
         it, open connections ahead (--preconnect), raise --workers-max if processors are free, or start the load slowly \
         (--concurrency-ramp-duration). The delay of each request is client_send_delay.",
    )
}

pub(super) fn merged_chunks(merged: u64, of: u64, percent: f64) -> Wording {
    Wording::new(
        format!(
            "The client read chunks late: {} of {} chunks ({percent:.1}%) waited over 1 ms to be read and share the time of a \
             later one, so inter_chunk_latency is too short for them and too long for the chunk before.",
            whole(merged),
            whole(of)
        ),
        KEPT_FROM_READING,
    )
}

fn advice(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::ScheduleLag { growing: false } => {
            "Raise --workers-max if processors are free, or move the client to a machine of its own."
        }
        LimitKind::ScheduleLag { growing: true } => {
            "The requested rate was not reached: lower it, raise --workers-max if processors are free, or split the load \
             over several clients."
        }
        LimitKind::WorkerLag => {
            "Requests may be sent late by as much; response times are late only if the kernel did not stamp them (see \
             timestamps). Raise --workers-max if processors are free, move the client to a machine of its own, or lower \
             the load."
        }
        LimitKind::ProcessCpu => {
            "Give the client more processors or a machine of its own, or reduce its work: --export-level summary, \
             --use-server-token-count."
        }
        LimitKind::ThreadCpu(ThreadRole::Scheduler) => {
            "One thread keeps the schedule: lower the rate, or split the load over several clients."
        }
        LimitKind::ThreadCpu(ThreadRole::Worker) => "Raise --workers-max, or lower the load.",
        LimitKind::RecordQueue => {
            "When the queue is full, a closed loop waits and its load falls, and an open loop spills responses to disk. Raise \
             --record-processors, or reduce the work for each record: --export-level summary, --use-server-token-count."
        }
        LimitKind::RecordsHeldBack => {
            "The load was lower than --concurrency asks for. Raise --record-processors or AIPERF_RECORD_MEMORY_MB, or reduce the \
             work for each record: --export-level summary, --use-server-token-count."
        }
        LimitKind::Stalled => {
            "Something stopped the process: a signal (SIGSTOP), a debugger, a CPU limit (container quota) or a paused machine. \
             Find out what it was, and repeat the run."
        }
        LimitKind::Descriptors => "Raise the limit (ulimit -n) before the run, or lower --concurrency.",
        LimitKind::Ports => {
            "Reuse connections (--connection-reuse-strategy pooled), widen net.ipv4.ip_local_port_range, send from several \
             addresses, or lower the load."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_takes_processors_away_is_named_with_what_to_do_about_it() {
        let late = |stolen| {
            let (since, lasted) = (Nanos::ZERO, Nanos(2_000_000_000));
            limit(&ClientLimit { kind: LimitKind::WorkerLag, figure: 30.0, threshold: 10.0, since, lasted, stolen })
        };
        let by_host = late(Some(0.333));
        assert!(by_host.statement.contains("for 33.30% of the time they were needed"), "{}", by_host.statement);
        assert_eq!(by_host.advice, OF_A_HOST);
        assert_eq!(late(Some(0.01)), late(None));
    }
}
