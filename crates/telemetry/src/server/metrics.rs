//! All metrics of all endpoints in the window of a phase.

use std::collections::{BTreeMap, BTreeSet};

use aiperf_clock::Nanos;

use super::endpoint::{EndpointHistory, FetchStatistics};
use super::engine::{EngineReport, headlines};
use super::problem::EndpointProblem;
use super::statistics::{RateSpread, SeriesStatistics, per_second};
use super::unit::unit_of;
use crate::prometheus::{KnownFamily, Labels, MetricType, SampleRole, SeriesId};
use crate::series::{BucketBound, Counter, GaugeStatistics, HistogramIncrease, Window};

/// What the endpoints reported in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerMetrics {
    pub window: Window,
    /// In the order in which they were configured.
    pub endpoints: Vec<EndpointReport>,
    /// Sorted by name.
    pub metrics: Vec<MetricReport>,
    pub engines: Vec<EngineReport>,
}

/// One endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointReport {
    pub url: String,
    /// Whether the user named it.
    pub is_named: bool,
    pub has_pages: bool,
    pub fetched: FetchStatistics,
    pub problems: Vec<EndpointProblem>,
}

/// One metric at all endpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricReport {
    /// Without the `_total` of counters.
    pub name: String,
    pub kind: MetricType,
    pub description: String,
    pub unit: Option<String>,
    /// Sorted by endpoint and labels.
    pub series: Vec<SeriesReport>,
}

impl MetricReport {
    /// Whether it is a constant whose labels tell facts about the server.
    pub fn is_info(&self) -> bool {
        self.kind == MetricType::Info || self.name.ends_with("_info")
    }
}

/// One label set at one endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesReport {
    pub endpoint_url: String,
    pub labels: Labels,
    pub statistics: SeriesStatistics,
    /// Empty unless slices are asked for.
    pub slices: Vec<SliceReport>,
}

/// One slice of the window.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceReport {
    pub window: Window,
    pub is_complete: bool,
    pub statistics: SeriesStatistics,
}

impl ServerMetrics {
    pub fn compute(endpoints: &[EndpointHistory], window: Window, slice: Option<Nanos>) -> Self {
        let mut metrics: BTreeMap<String, MetricReport> = BTreeMap::new();
        let mut reports = Vec::new();
        let names: BTreeSet<&str> =
            endpoints.iter().flat_map(|one| one.reader().families()).map(|family| family.name.as_str()).collect();
        for endpoint in endpoints {
            let mut problems = endpoint.problems();
            problems.extend(edge_problems(endpoint, window));
            for (family, groups) in groups_of(endpoint) {
                let name = exported_name(family, &names);
                let series: Vec<SeriesReport> = groups
                    .iter()
                    .filter_map(|(labels, ids)| series_report(endpoint, family.kind, labels, ids, window, slice))
                    .collect();
                if series.is_empty() {
                    continue;
                }
                if matches!(family.kind, MetricType::Counter | MetricType::Histogram) {
                    problems.extend(resets_of(endpoint, &name, groups.values().flatten(), window));
                }
                let unit = unit_of(&name, &family.help, family.unit.as_deref());
                let metric = metrics.entry(name.clone()).or_insert_with(|| MetricReport {
                    name,
                    kind: family.kind,
                    description: family.help.clone(),
                    unit,
                    series: Vec::new(),
                });
                metric.series.extend(series);
            }
            reports.push(EndpointReport {
                url: endpoint.url().to_owned(),
                is_named: endpoint.is_named(),
                has_pages: endpoint.has_pages(),
                fetched: endpoint.fetched().clone(),
                problems,
            });
        }
        Self {
            window,
            endpoints: reports,
            metrics: metrics.into_values().collect(),
            engines: headlines(endpoints, window),
        }
    }

    /// Whether any endpoint gave a page.
    pub fn has_pages(&self) -> bool {
        self.endpoints.iter().any(|endpoint| endpoint.has_pages)
    }
}

/// Series of an endpoint by family and label set. Creation times are left out: they are not measurements.
fn groups_of(endpoint: &EndpointHistory) -> Vec<(&KnownFamily, BTreeMap<&Labels, Vec<SeriesId>>)> {
    let families = endpoint.reader().families();
    let mut groups: Vec<(&KnownFamily, BTreeMap<&Labels, Vec<SeriesId>>)> =
        families.iter().map(|family| (family, BTreeMap::new())).collect();
    for (index, known) in endpoint.reader().series().iter().enumerate() {
        let (family, group) = &mut groups[known.family.0 as usize];
        let is_creation = known.role == SampleRole::Created || family.name.ends_with("_created");
        if !is_creation {
            group.entry(&known.labels).or_default().push(SeriesId(index as u32));
        }
    }
    groups
}

/// A counter loses its `_total`, unless another metric has the name that is left.
fn exported_name(family: &KnownFamily, names: &BTreeSet<&str>) -> String {
    let short = family.name.strip_suffix("_total").filter(|_| family.kind == MetricType::Counter);
    short.filter(|short| !names.contains(short)).unwrap_or(&family.name).to_owned()
}

fn edge_problems(endpoint: &EndpointHistory, window: Window) -> Vec<EndpointProblem> {
    let mut problems = Vec::new();
    if let Some(first) = endpoint.fetched().updates.first().filter(|first| **first > window.start()) {
        problems.push(EndpointProblem::LateStart { late: first.since(window.start()) });
    }
    if let Some(last) = endpoint.last_at().filter(|last| *last < window.end()) {
        problems.push(EndpointProblem::EarlyEnd { early: window.end().since(last) });
    }
    problems
}

