//! The phase in windows, for `--slice-duration`: JSON and a long-form CSV, written window by window.

use aiperf_metrics::{MetricResult, Percentile, Slice, Unit};
use serde_json::{Map, Value, json};

use crate::folder::part_file::{PartFile, indented};
use crate::summary::json::plain_metric;
use crate::{ArtifactPaths, ReportError};
use aiperf_table::csv::{LINE_END, cell, number};

/// Both files, each whole or not there. They need no summary, so that they can be made at the same time.
pub fn write_timeslices(
    slices: impl Iterator<Item = Slice>,
    input_config: &Value,
    paths: &ArtifactPaths,
) -> Result<(), ReportError> {
    let mut json = PartFile::create(&paths.timeslices_json())?;
    let mut csv = PartFile::create(&paths.timeslices_csv())?;
    match write_parts(slices, input_config, &mut json, &mut csv) {
        Ok(()) => json.finish().and(csv.finish()),
        Err(error) => {
            json.discard();
            csv.discard();
            Err(error)
        }
    }
}

fn write_parts(
    slices: impl Iterator<Item = Slice>,
    input_config: &Value,
    json: &mut PartFile,
    csv: &mut PartFile,
) -> Result<(), ReportError> {
    json.put(b"{\n  \"timeslices\": [")?;
    csv.put(format!("Timeslice,Start_NS,End_NS,Metric,Unit,Stat,Value{LINE_END}").as_bytes())?;
    let mut before = "\n    ";
    let mut count = 0_usize;
    for slice in slices {
        json.put(format!("{before}{}", indented(&object(&slice), 4)).as_bytes())?;
        csv.put(rows(count, &slice).as_bytes())?;
        before = ",\n    ";
        count += 1;
    }
    let end = if count == 0 { "]" } else { "\n  ]" };
    json.put(format!("{end},\n  \"input_config\": {}\n}}", indented(input_config, 2)).as_bytes())
}

fn object(slice: &Slice) -> Value {
    let mut object = Map::new();
    object.insert("start_ns".to_owned(), json!(slice.start.0));
    object.insert("end_ns".to_owned(), json!(slice.end.0));
    if !slice.is_complete {
        object.insert("is_complete".to_owned(), json!(false));
    }
    for result in &slice.summary.results {
        object.insert(result.metric.tag().to_owned(), plain_metric(result, &[]));
    }
    Value::Object(object)
}

/// One row for each statistic, metrics by tag.
fn rows(index: usize, slice: &Slice) -> String {
    let mut results: Vec<&MetricResult> = slice.summary.results.iter().collect();
    results.sort_by_key(|result| result.metric.tag());
    let mut text = String::new();
    for result in results {
        let definition = result.metric.definition();
        let unit: Unit = definition.shown;
        let stats = &result.stats;
        let fixed = [("avg", stats.avg), ("min", stats.min), ("max", stats.max), ("sum", stats.sum)];
        let percentiles = Percentile::REFERENCE.map(|percentile| (percentile.name(), stats.percentile(percentile)));
        for (stat, value) in fixed.into_iter().chain(percentiles).chain([("std", stats.std)]) {
            // What JSON cannot write is left out of both.
            if value.is_some_and(f64::is_finite) {
                let (start, end, name) = (slice.start.0, slice.end.0, cell(definition.header));
                let row = format!("{index},{start},{end},{name},{},{stat},{}{LINE_END}", unit.label(), number(value));
                text.push_str(&row);
            }
        }
    }
    text
}
