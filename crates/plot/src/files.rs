//! The files of plots: pictures, tables of points, a summary and a log.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use aiperf_report::PLOT_LOG;

use crate::draw::{Theme, png, svg};
use crate::session::{DrawnPlot, PlotSession, SkippedPlot};
use crate::{ConfigOrigin, PlotError};

const SUMMARY: &str = "summary.txt";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    Png,
    Svg,
}

impl PictureFormat {
    /// As `--format` spells it, and the end of file names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Png, Self::Svg].into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }
}

/// The pictures of a plot and the table of its points.
fn save_plot(plot: &DrawnPlot, dir: &Path, theme: Theme, formats: &[PictureFormat]) -> Result<(), PlotError> {
    let DrawnPlot { name, figure } = plot;
    let save = |end: &str, bytes: &[u8]| {
        let path = dir.join(format!("{name}.{end}"));
        fs::write(&path, bytes).map_err(|source| PlotError::Write { path: path.clone(), source })
    };
    for format in formats {
        match format {
            PictureFormat::Png => save("png", &png(figure, theme))?,
            PictureFormat::Svg => save("svg", svg(figure, theme).as_bytes())?,
        }
    }
    save("csv", figure.points.csv().as_bytes())
}

/// What was written.
#[derive(Debug, Default)]
pub struct WrittenPlots {
    pub drawn: Vec<String>,
    pub skipped: Vec<SkippedPlot>,
    pub log: PathBuf,
}

impl WrittenPlots {
    /// Draws everything that the session asks for into a folder, which is created only now.
    pub fn write(
        session: &PlotSession,
        dir: &Path,
        theme: Theme,
        formats: &[PictureFormat],
    ) -> Result<Self, PlotError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| PlotError::Write { path, source }
        };
        fs::create_dir_all(dir).map_err(failed(dir))?;
        let (drawn, skipped) = session.figures();
        // Each picture takes a processor for a while: they are painted side by side.
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        for plots in drawn.chunks(threads) {
            thread::scope(|scope| {
                let painters: Vec<_> =
                    plots.iter().map(|plot| scope.spawn(|| save_plot(plot, dir, theme, formats))).collect();
                let ended =
                    painters.into_iter().map(|painter| painter.join().unwrap_or_else(|panic| resume_unwind(panic)));
                ended.collect::<Result<(), PlotError>>()
            })?;
        }
        let drawn: Vec<String> = drawn.into_iter().map(|plot| plot.name).collect();
        let written = Self { drawn, skipped, log: dir.join(PLOT_LOG) };
        let summary = dir.join(SUMMARY);
        fs::write(&summary, written.summary(dir, formats)).map_err(failed(&summary))?;
        fs::write(&written.log, written.log_text(session)).map_err(failed(&written.log))?;
        Ok(written)
    }

    fn summary(&self, dir: &Path, formats: &[PictureFormat]) -> String {
        let end = formats.first().map_or("csv", |format| format.name());
        let mut text =
            format!("AIPerf Plot Export Summary\n{}\n\nGenerated {} plots:\n\n", "=".repeat(50), self.drawn.len());
        for name in &self.drawn {
            let _ = writeln!(text, "  - {name}.{end}");
        }
        if !self.skipped.is_empty() {
            let _ = writeln!(text, "\nSkipped {} plots:\n", self.skipped.len());
            for SkippedPlot { name, reason } in &self.skipped {
                let _ = writeln!(text, "  - {name}: {reason}");
            }
        }
        let _ = writeln!(text, "\nOutput directory: {}", dir.display());
        text
    }

    fn log_text(&self, session: &PlotSession) -> String {
        let mut text = String::new();
        let config = match &session.origin {
            ConfigOrigin::File(path) => path.display().to_string(),
            ConfigOrigin::BuiltIn => "built in".to_owned(),
        };
        let _ = writeln!(text, "INFO configuration: {config}");
        let _ = writeln!(text, "INFO {} plots of {} runs", session.mode.name(), session.runs.len());
        for run in &session.runs {
            let _ = writeln!(text, "INFO run: {}", run.folder.display());
        }
        for warning in session.presets.warnings.iter().chain(&session.findings()) {
            let _ = writeln!(text, "WARNING {warning}");
        }
        for name in &self.drawn {
            let _ = writeln!(text, "INFO drawn: {name}");
        }
        for SkippedPlot { name, reason } in &self.skipped {
            let _ = writeln!(text, "WARNING skipped: {name}: {reason}");
        }
        text
    }
}
