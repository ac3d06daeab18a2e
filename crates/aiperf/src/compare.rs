//! `aiperf compare` and `aiperf gate`: runs compared with a baseline.

use std::fs;
use std::process::ExitCode;

use aiperf_compare::{ComparisonReport, Format, Gate, Page, Quantity, Side, compare};
use aiperf_html_report::comparison_page;
use anyhow::Context;

use crate::build::VERSION;
use crate::cli::{CompareInvocation, GateOptions};

pub(crate) fn run(asked: &CompareInvocation) -> anyhow::Result<ExitCode> {
    let quantities: Vec<Quantity> = asked.asked.quantities.iter().map(|asked| asked.quantity).collect();
    if asked.gate.is_some() {
        quantities.iter().try_for_each(|quantity| Gate::accept(*quantity))?;
    }
    let sides = asked.folders.iter().map(|(name, place)| Side::open(place, name, &quantities));
    let sides = sides.collect::<Result<Vec<_>, _>>()?;
    let (baseline, candidates) = sides.split_first().context("no folder was named")?;
    let report = compare(baseline, candidates, &asked.asked)?;
    if let Some(path) = &asked.html {
        let page = comparison_page(&report, &asked.folders, VERSION)?;
        fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let gate = asked.gate.map(|GateOptions { on_unclear }| Gate::of(&report, on_unclear));
    let page = Page { report: &report, gate, version: VERSION };
    match &asked.output {
        None => crate::print(page.render(asked.format).as_bytes())?,
        Some(path) => {
            fs::write(path, page.render(asked.format)).with_context(|| format!("cannot write {}", path.display()))?;
            crate::print(page.render(Format::Console).as_bytes())?;
        }
    }
    let of_comparison = || if report.withheld().is_some() { ComparisonReport::NO_VERDICT } else { 0 };
    Ok(ExitCode::from(gate.map_or_else(of_comparison, |gate| gate.exit_code())))
}
