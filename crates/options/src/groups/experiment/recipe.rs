//! Ready-made searches and sweeps (`--search-recipe`).

mod inputs;
mod point;

use aiperf_config::{
    MetricStat, Parameter, PlannerKind, PostProcess, PostProcessHandler, SearchDimension, SearchObjective, SearchSpec,
    SearchTuning, SlaFilter, SlaOp,
};

pub(super) use self::inputs::INPUTS;
use self::inputs::{Inputs, bounds, log_steps};
pub(super) use self::point::GridPoint;
use self::point::path;
use super::capacity;
use super::search::{self, SearchRequest};
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// A sweep that a recipe describes.
#[derive(Debug)]
pub(super) struct GridRecipe {
    pub(super) points: Vec<GridPoint>,
    pub(super) filters: Vec<SlaFilter>,
    pub(super) post_process: PostProcess,
    /// Plots are drawn unless options say otherwise.
    pub(super) draws_plots: bool,
}

const NAMES: [&str; 8] = [
    "concurrency-ramp",
    "decode-itl-curve",
    "max-concurrency-under-sla",
    "max-goodput-under-slo",
    "max-throughput-itl-sla",
    "max-throughput-ttft-sla",
    "pareto-sweep",
    "prefill-ttft-curve",
];

/// What a recipe means with these options.
pub(super) fn expand(
    raw: &RawOptions,
    name: &str,
    tuning: &SearchTuning,
    streaming: bool,
) -> Result<SearchRequest, ConfigError> {
    let plain = name.to_ascii_lowercase().replace('_', "-");
    let Some(name) = NAMES.into_iter().find(|known| *known == plain) else {
        let all = [&NAMES[..], &[capacity::CAPACITY_RECIPE]].concat();
        return Err(raw.bad(OptionId::SearchRecipe, name, &format!("choose one of {}", all.join(", "))));
    };
    let inputs = Inputs::read(raw, name, streaming)?;
    match name {
        "max-throughput-ttft-sla" => {
            let filter = inputs.required(inputs.ttft_filter(), "--ttft-sla-ms")?;
            adaptive(raw, name, tuning, PlannerKind::Bayesian, vec![filter], "output_token_throughput")
        }
        "max-throughput-itl-sla" => {
            let filter = inputs.required(inputs.itl_filter(), "--itl-sla-ms")?;
            adaptive(raw, name, tuning, PlannerKind::Bayesian, vec![filter], "output_token_throughput")
        }
        "max-goodput-under-slo" => {
            for (given, flag) in
                [(inputs.ttft, "--ttft-sla-ms"), (inputs.itl, "--itl-sla-ms"), (inputs.e2e, "--e2e-sla-ms")]
            {
                inputs.required(given, flag)?;
            }
            let threshold = raw.float(OptionId::SloAttainmentFraction)?.unwrap_or(0.95);
            let good = filter("good_request_fraction", "avg", SlaOp::Ge, threshold);
            adaptive(raw, name, tuning, PlannerKind::Bayesian, vec![good], "goodput")
        }
        "max-concurrency-under-sla" => under_sla(raw, name, tuning, &inputs),
        "concurrency-ramp" => ramp(raw),
        "prefill-ttft-curve" => prefill(raw),
        "decode-itl-curve" => decode(raw),
        _ => pareto(raw, &inputs),
    }
}

fn filter(metric: &str, stat: &str, op: SlaOp, threshold: f64) -> SlaFilter {
    SlaFilter { metric: metric.to_owned(), stat: stat.to_owned(), op, threshold }
}

fn adaptive(
    raw: &RawOptions,
    name: &str,
    tuning: &SearchTuning,
    planner: PlannerKind,
    filters: Vec<SlaFilter>,
    metric: &str,
) -> Result<SearchRequest, ConfigError> {
    let (lo, hi) = bounds(raw, OptionId::ConcurrencyMin, OptionId::ConcurrencyMax, (1, 1000))?;
    let dimension = SearchDimension {
        path: Parameter::Concurrency.path().to_owned(),
        lo: lo as f64,
        hi: hi as f64,
        is_whole: true,
        is_log: true,
    };
    let most = if planner == PlannerKind::MonotonicSla { 20 } else { 30 };
    let mut spec = SearchSpec::new(planner, vec![dimension], most).with(tuning);
    spec.objectives =
        vec![SearchObjective { metric: metric.to_owned(), stat: "avg".to_owned(), maximize: true, threshold: None }];
    spec.sla_filters = filters;
    spec.recipe = Some(name.to_owned());
    if planner.is_sla() {
        spec.initial_points = 1;
    }
    search::apply(raw, &mut spec)?;
    Ok(SearchRequest::Adaptive(Box::new(spec)))
}

