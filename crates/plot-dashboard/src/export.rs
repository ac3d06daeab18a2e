//! Charts as files to keep: one file for one chart, a ZIP file or one HTML file for several.

use aiperf_plot::{PictureSize, sized_png, sized_svg};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use crate::board::Board;
use crate::chart::ChartRequest;
use crate::html_file::html;
use crate::zip_file::zip;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    Png,
    Svg,
    Html,
    Csv,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportRequest {
    format: ExportFormat,
    charts: Vec<ChartRequest>,
    /// Pixels of a PNG picture.
    #[serde(default)]
    width: Option<u32>,
    #[serde(default)]
    height: Option<u32>,
}

/// More charts in one request are a mistake.
const MOST_CHARTS: usize = 100;
/// Pixels for each unit of length: letters of a large picture are as large as those of the files of `aiperf plot`.
const SCALE: f32 = 1.5;
const USUAL_PIXELS: (u32, u32) = (2400, 1200);
const MOST_PIXELS: u32 = 8000;

impl ExportRequest {
    /// The file. The error says why there is none.
    pub(crate) fn answer(&self, board: &Board) -> Result<Response, String> {
        if self.charts.is_empty() || self.charts.len() > MOST_CHARTS {
            return Err(format!("an export has 1 to {MOST_CHARTS} charts; this one has {}", self.charts.len()));
        }
        let mut files = Vec::new();
        let mut figures = Vec::new();
        let mut skipped = String::new();
        for chart in &self.charts {
            let figure = match chart.figure(board) {
                Ok(figure) => figure,
                Err(reason) => {
                    skipped.push_str(&format!("{} is left out: {reason}\n", chart.name));
                    continue;
                }
            };
            let side = |asked: Option<u32>, usual: u32| asked.unwrap_or(usual).clamp(1, MOST_PIXELS) as f32 / SCALE;
            let size = PictureSize::new(side(self.width, USUAL_PIXELS.0), side(self.height, USUAL_PIXELS.1));
            let theme = chart.theme();
            match self.format {
                ExportFormat::Png => {
                    files.push((format!("{}.png", chart.name), sized_png(&figure, theme, size, SCALE)));
                }
                ExportFormat::Svg => {
                    files.push((format!("{}.svg", chart.name), sized_svg(&figure, theme, size).0.into_bytes()));
                }
                ExportFormat::Csv => files.push((format!("{}.csv", chart.name), figure.points.csv().into_bytes())),
                ExportFormat::Html => {
                    let picture = sized_svg(&figure, theme, size).0;
                    figures.push((figure, picture));
                }
            }
        }
        if files.is_empty() && figures.is_empty() {
            return Err(skipped.trim_end().to_owned());
        }
        if self.format == ExportFormat::Html {
            return Ok(file(
                "text/html; charset=utf-8",
                "charts.html",
                html(&figures, self.charts[0].theme()).into_bytes(),
            ));
        }
        if self.charts.len() == 1 {
            let (name, bytes) = files.remove(0);
            let kind = match self.format {
                ExportFormat::Png => "image/png",
                ExportFormat::Svg => "image/svg+xml",
                _ => "text/csv; charset=utf-8",
            };
            return Ok(file(kind, &name, bytes));
        }
        let names: String = files.iter().flat_map(|(name, _)| [name.as_str(), "\n"]).collect();
        files.push((
            "README.txt".to_owned(),
            format!("Charts of aiperf plot --dashboard:\n\n{names}\n{skipped}").into_bytes(),
        ));
        Ok(file("application/zip", "charts.zip", zip(&files)))
    }
}

/// A file for a browser to keep, never to show.
fn file(kind: &'static str, name: &str, bytes: Vec<u8>) -> Response {
    let safe: String =
        name.chars().filter(|letter| letter.is_ascii_alphanumeric() || "._-".contains(*letter)).collect();
    let place = HeaderValue::from_str(&format!("attachment; filename=\"{safe}\""));
    let place = place.unwrap_or(HeaderValue::from_static("attachment"));
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, place)], bytes)
        .into_response()
}
