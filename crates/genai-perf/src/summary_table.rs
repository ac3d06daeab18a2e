//! `analyze_export_genai_perf.csv`: a row for each run of a sweep.

use crate::measurement::Measurement;
use crate::planned::PlannedRun;

/// As CSV has it.
const LINE_END: &str = "\r\n";
/// How many prompts are made where nothing says so.
const USUAL_ENTRIES: &str = "100";
const GPU_HEAD: &str = "Config Name,GPU,p99 GPU Power Usage (W),p99 GPU Energy Consumption (MJ),p99 GPU Utilization (%),p99 GPU \
                        Memory Used (GB),Avg. GPU Power Limit (W),Avg. GPU Total Memory (GB)";

/// A run and what was measured in it.
#[derive(Debug)]
pub struct SummaryRow<'a> {
    pub run: &'a PlannedRun,
    pub measured: Measurement,
}

/// Two tables, a blank line between them. No readings of GPUs are collected, so that the second has none.
pub fn csv(rows: &[SummaryRow<'_>]) -> String {
    let first = rows.first().map(|row| row.run);
    let load = match first.map(|run| run.stimulus.0.as_str()) {
        Some("request_rate") => "Request Rate",
        Some("session_concurrency") => "Session Concurrency",
        _ => "Concurrency",
    };
    // A batch is named where it is what changes.
    let batches =
        rows.iter().any(|row| row.run.value("--batch-size") != first.and_then(|run| run.value("--batch-size")));
    let mut text = format!(
        "Config Name,{load},ISL,Num Dataset Entries,{}p99 Time To First Token (ms),p99 Inter Token Latency (ms),p99 Request Latency \
         (ms),p99 Output Sequence Length (tokens),Avg. Output Token Throughput (tokens/sec),Request Throughput (requests/sec){LINE_END}",
        if batches { "Batch Size," } else { "" },
    );
    for SummaryRow { run, measured } in rows {
        let mut cells = vec![
            cell(&run.name),
            run.stimulus.1.to_string(),
            measured.get("input_sequence_length_avg").map(whole).unwrap_or_default(),
            run.value("--num-dataset-entries").unwrap_or(USUAL_ENTRIES).to_owned(),
        ];
        if batches {
            cells.push(run.value("--batch-size").unwrap_or("1").to_owned());
        }
        cells.extend(
            [
                measured.millis("time_to_first_token_p99"),
                measured.millis("inter_token_latency_p99"),
                measured.millis("request_latency_p99"),
                measured.get("output_sequence_length_p99"),
                measured.get("output_token_throughput_avg"),
                measured.get("request_throughput_avg"),
            ]
            .map(number),
        );
        text.push_str(&cells.join(","));
        text.push_str(LINE_END);
    }
    text.push_str(&format!("{LINE_END}{GPU_HEAD}{LINE_END}"));
    text
}

/// Two decimals; empty where there is none.
fn number(value: Option<f64>) -> String {
    value.map(|value| format!("{value:.2}")).unwrap_or_default()
}

/// Without decimals where there are none.
fn whole(value: f64) -> String {
    if value.fract() == 0.0 { value.to_string() } else { number(Some(value)) }
}

/// Quoted where a comma or a quote would be taken for the end.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
