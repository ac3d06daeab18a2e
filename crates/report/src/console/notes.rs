//! What the reader must know beside the tables.

use aiperf_metrics::Metric;

use super::number;
use super::style::{Style, Width};
use super::table::wrap;
use crate::RunReport;

/// Before the tables: that the numbers are not what was asked for.
pub(super) fn opening(report: &RunReport, style: Style) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(reason) = report.status.incomplete_reason() {
        notes.push(format!(
            "{}\n{reason}\nThese numbers cover only a part of the run: do not compare them with those of a whole one.",
            style.warning("aiperf | INCOMPLETE RESULTS")
        ));
    }
    let summary = &report.profiling.summary;
    if !report.profiling.succeeded() && summary.failed + summary.cut_off > 0 {
        let sentence = format!(
            "No request succeeded: {} failed, {} were cut off. There are no latencies or rates to report.",
            number::whole(summary.failed),
            number::whole(summary.cut_off)
        );
        notes.push(style.failure(&sentence));
    }
    notes
}

/// After the tables: token counts that should make the reader doubt.
pub(super) fn closing(report: &RunReport, width: Width) -> Vec<String> {
    let notes = [cached_tokens(report), output_length(report), token_counts(report)];
    notes.into_iter().flatten().map(|note| paragraph(&note, width)).collect()
}

/// A server that caches prefixes but does not say so hides why its first tokens come early.
fn cached_tokens(report: &RunReport) -> Option<String> {
    report.profiling.average(Metric::UsageCompletionTokens)?;
    if report.profiling.average(Metric::UsagePromptCacheReadTokens).is_some() {
        return None;
    }
    Some(
        "The server reports token usage but no cached prompt tokens (usage.prompt_tokens_details.cached_tokens). If it has a \
         prefix cache, let it tell: vLLM --enable-prompt-tokens-details, SGLang --enable-cache-report."
            .into(),
    )
}

fn output_length(report: &RunReport) -> Option<String> {
    let off = report.profiling.average(Metric::OslMismatchCount).filter(|count| *count > 0.0)?;
    let average = report.profiling.average(Metric::OslMismatchDiffPct)?;
    let limits = &report.thresholds;
    Some(format!(
        "Output lengths are not as asked: {}, by {average:+.1}% on average over all. A difference above {}% of the length \
         asked for or {} tokens, whichever is less, counts.\nServers stop at their end-of-sequence token. To make them go \
         on: --extra-inputs ignore_eos:true (vLLM, TensorRT-LLM) or --extra-inputs min_tokens:<N> (vLLM, TensorRT-LLM, \
         SGLang). If the tokenizers differ instead: --use-server-token-count. Per request: osl_mismatch_diff_pct in the \
         records file.",
        share(report, off),
        limits.osl_mismatch_pct,
        limits.osl_mismatch_max_tokens,
    ))
}

fn token_counts(report: &RunReport) -> Option<String> {
    let off = report.profiling.average(Metric::UsageDiscrepancyCount).filter(|count| *count > 0.0)?;
    Some(format!(
        "Token counts of client and server differ by more than {}%: {}.\nThe tokenizer here may not be the server's: give \
         the right one with --tokenizer, or take the server's counts with --use-server-token-count. Per request: the \
         usage_*_diff_pct metrics in the records file.",
        report.thresholds.usage_diff_pct,
        share(report, off),
    ))
}

fn share(report: &RunReport, count: f64) -> String {
    let all = report.profiling.summary.successful;
    let percent = 100.0 * count / all.max(1) as f64;
    format!("{} of {} requests ({percent:.1}%)", number::whole(count as u64), number::whole(all))
}

fn paragraph(text: &str, width: Width) -> String {
    let lines: Vec<_> = text.lines().flat_map(|line| wrap(line, width.0)).collect();
    lines.join("\n")
}
