//! Measures how long the pictures of a folder take: `cargo run --release -p aiperf-plot --example draw_time FOLDER [PRESET,...]`.

use std::env;
use std::path::PathBuf;

use aiperf_clock::Mono;
use aiperf_plot::{PictureFormat, PlotError, PlotOptions, PlotSession, Theme, WrittenPlots};

fn main() -> Result<(), PlotError> {
    let mut words = env::args().skip(1);
    let folder = PathBuf::from(words.next().unwrap_or_else(|| "artifacts".to_owned()));
    let presets = words.next().map(|names| names.split(',').map(ToOwned::to_owned).collect()).unwrap_or_default();
    let output = env::temp_dir().join("aiperf-draw-time");
    let begun = Mono::now();
    let options = PlotOptions { paths: vec![folder], presets, ..PlotOptions::default() };
    let session = PlotSession::open(&options)?;
    let read = Mono::now();
    let written = WrittenPlots::write(&session, &output, Theme::Light, &[PictureFormat::Png])?;
    let drawn = Mono::now();
    println!(
        "{} PNG files of 2400x1200 and their tables: read {:.3} s, drawn and written {:.3} s",
        written.drawn.len(),
        read.since(begun).as_secs_f64(),
        drawn.since(read).as_secs_f64()
    );
    Ok(())
}
