//! How close a generated trace is to its settings.

use serde_json::{Value, json};

use super::config_summary::config_summary;
use super::session::{AgenticSession, AgenticTurn, SessionEnd};
use super::settings::AgenticSettings;
use crate::analysis::percentile;

/// The targets and the values of a generated trace.
#[derive(Debug, Clone)]
pub struct Quality {
    sessions: usize,
    turns: usize,
    block_size: u32,
    measures: Vec<QualityMeasure>,
    /// The length of the last prompt of each session as a share of the context limit.
    final_context: QualityMeasure,
    config: Value,
    full: usize,
    /// The number of sessions that ended by chance or after their planned number of turns.
    done: usize,
    has_turn_target: bool,
    restarted: usize,
}

#[derive(Debug, Clone)]
struct QualityMeasure {
    key: &'static str,
    title: &'static str,
    /// The target mean and median.
    target: Option<(f64, f64)>,
    /// The values, sorted.
    values: Vec<f64>,
}

impl Quality {
    pub(super) fn of(settings: &AgenticSettings, sessions: &[AgenticSession]) -> Self {
        let turns = || sessions.iter().flat_map(|session| &session.turns);
        let later = || sessions.iter().flat_map(|session| session.turns.iter().skip(1));
        let fresh =
            sessions.iter().filter(|session| session.takes_up.is_none()).filter_map(|session| session.turns.first());
        let first = settings.first_tokens() as f64;
        let (own, new) = (settings.cache.layer2, settings.new_tokens_per_turn);
        let output = settings.generation_length;
        let measure = |key, title, target, mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            QualityMeasure { key, title, target, values }
        };
        let ended = |end: SessionEnd| sessions.iter().filter(|session| session.end == end).count();
        Self {
            sessions: sessions.len(),
            turns: turns().count(),
            block_size: settings.block_size,
            measures: vec![
                measure(
                    "initial_context",
                    "Initial Context (tokens)",
                    Some((first + own.mean, first + own.median)),
                    fresh.map(|turn| turn.input as f64).collect(),
                ),
                measure(
                    "new_tokens_per_turn",
                    "New Tokens Per Turn",
                    Some((new.mean, new.median)),
                    later().map(|turn| turn.new as f64).collect(),
                ),
                measure(
                    "generation_length",
                    "Generation Length (tokens)",
                    Some((output.mean, output.median)),
                    turns().map(|turn| turn.output as f64).collect(),
                ),
                measure(
                    "turns_per_session",
                    "Turns Per Session",
                    settings.turns.map(|turns| (turns.mean, turns.median)),
                    sessions.iter().map(|session| session.turns.len() as f64).collect(),
                ),
                measure(
                    "inter_turn_delay_ms",
                    "Inter-Turn Delay (ms)",
                    None,
                    turns().filter_map(|turn: &AgenticTurn| turn.delay_ms).collect(),
                ),
            ],
            final_context: measure(
                "final_context_utilization",
                "Final Context",
                None,
                sessions
                    .iter()
                    .filter_map(|session| session.turns.last())
                    .map(|turn| turn.input as f64 / settings.max_prompt_tokens as f64)
                    .collect(),
            ),
            config: config_summary(settings),
            has_turn_target: settings.turns.is_some(),
            full: ended(SessionEnd::Full),
            done: ended(SessionEnd::Done),
            restarted: ended(SessionEnd::Restarted),
        }
    }

    /// The number of sessions that were continued by a later session.
    pub fn restarts(&self) -> usize {
        self.restarted
    }

    pub fn json(&self) -> Value {
        let measures = self.measures.iter().map(|measure| (measure.key.to_owned(), measure.json())).collect();
        let turns = self.measures.iter().find(|measure| measure.key == "turns_per_session");
        let (resets, targets) = if self.has_turn_target { (0, self.done) } else { (self.done, 0) };
        let share = |count: usize| count as f64 / self.sessions.max(1) as f64;
        json!({
            "config_summary": self.config,
            "observed_vs_target": Value::Object(measures),
            "session_stats": turns.map(QualityMeasure::observed),
            "session_end_stats": {
                "total_sessions": self.sessions,
                "forced_retires": self.full,
                "probabilistic_resets": resets,
                "target_turn_completions": targets,
                "restart_splits": self.restarted,
                "retire_fraction": share(self.full),
                "reset_fraction": share(resets),
                "target_turn_fraction": share(targets),
                "restart_split_fraction": share(self.restarted),
                "final_context_utilization": self.final_context.observed(),
            },
        })
    }

    /// A table for the console.
    pub fn text(&self) -> String {
        let mut text = format!(
            "Coding sessions: settings and result\n\n{} sessions | {} turns | block_size={}\n\n{:<40}{:>12}{:>12}{:>9}\n",
            self.sessions, self.turns, self.block_size, "", "Target", "Trace", "Error"
        );
        for measure in &self.measures {
            text.push_str(&measure.text());
        }
        for (title, count) in [
            ("ended at the context limit", self.full),
            ("ended by chance or as planned", self.done),
            ("restarted in a later session", self.restarted),
        ] {
            text.push_str(&format!("{title:<40}{:>12}{count:>12}\n", "-"));
        }
        text
    }
}

impl QualityMeasure {
    fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }

    /// A percentile of the values; `None` if there are no values.
    fn at(&self, share: f64) -> Option<f64> {
        (!self.values.is_empty()).then(|| percentile(&self.values, share))
    }

    fn observed(&self) -> Value {
        let mean = self.mean();
        let variance = self.values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        json!({
            "count": self.values.len(), "mean": mean, "std": (variance / self.values.len().max(1) as f64).sqrt(),
            "median": self.at(0.5), "p05": self.at(0.05), "p25": self.at(0.25), "p75": self.at(0.75),
            "p95": self.at(0.95), "p99": self.at(0.99),
        })
    }

    fn json(&self) -> Value {
        let off = |target: Option<f64>, found: Option<f64>| {
            target.zip(found).map(|(target, found)| ((found - target) / target * 100.0).abs())
        };
        let (mean, median) = self.target.unzip();
        json!({
            "target_mean": mean,
            "target_median": median,
            "observed": self.observed(),
            "pct_error_mean": off(mean, self.at(0.5).map(|_| self.mean())),
            "pct_error_median": off(median, self.at(0.5)),
        })
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        let targets = self.target.map_or([None; 2], |(mean, median)| [Some(mean), Some(median)]);
        let found = [("mean", self.at(0.5).map(|_| self.mean())), ("median", self.at(0.5))];
        for ((name, found), target) in found.into_iter().zip(targets) {
            let shown = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
            let error = target.zip(found).map(|(target, found)| format!("{:+.1}%", (found - target) / target * 100.0));
            text.push_str(&format!(
                "  {name:<38}{:>12}{:>12}{:>9}\n",
                shown(target),
                shown(found),
                error.unwrap_or_default()
            ));
        }
        text
    }
}
