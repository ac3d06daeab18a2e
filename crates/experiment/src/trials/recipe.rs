//! What AIPerf's recipes add to the file of their sweep: the axes by which charts compare the points, and short names of parameters.

use aiperf_config::Experiment;
use aiperf_report::{ParetoAxes, SweepReport};

/// The option that names the recipe.
const RECIPE: &str = "search-recipe";

/// The axes of recipes, as AIPerf 0.13.0 writes them. The curves of prefill and decode have none.
const AXES: [(&str, ParetoAxes); 6] = [
    ("max-throughput-ttft-sla", axes(("time_to_first_token", "p99"), ("output_token_throughput", "avg"))),
    ("max-throughput-itl-sla", axes(("inter_token_latency", "p99"), ("output_token_throughput", "avg"))),
    ("max-goodput-under-slo", axes(("request_latency", "p95"), ("goodput", "avg"))),
    ("max-concurrency-under-sla", axes(("request_latency", "p95"), ("concurrency", "value"))),
    ("concurrency-ramp", axes(("request_latency", "p95"), ("output_token_throughput", "avg"))),
    (
        "pareto-sweep",
        ParetoAxes {
            series: &["isl", "osl"],
            ..axes(("time_to_first_token", "p95"), ("output_token_throughput", "avg"))
        },
    ),
];

const fn axes(x: (&'static str, &'static str), y: (&'static str, &'static str)) -> ParetoAxes {
    ParetoAxes { x, y, series: &[] }
}

/// Gives the sweep of a recipe what AIPerf writes for it. Other sweeps stay as they are.
pub(super) fn describe(experiment: &Experiment, sweep: &mut SweepReport) {
    let option = experiment.options.iter().find(|(name, _)| name == RECIPE);
    let Some(recipe) = option.and_then(|(_, values)| values.first()) else { return };
    let recipe = recipe.to_ascii_lowercase().replace('_', "-");
    sweep.pareto_axes = AXES.into_iter().find(|(name, _)| *name == recipe).map(|(_, axes)| axes);
    sweep.rename_parameters(|path| path.rsplit('.').next().unwrap_or(path));
}
