//! Statistics over the trials of one configuration.

use serde_json::{Map, Value, json};

use super::{FailedRun, RunSpread, Variation, number, python};
use aiperf_table::csv::{self, cell};

const SCHEMA_VERSION: &str = "1.0";

#[derive(Debug, Clone, PartialEq)]
pub struct AggregateMetric {
    pub tag: String,
    pub stat: String,
    pub unit: String,
    pub spread: RunSpread,
}

impl AggregateMetric {
    pub fn key(&self) -> String {
        format!("{}_{}", self.tag, self.stat)
    }
}

/// The result of the rule that ends trials early.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    pub metric: String,
    /// `None` if all values are looked at.
    pub stat: Option<String>,
    pub mode: String,
    pub threshold: f64,
    pub converged: bool,
    /// Why it could not converge.
    pub reason: Option<String>,
    /// What was compared with the threshold, if it could be computed.
    pub value: Option<f64>,
    /// Trials there would have been at most.
    pub most_runs: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    pub aiperf_version: String,
    /// Of the runs that gave numbers.
    pub run_labels: Vec<String>,
    pub failed: Vec<FailedRun>,
    pub confidence_level: f64,
    pub cooldown_seconds: f64,
    /// With the order of the sweep, if it is a point of one.
    pub variation: Option<(Variation, &'static str)>,
    pub model: String,
    pub settled: Option<Settled>,
    /// Someone ended it before all trials were done.
    pub was_cancelled: bool,
    /// In the order of the summary.
    pub metrics: Vec<AggregateMetric>,
}

impl Aggregate {
    pub fn get(&self, tag: &str, stat: &str) -> Option<&AggregateMetric> {
        self.metrics.iter().find(|metric| metric.tag == tag && metric.stat == stat)
    }

    pub fn runs(&self) -> usize {
        self.run_labels.len() + self.failed.len()
    }

    pub(super) fn json(&self) -> Value {
        let metrics: Map<String, Value> =
            self.metrics.iter().map(|metric| (metric.key(), self.metric(metric))).collect();
        json!({
            "schema_version": SCHEMA_VERSION,
            "aiperf_version": self.aiperf_version,
            "metadata": self.metadata(),
            "metrics": metrics,
        })
    }

    fn metric(&self, metric: &AggregateMetric) -> Value {
        let spread = &metric.spread;
        let mut object: Map<String, Value> =
            spread.figures().into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect();
        object.insert("unit".to_owned(), metric.unit.as_str().into());
        if spread.runs < self.run_labels.len() {
            object.insert("runs".to_owned(), spread.runs.into());
        }
        Value::Object(object)
    }

    fn metadata(&self) -> Map<String, Value> {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        put("aggregation_type", "confidence".into());
        put("num_profile_runs", self.runs().into());
        put("num_successful_runs", self.run_labels.len().into());
        put("failed_runs", self.failed.iter().map(FailedRun::json).collect());
        put("confidence_level", number(self.confidence_level));
        put("run_labels", self.run_labels.clone().into());
        if self.run_labels.len() == 1 {
            put("single_run", true.into());
        }
        put("cooldown_seconds", number(self.cooldown_seconds));
        if let Some((variation, mode)) = &self.variation {
            put("variation_label", variation.label.clone().into());
            put("variation_values", Value::Object(variation.values.clone()));
            put("sweep_mode", (*mode).into());
            put("model", self.model.clone().into());
        }
        if let Some(settled) = &self.settled {
            put("convergence", settled.json());
        }
        if self.was_cancelled {
            put("was_cancelled", true.into());
        }
        object
    }

    pub(super) fn csv(&self) -> String {
        let mut lines = vec!["metric,mean,std,min,max,cv,se,ci_low,ci_high,t_critical,unit".to_owned()];
        lines.extend(self.metrics.iter().map(row));
        lines.push(String::new());
        let mut pair = |name: &str, value: String| lines.push(format!("{name},{}", cell(&value)));
        pair("Aggregation Type", "confidence".to_owned());
        pair("Total Runs", self.runs().to_string());
        pair("Successful Runs", self.run_labels.len().to_string());
        pair("Confidence Level", python::float(self.confidence_level));
        pair("Run Labels", python::list(&self.run_labels));
        if self.run_labels.len() == 1 {
            pair("Single Run", python::value(&true.into()));
        }
        pair("Cooldown Seconds", python::float(self.cooldown_seconds));
        if let Some((variation, mode)) = &self.variation {
            pair("Variation Label", variation.label.clone());
            pair("Variation Values", python::value(&Value::Object(variation.values.clone())));
            pair("Sweep Mode", (*mode).to_owned());
            pair("Model", self.model.clone());
        }
        csv::lines(lines)
    }
}

impl Settled {
    fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("metric".to_owned(), self.metric.clone().into());
        if let Some(stat) = &self.stat {
            object.insert("stat".to_owned(), stat.clone().into());
        }
        object.insert("mode".to_owned(), self.mode.clone().into());
        object.insert("threshold".to_owned(), number(self.threshold));
        object.insert("converged".to_owned(), self.converged.into());
        if let Some(reason) = &self.reason {
            object.insert("reason".to_owned(), reason.clone().into());
        }
        if let Some(value) = self.value {
            object.insert("value".to_owned(), number(value));
        }
        object.insert("max_runs".to_owned(), self.most_runs.into());
        Value::Object(object)
    }
}

/// Two decimals, four if numbers are small by nature.
fn row(metric: &AggregateMetric) -> String {
    let RunSpread { mean, std, min, max, cv, se, ci_low, ci_high, t_critical, .. } = metric.spread;
    let cv = cv.map_or_else(|| "inf".to_owned(), |cv| format!("{cv:.4}"));
    let t_critical = t_critical.map_or_else(String::new, |t| format!("{t:.4}"));
    format!(
        "{},{mean:.2},{std:.2},{min:.2},{max:.2},{cv},{se:.4},{ci_low:.2},{ci_high:.2},{t_critical},{}",
        metric.key(),
        cell(&metric.unit)
    )
}
