//! A run in the words of its views.

use aiperf_config::{Arrival, Config, LoadLevel, Pace, Target};
use aiperf_live::{RunFacts, SloLimit};

use crate::build::VERSION;

/// `cell`: which of several runs it is, in words.
pub(crate) fn facts(config: &Config, cell: Option<String>) -> RunFacts {
    RunFacts {
        version: VERSION.to_owned(),
        models: config.dataset.models.iter().map(ToString::to_string).collect(),
        endpoint_type: config.endpoint.kind.facts().name.to_owned(),
        urls: config.endpoint.targets.iter().map(Target::display).collect(),
        streaming: config.endpoint.streaming,
        load: load(&config.phases.profiling().pace),
        slos: config.output.goodput.iter().map(|(tag, limit)| SloLimit { tag: tag.clone(), limit: *limit }).collect(),
        artifact_dir: config.output.dir.display().to_string(),
        input_config: config.to_input_config(),
        command_line: config.command_line.clone(),
        cell,
    }
}

/// The load in a few words.
fn load(pace: &Pace) -> String {
    match pace {
        Pace::Concurrency(level) => format!("concurrency {level}"),
        Pace::Rate { rate, arrival, ceiling } => {
            let rate = match &rate.points[..] {
                [only] => format!("{} requests/s", only.per_second),
                _ => "a series of rates".to_owned(),
            };
            let arrival = match arrival {
                Arrival::Constant => "constant",
                Arrival::Poisson => "poisson",
                Arrival::Gamma { .. } => "gamma",
            };
            let ceiling = ceiling.map_or_else(String::new, |ceiling| format!(", at most {ceiling} at once"));
            format!("{rate}, {arrival}{ceiling}")
        }
        Pace::FixedSchedule { .. } => "fixed schedule".to_owned(),
        Pace::UserCentric { per_second, users, .. } => format!("{users} users, {per_second} requests/s"),
        Pace::Controlled(LoadLevel::Users(users)) => format!("concurrency from {users} on, controlled"),
        Pace::Controlled(LoadLevel::Rate { per_second, .. }) => {
            format!("from {per_second} requests/s on, controlled")
        }
        Pace::Controlled(LoadLevel::PacedUsers { users, per_second, .. }) => {
            format!("from {users} users on, {per_second} requests/s, controlled")
        }
        Pace::AgenticReplay(replay) => format!("agentic replay, {} sessions at once", replay.lanes),
    }
}