/// How often one of these series, which are those of one metric, started again from zero.
fn resets_of<'a>(
    endpoint: &EndpointHistory,
    name: &str,
    ids: impl Iterator<Item = &'a SeriesId>,
    window: Window,
) -> Option<EndpointProblem> {
    let is_counter = |id: &&SeriesId| {
        matches!(endpoint.reader().series()[id.0 as usize].role, SampleRole::Value | SampleRole::Count)
    };
    let totals = endpoint.totals_window(window);
    let resets = |id: &SeriesId| Counter::resets_in(&endpoint.series()[id.0 as usize], totals);
    let times = ids.filter(is_counter).map(resets).max().unwrap_or_default();
    (times > 0).then(|| EndpointProblem::CounterReset { metric: name.to_owned(), times })
}

fn series_report(
    endpoint: &EndpointHistory,
    kind: MetricType,
    labels: &Labels,
    ids: &[SeriesId],
    window: Window,
    slice: Option<Nanos>,
) -> Option<SeriesReport> {
    let mut statistics = statistics_of(endpoint, kind, ids, window, endpoint.totals_window(window))?;
    let mut slices = Vec::new();
    for part in slice.into_iter().flat_map(|length| window.slices(length)) {
        // The last slice has what the server counted after the run, so that slices add up to the whole.
        let is_last = part.end() == window.end();
        let totals = if is_last { endpoint.totals_window(part) } else { part };
        let is_complete = Some(part.length()) == slice;
        if let Some(statistics) = statistics_of(endpoint, kind, ids, part, totals) {
            slices.push(SliceReport { window: part, is_complete, statistics });
        }
    }
    if let SeriesStatistics::Counter { slices: spread, .. } = &mut statistics {
        let complete = slices.iter().filter(|slice| slice.is_complete);
        let rates: Vec<f64> = complete
            .filter_map(|slice| match slice.statistics {
                SeriesStatistics::Counter { rate, .. } => Some(rate),
                _ => None,
            })
            .collect();
        *spread = RateSpread::new(&rates);
    }
    Some(SeriesReport { endpoint_url: endpoint.url().to_owned(), labels: labels.clone(), statistics, slices })
}

/// `None` if the series has no value in the window.
fn statistics_of(
    endpoint: &EndpointHistory,
    kind: MetricType,
    ids: &[SeriesId],
    window: Window,
    totals: Window,
) -> Option<SeriesStatistics> {
    let of_role = |role: &SampleRole| {
        let found = ids.iter().find(|id| endpoint.reader().series()[id.0 as usize].role == *role);
        found.map(|id| &endpoint.series()[id.0 as usize])
    };
    match kind {
        MetricType::Counter => {
            let total = Counter::new(of_role(&SampleRole::Value)?).increase(totals)?;
            Some(SeriesStatistics::Counter { total, rate: per_second(total, window), slices: None })
        }
        MetricType::Histogram | MetricType::GaugeHistogram => {
            histogram_of(endpoint, ids, totals).map(SeriesStatistics::Histogram)
        }
        MetricType::Summary => {
            let increase = |role| of_role(&role).and_then(|series| Counter::new(series).increase(totals));
            let quantiles = ids.iter().filter_map(|id| match &endpoint.reader().series()[id.0 as usize].role {
                SampleRole::Quantile(quantile) => {
                    Some((quantile.clone(), endpoint.series()[id.0 as usize].value_at(window.end())?))
                }
                _ => None,
            });
            Some(SeriesStatistics::Summary {
                count: increase(SampleRole::Count)?,
                sum: increase(SampleRole::Sum)?,
                quantiles: quantiles.collect(),
            })
        }
        MetricType::Gauge | MetricType::Info | MetricType::StateSet | MetricType::Unknown => {
            GaugeStatistics::new(of_role(&SampleRole::Value)?, window).map(SeriesStatistics::Gauge)
        }
    }
}

/// What a histogram gained, from the series that it consists of. Counts are whole: interpolation at an edge is rounded.
pub(crate) fn histogram_of(endpoint: &EndpointHistory, ids: &[SeriesId], window: Window) -> Option<HistogramIncrease> {
    let (mut bounds, mut counters) = (Vec::new(), Vec::new());
    let (mut count, mut sum) = (None, None);
    for id in ids {
        let series = &endpoint.series()[id.0 as usize];
        match &endpoint.reader().series()[id.0 as usize].role {
            SampleRole::Bucket(bound) => {
                bounds.extend(BucketBound::parse(bound));
                counters.push(series);
            }
            SampleRole::Count => count = Some(series),
            SampleRole::Sum => sum = Some(series),
            _ => {}
        }
    }
    if bounds.len() != counters.len() {
        return None;
    }
    counters.extend(count);
    let sums: Vec<_> = sum.into_iter().collect();
    let all = Counter::group(&counters, &sums);
    let whole = |counter: &Counter| {
        let (start, end) = (counter.at_start(window)?, counter.at(window.end())?);
        Some((end.round() - start.round()).max(0.0))
    };
    let mut buckets: Vec<(BucketBound, f64)> =
        bounds.into_iter().zip(&all).filter_map(|(bound, counter)| Some((bound, whole(counter)?))).collect();
    buckets.sort_by(|a, b| a.0.value.total_cmp(&b.0.value));
    let observed = match count {
        Some(_) => all.get(counters.len() - 1).and_then(whole)?,
        None => buckets.last().map(|(_, count)| *count)?,
    };
    // A page may be written while the histogram changes; cumulative counts still must not decrease.
    let mut highest = 0.0_f64;
    for (_, count) in &mut buckets {
        highest = highest.max(*count);
        *count = highest;
    }
    let sum = all.get(counters.len()).and_then(|sum| Some(sum.at(window.end())? - sum.at_start(window)?));
    Some(HistogramIncrease { count: observed, sum: sum.unwrap_or_default(), buckets })
}
