//! From the options of a search for a capacity to the goal of its planner, and what it may cost in words.

use aiperf_capacity::{LoadKind, SearchBudget, SearchGoal, ServiceObjective};
use aiperf_config::{CapacityOf, CapacitySearch, CapacitySlo};
use aiperf_metrics::{MetricContext, Slo};
use aiperf_report::{CapacityGoal, CapacitySloLimit};

use crate::error::RunError;

/// Higher rates than this are not tried.
const HIGHEST_RATE: f64 = 1e6;
const MOST_USERS: u32 = 65_536;

/// The share of the time after which the last step, the verification, begins. What is sent while the planner works, and a step that
/// takes longer than planned, must fit into the rest.
const TIME_FOR_STEPS: f64 = 0.85;

/// Requests that searches of rates at ±5 % needed on simulated servers: M/D/1 and M/M/1 in `docs/capacity.md`.
const REQUESTS_AT_5_PERCENT: (f64, f64) = (29_000.0, 85_000.0);

/// An objective with what the report says of it.
#[derive(Debug)]
pub(super) struct NamedSlo {
    pub(super) objective: Slo,
    pub(super) shown: CapacitySloLimit,
}

pub(super) fn of(search: &CapacitySearch, context: &MetricContext) -> Result<(SearchGoal, Vec<NamedSlo>), RunError> {
    let named = |slo: &CapacitySlo| -> Result<NamedSlo, RunError> {
        let objective = context.slo(&slo.metric, slo.limit).map_err(|error| error.of_option("--slo"))?;
        let definition = objective.metric().definition();
        let shown = CapacitySloLimit {
            name: format!("{} p{}", slo.metric, slo.percentile),
            metric: slo.metric.clone(),
            percentile: slo.percentile,
            limit: slo.limit,
            unit: definition.shown.label().to_owned(),
            allowed_share: slo.allowed_share(),
        };
        Ok(NamedSlo { objective, shown })
    };
    let slos = search.slos.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    let objective =
        |slo: &NamedSlo| ServiceObjective { name: slo.shown.name.clone(), allowed_share: slo.shown.allowed_share };
    let (kind, max_level) = match search.of {
        CapacityOf::Rate => (LoadKind::Rate, HIGHEST_RATE),
        CapacityOf::Users => (LoadKind::Concurrency, f64::from(search.max_users.unwrap_or(MOST_USERS))),
    };
    let goal = SearchGoal {
        kind,
        slos: slos.iter().map(objective).collect(),
        precision: search.precision,
        budget: SearchBudget {
            max_requests: search.max_requests.map_or(u64::MAX / 2, |most| most - most / 20),
            max_duration_s: TIME_FOR_STEPS * search.max_duration.as_secs_f64(),
        },
        max_level,
    };
    Ok((goal, slos))
}

/// The goal as the result file shows it.
pub(super) fn shown(search: &CapacitySearch, slos: &[NamedSlo]) -> CapacityGoal {
    CapacityGoal {
        of: search.of.name().to_owned(),
        slos: slos.iter().map(|slo| slo.shown.clone()).collect(),
        precision: search.precision,
        max_requests: search.max_requests,
        max_duration_s: search.max_duration.as_secs_f64(),
    }
}

/// Between which numbers of requests a search for a rate with this precision usually lies.
pub fn typical_requests(precision: f64) -> (u64, u64) {
    let factor = (0.05 / precision).powi(2);
    let rounded = |requests: f64| {
        let unit = 10_f64.powf((requests * factor).log10().floor() - 1.0);
        ((requests * factor / unit).round() * unit) as u64
    };
    (rounded(REQUESTS_AT_5_PERCENT.0), rounded(REQUESTS_AT_5_PERCENT.1))
}

/// What the search may cost, before anything is known of the server.
pub(super) fn forecast(search: &CapacitySearch) -> String {
    let minutes = search.max_duration.as_secs_f64() / 60.0;
    let limit = match search.max_requests {
        Some(requests) => format!("It ends after {requests} requests or {minutes:.1} minutes at the latest"),
        None => format!("It ends after {minutes:.1} minutes at the latest"),
    };
    match search.of {
        CapacityOf::Users => {
            format!("Forecast: a search for a number of users takes 2,000 to 3,000 requests. {limit}.")
        }
        CapacityOf::Rate => {
            let (few, many) = typical_requests(search.precision);
            format!(
                "Forecast: {few} to {many} requests for ±{} %, as on simulated servers; the forecast improves during the search. {limit}.",
                search.precision * 100.0
            )
        }
    }
}
