//! The commands about traces, carried out.

mod synthesis;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use aiperf_trace::{RowProblem, Trace, analyze, report, validate};
use anyhow::Context;

use crate::cli::{AnalysisFormat, AnalyzeTrace, TraceInvocation, ValidateTrace};

pub(crate) fn run(invocation: &TraceInvocation) -> anyhow::Result<ExitCode> {
    match invocation {
        TraceInvocation::Analyze(analysis) => analyze_trace(analysis).map(|()| ExitCode::SUCCESS),
        TraceInvocation::Change(change) => synthesis::change(change).map(|()| ExitCode::SUCCESS),
        TraceInvocation::Make(sessions) => synthesis::make(sessions).map(|()| ExitCode::SUCCESS),
        TraceInvocation::Validate(validation) => validate_trace(validation),
    }
}

fn analyze_trace(asked: &AnalyzeTrace) -> anyhow::Result<()> {
    let mut trace = Trace::read(&asked.input, asked.layout)?;
    trace.block_size = asked.block_size.unwrap_or(trace.block_size);
    let analysis = analyze(&trace);
    let json = || serde_json::to_string_pretty(&report::json(&analysis, asked.shape)).map(|json| json + "\n");
    let text = match asked.format {
        AnalysisFormat::Table => report::table(&analysis, asked.shape),
        AnalysisFormat::Json => json()?,
        AnalysisFormat::Csv => report::csv(&analysis, asked.shape),
    };
    crate::print(text.as_bytes())?;
    if let Some(path) = &asked.output {
        let as_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let content = if as_csv { report::csv(&analysis, asked.shape) } else { json()? };
        write(path, &content)?;
        eprintln!("Analysis report saved to {}", path.display());
    }
    if let Some(path) = &asked.plot {
        let name = asked.input.file_name().unwrap_or_default().to_string_lossy();
        write(path, &report::page(&name, &analysis, asked.shape))?;
        eprintln!("Charts saved to {}", path.display());
    }
    Ok(())
}

fn validate_trace(asked: &ValidateTrace) -> anyhow::Result<ExitCode> {
    let checked = validate(&asked.input, asked.layout, asked.block_size)?;
    let (file, rows, layout) = (asked.input.display(), checked.rows, checked.layout.name());
    let rows = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
    if checked.problems.is_empty() {
        println!("{file}: {rows} of {layout}, all of them valid");
        return Ok(ExitCode::SUCCESS);
    }
    for RowProblem { line, problem } in &checked.problems {
        println!("line {line}: {problem}");
    }
    let mut bad: Vec<usize> = checked.problems.iter().map(|problem| problem.line).collect();
    bad.dedup();
    eprintln!("{file}: {} of {rows} of {layout} not valid", bad.len());
    Ok(ExitCode::FAILURE)
}

fn write(path: &Path, content: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}
