//! The metrics that operators look at, for each engine and endpoint, and summed over the endpoints of an engine.

use std::collections::BTreeMap;

use super::aliases::{ALIASES, Alias, Part};
use super::{Engine, EngineMetric};
use crate::prometheus::{Labels, SampleRole, SeriesId};
use crate::series::{Counter, GaugeStatistics, HistogramIncrease, TimeSeries, Window};
use crate::server::endpoint::EndpointHistory;
use crate::server::metrics::histogram_of;
use crate::server::statistics::per_second;

/// Engines that count cached tokens of all prompt tokens, and no queries.
const COUNTS_HITS_OF_PROMPTS: [Engine; 5] =
    [Engine::Sglang, Engine::TrtLlm, Engine::Dynamo, Engine::LlamaCpp, Engine::LiteLlm];

/// The value of one metric in the window.
#[derive(Debug, Clone, PartialEq)]
pub enum HeadlineValue {
    Gauge(GaugeStatistics),
    Counter {
        total: f64,
        /// Per second.
        rate: f64,
    },
    /// Observations in seconds.
    Histogram(HistogramIncrease),
    /// A share of two counters, 0 to 1.
    Share(f64),
}

/// What one engine reports, at one endpoint or at all of them together.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineReport {
    pub engine: Engine,
    /// `None`: all endpoints of the engine together.
    pub endpoint: Option<String>,
    /// With the names that the engine gives to them.
    pub metrics: BTreeMap<EngineMetric, (HeadlineValue, &'static str)>,
}

impl EngineReport {
    pub fn get(&self, metric: EngineMetric) -> Option<&HeadlineValue> {
        self.metrics.get(&metric).map(|(value, _)| value)
    }

    /// The total of a counter.
    pub fn total(&self, metric: EngineMetric) -> Option<f64> {
        match self.get(metric)? {
            HeadlineValue::Counter { total, .. } => Some(*total),
            _ => None,
        }
    }

    /// The observations of a histogram, in seconds.
    pub fn histogram(&self, metric: EngineMetric) -> Option<&HistogramIncrease> {
        match self.get(metric)? {
            HeadlineValue::Histogram(increase) => Some(increase),
            _ => None,
        }
    }
}

/// One report for each engine and endpoint. If an engine has several endpoints, their sum comes before them.
pub fn headlines(endpoints: &[EndpointHistory], window: Window) -> Vec<EngineReport> {
    let mut reports = Vec::new();
    for engine in engines(endpoints) {
        let of: Vec<&EndpointHistory> =
            endpoints.iter().filter(|endpoint| engines(std::slice::from_ref(endpoint)).contains(&engine)).collect();
        if of.len() > 1 {
            reports.push(report(engine, &of, None, window));
        }
        reports.extend(of.iter().map(|one| report(engine, &[one], Some(one.url().to_owned()), window)));
    }
    reports
}

