//! One call of `aiperf plot`: finds the runs, reads the presets, makes the figures.

use std::path::PathBuf;

use crate::PlotError;
use crate::figure::Figure;
use crate::mode::RunMode;
use crate::plots::{self, SingleContext};
use crate::preset::{self, AddedPreset, ConfigOrigin, Preset, PresetFile};
use crate::run::{DetailedRun, ResultFolder, ResultKind, SummarisedRun, discover};

/// What the user asks for.
#[derive(Debug, Clone, Default)]
pub struct PlotOptions {
    /// Folders with runs.
    pub paths: Vec<PathBuf>,
    /// A configuration file, instead of the one that is found.
    pub config: Option<PathBuf>,
    /// Where the user's own configuration is.
    pub home: Option<PathBuf>,
    /// Instead of the mode that the number of runs implies.
    pub mode: Option<RunMode>,
    /// How many GPUs served each run, instead of what its telemetry says.
    pub gpus: Option<u64>,
    /// Names of plots, instead of the defaults.
    pub presets: Vec<String>,
    /// Presets in addition to those of the configuration.
    pub added: Vec<AddedPreset>,
}

/// A plot that was made.
#[derive(Debug)]
pub struct DrawnPlot {
    pub name: String,
    pub figure: Figure,
}

/// A plot that could not be made, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPlot {
    pub name: String,
    pub reason: String,
}

/// Runs that were read, and what to draw of them.
#[derive(Debug)]
pub struct PlotSession {
    pub origin: ConfigOrigin,
    pub presets: PresetFile,
    pub mode: RunMode,
    pub runs: Vec<ResultFolder>,
    data: RunData,
    asked: Vec<String>,
}

#[derive(Debug)]
enum RunData {
    Single(Box<DetailedRun>),
    Multi(Vec<SummarisedRun>),
}

impl PlotSession {
    /// Finds and reads everything; nothing is written.
    pub fn open(options: &PlotOptions) -> Result<Self, PlotError> {
        let runs = discover(&options.paths)?;
        let (origin, mut document) =
            preset::load_presets(options.config.as_deref(), &options.paths, options.home.as_deref())?;
        options.added.iter().for_each(|preset| preset.add_to(&mut document));
        let presets = document.check().map_err(PlotError::Preset)?;
        let mode = mode_of(&runs, options.mode)?;
        let asked =
            if options.presets.is_empty() { presets.default_names(mode).to_vec() } else { options.presets.clone() };
        for name in &asked {
            presets.named(name, mode).map_err(PlotError::Preset)?;
        }
        let data = match mode {
            RunMode::Single => RunData::Single(Box::new(DetailedRun::load(&runs[0], options.gpus)?)),
            RunMode::Multi => {
                let loaded = runs.iter().map(|run| SummarisedRun::load(run, options.gpus));
                RunData::Multi(loaded.collect::<Result<_, _>>()?)
            }
        };
        Ok(Self { origin, presets, mode, runs, data, asked })
    }

    /// The figures that were asked for, in order, and those that cannot be made.
    pub fn figures(&self) -> (Vec<DrawnPlot>, Vec<SkippedPlot>) {
        let (mut drawn, mut skipped) = (Vec::new(), Vec::new());
        for name in &self.asked {
            match self.presets.named(name, self.mode).and_then(|preset| self.figure(preset)) {
                Ok(figure) => drawn.push(DrawnPlot { name: name.clone(), figure }),
                Err(reason) => skipped.push(SkippedPlot { name: name.clone(), reason }),
            }
        }
        (drawn, skipped)
    }

    /// The figure of one preset. The error is the reason why it cannot be made.
    pub fn figure(&self, preset: &Preset) -> Result<Figure, String> {
        match &self.data {
            RunData::Single(run) => self.presets.figure_of_run(preset, run),
            RunData::Multi(runs) => self.presets.figure_of_runs(preset, &runs.iter().collect::<Vec<_>>()),
        }
    }

    /// Names of plots of the configuration that were not asked for and can be made.
    pub fn possible(&self) -> Vec<&str> {
        let others = self.presets.presets(self.mode).iter().filter(|preset| !self.asked.contains(&preset.name));
        others.filter(|preset| self.figure(preset).is_ok()).map(|preset| preset.name.as_str()).collect()
    }

    /// Lines of records that could not be used.
    pub fn findings(&self) -> Vec<String> {
        match &self.data {
            RunData::Single(run) => run.requests.skipped.iter().map(ToString::to_string).collect(),
            RunData::Multi(_) => Vec::new(),
        }
    }

    /// The summaries of the runs.
    pub fn summaries(&self) -> Vec<&SummarisedRun> {
        match &self.data {
            RunData::Single(run) => vec![&run.summary],
            RunData::Multi(runs) => runs.iter().collect(),
        }
    }
}

impl PresetFile {
    /// A plot of one run. The error is the reason why it cannot be drawn.
    pub fn figure_of_run(&self, preset: &Preset, run: &DetailedRun) -> Result<Figure, String> {
        plots::single(preset, &SingleContext { run, downsampling: self.downsampling })
    }

    /// A plot of several runs. The error is the reason why it cannot be drawn.
    pub fn figure_of_runs(&self, preset: &Preset, runs: &[&SummarisedRun]) -> Result<Figure, String> {
        plots::multi(preset, runs, self.classification.as_ref())
    }
}

/// One run with records is looked at request by request. An aggregate has no requests, so that it is one point.
pub fn mode_of(runs: &[ResultFolder], asked: Option<RunMode>) -> Result<RunMode, PlotError> {
    match (runs, asked) {
        ([_], Some(mode)) => Ok(mode),
        (_, Some(RunMode::Single)) => Err(PlotError::SeveralRuns { count: runs.len() }),
        ([ResultFolder { kind: ResultKind::Run(_) | ResultKind::GenaiPerf(..), .. }], None) => Ok(RunMode::Single),
        _ => Ok(RunMode::Multi),
    }
}
