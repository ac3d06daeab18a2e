//! Values of server metrics over time.

use crate::preset::{DataSource, Downsampling, MetricRef, WindowMethod};
use crate::run::{DetailedRun, ScrapedSeries, ServerMetricKind};

/// One series over time, in seconds since the first request was sent.
#[derive(Debug, Clone)]
pub(super) struct ServerLine {
    /// The labels that tell it from the others.
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// The series of a metric that a preset asks for.
pub(super) fn matching<'a>(run: &'a DetailedRun, wanted: &MetricRef) -> Result<Vec<&'a ScrapedSeries>, String> {
    if run.server.metrics.is_empty() {
        return Err(DataSource::ServerMetrics.advice().to_owned());
    }
    // Counters are stored without the end that pages give them.
    let bare = wanted.name.strip_suffix("_total").unwrap_or(&wanted.name);
    let found = run.server.metrics.get(&wanted.name).or_else(|| run.server.metrics.get(bare));
    let Some(found) = found else {
        let known: Vec<&str> = run.server.metrics.keys().map(String::as_str).collect();
        let near = aiperf_option_table::nearest(&wanted.name, known, wanted.name.len());
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(format!("the server metrics have no {:?}{near}", wanted.name));
    };
    let series: Vec<&ScrapedSeries> =
        found.iter().filter(|series| wanted.filter.accepts(&series.endpoint, &series.labels)).collect();
    if series.is_empty() {
        let has = found.iter().map(|series| format!("{}{:?}", series.endpoint, series.labels)).collect::<Vec<_>>();
        return Err(format!("no series of {} fits the filter; there are {}", wanted.name, has.join(", ")));
    }
    Ok(series)
}

/// Values over time: counters as rates, histograms as the mean of each interval. The unit comes with them.
pub(super) fn lines(
    run: &DetailedRun,
    wanted: &MetricRef,
    downsampling: Downsampling,
) -> Result<(Vec<ServerLine>, String), String> {
    let series = matching(run, wanted)?;
    let unit = series[0].unit.clone();
    let is_rate = series[0].kind == ServerMetricKind::Counter;
    let lines: Vec<ServerLine> = series
        .iter()
        .map(|one| ServerLine {
            name: distinct_labels(one, &series),
            points: downsample(values(run, one), downsampling),
        })
        .filter(|line| !line.points.is_empty())
        .collect();
    if lines.is_empty() {
        return Err(format!("{} has no value during the run", wanted.name));
    }
    Ok((lines, if is_rate { format!("{unit}/s") } else { unit }))
}

/// Time and value of each scrape during the run.
fn values(run: &DetailedRun, series: &ScrapedSeries) -> Vec<(f64, f64)> {
    let points: Vec<(f64, f64)> = if series.kind == ServerMetricKind::Histogram && !series.histogram.is_empty() {
        let pairs = series.histogram.windows(2);
        let means = pairs.filter(|pair| pair[1].count > pair[0].count);
        means
            .map(|pair| {
                let mean = (pair[1].sum - pair[0].sum) / (pair[1].count - pair[0].count);
                (run.seconds(pair[1].timestamp_ns), mean)
            })
            .collect()
    } else if series.kind == ServerMetricKind::Counter && !series.is_rate {
        let pairs = series
            .values
            .windows(2)
            .map(|pair| ((run.seconds(pair[0].0), pair[0].1), (run.seconds(pair[1].0), pair[1].1)));
        // A counter that fell was set back by a restart of the server.
        pairs
            .filter(|(from, to)| to.0 > from.0 && to.1 >= from.1)
            .map(|(from, to)| (to.0, (to.1 - from.1) / (to.0 - from.0)))
            .collect()
    } else {
        series.values.iter().map(|(time, value)| (run.seconds(*time), *value)).collect()
    };
    during_run(run, points)
}

/// Samples from before the first request was sent would stretch the time axis.
pub(super) fn during_run(run: &DetailedRun, points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let end = run.end_ns().map_or(f64::INFINITY, |end| run.seconds(end));
    points.into_iter().filter(|(time, value)| (0.0..=end).contains(time) && value.is_finite()).collect()
}

/// One value for each window that has any.
fn downsample(points: Vec<(f64, f64)>, settings: Downsampling) -> Vec<(f64, f64)> {
    let span = points.last().map_or(0.0, |last| last.0 - points[0].0);
    // A run that is shorter than a few windows would become a single point.
    if !settings.enabled || span < 3.0 * settings.window_size_seconds {
        return points;
    }
    let window = |time: f64| (time / settings.window_size_seconds).floor();
    let together = points.chunk_by(|one, other| window(one.0).total_cmp(&window(other.0)).is_eq());
    together
        .map(|group| {
            let mut values: Vec<f64> = group.iter().map(|(_, value)| *value).collect();
            values.sort_by(f64::total_cmp);
            let value = match settings.aggregation_method {
                WindowMethod::Mean => values.iter().sum::<f64>() / values.len() as f64,
                WindowMethod::Max => values[values.len() - 1],
                WindowMethod::Min => values[0],
                WindowMethod::Median => aiperf_stats::linear(&values, 0.5).unwrap_or(values[0]),
            };
            ((window(group[0].0) + 0.5) * settings.window_size_seconds, value)
        })
        .collect()
}

/// Endpoint and labels, as far as not all series have the same.
fn distinct_labels(series: &ScrapedSeries, all: &[&ScrapedSeries]) -> String {
    let mut parts = Vec::new();
    if all.iter().any(|other| other.endpoint != series.endpoint) {
        parts.push(series.endpoint.clone());
    }
    for (name, value) in &series.labels {
        if all.iter().any(|other| other.labels.get(name) != Some(value)) {
            parts.push(format!("{name}={value}"));
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_one_value_each() {
        let points: Vec<(f64, f64)> = (0..40).map(|second| (f64::from(second), f64::from(second))).collect();
        let with = |method| Downsampling { aggregation_method: method, ..Downsampling::default() };
        assert_eq!(downsample(points.clone(), with(WindowMethod::Mean))[..2], [(2.5, 2.0), (7.5, 7.0)]);
        assert_eq!(downsample(points.clone(), with(WindowMethod::Max))[0], (2.5, 4.0));
        assert_eq!(downsample(points.clone(), with(WindowMethod::Min))[1], (7.5, 5.0));
        assert_eq!(downsample(points.clone(), with(WindowMethod::Median))[0], (2.5, 2.0));
        let off = Downsampling { enabled: false, ..Downsampling::default() };
        assert_eq!(downsample(points.clone(), off).len(), 40);
    }
}