/// The engines whose metrics the endpoints have, each once.
fn engines(endpoints: &[EndpointHistory]) -> Vec<Engine> {
    let mut found: Vec<Engine> = endpoints.iter().flat_map(EndpointHistory::engines).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn report(engine: Engine, endpoints: &[&EndpointHistory], endpoint: Option<String>, window: Window) -> EngineReport {
    let mut metrics = BTreeMap::new();
    for alias in ALIASES.iter().filter(|alias| alias.engine == engine) {
        if !metrics.contains_key(&alias.metric)
            && let Some(value) = value_of(alias, endpoints, window)
        {
            metrics.insert(alias.metric, (value, alias.name()));
        }
    }
    let mut report = EngineReport { engine, endpoint, metrics };
    report.derive(EngineMetric::PrefixCacheHits, EngineMetric::PrefixCacheQueries, EngineMetric::PrefixCacheHitRate);
    if COUNTS_HITS_OF_PROMPTS.contains(&engine) {
        report.derive(EngineMetric::PrefixCacheHits, EngineMetric::PromptTokens, EngineMetric::PrefixCacheHitRate);
    }
    report.derive(EngineMetric::AcceptedTokens, EngineMetric::DraftTokens, EngineMetric::AcceptanceRate);
    report
}

impl EngineReport {
    /// Two counters over the whole window are more exact than a share that the server computes over a window of its own.
    fn derive(&mut self, part: EngineMetric, whole: EngineMetric, share: EngineMetric) {
        if let (Some(part_total), Some(whole_total)) = (self.total(part), self.total(whole))
            && whole_total > 0.0
        {
            let name = self.metrics[&part].1;
            self.metrics.insert(share, (HeadlineValue::Share(part_total / whole_total), name));
        }
    }
}

fn value_of(alias: &Alias, endpoints: &[&EndpointHistory], window: Window) -> Option<HeadlineValue> {
    match alias.part {
        Part::Histogram => histogram(alias, endpoints, window).map(HeadlineValue::Histogram),
        Part::Sum => counter(alias, endpoints, window, &SampleRole::Sum),
        Part::Value => {
            if is_counter(alias.metric) {
                return counter(alias, endpoints, window, &SampleRole::Value);
            }
            let series = series_of(alias, endpoints, &SampleRole::Value);
            let all: Vec<&TimeSeries> = series.iter().map(|(_, series)| *series).collect();
            let scale = if alias.metric.is_share() && !all.is_empty() { 1.0 / all.len() as f64 } else { 1.0 };
            let gauge = GaugeStatistics::new(&TimeSeries::sum(&all, scale * alias.scale), window);
            gauge.filter(|gauge| !is_unused(alias.metric, gauge)).map(HeadlineValue::Gauge)
        }
    }
}

/// SGLang publishes the figures of speculative decoding without it too: as zero.
fn is_unused(metric: EngineMetric, gauge: &GaugeStatistics) -> bool {
    matches!(metric, EngineMetric::AcceptanceRate | EngineMetric::AcceptanceLength) && gauge.max <= 0.0
}

/// Whether it only grows.
const fn is_counter(metric: EngineMetric) -> bool {
    use EngineMetric as M;
    matches!(
        metric,
        M::PrefixCacheQueries
            | M::PrefixCacheHits
            | M::Preemptions
            | M::DraftTokens
            | M::AcceptedTokens
            | M::PromptTokens
            | M::GenerationTokens
            | M::FinishedRequests
    )
}

/// Series that an alias covers, with the end of the totals of their endpoint.
fn series_of<'a>(
    alias: &Alias,
    endpoints: &[&'a EndpointHistory],
    role: &SampleRole,
) -> Vec<(&'a EndpointHistory, &'a TimeSeries)> {
    let mut found = Vec::new();
    for endpoint in endpoints {
        let families = endpoint.reader().families();
        for (_, known, series) in endpoint.named_series() {
            let covers = alias.covers(&families[known.family.0 as usize].name, &known.labels);
            if covers && known.role == *role {
                found.push((*endpoint, series));
            }
        }
    }
    found
}

fn counter(alias: &Alias, endpoints: &[&EndpointHistory], window: Window, role: &SampleRole) -> Option<HeadlineValue> {
    let series = series_of(alias, endpoints, role);
    let increases = series.iter().filter_map(|(endpoint, series)| {
        let totals = endpoint.totals_window(window);
        Counter::new(series).increase(totals)
    });
    let total = increases.reduce(|a, b| a + b)? * alias.scale;
    Some(HeadlineValue::Counter { total, rate: per_second(total, window) })
}

/// All observations together, in seconds; `None` if the endpoints have no such histogram.
fn histogram(alias: &Alias, endpoints: &[&EndpointHistory], window: Window) -> Option<HistogramIncrease> {
    let mut merged: Option<HistogramIncrease> = None;
    for endpoint in endpoints {
        let mut groups: BTreeMap<&Labels, Vec<SeriesId>> = BTreeMap::new();
        for (id, known, _) in endpoint.named_series() {
            let family = &endpoint.reader().families()[known.family.0 as usize].name;
            if alias.covers(family, &known.labels) {
                groups.entry(&known.labels).or_default().push(id);
            }
        }
        for ids in groups.values() {
            let Some(mut one) = histogram_of(endpoint, ids, endpoint.totals_window(window)) else { continue };
            one.scale(alias.scale);
            merged = Some(match merged {
                None => one,
                Some(all) => all.merged(&one),
            });
        }
    }
    merged
}
