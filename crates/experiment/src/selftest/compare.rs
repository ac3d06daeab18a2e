//! Matches each record of the client with the server's truth about the same request, and computes the errors.

use std::collections::{BTreeMap, HashMap};

use aiperf_clock::Nanos;
use aiperf_metrics::ClientLoad;
use aiperf_protocol::RequestOutcome;
use aiperf_report::{ErrorStats, JoinCounts, TimedError};

use super::tap::ClientRecord;
use super::truth::TruthLine;

/// A plateau shorter than this gives no reliable rate; the whole run is used then.
const SHORTEST_PLATEAU: f64 = 0.2;

#[derive(Debug)]
pub(crate) struct TruthComparison {
    pub(crate) counts: JoinCounts,
    pub(crate) errors: BTreeMap<TimedError, ErrorStats>,
    pub(crate) reached: ClientLoad,
    pub(crate) simulator_lag: Option<ErrorStats>,
}

/// The plan of the simulator, as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyPace {
    /// The time at the start that is not yet at full load.
    pub(crate) ramp: Nanos,
    /// Between two chunks.
    pub(crate) gap: Nanos,
}

pub(crate) fn compare(records: &[ClientRecord], truth: &[TruthLine], pace: ReplyPace) -> TruthComparison {
    let mut unmatched: HashMap<&str, &TruthLine> =
        truth.iter().filter_map(|line| Some((line.request_id.as_deref()?, line))).collect();
    let mut counts = JoinCounts::default();
    let mut errors: BTreeMap<TimedError, Vec<i64>> = BTreeMap::new();
    for record in records {
        let line = unmatched.remove(record.request_id.as_str());
        match (record.outcome, line) {
            (RequestOutcome::Success, None) => counts.extra += 1,
            (RequestOutcome::CutOff, _) => counts.cut_off += 1,
            (RequestOutcome::Success, Some(line)) => {
                counts.compared += 1;
                counts.chunks_missing += record.chunks.len().abs_diff(line.chunks_ns.len()) as u64;
                collect(record, line, |error, size| errors.entry(error).or_default().push(size));
            }
            _ => counts.failed += 1,
        }
    }
    counts.lost = unmatched.values().filter(|line| line.is_complete()).count() as u64;
    TruthComparison {
        counts,
        errors: errors.iter().filter_map(|(error, sizes)| Some((*error, ErrorStats::of(sizes)?))).collect(),
        reached: load(truth, pace.ramp),
        simulator_lag: ErrorStats::of(&lags(truth, pace.gap)),
    }
}

/// Every error of one request, in nanoseconds: what the client says, less what the server knows.
fn collect(record: &ClientRecord, line: &TruthLine, mut put: impl FnMut(TimedError, i64)) {
    let start = record.start.as_nanos();
    put(TimedError::SendTime, difference(line.first_byte_ns, start));
    put(TimedError::ScheduleLag, difference(start, record.due.as_nanos()));
    let written = &line.chunks_ns;
    // Where chunks are missing nobody knows which; they are counted instead.
    if written.len() != record.chunks.len() {
        return;
    }
    let (Some(first), Some(last)) = (written.first(), written.last()) else { return };
    let mut put_metric = |error, value: Option<f64>, truth: f64| {
        if let Some(value) = value {
            put(error, (value - truth).round() as i64);
        }
    };
    let since_arrival = |at: u64| at.saturating_sub(line.first_byte_ns) as f64;
    put_metric(TimedError::TimeToFirstToken, record.time_to_first_token, since_arrival(*first));
    put_metric(TimedError::RequestLatency, record.request_latency, since_arrival(*last));
    if line.output_tokens > 1 {
        let between = (last - first) as f64 / (line.output_tokens - 1) as f64;
        put_metric(TimedError::InterTokenLatency, record.inter_token_latency, between);
    }
    for (seen, written) in record.chunks.iter().zip(written) {
        put(TimedError::ChunkArrival, difference(seen.as_nanos(), *written));
    }
    for (seen, written) in record.chunks.windows(2).zip(written.windows(2)) {
        let gap = difference(seen[1].as_nanos(), seen[0].as_nanos());
        put(TimedError::InterChunkLatency, gap - difference(written[1], written[0]));
    }
}

