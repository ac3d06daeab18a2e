//! New traces: changed ones, and made ones.

use std::path::Path;

use aiperf_seed::Seed;
use aiperf_trace::agentic::{self, AgenticSettings};
use aiperf_trace::{Layout, Trace, TracePrompt, TraceRequest, analyze, effectless, report, synthesize};
use anyhow::{anyhow, bail};
use jiff::Zoned;
use serde_json::json;

use super::write;
use crate::cli::{ChangeTrace, MakeSessions};

pub(super) fn change(asked: &ChangeTrace) -> anyhow::Result<()> {
    let mut trace = Trace::read(&asked.input, asked.layout)?;
    trace.block_size = asked.block_size.unwrap_or(trace.block_size);
    if let Some(idle) = effectless(&asked.synthesis, &trace) {
        bail!("{} has no effect on {}: {}; leave it out", idle.option, asked.input.display(), idle.why);
    }
    let before = trace.requests.len();
    let shortest = trace.requests.iter().filter_map(TraceRequest::input_tokens).min().unwrap_or(0);
    synthesize(&asked.synthesis, &mut trace, Seed::fixed(asked.seed));
    if trace.requests.is_empty() {
        let file = asked.input.display();
        bail!(
            "--synthesis-max-isl leaves none of the {before} requests of {file}: the shortest prompt has {shortest} tokens"
        );
    }
    write(&asked.output, &trace.to_mooncake())?;
    let count = trace.requests.len();
    println!("{}: {count} request{}", asked.output.display(), if count == 1 { "" } else { "s" });
    if trace.skipped_rows > 0 {
        println!("Rows that could not be read and were left out: {}", trace.skipped_rows);
    }
    let recorded =
        trace.requests.iter().filter(|request| matches!(request.prompt, TracePrompt::Recorded { .. })).count();
    if recorded > 0 {
        println!(
            "Prompts of {recorded} requests are literal: their recorded lengths and block ids have no place in such rows"
        );
    }
    let has_blocks =
        |request: &TraceRequest| matches!(&request.prompt, TracePrompt::Length { blocks, .. } if !blocks.is_empty());
    if trace.block_size != Layout::Mooncake.block_size() && trace.requests.iter().any(has_blocks) {
        println!(
            "Its blocks have {0} tokens: replay it with --isl-block-size {0}, analyse it with --block-size {0}",
            trace.block_size
        );
    }
    Ok(())
}

pub(super) fn make(asked: &MakeSessions) -> anyhow::Result<()> {
    let (name, mut settings) = match &asked.config {
        Some(path) => (stem(path), AgenticSettings::read(path)?),
        None if asked.default_profile => ("default".to_owned(), AgenticSettings::default_profile()),
        None => ("default".to_owned(), AgenticSettings::default()),
    };
    settings.max_prompt_tokens = asked.max_isl.unwrap_or(settings.max_prompt_tokens);
    if let Some(most) = asked.max_osl {
        settings.generation_length.max = Some(most as f64);
    }
    let made =
        agentic::generate(&settings, asked.sessions, Seed::fixed(asked.seed)).map_err(|problem| anyhow!(problem))?;
    let time = Zoned::now().strftime("%Y%m%d-%H%M%S");
    let folder = asked.output.join(format!("{name}_{}s_seed{}_{time}", asked.sessions, asked.seed));
    let manifest = json!({
        "seed": asked.seed,
        "num_sessions": asked.sessions,
        "config_name": name,
        "generation_params": settings,
    });
    let comparison = made.quality.text();
    write(&folder.join("dataset.jsonl"), &made.to_jsonl())?;
    write(&folder.join("manifest.json"), &(serde_json::to_string_pretty(&manifest)? + "\n"))?;
    write(&folder.join("quality.json"), &(serde_json::to_string_pretty(&made.quality.json())? + "\n"))?;
    write(&folder.join("comparison.txt"), &comparison)?;
    write(&folder.join("cache_structure.json"), &(serde_json::to_string(&made.structure)? + "\n"))?;
    write(&folder.join("cache_explorer.html"), &report::cache_explorer(&name, &made.structure))?;
    write(&folder.join("report.html"), &report::page(&name, &analyze(&made.trace), None))?;
    let title = format!("{name}: {}", made.assumptions);
    write(&folder.join("simulation.html"), &report::page(&title, &analyze(&made.played), None))?;
    print!("{comparison}");
    println!("\n{}", folder.display());
    Ok(())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
