//! The rounds of an orchestrator: the same children a number of times, or a list of rounds with different children.

use std::collections::HashSet;

use aiperf_conversation::{Orchestrator, Round, ThinkTime};
use serde_json::Value;

use super::{MOST_STARTS, Names};
use crate::file::fields::{JsonFields, unexpected};

/// Fields that only an orchestrator may have.
pub(super) const FIELDS: [&str; 6] =
    ["spawns", "rounds", "think_time_ms", "think_time_sigma", "think_time_min_ms", "think_time_max_ms"];
const THINK_FIELDS: [&str; 4] = ["think_time_ms", "think_time_sigma", "think_time_min_ms", "think_time_max_ms"];

pub(super) fn read(fields: JsonFields<'_>, names: &Names<'_>) -> Result<Orchestrator, String> {
    let spawns = fields.list("spawns")?;
    let rounds = match fields.get("rounds") {
        Some(Value::Array(rounds)) => {
            if spawns.is_some() {
                return Err(
                    "spawns and a list of rounds cannot be given together: each round names its own spawns".to_owned()
                );
            }
            listed(rounds, think_time(fields, rounds)?, names)?
        }
        rounds => {
            let children = names.find_all("spawns", spawns.unwrap_or_default())?;
            if children.is_empty() {
                return Err("an orchestrator needs spawns, or a list of rounds".to_owned());
            }
            let think = match (rounds, THINK_FIELDS.into_iter().find(|field| fields.get(field).is_some())) {
                (None, Some(field)) => return Err(format!("{field} is the pause before a round, so it needs rounds")),
                _ => think_time(fields, &[])?,
            };
            let count = fields.count("rounds")?.unwrap_or(1) as usize;
            let starts = count.saturating_mul(children.len());
            let Some(left) = names.starts_left.get().checked_sub(starts) else {
                return Err(format!("rounds: {count} rounds start more than {MOST_STARTS} sessions; use fewer rounds"));
            };
            names.starts_left.set(left);
            vec![Round { think, children }; count]
        }
    };
    Ok(Orchestrator { rounds })
}

fn listed(rounds: &[Value], think: ThinkTime, names: &Names<'_>) -> Result<Vec<Round>, String> {
    if rounds.is_empty() {
        return Err("rounds: at least one is expected".to_owned());
    }
    let mut seen = HashSet::new();
    let mut read = |round: &Value| {
        let object = round.as_object().ok_or_else(|| unexpected("rounds", "an object with spawns", round))?;
        let fields = JsonFields(object);
        fields.only(&["spawns", "think_time_ms"])?;
        let children = names.find_all("spawns", fields.list("spawns")?.unwrap_or_default())?;
        if children.is_empty() {
            return Err("spawns: at least one child is expected".to_owned());
        }
        if !children.iter().all(|child| seen.insert(*child)) {
            return Err(
                "spawns: a child of an earlier round is named again; each round of a list needs its own children"
                    .to_owned(),
            );
        }
        let median_ms = fields.milliseconds("think_time_ms")?.unwrap_or(think.median_ms);
        Ok(Round { think: ThinkTime { median_ms, ..think }, children })
    };
    let numbered = rounds.iter().enumerate();
    numbered.map(|(index, round)| read(round).map_err(|problem| format!("round {index}: {problem}"))).collect()
}

/// The pause before each round. A round of a list may set its own median.
fn think_time(fields: JsonFields<'_>, rounds: &[Value]) -> Result<ThinkTime, String> {
    let median = fields.milliseconds("think_time_ms")?;
    let sigma = fields.get("think_time_sigma");
    let spread = match sigma {
        None => 0.0,
        Some(value) => {
            let number = value.as_f64().filter(|sigma| *sigma > 0.0 && *sigma <= 10.0);
            number.ok_or_else(|| unexpected("think_time_sigma", "a number above 0 and up to 10", value))?
        }
    };
    let think = ThinkTime {
        median_ms: median.unwrap_or(0.0),
        sigma: spread,
        min_ms: fields.milliseconds("think_time_min_ms")?,
        max_ms: fields.milliseconds("think_time_max_ms")?,
    };
    let of_round = |round: &Value| round.get("think_time_ms").is_some_and(|value| !value.is_null());
    if sigma.is_some() && median.is_none() && !rounds.iter().any(of_round) {
        return Err("think_time_sigma needs think_time_ms".to_owned());
    }
    if sigma.is_none() && (think.min_ms.is_some() || think.max_ms.is_some()) {
        return Err("think_time_min_ms and think_time_max_ms need think_time_sigma".to_owned());
    }
    if let (Some(min), Some(max)) = (think.min_ms, think.max_ms)
        && min > max
    {
        return Err(format!("think_time_min_ms {min} is above think_time_max_ms {max}"));
    }
    Ok(think)
}