/// How late each chunk was written. The plan of a reply is even and is never moved, so that its most punctual chunk tells
/// when all others were due.
fn lags(truth: &[TruthLine], gap: Nanos) -> Vec<i64> {
    let of_reply = |line: &TruthLine| {
        let since_plan: Vec<i64> =
            (0_u64..).zip(&line.chunks_ns).map(|(number, at)| difference(*at, number * gap.0)).collect();
        let punctual = since_plan.iter().min().copied().unwrap_or_default();
        since_plan.into_iter().map(move |at| at - punctual)
    };
    truth.iter().flat_map(of_reply).collect()
}

/// `later - earlier`, of stamps that may come in either order.
fn difference(later: u64, earlier: u64) -> i64 {
    later.wrapping_sub(earlier).cast_signed()
}

/// What the server saw: the most in flight, and the rates from the end of the ramp until the last request came.
fn load(truth: &[TruthLine], ramp: Nanos) -> ClientLoad {
    let arrivals = || truth.iter().map(|line| line.first_byte_ns);
    let chunks = || truth.iter().flat_map(|line| line.chunks_ns.iter().copied());
    let begin = arrivals().min().unwrap_or(0);
    let mut window = (begin + ramp.0, arrivals().max().unwrap_or(0));
    if seconds(window) < SHORTEST_PLATEAU {
        window = (begin, chunks().max().unwrap_or(0));
    }
    let per_second = |count: usize| count as f64 / seconds(window).max(1e-9);
    let within = |at: &u64| (window.0..=window.1).contains(at);
    ClientLoad {
        in_flight: truth.iter().map(|line| line.in_flight).max().unwrap_or(0),
        chunks_per_second: per_second(chunks().filter(within).count()),
        requests_per_second: per_second(arrivals().filter(within).count()),
    }
}

