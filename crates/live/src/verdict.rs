//! Says when a run is not worth finishing, and why.

use serde::Serialize;

use crate::history::HistoryPoint;
use crate::snapshot::{ClientHealth, Headline, ServerHeadline};

/// Points of the history, one a second, that are compared with the same number before them.
const BLOCK: usize = 10;
/// Percent of the KV cache in use that counts as full.
const FULL_CACHE: f64 = 95.0;
const HIGH_ERROR_SHARE: f64 = 0.10;
/// Fewer errors in ten seconds say nothing about a rate.
const FEW_ERRORS: f64 = 5.0;
const SILENCE_SECONDS: f64 = 60.0;
/// Shares of the client's own limits above which its measurements are in doubt.
const BUSY_CPU: f64 = 0.90;
const BUSY_THREAD: f64 = 0.95;
const LATE_SENDING_MS: f64 = 50.0;
const FULL_BACKLOG: f64 = 0.5;
/// Readings in a row that a condition must hold for, and for which it stays after it has ended.
const CONFIRMED: u32 = 3;
const STAYS: u32 = 5;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    pub code: VerdictCode,
    pub sentence: String,
    /// Wall-clock time in nanoseconds since the epoch.
    pub since_ns: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictCode {
    NothingAnswered,
    HighErrorRate,
    QueueGrows,
    ThroughputFlat,
    ClientSaturated,
}

impl VerdictCode {
    const ALL: [Self; 5] =
        [Self::NothingAnswered, Self::HighErrorRate, Self::QueueGrows, Self::ThroughputFlat, Self::ClientSaturated];
}

/// What verdicts are made from.
#[derive(Debug)]
pub(crate) struct Evidence<'a> {
    /// Points of one second each.
    pub(crate) points: &'a [HistoryPoint],
    pub(crate) headline: &'a Headline,
    pub(crate) errors_in_window: f64,
    pub(crate) client: &'a ClientHealth,
    pub(crate) server: &'a [ServerHeadline],
    /// Since something came from a server while requests were in flight.
    pub(crate) silent_seconds: f64,
}

/// Verdicts that hold now. Called once a second.
#[derive(Debug, Default)]
pub(crate) struct VerdictWatch {
    held: [u32; VerdictCode::ALL.len()],
    absent: [u32; VerdictCode::ALL.len()],
    verdicts: Vec<Verdict>,
}

impl VerdictWatch {
    /// Returns the verdicts that are new.
    pub(crate) fn check(&mut self, evidence: &Evidence<'_>, now_ns: i64) -> Vec<Verdict> {
        let mut new = Vec::new();
        for (index, code) in VerdictCode::ALL.into_iter().enumerate() {
            let known = self.verdicts.iter().position(|verdict| verdict.code == code);
            match (evidence.sentence(code), known) {
                (Some(sentence), Some(known)) => {
                    self.absent[index] = 0;
                    self.verdicts[known].sentence = sentence;
                }
                (Some(sentence), None) => {
                    self.held[index] += 1;
                    if self.held[index] >= CONFIRMED {
                        self.absent[index] = 0;
                        let verdict = Verdict { code, sentence, since_ns: now_ns };
                        new.push(verdict.clone());
                        self.verdicts.push(verdict);
                    }
                }
                (None, Some(known)) => {
                    self.absent[index] += 1;
                    if self.absent[index] >= STAYS {
                        self.held[index] = 0;
                        self.verdicts.remove(known);
                    }
                }
                (None, None) => self.held[index] = 0,
            }
        }
        self.verdicts.sort_by_key(|verdict| VerdictCode::ALL.iter().position(|code| *code == verdict.code));
        new
    }

    pub(crate) fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }
}

