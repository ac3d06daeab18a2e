//! Every scrape as one JSON line, written when it comes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::WallAnchor;
use aiperf_protocol::PhaseKind;
use aiperf_telemetry::prometheus::{FamilyId, Labels, MetricType, SampleRole};
use aiperf_telemetry::server::{PageRecorder, RecordedPage};
use serde_json::{Map, Value, json};

use super::series_json::LabelMap;
use crate::records::lines::LineFile;
use crate::{ReportError, WrittenFile};

/// The file of scrapes, shared by the endpoints. It is created with the first scrape.
#[derive(Debug, Clone)]
pub struct ServerMetricsLines {
    path: PathBuf,
    anchor: WallAnchor,
    file: Arc<Mutex<LazyFile>>,
    phase: Arc<Mutex<Option<ScrapedPhase>>>,
}

/// The phase that a page belongs to.
#[derive(Debug, Clone)]
struct ScrapedPhase {
    name: Arc<str>,
    kind: PhaseKind,
    /// The results of the run are about it.
    is_measured: bool,
    /// Among all phases.
    index: u32,
    /// Among the profiling phases.
    profiling_index: Option<u32>,
    /// Profiling phases so far, with this one.
    profiled: u32,
}

#[derive(Debug, Default)]
struct LazyFile {
    lines: Option<LineFile>,
    failed: Option<ReportError>,
}

impl ServerMetricsLines {
    pub fn new(path: PathBuf, anchor: WallAnchor) -> Self {
        Self { path, anchor, file: Arc::default(), phase: Arc::default() }
    }

    /// Lines name this phase from now on.
    pub fn begin_phase(&self, name: &Arc<str>, kind: PhaseKind, is_measured: bool) {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let index = phase.as_ref().map_or(0, |before| before.index + 1);
        let profiled = phase.as_ref().map_or(0, |before| before.profiled);
        let is_profiling = kind == PhaseKind::Profiling;
        *phase = Some(ScrapedPhase {
            name: Arc::clone(name),
            kind,
            is_measured,
            index,
            profiling_index: is_profiling.then_some(profiled),
            profiled: profiled + u32::from(is_profiling),
        });
    }

    /// Closes the file; `None` if nothing was scraped.
    pub fn finish(self) -> Option<Result<WrittenFile, ReportError>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = file.lines.take().map(LineFile::finish);
        if let Some(error) = file.failed.take() {
            return Some(Err(error));
        }
        let totals = closed?;
        Some(match totals.problem {
            Some(error) => Err(error),
            None => Ok(WrittenFile { label: "Server Metrics JSONL Export".into(), path: self.path.clone() }),
        })
    }

    fn line(&self, page: &RecordedPage<'_>) -> Value {
        let epoch = |at| self.anchor.epoch(at).0;
        let mut line = json!({
            "endpoint_url": page.url,
            "timestamp_ns": epoch(page.first_byte),
            "endpoint_latency_ns": page.done.since(page.sent).0,
            "metrics": metrics(page),
            "request_sent_ns": epoch(page.sent),
            "first_byte_ns": epoch(page.first_byte),
        });
        if let Some(phase) = &*self.phase.lock().unwrap_or_else(PoisonError::into_inner) {
            let shown = if phase.is_measured { PhaseKind::Profiling } else { PhaseKind::Warmup };
            line["benchmark_phase"] = shown.name().into();
            line["phase_index"] = phase.index.into();
            if let Some(index) = phase.profiling_index {
                line["profiling_index"] = index.into();
            }
            line["phase_name"] = (*phase.name).into();
            line["phase_kind"] = phase.kind.name().into();
        }
        line
    }
}

impl PageRecorder for ServerMetricsLines {
    fn record(&mut self, page: &RecordedPage<'_>) {
        let line = self.line(page);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.failed.is_some() {
            return;
        }
        if file.lines.is_none() {
            match LineFile::create(&self.path) {
                Ok(lines) => file.lines = Some(lines),
                Err(error) => file.failed = Some(error),
            }
        }
        if let Some(Err(error)) = file.lines.as_ref().map(|lines| lines.append_json(&line)) {
            file.failed = Some(error);
        }
    }
}

/// The parts of one label set on a page.
#[derive(Default)]
struct SampleParts {
    value: Option<f64>,
    buckets: Map<String, Value>,
    quantiles: Map<String, Value>,
    sum: Option<f64>,
    count: Option<f64>,
}

/// Metrics in the order of the page. Facts (`*_info`), creation times and values that are not finite are left out.
fn metrics(page: &RecordedPage<'_>) -> Map<String, Value> {
    let families = page.reader.families();
    let mut order: Vec<FamilyId> = Vec::new();
    let mut groups: BTreeMap<FamilyId, Vec<(&Labels, SampleParts)>> = BTreeMap::new();
    for (id, value) in page.values.iter().filter(|(_, value)| value.is_finite()) {
        let series = &page.reader.series()[id.0 as usize];
        let name = &families[series.family.0 as usize].name;
        if name.ends_with("_info") || name.ends_with("_created") || series.role == SampleRole::Created {
            continue;
        }
        let group = groups.entry(series.family).or_insert_with(|| {
            order.push(series.family);
            Vec::new()
        });
        // Samples of one label set stand together on nearly all pages.
        let place = group.iter().rposition(|(labels, _)| **labels == series.labels).unwrap_or_else(|| {
            group.push((&series.labels, SampleParts::default()));
            group.len() - 1
        });
        let parts = &mut group[place].1;
        match &series.role {
            SampleRole::Value => parts.value = Some(*value),
            SampleRole::Bucket(bound) => drop(parts.buckets.insert(bound.clone(), json!(value))),
            SampleRole::Quantile(quantile) => drop(parts.quantiles.insert(quantile.clone(), json!(value))),
            SampleRole::Sum => parts.sum = Some(*value),
            SampleRole::Count => parts.count = Some(*value),
            SampleRole::Created => {}
        }
    }
    let mut metrics = Map::new();
    for id in order {
        let family = &families[id.0 as usize];
        let short = family.name.strip_suffix("_total").filter(|_| family.kind == MetricType::Counter);
        let name = short.filter(|short| families.iter().all(|other| other.name != *short)).unwrap_or(&family.name);
        let samples = groups.remove(&id).unwrap_or_default();
        metrics.insert(name.to_owned(), samples.into_iter().map(|(labels, parts)| sample(labels, parts)).collect());
    }
    metrics
}

fn sample(of: &Labels, parts: SampleParts) -> Value {
    let mut object = Map::new();
    if !of.is_empty() {
        object.insert("labels".to_owned(), json!(LabelMap(of)));
    }
    let SampleParts { value, buckets, quantiles, sum, count } = parts;
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    };
    put("value", value.map(|value| json!(value)));
    put("buckets", (!buckets.is_empty()).then_some(Value::Object(buckets)));
    put("quantiles", (!quantiles.is_empty()).then_some(Value::Object(quantiles)));
    put("sum", sum.map(|sum| json!(sum)));
    put("count", count.map(|count| json!(count)));
    object.into()
}