fn seconds((begin, end): (u64, u64)) -> f64 {
    Nanos(end.saturating_sub(begin)).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Mono;

    use super::*;

    const MS: u64 = 1_000_000;
    const PACE: ReplyPace = ReplyPace { ramp: Nanos::ZERO, gap: Nanos(10 * MS) };

    /// Arrives at `at` ms, first chunk 50 ms later, then one every 10 ms.
    fn line(id: &str, at: u64, chunks: u64) -> TruthLine {
        TruthLine {
            request_id: Some(id.to_owned()),
            outcome: "completed".to_owned(),
            in_flight: 3,
            output_tokens: chunks,
            first_byte_ns: at * MS,
            chunks_ns: (0..chunks).map(|n| (at + 50 + 10 * n) * MS).collect(),
        }
    }

    /// A client that sent `send` ns before the server had it, and saw each chunk `delays[n]` ns after it was written.
    fn record(line: &TruthLine, send: u64, delays: &[u64]) -> ClientRecord {
        let start = Mono::from_nanos(line.first_byte_ns - send);
        let chunks: Vec<Mono> = line.chunks_ns.iter().zip(delays).map(|(at, d)| Mono::from_nanos(at + d)).collect();
        let since = |at: &Mono| at.since(start).0 as f64;
        let (first, last) = (chunks.first().map(since), chunks.last().map(since));
        ClientRecord {
            request_id: line.request_id.clone().unwrap(),
            outcome: RequestOutcome::Success,
            due: start - Nanos(300_000),
            start,
            time_to_first_token: first,
            request_latency: last,
            inter_token_latency: Some((last.unwrap() - first.unwrap()) / (chunks.len() - 1) as f64),
            chunks,
        }
    }

    #[test]
    fn each_error_is_what_the_client_says_less_what_the_server_knows() {
        let truth = [line("a", 1_000, 3)];
        let records = [record(&truth[0], 100_000, &[200_000, 700_000, 400_000])];
        let TruthComparison { counts, errors, .. } = compare(&records, &truth, PACE);
        assert_eq!(counts, JoinCounts { compared: 1, ..JoinCounts::default() });
        let mean = |error| (errors[&error].mean * 1e6).round() as i64;
        assert_eq!(mean(TimedError::SendTime), 100_000);
        assert_eq!(mean(TimedError::ScheduleLag), 300_000);
        assert_eq!(mean(TimedError::TimeToFirstToken), 300_000, "late to send and late to see");
        assert_eq!(mean(TimedError::RequestLatency), 500_000);
        assert_eq!(mean(TimedError::InterTokenLatency), 100_000);
        assert_eq!(mean(TimedError::ChunkArrival), 433_333);
        let gaps = errors[&TimedError::InterChunkLatency];
        assert_eq!((gaps.count, gaps.max), (2, 0.5), "+500 us, then -300 us");
        assert!((gaps.mean - 0.1).abs() < 1e-9 && (gaps.p50 - 0.4).abs() < 1e-9, "{gaps:?}");
    }

    #[test]
    fn what_only_one_side_knows_is_counted_and_not_compared() {
        let truth = [line("a", 1_000, 3), line("b", 1_000, 3), line("c", 1_000, 3), line("d", 1_000, 3)];
        let mut gone = line("e", 1_000, 1);
        gone.outcome = "client_gone".to_owned();
        let whole = record(&truth[0], 0, &[0, 0, 0]);
        let short = record(&truth[1], 0, &[0, 0]);
        let failed = ClientRecord { outcome: RequestOutcome::Failed, ..record(&truth[2], 0, &[0, 0]) };
        let cut = ClientRecord { outcome: RequestOutcome::CutOff, ..record(&gone, 0, &[0]) };
        let unknown = ClientRecord { request_id: "f".to_owned(), ..whole.clone() };
        let records = [whole.clone(), short, failed, cut, unknown, whole];
        let truth: Vec<TruthLine> = truth.into_iter().chain([gone]).collect();
        let TruthComparison { counts, errors, .. } = compare(&records, &truth, PACE);
        let wanted = JoinCounts { compared: 2, failed: 1, cut_off: 1, lost: 1, extra: 2, chunks_missing: 1 };
        assert_eq!(counts, wanted);
        assert_eq!(errors[&TimedError::SendTime].count, 2);
        assert_eq!(errors[&TimedError::TimeToFirstToken].count, 1);
    }

    #[test]
    fn a_simulator_that_wrote_late_is_known_by_its_own_plan() {
        let mut late = line("a", 1_000, 4);
        late.chunks_ns[0] += 2 * MS;
        late.chunks_ns[2] += 6 * MS;
        let lag = compare(&[], &[late, line("b", 0, 4)], PACE).simulator_lag.unwrap();
        assert_eq!((lag.count, lag.p50, lag.max, lag.mean), (8, 0.0, 6.0, 1.0));
    }

    #[test]
    fn the_load_is_what_the_server_saw_between_the_ramp_and_the_last_arrival() {
        let truth: Vec<TruthLine> = (0..21).map(|n| line(&n.to_string(), 100 * n, 6)).collect();
        let reached = compare(&[], &truth, ReplyPace { ramp: Nanos(1_000 * MS), ..PACE }).reached;
        // Arrivals at 1.0, 1.1, ... 2.0 s.
        assert_eq!((reached.in_flight, reached.requests_per_second), (3, 11.0));
        assert!((reached.chunks_per_second - 60.0).abs() <= 6.0, "{reached:?}");
        let burst = [line("a", 1_000, 6), line("b", 1_000, 6)];
        let reached = compare(&[], &burst, PACE).reached;
        assert!((reached.chunks_per_second - 120.0).abs() < 1e-6, "{reached:?}");
    }
}