fn under_sla(
    raw: &RawOptions,
    name: &str,
    tuning: &SearchTuning,
    inputs: &Inputs<'_>,
) -> Result<SearchRequest, ConfigError> {
    let latency = inputs.e2e.map(|limit| filter("request_latency", "p99", SlaOp::Lt, limit));
    let errors = raw.float(OptionId::ErrorRateSla)?;
    let errors = errors.map(|share| filter("request_error_rate", "avg", SlaOp::Lt, share * 100.0));
    let mut filters: Vec<SlaFilter> =
        [inputs.ttft_filter(), inputs.itl_filter(), latency, errors].into_iter().flatten().collect();
    if filters.is_empty() {
        let any = "--ttft-sla-ms, --itl-sla-ms, --e2e-sla-ms or --error-rate-sla";
        return Err(raw.needs_text(OptionId::SearchRecipe, any, &format!("{name} looks for the limit that they set")));
    }
    let style = raw.choice(OptionId::SearchStyle)?.unwrap_or("smooth_isotonic");
    if style != "grid" && raw.is_given(OptionId::ConcurrencySteps) {
        return Err(raw.needs_text(
            OptionId::ConcurrencySteps,
            "--search-style grid",
            "a search chooses its own steps",
        ));
    }
    let planner = match style {
        "grid" => {
            filters.extend(search::filters(raw)?);
            let handler =
                PostProcessHandler::SlaBreachKnee { filters: filters.clone(), swept: path(Parameter::Concurrency) };
            let points = concurrencies(raw, 1000, 8)?;
            return grid(raw, points, filters, handler, "sla_breach.json", false);
        }
        "monotonic" => PlannerKind::MonotonicSla,
        "bo" => PlannerKind::Bayesian,
        "optuna" => PlannerKind::Optuna,
        _ => PlannerKind::SmoothIsotonic,
    };
    adaptive(raw, name, tuning, planner, filters, "output_token_throughput")
}

fn ramp(raw: &RawOptions) -> Result<SearchRequest, ConfigError> {
    let handler = PostProcessHandler::DegradationKnee {
        of: MetricStat {
            metric: raw.text(OptionId::DegradationMetricTag).unwrap_or("request_latency").to_owned(),
            stat: raw.choice(OptionId::DegradationStat)?.unwrap_or("p99").to_owned(),
        },
        swept: path(Parameter::Concurrency),
        threshold: raw.float(OptionId::DegradationThreshold)?.unwrap_or(0.2),
    };
    grid(raw, concurrencies(raw, 1000, 8)?, search::filters(raw)?, handler, "degradation_knee.json", true)
}

fn prefill(raw: &RawOptions) -> Result<SearchRequest, ConfigError> {
    let (least, most) = bounds(raw, OptionId::IslMin, OptionId::IslMax, (256, 32_768))?;
    let steps = raw.int(OptionId::IslSteps)?.unwrap_or(8);
    let one = (Parameter::Concurrency, 1);
    let points = log_steps(least, most, steps).map(|isl| GridPoint::new(vec![(Parameter::InputTokensMean, isl), one]));
    let handler = PostProcessHandler::CurveFit {
        of: MetricStat { metric: "time_to_first_token".to_owned(), stat: "avg".to_owned() },
        swept: path(Parameter::InputTokensMean),
        r_squared_floor: 0.85,
    };
    grid(raw, points.collect(), search::filters(raw)?, handler, "prefill_curve.json", true)
}

fn decode(raw: &RawOptions) -> Result<SearchRequest, ConfigError> {
    let (least, most) = bounds(raw, OptionId::OslMin, OptionId::OslMax, (64, 1024))?;
    let lengths: Vec<i64> = log_steps(least, most, raw.int(OptionId::OslSteps)?.unwrap_or(4)).collect();
    let loads = concurrencies(raw, 200, 6)?;
    let mut points = Vec::new();
    for osl in lengths {
        for load in &loads {
            let settings = [(Parameter::OutputTokensMean, osl)].into_iter().chain(load.settings.iter().copied());
            points.push(GridPoint::new(settings.collect()));
        }
    }
    let handler = PostProcessHandler::SurfaceFit {
        of: MetricStat { metric: "inter_token_latency".to_owned(), stat: "avg".to_owned() },
        concurrency: path(Parameter::Concurrency),
        osl: path(Parameter::OutputTokensMean),
    };
    grid(raw, points, search::filters(raw)?, handler, "decode_itl_surface.json", true)
}

