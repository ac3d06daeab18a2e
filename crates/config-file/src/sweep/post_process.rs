//! `postProcess`: what is worked out from all points of a sweep when it is over.

use aiperf_config::{MetricStat, PostProcess, PostProcessHandler, SlaFilter};

use super::sla_filters;
use crate::FileError;
use crate::body::unknown_key;
use crate::names::snake;
use crate::yaml::{Node, NodeValue};

const PATH: &str = "sweep.postProcess";
const FIELDS: [&str; 3] = ["handler", "params", "output_filename"];
/// Below this share of explained variance a line is not good enough.
const R_SQUARED_FLOOR: f64 = 0.85;

/// `filters`: the limits of the sweep, for a handler that is given none.
pub(super) fn read(node: &Node, filters: &[SlaFilter]) -> Result<Option<PostProcess>, FileError> {
    if node.value == NodeValue::Null {
        return Ok(None);
    }
    let wrong = |problem: String| FileError::at(node.position, PATH, problem);
    if !matches!(node.value, NodeValue::Map(_)) {
        return Err(wrong(format!("must be a map with handler, params and output_filename, not {}", node.kind())));
    }
    let (mut handler, mut params, mut output_filename) = (None, None, None);
    for entry in node.entries() {
        let path = format!("{PATH}.{}", entry.key);
        match snake(&entry.key).as_str() {
            "handler" => handler = entry.value.word(),
            "params" => params = Some(&entry.value),
            "output_filename" => output_filename = Some(file_name(&entry.value, &path)?),
            _ => return Err(unknown_key(entry, &path, FIELDS.iter().copied())),
        }
    }
    let handler = handler.ok_or_else(|| wrong("needs `handler`".to_owned()))?;
    let empty = Node { value: NodeValue::Map(Vec::new()), position: node.position };
    let params = Params { node: params.unwrap_or(&empty), handler: &handler };
    let handler = params.handler(filters)?;
    let output_filename = output_filename.ok_or_else(|| wrong("needs `output_filename`".to_owned()))?;
    Ok(Some(PostProcess { handler, output_filename }))
}

/// A plain name: the file goes next to the files of the sweep.
fn file_name(node: &Node, path: &str) -> Result<String, FileError> {
    let name = node.word().unwrap_or_default();
    let stem = name.strip_suffix(".json").unwrap_or_default();
    let is_plain = !stem.trim_matches('.').is_empty() && !name.contains(['/', '\\', '\0']);
    if is_plain {
        return Ok(name);
    }
    Err(FileError::at(
        node.position,
        path,
        format!("{name:?} must be a file name that ends in .json, without a folder"),
    ))
}

/// Where a parameter stands.
fn param_path(name: &str) -> String {
    format!("{PATH}.params.{name}")
}

/// The parameters of a handler.
struct Params<'a> {
    node: &'a Node,
    handler: &'a str,
}

impl Params<'_> {
    fn handler(&self, filters: &[SlaFilter]) -> Result<PostProcessHandler, FileError> {
        let of = || self.metric_stat("metric_tag", "stat");
        match self.handler {
            "degradation_knee_detect" => {
                self.only(&["threshold_pct", "metric_tag", "stat", "swept_param"])?;
                let threshold = self.number("threshold_pct")?.ok_or_else(|| self.missing("threshold_pct"))?;
                Ok(PostProcessHandler::DegradationKnee { of: of()?, swept: self.text("swept_param")?, threshold })
            }
            "ttft_curve_fit" => {
                self.only(&["metric_tag", "stat", "swept_param", "r_squared_floor"])?;
                let r_squared_floor = self.number("r_squared_floor")?.unwrap_or(R_SQUARED_FLOOR);
                Ok(PostProcessHandler::CurveFit { of: of()?, swept: self.text("swept_param")?, r_squared_floor })
            }
            "itl_surface_fit" => {
                self.only(&["metric_tag", "stat", "concurrency_param", "osl_param"])?;
                let (concurrency, osl) = (self.text("concurrency_param")?, self.text("osl_param")?);
                Ok(PostProcessHandler::SurfaceFit { of: of()?, concurrency, osl })
            }
            "sla_breach_knee" => {
                self.only(&["sla_filters", "swept_param"])?;
                let own = self.get("sla_filters");
                let own = own.map(|node| sla_filters::read(node, &param_path("sla_filters"))).transpose()?;
                let filters = own.unwrap_or_else(|| filters.to_vec());
                if filters.is_empty() {
                    return Err(self.missing("sla_filters"));
                }
                Ok(PostProcessHandler::SlaBreachKnee { filters, swept: self.text("swept_param")? })
            }
            "pareto_sweep_export" => {
                self.only(&["x_metric", "x_stat", "y_metric", "y_stat", "isl_key", "osl_key", "concurrency_key"])?;
                Ok(PostProcessHandler::ParetoExport {
                    x: self.metric_stat("x_metric", "x_stat")?,
                    y: self.metric_stat("y_metric", "y_stat")?,
                    isl: self.text("isl_key")?,
                    osl: self.text("osl_key")?,
                    concurrency: self.text("concurrency_key")?,
                })
            }
            other => {
                let names = PostProcessHandler::NAMES.join(", ");
                let problem = format!("{other:?} is not a handler; choose one of {names}");
                Err(FileError::at(self.node.position, format!("{PATH}.handler"), problem))
            }
        }
    }

    fn get(&self, name: &str) -> Option<&Node> {
        self.node.entries().iter().find(|entry| snake(&entry.key) == name).map(|entry| &entry.value)
    }

    fn missing(&self, name: &str) -> FileError {
        let problem = format!("handler {} needs `{name}`", self.handler);
        FileError::at(self.node.position, format!("{PATH}.params"), problem)
    }

    fn only(&self, known: &[&'static str]) -> Result<(), FileError> {
        let odd = self.node.entries().iter().find(|entry| !known.contains(&snake(&entry.key).as_str()));
        odd.map_or(Ok(()), |entry| Err(unknown_key(entry, &param_path(&entry.key), known.iter().copied())))
    }

    fn text(&self, name: &str) -> Result<String, FileError> {
        self.get(name).and_then(Node::word).ok_or_else(|| self.missing(name))
    }

    fn number(&self, name: &str) -> Result<Option<f64>, FileError> {
        self.get(name).map(|node| sla_filters::number(node, &param_path(name))).transpose()
    }

    fn metric_stat(&self, metric: &str, stat: &str) -> Result<MetricStat, FileError> {
        let node = self.get(stat).ok_or_else(|| self.missing(stat))?;
        Ok(MetricStat { metric: self.text(metric)?, stat: sla_filters::statistic(node, &param_path(stat))? })
    }
}
