//! The stop rule of GenAI-Perf: measures in consecutive windows until the last three agree in request throughput and in average
//! latency.

use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_config::Windows;
use aiperf_metrics::Metric;
use aiperf_protocol::RequestOutcome;
use serde_json::{Value, json};

use crate::watch::early_stop::{FinishedRequests, StopReport, StopRule};
use crate::watch::live::LiveSample;

/// Key of the windows in the summary.
const SECTION: &str = "measurement_windows";

#[derive(Debug)]
pub(crate) struct StableWindows {
    windows: Windows,
    anchor: WallAnchor,
    /// When the first window began.
    began: Option<Mono>,
    /// Requests that ended in each window that has begun.
    seen: Vec<WindowCounts>,
    /// Windows that are over and all of whose requests have been seen.
    whole: usize,
    steady: bool,
}

/// The requests that ended within one window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct WindowCounts {
    succeeded: u64,
    failed: u64,
    /// Nanoseconds, over those that succeeded.
    latency_sum: f64,
}

impl StableWindows {
    pub(crate) fn new(windows: Windows, anchor: WallAnchor) -> Self {
        Self { windows, anchor, began: None, seen: Vec::new(), whole: 0, steady: false }
    }

    fn length(&self) -> Nanos {
        self.windows.length().into()
    }

    /// Counts a request in the window in which it ended.
    fn note(&mut self, sample: &LiveSample, began: Mono) {
        let index = usize::try_from(sample.end.since(began).0 / self.length().0.max(1)).unwrap_or(usize::MAX);
        // A request that ends after the last window belongs to none. A response may be recorded a little after its window was
        // taken as complete, since the kernel stamps its end before a thread reads it: it still counts in that window.
        let windows = if self.steady { self.whole } else { self.windows.most as usize };
        if index >= windows {
            return;
        }
        if self.seen.len() <= index {
            self.seen.resize(index + 1, WindowCounts::default());
        }
        let window = &mut self.seen[index];
        match sample.outcome {
            RequestOutcome::Success => {
                window.succeeded += 1;
                window.latency_sum += sample.values.first().copied().flatten().unwrap_or_default();
            }
            RequestOutcome::CutOff => {}
            _ => window.failed += 1,
        }
    }

    /// Checks the windows that have become complete, one after the other.
    fn check_windows(&mut self, view: &FinishedRequests<'_>) {
        let length = self.length().0.max(1);
        let over = usize::try_from(view.settled.since(view.began).0 / length).unwrap_or(usize::MAX);
        while self.whole < over.min(self.windows.most as usize) && !self.steady {
            self.whole += 1;
            self.seen.resize(self.seen.len().max(self.whole), WindowCounts::default());
            self.steady = self.last().is_some_and(|last| self.agree(last));
        }
    }

    /// The last windows, if there are as many as must agree.
    fn last(&self) -> Option<&[WindowCounts]> {
        self.seen[..self.whole].last_chunk::<{ Windows::AGREEING }>().map(<[WindowCounts; Windows::AGREEING]>::as_slice)
    }

    fn agree(&self, last: &[WindowCounts]) -> bool {
        [spread(last.iter().map(|window| window.rate(self.length()))), spread(last.iter().map(WindowCounts::latency))]
            .into_iter()
            .all(|(low, high)| self.windows.allow(low, high))
    }

    /// Throughput and latency of the last windows, for a sentence.
    fn describe(&self) -> String {
        let last = self.last().unwrap_or(&self.seen[..self.whole]);
        let (slow, fast) = spread(last.iter().map(|window| window.rate(self.length())));
        let (short, long) = spread(last.iter().map(WindowCounts::latency));
        let (short, long) = (short / 1e6, long / 1e6);
        format!(
            "the last {} had {slow:.2} to {fast:.2} requests/s and {short:.2} to {long:.2} ms of average latency",
            last.len()
        )
    }

    fn unmet(&self) -> Option<String> {
        if self.steady {
            return None;
        }
        let Windows { stability, most, .. } = self.windows;
        let length = self.length().as_secs_f64();
        let advice = if self.seen[..self.whole].iter().any(|window| window.succeeded == 0) {
            "Some windows had no successful request: make --measurement-interval longer than a request takes."
        } else {
            "Raise --measurement-interval, allow more windows (--max-trials) or a larger difference \
             (--stability-percentage)."
        };
        Some(format!(
            "the measurement did not become stable: within {most} windows of {length} s no three in a row agreed within {stability} \
             %; {}. {advice} The files hold everything that was measured.",
            self.describe()
        ))
    }

    fn section(&self) -> Value {
        let length = self.length();
        let window = |(index, window): (usize, &WindowCounts)| {
            let began = self.began.unwrap_or_default() + Nanos(length.0 * index as u64);
            let mut said = json!({
                "start_ns": self.anchor.epoch(began).0,
                "end_ns": self.anchor.epoch(began + length).0,
                "request_count": window.succeeded,
                "error_request_count": window.failed,
                "request_throughput": window.rate(length),
            });
            if window.succeeded > 0 {
                said["request_latency_avg_ms"] = json!(window.latency() / 1e6);
            }
            said
        };
        json!({
            "interval_ms": self.windows.interval.as_secs_f64() * 1e3,
            "window_ms": length.as_millis_f64(),
            "stability_percentage": self.windows.stability,
            "max_trials": self.windows.most,
            "stable": self.steady,
            "windows": self.seen[..self.whole].iter().enumerate().map(window).collect::<Vec<_>>(),
        })
    }
}

