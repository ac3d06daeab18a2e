//! What a search found, in a few lines, from the history that it wrote.

use aiperf_table::decimal;
use serde_json::{Map, Value};

/// The lines below the table of all points; `explanation` says why the search ended.
pub fn render_search(history: &Value, explanation: Option<&str>) -> String {
    let points = history["iterations"].as_array().map_or(0, Vec::len);
    let planner = history["config"]["planner"].as_str().unwrap_or_default();
    let noun = if points == 1 { "point" } else { "points" };
    let mut lines = vec![format!("Search with {planner}, {points} {noun}. {}", ending(explanation))];
    if let Some(tiers) = history["tier_results"].as_array() {
        lines.extend(tiers.iter().map(|tier| tier_line(history, tier)));
    } else if history["config"]["sla_filters"].as_array().is_some_and(|filters| !filters.is_empty()) {
        lines.extend(boundary_lines(history));
    }
    if history["tier_results"].is_null() {
        lines.extend(best_lines(history));
    }
    if history["iterations"].as_array().into_iter().flatten().any(|row| row["non_monotonic_warning"] == true) {
        lines.push(
            "A higher value kept the limits after a lower one had broken them; the limit may depend on chance."
                .to_owned(),
        );
    }
    format!("\n{}\n", lines.join("\n"))
}

fn ending(explanation: Option<&str>) -> String {
    explanation.map_or_else(|| "It was not finished.".to_owned(), |why| format!("It ended because {why}."))
}

/// The last part of the path that is searched.
fn dimension(history: &Value) -> &str {
    let path = history["boundary_summary"]["swept_dim_path"].as_str().unwrap_or_default();
    path.rsplit('.').next().unwrap_or(path)
}

fn number(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => format!("{number}"),
        Some(number) => decimal(number, 2),
        None => "none".to_owned(),
    }
}

fn boundary_lines(history: &Value) -> Vec<String> {
    let (boundary, name) = (&history["boundary_summary"], dimension(history));
    if boundary.is_null() {
        return Vec::new();
    }
    let (passes, fails) = (&boundary["feasible_max"], &boundary["infeasible_min"]);
    let kept = if passes.is_null() {
        format!("No {name} keeps all limits.")
    } else {
        format!("Highest {name} that keeps all limits: {}.", number(&passes["value"]))
    };
    let broken = (!fails.is_null()).then(|| {
        let breach = breach_words(&fails["first_breach"]);
        format!("Lowest {name} above it that does not: {}{breach}.", number(&fails["value"]))
    });
    [Some(kept), broken].into_iter().flatten().collect()
}

/// ` (time_to_first_token p95 is 51.24, limit lt 45)`.
fn breach_words(breach: &Value) -> String {
    let (Some(metric), Some(stat)) = (breach["metric_tag"].as_str(), breach["stat"].as_str()) else {
        return String::new();
    };
    let op = breach["op"].as_str().unwrap_or_default();
    format!(" ({metric} {stat} is {}, limit {op} {})", number(&breach["observed"]), number(&breach["threshold"]))
}

fn tier_line(history: &Value, tier: &Value) -> String {
    let (name, label) = (dimension(history), tier["label"].as_str().unwrap_or_default());
    let to = if tier["convergence_status"] == "converged" { "" } else { ", not narrowed further" };
    let broken = &tier["bracket_upper"];
    let fails = if broken.is_null() {
        String::new()
    } else {
        format!("; {} does not{}", number(broken), breach_words(&tier["binding_constraint"]))
    };
    let found = &tier["boundary_concurrency"];
    if found.is_null() {
        format!("Tier {label}: no {name} keeps its limits{fails}{to}.")
    } else {
        format!("Tier {label}: {name} {} keeps its limits{fails}{to}.", number(found))
    }
}

fn best_lines(history: &Value) -> Vec<String> {
    let Some(best) = history["best_trials"].as_array() else { return Vec::new() };
    let objectives: Vec<String> = history["config"]["objectives"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|objective| {
            format!(
                "{} {}",
                objective["metric"].as_str().unwrap_or_default(),
                objective["stat"].as_str().unwrap_or_default()
            )
        })
        .collect();
    let line = |point: &Value| {
        let values = point["objective_values"].as_array().cloned().unwrap_or_default();
        let figures = objectives.iter().zip(&values).map(|(name, value)| format!("{name} {}", number(value)));
        let note = if point["feasible"] == false { ", which breaks a limit" } else { "" };
        let values = point["variation_values"].as_object().map(values_words).unwrap_or_default();
        format!("{values} ({}){note}", figures.collect::<Vec<_>>().join(", "))
    };
    match &best[..] {
        [] => Vec::new(),
        [only] => vec![format!("Best point: {}.", line(only))],
        several => {
            let mut lines = vec![format!("Points that no other point beats: {}", several.len())];
            lines.extend(several.iter().map(|point| format!("  {}", line(point))));
            lines
        }
    }
}

/// `concurrency 8, isl 128`.
fn values_words(values: &Map<String, Value>) -> String {
    let leaf = |path: &str| path.trim_end_matches(".mean").rsplit('.').next().unwrap_or(path).to_owned();
    values.iter().map(|(path, value)| format!("{} {}", leaf(path), number(value))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_limit_and_the_best_point_are_said_in_words() {
        let history = json!({
            "config": {"planner": "monotonic_sla", "sla_filters": [{}], "objectives": [{"metric": "goodput", "stat": "avg"}]},
            "iterations": [{"non_monotonic_warning": false}],
            "best_trials": [{"variation_values": {"phases.profiling.concurrency": 6}, "objective_values": [12.345], "feasible": true}],
            "boundary_summary": {
                "swept_dim_path": "phases.profiling.concurrency",
                "feasible_max": {"value": 6},
                "infeasible_min": {"value": 8, "first_breach": {"metric_tag": "time_to_first_token", "stat": "p95", "op": "lt",
                    "threshold": 45.0, "observed": 51.2448}},
            },
        });
        let text = render_search(&history, Some("the limit is known"));
        assert_eq!(
            text,
            "\nSearch with monotonic_sla, 1 point. It ended because the limit is known.\n\
             Highest concurrency that keeps all limits: 6.\n\
             Lowest concurrency above it that does not: 8 (time_to_first_token p95 is 51.24, limit lt 45).\n\
             Best point: concurrency 6 (goodput avg 12.35).\n"
        );
    }
}