impl Evidence<'_> {
    fn sentence(&self, code: VerdictCode) -> Option<String> {
        match code {
            VerdictCode::NothingAnswered => self.nothing_answered(),
            VerdictCode::HighErrorRate => self.high_error_rate(),
            VerdictCode::QueueGrows => self.queue_grows(),
            VerdictCode::ThroughputFlat => self.throughput_flat(),
            VerdictCode::ClientSaturated => self.client_saturated(),
        }
    }

    fn nothing_answered(&self) -> Option<String> {
        (self.silent_seconds >= SILENCE_SECONDS).then(|| {
            format!(
                "Nothing was answered for {:.0} s with {} requests in flight. Check the server.",
                self.silent_seconds, self.headline.in_flight
            )
        })
    }

    fn high_error_rate(&self) -> Option<String> {
        let share = self.headline.window_error_share;
        (share > HIGH_ERROR_SHARE && self.errors_in_window >= FEW_ERRORS).then(|| {
            format!(
                "{:.0} % of the requests of the last 10 s failed. Latencies describe the others only.",
                share * 100.0
            )
        })
    }

    /// The last points and those before them, if there are enough.
    fn blocks(&self) -> Option<[&[HistoryPoint]; 3]> {
        let end = self.points.len();
        let start = end.checked_sub(3 * BLOCK)?;
        let block = |index: usize| &self.points[start + index * BLOCK..start + (index + 1) * BLOCK];
        Some([block(0), block(1), block(2)])
    }

    fn queue_grows(&self) -> Option<String> {
        let [_, before, last] = self.blocks()?;
        let cache = self.server.iter().find(|value| value.tag == "kv_cache_usage")?.value;
        let waiting = |points: &[HistoryPoint]| {
            let values: Vec<f64> = points
                .iter()
                .filter_map(|point| point.server.iter().find(|(tag, _)| *tag == "waiting_requests"))
                .map(|(_, value)| *value)
                .collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let (before, last) = (waiting(before)?, waiting(last)?);
        (cache >= FULL_CACHE && last >= 1.0 && last > 1.1 * before).then(|| {
            format!(
                "The KV cache of the server is full ({cache:.0} %) and its queue grows ({before:.0} to {last:.0} requests): latencies \
                 will grow until the load falls."
            )
        })
    }

    fn throughput_flat(&self) -> Option<String> {
        let blocks = self.blocks()?;
        let rates = blocks.map(|block| mean(block.iter().map(|point| Some(point.requests_per_second))));
        let latencies = blocks.map(|block| mean(block.iter().map(|point| point.latency.map(|latency| latency.p50))));
        let ([Some(rate), _, Some(last_rate)], [Some(first), Some(second), Some(last)]) = (rates, latencies) else {
            return None;
        };
        let is_flat = rate > 0.0 && (last_rate / rate - 1.0).abs() < 0.1;
        let rises = second > 1.1 * first && last > 1.1 * second;
        (is_flat && rises).then(|| {
            format!(
                "Throughput is flat at {last_rate:.1} req/s while the median latency rises ({first:.0} to {last:.0} ms in 30 s): the \
                 server is saturated."
            )
        })
    }

    fn client_saturated(&self) -> Option<String> {
        let client = self.client;
        let backlog = client.record_backlog_bytes as f64 / client.record_backlog_budget.max(1) as f64;
        let what = if client.cpu_share >= BUSY_CPU {
            format!("it uses {:.0} % of all processors", client.cpu_share * 100.0)
        } else if client.busiest_thread_share >= BUSY_THREAD {
            let thread = client.busiest_thread.unwrap_or("worker");
            format!("its {thread} thread is busy {:.0} % of the time", client.busiest_thread_share * 100.0)
        } else if client.schedule_lag_ms >= LATE_SENDING_MS {
            format!("requests were sent up to {:.0} ms after they were due", client.schedule_lag_ms)
        } else if backlog >= FULL_BACKLOG {
            format!("records use {:.0} % of their memory", backlog * 100.0)
        } else {
            return None;
        };
        Some(format!("This client is saturated: {what}. The numbers may describe the client, not the server."))
    }
}

fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.flatten().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Percentiles;

    struct Case {
        points: Vec<HistoryPoint>,
        headline: Headline,
        errors_in_window: f64,
        client: ClientHealth,
        server: Vec<ServerHeadline>,
        silent_seconds: f64,
    }

    impl Case {
        fn calm() -> Self {
            let point = HistoryPoint {
                requests_per_second: 20.0,
                latency: Some(Percentiles { p50: 100.0, p99: 150.0 }),
                ..HistoryPoint::default()
            };
            Self {
                points: vec![point; 60],
                headline: Headline { in_flight: 8, ..Headline::default() },
                errors_in_window: 0.0,
                client: ClientHealth::default(),
                server: Vec::new(),
                silent_seconds: 0.2,
            }
        }

        fn codes(&self) -> Vec<VerdictCode> {
            let mut watch = VerdictWatch::default();
            for second in 0..CONFIRMED {
                watch.check(
                    &Evidence {
                        points: &self.points,
                        headline: &self.headline,
                        errors_in_window: self.errors_in_window,
                        client: &self.client,
                        server: &self.server,
                        silent_seconds: self.silent_seconds,
                    },
                    i64::from(second),
                );
            }
            watch.verdicts().iter().map(|verdict| verdict.code).collect()
        }
    }

    #[test]
    fn a_healthy_run_gets_no_verdict() {
        assert!(Case::calm().codes().is_empty());
    }

    #[test]
    fn errors_silence_and_a_busy_client_are_told() {
        use VerdictCode::{ClientSaturated, HighErrorRate, NothingAnswered};
        let mut case = Case::calm();
        case.headline.window_error_share = 0.26;
        assert!(case.codes().is_empty(), "too few errors");
        case.errors_in_window = 20.0;
        case.silent_seconds = 61.0;
        case.client.cpu_share = 0.97;
        assert_eq!(case.codes(), [NothingAnswered, HighErrorRate, ClientSaturated]);
    }

    #[test]
    fn rising_latency_at_a_flat_rate_is_saturation() {
        let mut case = Case::calm();
        for (index, point) in case.points.iter_mut().enumerate() {
            let p50 = 100.0 * 1.02_f64.powi(index as i32);
            point.latency = Some(Percentiles { p50, p99: 2.0 * p50 });
        }
        assert_eq!(case.codes(), [VerdictCode::ThroughputFlat]);
        case.points.iter_mut().zip(0_u32..).for_each(|(point, index)| point.requests_per_second = f64::from(index));
        assert!(case.codes().is_empty(), "the rate grows too");
    }

    #[test]
    fn a_growing_queue_needs_a_full_cache() {
        let mut case = Case::calm();
        for (index, point) in case.points.iter_mut().enumerate() {
            point.server = vec![("waiting_requests", index as f64)];
        }
        let cache = |value| ServerHeadline { tag: "kv_cache_usage", title: "KV cache", unit: "%", value };
        case.server = vec![cache(60.0)];
        assert!(case.codes().is_empty());
        case.server = vec![cache(99.0)];
        assert_eq!(case.codes(), [VerdictCode::QueueGrows]);
    }

    #[test]
    fn a_verdict_goes_away_some_seconds_after_its_cause() {
        let mut watch = VerdictWatch::default();
        let mut case = Case::calm();
        let mut check = |case: &Case| {
            let evidence = Evidence {
                points: &case.points,
                headline: &case.headline,
                errors_in_window: 0.0,
                client: &case.client,
                server: &[],
                silent_seconds: case.silent_seconds,
            };
            let new = watch.check(&evidence, 7).len();
            (new, watch.verdicts().len())
        };
        case.silent_seconds = 70.0;
        assert_eq!((0..4).map(|_| check(&case)).collect::<Vec<_>>(), [(0, 0), (0, 0), (1, 1), (0, 1)]);
        case.silent_seconds = 0.0;
        assert_eq!((0..5).map(|_| check(&case).1).collect::<Vec<_>>(), [1, 1, 1, 1, 0]);
    }
}
