//! Models and categories of several runs, with a figure for each pair.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use aiperf_artifact::{Folder, FoundRun};
use aiperf_table::{ConsoleTable, TableCell, TableColumn, TextStyle, Width, csv};
use serde_json::Value;

use crate::category::{category, model};
use crate::figure::figure;
use crate::metric::SpeedBenchMetric;

const OVERALL: &str = "Overall";

/// A run that is not in the report, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreported {
    pub dir: PathBuf,
    pub reason: &'static str,
}

#[derive(Debug, Clone)]
pub struct Matrix {
    metric: SpeedBenchMetric,
    categories: BTreeSet<String>,
    /// By model and category. Several runs of a pair are several figures.
    figures: BTreeMap<String, BTreeMap<String, Vec<f64>>>,
}

impl Matrix {
    pub fn of(metric: SpeedBenchMetric, runs: &[FoundRun]) -> (Self, Vec<Unreported>) {
        let mut matrix = Self { metric, categories: BTreeSet::new(), figures: BTreeMap::new() };
        let mut left_out = Vec::new();
        for run in runs {
            if let Err(reason) = matrix.add(run) {
                left_out.push(Unreported { dir: run.dir.clone(), reason });
            }
        }
        (matrix, left_out)
    }

    fn add(&mut self, run: &FoundRun) -> Result<(), &'static str> {
        let summary = run.summary.as_ref().ok_or("it has no summary")?;
        let category = category(summary).ok_or("its data set is not one of SPEED-Bench")?;
        let model = model(summary).ok_or("its summary names no model")?;
        let value = figure(self.metric, summary, &server_metrics(&run.dir)).ok_or(match self.metric {
            SpeedBenchMetric::Throughput => "it has no output token throughput",
            _ => "neither its responses nor the server's metrics tell of speculative decoding",
        })?;
        self.categories.insert(category.clone());
        self.figures.entry(model).or_default().entry(category).or_default().push(value);
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }

    /// Pairs that several runs were averaged for.
    pub fn averaged(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        self.figures.iter().flat_map(|(model, row)| {
            let several = row.iter().filter(|(_, values)| values.len() > 1);
            several.map(|(category, values)| (model.as_str(), category.as_str(), values.len()))
        })
    }

    /// Names of columns, then the model and its figures. The last figure is the mean over its categories.
    fn rows(&self) -> Vec<(String, Vec<Option<f64>>)> {
        let row = |(model, row): (&String, &BTreeMap<String, Vec<f64>>)| {
            let mut cells: Vec<Option<f64>> =
                self.categories.iter().map(|category| row.get(category).and_then(|values| mean(values))).collect();
            let known: Vec<f64> = cells.iter().flatten().copied().collect();
            cells.push(mean(&known));
            (model.clone(), cells)
        };
        self.figures.iter().map(row).collect()
    }

    fn headers(&self) -> impl Iterator<Item = &str> {
        self.categories.iter().map(String::as_str).chain([OVERALL])
    }

    pub fn csv(&self) -> String {
        let header = ["Model"].into_iter().chain(self.headers()).map(csv::cell).collect::<Vec<_>>().join(",");
        let line = |(model, cells): (String, Vec<Option<f64>>)| {
            let numbers = cells.into_iter().map(csv::number);
            [csv::cell(&model)].into_iter().chain(numbers).collect::<Vec<_>>().join(",")
        };
        csv::lines([header].into_iter().chain(self.rows().into_iter().map(line)))
    }

    pub fn table(&self, width: Width, style: TextStyle) -> String {
        let columns = [TableColumn::left("Model")].into_iter().chain(self.headers().map(TableColumn::right)).collect();
        let row = |(model, cells): (String, Vec<Option<f64>>)| {
            [TableCell::name(model)].into_iter().chain(cells.into_iter().map(TableCell::number)).collect()
        };
        let rows = self.rows().into_iter().map(row).collect();
        ConsoleTable { title: self.metric.title().to_owned(), columns, rows, flexible: 0 }.render(width, style)
    }
}

/// Null if there is none that can be read.
fn server_metrics(dir: &Path) -> Value {
    let read = |path: PathBuf| serde_json::from_slice(&fs::read(path).ok()?).ok();
    Folder::open(dir).ok().and_then(|folder| read(folder.paths().server_metrics("json"))).unwrap_or_default()
}

fn mean(values: &[f64]) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "few runs")]
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use aiperf_table::Colour;
    use serde_json::{Map, json};

    use super::*;

    fn run(dir: &Path, model: &str, category: &str, throughput: f64) -> FoundRun {
        let summary = json!({
            "input_config": {"datasets": [{"format": category}], "models": {"items": [{"name": model}]}},
            "output_token_throughput": {"avg": throughput},
        });
        FoundRun { dir: dir.to_owned(), summary: Some(summary), values: Map::new(), variation: 0 }
    }

    #[test]
    fn a_row_is_a_model_and_its_last_cell_the_mean_over_categories() {
        let folder = tempfile::TempDir::new().unwrap();
        let dir = folder.path();
        let runs = [
            run(dir, "b", "speed_bench_math", 100.0),
            run(dir, "b", "speed_bench_coding", 50.0),
            run(dir, "b", "speed_bench_coding", 70.0),
            run(dir, "a", "speed_bench_coding", 10.0),
            run(dir, "a", "single_turn", 1.0),
        ];
        let (matrix, left_out) = Matrix::of(SpeedBenchMetric::Throughput, &runs);
        assert_eq!(matrix.csv(), "Model,coding,math,Overall\r\na,10.00,,10.00\r\nb,60.00,100.00,80.00\r\n");
        assert_eq!(left_out, [Unreported { dir: dir.to_owned(), reason: "its data set is not one of SPEED-Bench" }]);
        assert_eq!(matrix.averaged().collect::<Vec<_>>(), [("b", "coding", 2)]);
        let table = matrix.table(Width(80), TextStyle::new(Colour::Plain));
        assert!(table.contains("Throughput Report (tokens/sec)") && table.contains("N/A"), "{table}");
    }

    #[test]
    fn runs_without_the_figure_are_named() {
        let folder = tempfile::TempDir::new().unwrap();
        let (matrix, left_out) =
            Matrix::of(SpeedBenchMetric::AcceptRate, &[run(folder.path(), "a", "speed_bench_qa", 1.0)]);
        assert!(matrix.is_empty());
        assert!(left_out[0].reason.contains("speculative decoding"));
    }
}
