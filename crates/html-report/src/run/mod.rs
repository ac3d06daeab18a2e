//! The report of one run.

mod accuracy;
mod capacity;
mod density;
mod errors;
mod first_token;
mod gaps;
mod gpu;
mod health;
mod lengths;
pub(crate) mod load;
mod requests;
mod server;
mod slices;
mod slo;
pub(crate) mod survival;
mod text;
mod timeline;
mod verdict;

use aiperf_artifact::{Folder, RecordedRun};
use serde_json::{Value, json};

pub(crate) use self::requests::Requests;
use self::slo::SloLimit;
use crate::HtmlReportError;
use crate::page::{self, PageKind};
use crate::payload::ColumnStore;
use crate::time_bins::TimeBins;

/// What a page shall show.
#[derive(Debug, Clone, Default)]
pub struct RunPageOptions {
    /// Limits of a good request, by tag and in shown units; those of the run if `None`.
    pub goodput: Option<Vec<(String, f64)>>,
    /// Prompts and answers of some requests go into the file.
    pub include_text: bool,
}

/// The page of the run in a folder. `summary`: that of the folder if `None`. `version`: this program's own.
pub fn run_page(
    folder: &Folder,
    summary: Option<Value>,
    options: &RunPageOptions,
    version: &str,
) -> Result<String, HtmlReportError> {
    let asked = match &options.goodput {
        None => None,
        Some(limits) => {
            Some(limits.iter().map(|(tag, limit)| SloLimit::read(tag, *limit)).collect::<Result<Vec<_>, _>>()?)
        }
    };
    // The limits of the run are known before its records are read, from its summary.
    let known: Option<Value> = summary.or_else(|| {
        let bytes = std::fs::read(folder.paths().summary_json()).ok()?;
        serde_json::from_slice(&bytes).ok()
    });
    let of_run = || known.as_ref().map(|summary| SloLimit::of_run(&summary["input_config"])).unwrap_or_default();
    let slos = asked.unwrap_or_else(of_run);
    let limited: Vec<_> = slos.iter().map(|slo| slo.metric).collect();
    let (requests, run) = Requests::read(folder, &limited)?;
    let summary = known.or_else(|| run.summary.clone()).unwrap_or_default();
    let parts = RunParts { folder, requests: &requests, run: &run, summary: &summary, slos: &slos };
    let mut store = ColumnStore::default();
    let mut head = parts.head(version, &mut store);
    if options.include_text {
        head["text"] = text::json(folder);
    }
    page::write(PageKind::Run, &title(&head), &head, &store)
}

fn title(head: &Value) -> String {
    format!("{} – aiperf report", head["meta"]["title"].as_str().unwrap_or("Run"))
}

/// Everything that a page of a run is made from.
struct RunParts<'a> {
    folder: &'a Folder,
    requests: &'a Requests,
    run: &'a RecordedRun,
    summary: &'a Value,
    slos: &'a [SloLimit],
}

impl RunParts<'_> {
    fn head(&self, version: &str, store: &mut ColumnStore) -> Value {
        let Self { folder, requests, run, summary, slos } = self;
        let bins = TimeBins::of(run.window, requests.len());
        json!({
            "kind": "run",
            "meta": self.meta(version),
            "time": {"seconds": bins.seconds(), "step": bins.width_s(), "slices": bins.len()},
            "slos": slos.iter().map(SloLimit::json).collect::<Vec<_>>(),
            "verdict": verdict::json(requests, summary, slos, &bins),
            "accuracy": accuracy::json(summary),
            "capacity": capacity::json(folder),
            "load": load::json(requests, &bins),
            "requests": slices::json(requests, slos, &bins, store),
            "survival": survival::json(requests),
            "first_token": first_token::json(requests),
            "ttft_by_input": density::first_token_by_input(requests),
            "itl_by_streams": density::inter_token_by_streams(requests),
            "gaps": requests.gaps.json(&bins),
            "timeline": timeline::json(requests, &bins, store),
            "lengths": lengths::json(requests, &run.input_config),
            "errors": requests.errors.json(&bins),
            "server": server::json(folder, &bins),
            "gpu": gpu::json(folder, &bins),
            "health": health::json(summary),
        })
    }

    fn meta(&self, version: &str) -> Value {
        let Self { folder, run, summary, .. } = self;
        let config = &run.input_config;
        let items = config["models"]["items"].as_array().into_iter().flatten();
        let models: Vec<&str> = items.filter_map(|item| item["name"].as_str()).collect();
        let dir = folder.paths().dir();
        let name =
            dir.file_name().map_or_else(|| dir.display().to_string(), |name| name.to_string_lossy().into_owned());
        let title = if models.is_empty() { name.clone() } else { models.join(", ") };
        json!({
            "title": title,
            "folder": name,
            "urls": config["endpoint"]["urls"],
            "endpoint": config["endpoint"]["type"],
            "streaming": config["endpoint"]["streaming"],
            "phases": config["phases"],
            "command": summary["run_info"]["cli_command"],
            "benchmark_id": summary["benchmark_id"],
            "start_time": summary["start_time"],
            "made_by": format!("aiperf {version}"),
            "measured_by": summary["aiperf_version"],
            "skipped_lines": run.skipped.len(),
        })
    }
}