impl StopRule for StableWindows {
    fn metrics(&self) -> Vec<Metric> {
        vec![Metric::RequestLatency]
    }

    fn check(&mut self, view: &FinishedRequests<'_>) -> Option<String> {
        self.began = Some(view.began);
        view.samples.iter().for_each(|sample| self.note(sample, view.began));
        if self.steady {
            return None;
        }
        self.check_windows(view);
        self.steady
            .then(|| format!("{} windows of {} s, and {}", self.whole, self.length().as_secs_f64(), self.describe()))
    }

    fn report(self: Box<Self>) -> StopReport {
        StopReport { section: Some((SECTION, self.section())), unmet: self.unmet(), remarks: Vec::new() }
    }
}

impl WindowCounts {
    /// Requests per second.
    fn rate(&self, length: Nanos) -> f64 {
        self.succeeded as f64 / length.as_secs_f64()
    }

    /// Average nanoseconds; zero if no request succeeded.
    fn latency(&self) -> f64 {
        if self.succeeded == 0 { 0.0 } else { self.latency_sum / self.succeeded as f64 }
    }
}

/// The smallest and the largest.
fn spread(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), value| (low.min(value), high.max(value)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Windows of 1.2 s, at most `most` of them.
    fn windows(stability: f64, most: u32) -> StableWindows {
        StableWindows::new(Windows { interval: Duration::from_secs(1), stability, most }, WallAnchor::take())
    }

    /// One request that ended this many milliseconds after the phase began.
    fn sample(end_ms: u64, latency_ms: f64) -> LiveSample {
        let end = Mono::from_nanos(end_ms * 1_000_000);
        LiveSample { due: end, start: end, end, outcome: RequestOutcome::Success, values: vec![Some(latency_ms * 1e6)] }
    }

    /// Passes the requests up to a time to the rule; returns its answer.
    fn show(rule: &mut StableWindows, samples: &[LiveSample], settled_ms: u64) -> Option<String> {
        let settled = Mono::from_nanos(settled_ms * 1_000_000);
        rule.check(&FinishedRequests { samples, began: Mono::default(), settled })
    }

    #[test]
    fn it_is_steady_when_three_windows_in_a_row_agree() {
        let mut rule = windows(10.0, 10);
        let quiet = [sample(100, 10.0), sample(200, 10.0)];
        assert_eq!(show(&mut rule, &quiet, 1_300), None);
        // Of the next windows each has three requests, and the first of the three is what differs.
        let busy: Vec<LiveSample> =
            (1..4).flat_map(|at| [1, 2, 3].map(|n| sample(at * 1_200 + n * 100, 10.5))).collect();
        assert_eq!(show(&mut rule, &busy, 3_700), None);
        let why = show(&mut rule, &[], 4_900).unwrap();
        assert!(why.starts_with("4 windows of 1.2 s") && why.contains("2.50 to 2.50 requests/s"), "{why}");
        // Later windows are not counted, but a request that is recorded late counts in its own window.
        assert_eq!(show(&mut rule, &[sample(4_950, 99.0), sample(4_750, 10.5)], 9_000), None);
        let said = Box::new(rule).report();
        assert_eq!(said.unmet, None);
        let (_, section) = said.section.unwrap();
        assert_eq!((&section["stable"], section["windows"].as_array().unwrap().len()), (&json!(true), 4));
        assert_eq!(section["windows"][1]["request_latency_avg_ms"], json!(10.5));
        let counts = section["windows"].as_array().unwrap().iter().map(|window| window["request_count"].clone());
        assert_eq!(counts.collect::<Vec<_>>(), [json!(2), json!(3), json!(3), json!(4)]);
    }

    #[test]
    fn a_window_is_judged_only_when_all_that_ended_in_it_is_known() {
        let mut rule = windows(10.0, 10);
        let all: Vec<LiveSample> = (0..3).map(|at| sample(at * 1_200 + 100, 10.0)).collect();
        assert_eq!(show(&mut rule, &all, 3_599), None);
        assert!(show(&mut rule, &[], 3_600).is_some());
    }

    #[test]
    fn latency_alone_keeps_it_from_being_steady_and_the_message_says_what_to_do() {
        let mut rule = windows(10.0, 4);
        let slower: Vec<LiveSample> =
            (0..4_u32).map(|at| sample(u64::from(at) * 1_200 + 9, 10.0 * 2_f64.powi(at as i32))).collect();
        assert_eq!(show(&mut rule, &slower, 99_000), None);
        let said = Box::new(rule).report();
        let why = said.unmet.unwrap();
        assert!(why.contains("within 4 windows of 1.2 s") && why.contains("20.00 to 80.00 ms"), "{why}");
        assert!(why.contains("--measurement-interval") && why.contains("--max-trials"), "{why}");
        assert_eq!(said.section.unwrap().1["stable"], json!(false));
    }

    #[test]
    fn windows_without_an_answer_do_not_agree() {
        let mut rule = windows(10.0, 3);
        assert_eq!(show(&mut rule, &[], 3_700), None);
        assert!(Box::new(rule).report().unmet.unwrap().contains("longer than a request takes"));
        let mut any = windows(999.0, 3);
        assert!(show(&mut any, &[], 3_700).is_some());
    }
}
