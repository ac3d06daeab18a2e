//! What all pages of a dashboard share: the runs, the presets, and when either of them changed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aiperf_plot::{
    ConfigOrigin, DetailedRun, FOLDER_CONFIG, PlotError, PlotOptions, PresetDocument, PresetFile, RunMode, Theme,
    USER_CONFIG, load_presets,
};
use tokio::sync::watch;

use crate::known_runs::{DetailedRuns, KnownRun, KnownRuns, digest};

/// How often the folders are searched for new runs.
const SEARCH_EVERY: Duration = Duration::from_secs(1);

/// What a dashboard shows, and where it is.
#[derive(Debug, Clone)]
pub struct BoardOptions {
    pub plot: PlotOptions,
    pub theme: Theme,
    pub host: String,
    /// 0 for any free one.
    pub port: u16,
}

#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) options: BoardOptions,
    runs: Mutex<Arc<KnownRuns>>,
    presets: Mutex<Arc<BoardPresets>>,
    detailed: Mutex<DetailedRuns>,
    /// Why the preset file cannot be read any more: its last good text stays in use.
    problem: Mutex<Option<String>>,
    /// Rises with each change of runs or presets.
    pub(crate) changes: watch::Sender<u64>,
    pub(crate) closing: watch::Sender<bool>,
}

/// The presets and the file that they come from.
#[derive(Debug)]
pub(crate) struct BoardPresets {
    pub(crate) origin: ConfigOrigin,
    pub(crate) document: PresetDocument,
    pub(crate) file: PresetFile,
    /// Another number means another text.
    pub(crate) revision: String,
}

impl Board {
    pub(crate) fn open(options: BoardOptions) -> Result<Self, PlotError> {
        let (runs, _) = KnownRuns::read(&options.plot.paths, options.plot.gpus, None)?;
        let presets = read_presets(&options.plot)?;
        let mode = runs.possible_mode(options.plot.mode)?;
        for name in &options.plot.presets {
            presets.file.named(name, mode).map_err(PlotError::Preset)?;
        }
        Ok(Self {
            options,
            runs: Mutex::new(Arc::new(runs)),
            presets: Mutex::new(Arc::new(presets)),
            detailed: Mutex::default(),
            problem: Mutex::default(),
            changes: watch::Sender::new(1),
            closing: watch::Sender::new(false),
        })
    }

    pub(crate) fn runs(&self) -> Arc<KnownRuns> {
        Arc::clone(&locked(&self.runs))
    }

    pub(crate) fn presets(&self) -> Arc<BoardPresets> {
        Arc::clone(&locked(&self.presets))
    }

    /// The requests of a run. The error says why they cannot be read.
    pub(crate) fn detailed(&self, run: &KnownRun) -> Result<Arc<DetailedRun>, String> {
        if let Some(known) = locked(&self.detailed).known(run) {
            return Ok(known);
        }
        let loaded = DetailedRun::load(&run.found, self.options.plot.gpus).map_err(|error| error.to_string())?;
        let loaded = Arc::new(loaded);
        locked(&self.detailed).keep(run, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// What is wrong with the preset file.
    pub(crate) fn problem(&self) -> Option<String> {
        locked(&self.problem).clone()
    }

    /// Files that presets can be saved to, the usual one first.
    pub(crate) fn save_targets(&self) -> Vec<PathBuf> {
        let own = match &self.presets().origin {
            ConfigOrigin::File(path) => Some(path.clone()),
            ConfigOrigin::BuiltIn => None,
        };
        let of_folder = self.options.plot.paths.first().map(|folder| folder.join(FOLDER_CONFIG));
        let of_user = self.options.plot.home.as_ref().map(|home| home.join(USER_CONFIG));
        let mut targets: Vec<PathBuf> = Vec::new();
        for target in own.into_iter().chain(of_folder).chain(of_user) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        targets
    }

    pub(crate) fn set_presets(&self, presets: BoardPresets) {
        *locked(&self.presets) = Arc::new(presets);
        self.changed();
    }

    fn changed(&self) {
        self.changes.send_modify(|number| *number += 1);
    }

    /// Looks for runs that were added or changed, and for another text of the preset file.
    pub(crate) fn search(&self) {
        let before = self.runs();
        match KnownRuns::read(&self.options.plot.paths, self.options.plot.gpus, Some(&before)) {
            Ok((runs, is_news)) => {
                *locked(&self.runs) = Arc::new(runs);
                if is_news {
                    self.changed();
                }
            }
            // A folder without runs, for now: those that were seen stay on the page.
            Err(error) => log::debug!("the folders cannot be searched: {error}"),
        }
        let problem = match read_presets(&self.options.plot) {
            Ok(presets) if presets.revision != self.presets().revision => {
                self.set_presets(presets);
                None
            }
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        if *locked(&self.problem) != problem {
            *locked(&self.problem) = problem;
            self.changed();
        }
    }

    /// Searches until the server ends.
    pub(crate) async fn follow(self: Arc<Self>) {
        let mut closing = self.closing.subscribe();
        loop {
            let wait = tokio::time::sleep(SEARCH_EVERY);
            tokio::select! {
                () = wait => {}
                _ = closing.wait_for(|closing| *closing) => return,
            }
            let board = Arc::clone(&self);
            let _ = tokio::task::spawn_blocking(move || board.search()).await;
        }
    }

    /// Which charts are shown first.
    pub(crate) fn shown(&self, mode: RunMode) -> Vec<String> {
        let asked = &self.options.plot.presets;
        let presets = self.presets();
        let is_known = |name: &String| presets.file.named(name, mode).is_ok();
        if !asked.is_empty() && asked.iter().all(is_known) {
            return asked.clone();
        }
        presets.file.default_names(mode).to_vec()
    }
}

/// The presets as they are now.
pub(crate) fn read_presets(options: &PlotOptions) -> Result<BoardPresets, PlotError> {
    let (origin, document) = load_presets(options.config.as_deref(), &options.paths, options.home.as_deref())?;
    BoardPresets::new(origin, document).map_err(PlotError::Preset)
}

impl BoardPresets {
    pub(crate) fn new(origin: ConfigOrigin, document: PresetDocument) -> Result<Self, String> {
        let file = document.clone().check()?;
        let place = match &origin {
            ConfigOrigin::File(path) => path.display().to_string(),
            ConfigOrigin::BuiltIn => String::new(),
        };
        let text = serde_json::to_string(&document).unwrap_or_default();
        let revision = format!("{:016x}", digest(format!("{place}\n{text}").as_bytes()));
        Ok(Self { origin, document, file, revision })
    }
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
