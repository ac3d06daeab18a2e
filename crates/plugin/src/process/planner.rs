//! Planners: a program chooses the points of a search and is told what was measured there.

use aiperf_config::{ProcessCommand, SearchDimension};
use aiperf_search::{Ask, EndReason, Outcome, Planner, SearchPoint};
use serde_json::{Value, json};

use super::client::PluginClient;
use super::error::PluginError;

/// A program that plans a search. If it fails, the search ends with what was measured.
#[derive(Debug)]
pub struct ProcessPlanner {
    client: PluginClient,
    space: Vec<SearchDimension>,
    has_failed: bool,
}

impl ProcessPlanner {
    /// Starts the program and describes the search to it.
    pub fn start(
        name: &str,
        command: &ProcessCommand,
        space: &[SearchDimension],
        search: &Value,
    ) -> Result<Self, PluginError> {
        let mut client = PluginClient::start("search_planner", name, command)?;
        client.send(&json!({"type": "search", "search": search}))?;
        Ok(Self { client, space: space.to_vec(), has_failed: false })
    }

    fn fail(&mut self, error: &PluginError) {
        if !self.has_failed {
            log::warn!("plugin {}: {error}. The search ends with the points that were measured.", self.client.label());
        }
        self.has_failed = true;
    }

    fn next(&mut self) -> Result<Option<SearchPoint>, PluginError> {
        self.client.send(&json!({"type": "ask"}))?;
        let answer = self.client.receive()?;
        if answer["type"] == "done" {
            return Ok(None);
        }
        let wrong = |wanted| PluginError::Unexpected { got: answer.to_string().chars().take(120).collect(), wanted };
        let values = answer["point"].as_object().ok_or_else(|| wrong("a point or done"))?;
        let value = |dimension: &SearchDimension| {
            let value = values.get(&dimension.path).and_then(Value::as_f64)?;
            (dimension.lo..=dimension.hi)
                .contains(&value)
                .then(|| if dimension.is_whole { value.round() } else { value })
        };
        let point: Option<Vec<f64>> = self.space.iter().map(value).collect();
        point
            .map(|point| Some(SearchPoint(point)))
            .ok_or_else(|| wrong("a point with a value within the range of each dimension"))
    }
}

impl Planner for ProcessPlanner {
    fn ask(&mut self) -> Ask {
        if self.has_failed {
            return Ask::End(EndReason::PlannerFailed);
        }
        match self.next() {
            Ok(Some(point)) => Ask::Probe(point),
            Ok(None) => Ask::End(EndReason::PlannerDone),
            Err(error) => {
                self.fail(&error);
                Ask::End(EndReason::PlannerFailed)
            }
        }
    }

    fn tell(&mut self, point: &SearchPoint, outcome: &Outcome) {
        let message = json!({
            "type": "tell", "point": point.values(&self.space), "objectives": outcome.objectives,
            "limits": outcome.observed, "feasible": outcome.is_feasible,
        });
        if !self.has_failed
            && let Err(error) = self.client.send(&message)
        {
            self.fail(&error);
        }
    }
}