fn pareto(raw: &RawOptions, inputs: &Inputs<'_>) -> Result<SearchRequest, ConfigError> {
    let pairs = inputs.pairs()?;
    let concurrencies = match raw.text(OptionId::Concurrency) {
        None => vec![1, 4, 16, 64, 256],
        Some(text) => {
            let read = |piece: &str| piece.trim().parse::<i64>().ok().filter(|count| *count > 0);
            let list = text.split(',').filter(|piece| !piece.trim().is_empty()).map(read).collect::<Option<Vec<_>>>();
            list.ok_or_else(|| {
                raw.bad(OptionId::Concurrency, text, "must be whole numbers of at least 1 with commas between them")
            })?
        }
    };
    let mut points = Vec::new();
    for (isl, osl) in &pairs {
        points.extend(concurrencies.iter().map(|concurrency| GridPoint::of_shape(*isl, *osl, *concurrency)));
    }
    if points.len() < 2 {
        return Err(raw.bad(
            OptionId::SearchRecipe,
            "pareto-sweep",
            "needs at least two points; give more pairs or concurrencies",
        ));
    }
    let stat = |metric: &str, stat: &str| MetricStat { metric: metric.to_owned(), stat: stat.to_owned() };
    let handler = PostProcessHandler::ParetoExport {
        x: stat("time_to_first_token", "p95"),
        y: stat("output_token_throughput", "avg"),
        isl: Parameter::InputTokensMean.leaf().to_owned(),
        osl: Parameter::OutputTokensMean.leaf().to_owned(),
        concurrency: Parameter::Concurrency.leaf().to_owned(),
    };
    grid(raw, points, search::filters(raw)?, handler, "pareto_sweep.json", false)
}

/// The SLOs that a recipe sets, as `--goodput` writes them.
pub(super) fn slos(raw: &RawOptions, spec: &SearchSpec) -> Result<Option<String>, ConfigError> {
    if spec.recipe.as_deref() != Some("max-goodput-under-slo") {
        return Ok(None);
    }
    let itl = raw.float(OptionId::ItlSlaMs)?.or(raw.float(OptionId::TpotSlaMs)?);
    let limits = [
        ("time_to_first_token", raw.float(OptionId::TtftSlaMs)?),
        ("inter_token_latency", itl),
        ("request_latency", raw.float(OptionId::E2eSlaMs)?),
    ];
    let texts = limits.into_iter().filter_map(|(metric, limit)| Some(format!("{metric}:{}", limit?)));
    Ok(Some(texts.collect::<Vec<_>>().join(" ")))
}

/// The concurrencies of a recipe, evenly spaced on a logarithmic scale.
fn concurrencies(raw: &RawOptions, usual_most: i64, usual_steps: usize) -> Result<Vec<GridPoint>, ConfigError> {
    let (least, most) = bounds(raw, OptionId::ConcurrencyMin, OptionId::ConcurrencyMax, (1, usual_most))?;
    let steps = raw.int(OptionId::ConcurrencySteps)?.unwrap_or(usual_steps);
    let point = |value| GridPoint::new(vec![(Parameter::Concurrency, value)]);
    Ok(log_steps(least, most, steps).map(point).collect())
}

fn grid(
    raw: &RawOptions,
    points: Vec<GridPoint>,
    filters: Vec<SlaFilter>,
    handler: PostProcessHandler,
    file: &str,
    draws_plots: bool,
) -> Result<SearchRequest, ConfigError> {
    let tunable = [OptionId::SearchMaxIterations, OptionId::SearchInitialPoints, OptionId::SearchRandomSeed];
    if let Some(id) = tunable.into_iter().find(|id| raw.is_given(*id)) {
        return Err(raw.conflict(
            id,
            OptionId::SearchRecipe,
            "it is for searches, and this recipe is a sweep of fixed points",
        ));
    }
    let post_process = PostProcess { handler, output_filename: file.to_owned() };
    Ok(SearchRequest::Grid(Box::new(GridRecipe { points, filters, post_process, draws_plots })))
}
