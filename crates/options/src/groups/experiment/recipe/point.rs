//! One cell of a sweep that a recipe describes.

use aiperf_config::{CellVariation, Parameter, SweptValue};

/// What the cell sets.
#[derive(Debug, Clone)]
pub(in super::super) struct GridPoint {
    pub(in super::super) settings: Vec<(Parameter, i64)>,
    /// `None`: named after its settings.
    shape: Option<String>,
}

impl GridPoint {
    pub(super) const fn new(settings: Vec<(Parameter, i64)>) -> Self {
        Self { settings, shape: None }
    }

    /// One that is named after its lengths and its concurrency.
    pub(super) fn of_shape(isl: i64, osl: i64, concurrency: i64) -> Self {
        let settings = vec![
            (Parameter::InputTokensMean, isl),
            (Parameter::OutputTokensMean, osl),
            (Parameter::Concurrency, concurrency),
        ];
        Self { settings, shape: Some(format!("shape_{isl}_{osl}_c{concurrency}")) }
    }

    /// The names of the cell. Values have the names that AIPerf gives them.
    pub(in super::super) fn variation(&self) -> CellVariation {
        let name = |parameter: Parameter| match self.shape {
            Some(_) => parameter.leaf().to_owned(),
            None => path(parameter),
        };
        let joined = |pair: &dyn Fn(&(Parameter, i64)) -> String, between: &str| {
            self.settings.iter().map(pair).collect::<Vec<_>>().join(between)
        };
        let label = joined(&|(parameter, value)| format!("{}={value}", path(*parameter)), ", ");
        let values =
            self.settings.iter().map(|(parameter, value)| (name(*parameter), SweptValue::Whole(*value).json()));
        let mut values: Vec<_> = values.collect();
        // AIPerf sorts them by name.
        values.sort_by(|a, b| a.0.cmp(&b.0));
        CellVariation {
            label: self.shape.clone().unwrap_or(label),
            folder: joined(&|(parameter, value)| format!("{}_{value}", parameter.leaf()), "__"),
            values,
        }
    }
}

/// Where a configuration file has a parameter; a length is the number itself, not its mean.
pub(super) fn path(parameter: Parameter) -> String {
    parameter.path().trim_end_matches(".mean").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_names_of_the_reference() {
        let curve = GridPoint::new(vec![(Parameter::InputTokensMean, 8), (Parameter::Concurrency, 1)]).variation();
        assert_eq!(curve.folder, "isl_8__concurrency_1");
        assert_eq!(curve.label, "datasets.main.prompts.isl=8, phases.profiling.concurrency=1");
        assert_eq!(curve.values[0].0, "datasets.main.prompts.isl");
        let shape = GridPoint::of_shape(8, 16, 4).variation();
        assert_eq!((shape.label.as_str(), shape.folder.as_str()), ("shape_8_16_c4", "isl_8__osl_16__concurrency_4"));
        let names: Vec<&str> = shape.values.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["concurrency", "isl", "osl"]);
    }
}
