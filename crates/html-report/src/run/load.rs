//! R2: what was planned, sent, finished and failed in each slice, and how many requests were in flight.

use aiperf_metrics::Metric;
use serde_json::{Value, json};

use crate::number::{short, shorts};
use crate::run::requests::Requests;
use crate::time_bins::TimeBins;

pub(crate) fn json(requests: &Requests, bins: &TimeBins) -> Value {
    let count = |at: &dyn Fn(usize) -> Option<u64>| -> Vec<u32> {
        let mut counts = vec![0; bins.len()];
        for at in (0..requests.len()).filter_map(at) {
            counts[bins.index(at)] += 1;
        }
        counts
    };
    let rates = |counts: &[u32]| {
        shorts(counts.iter().enumerate().map(|(index, count)| f64::from(*count) / bins.seconds_of(index)))
    };
    let span = |row: usize| &requests.spans[row];
    let has_schedule = requests.column(Metric::ScheduleLag).is_some();
    let planned = has_schedule.then(|| rates(&count(&|row| Some(span(row).due_ns))));
    let sent = count(&|row| Some(span(row).start_ns));
    let finished = count(&|row| span(row).outcome.is_success().then_some(span(row).end_ns));
    let failed = count(&|row| span(row).outcome.is_failure().then_some(span(row).end_ns));
    let (mut in_flight, mut prefill) = (vec![0.0; bins.len()], vec![0.0; bins.len()]);
    for (row, span) in requests.spans.iter().enumerate() {
        bins.spread(span.start_ns, span.end_ns, &mut in_flight);
        if let Some(first) = requests.first_token_ns(row) {
            bins.spread(span.start_ns, first, &mut prefill);
        }
    }
    let levels = |seconds: &[f64]| shorts(seconds.iter().enumerate().map(|(index, sum)| sum / bins.seconds_of(index)));
    json!({
        "planned": planned,
        "sent": rates(&sent),
        "finished": rates(&finished),
        "failed": rates(&failed),
        "failed_counts": failed,
        "in_flight": levels(&in_flight),
        "prefill": requests.column(Metric::TimeToFirstToken).map(|_| levels(&prefill)),
        "most_in_flight": most_in_flight(requests),
        "mean_in_flight": short(in_flight.iter().sum::<f64>() / bins.seconds()),
    })
}

/// The largest number of requests that were in flight at once.
fn most_in_flight(requests: &Requests) -> u32 {
    let mut ends: Vec<u64> = requests.spans.iter().map(|span| span.end_ns).collect();
    ends.sort_unstable();
    let (mut ended, mut most) = (0, 0);
    // Spans are in the order of their starts.
    for (started, span) in requests.spans.iter().enumerate() {
        while ends[ended] <= span.start_ns && ended < started {
            ended += 1;
        }
        most = most.max(started + 1 - ended);
    }
    u32::try_from(most).unwrap_or(u32::MAX)
}
