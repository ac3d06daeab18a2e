//! How often the steady window is found where there is one, and how often where there is none.

use std::fmt::Write as _;

use aiperf_seed::{Seed, Stream};
use aiperf_stats::steady::{Signal, TimeWindow, Unsteady, find};

use crate::page;
use crate::series::{Process, SeriesMemory, SeriesShape};

/// What is done to a steady series: factors over the time of the run, from 0 to 1.
#[derive(Debug, Clone, Copy)]
enum Course {
    Flat,
    /// Up to the level in this share of the run, from half of it.
    Ramp(f64),
    /// From first to last by this share.
    Drift(f64),
    /// By this share of the level, at this share of the run.
    Step(f64, f64),
    /// By this share of the level, for a tenth of the run in its middle.
    Hump(f64),
}

impl Course {
    fn factor(self, at: f64) -> f64 {
        match self {
            Self::Flat => 1.0,
            Self::Ramp(share) => (0.5 + 0.5 * at / share).min(1.0),
            Self::Drift(change) => 1.0 + change * at,
            Self::Step(change, when) => 1.0 + if at >= when { change } else { 0.0 },
            Self::Hump(change) => 1.0 + if (0.6..0.7).contains(&at) { change } else { 0.0 },
        }
    }

    /// Where the steady part begins; `None` where there is none in the second half.
    fn steady_from(self) -> Option<f64> {
        match self {
            Self::Flat => Some(0.0),
            Self::Ramp(share) => Some(share),
            Self::Step(_, when) => (when <= 0.5).then_some(when),
            Self::Drift(_) | Self::Hump(_) => None,
        }
    }
}

const COURSES: &[(&str, Course)] = &[
    ("flat", Course::Flat),
    ("ramp over a tenth", Course::Ramp(0.1)),
    ("ramp over three tenths", Course::Ramp(0.3)),
    ("drift by 10 %", Course::Drift(0.1)),
    ("drift by 30 %", Course::Drift(0.3)),
    ("drift by 100 %", Course::Drift(1.0)),
    ("step by 30 % at a third", Course::Step(0.3, 1.0 / 3.0)),
    ("step by 30 % at three quarters", Course::Step(0.3, 0.75)),
    ("doubled for a tenth", Course::Hump(1.0)),
];

const NOISES: &[Process] = &[
    Process { name: "normal, independent", shape: SeriesShape::Normal, memory: SeriesMemory::None, count: 2000 },
    Process {
        name: "exponential, independent",
        shape: SeriesShape::Exponential,
        memory: SeriesMemory::None,
        count: 5000,
    },
    Process {
        name: "lognormal, AR(1) 0.7",
        shape: SeriesShape::Lognormal,
        memory: SeriesMemory::Autoregressive(0.7),
        count: 20_000,
    },
    Process {
        name: "M/M/1 queue, load 0.5",
        shape: SeriesShape::Exponential,
        memory: SeriesMemory::Queue(0.5),
        count: 20_000,
    },
];

/// What came of the runs of one row.
#[derive(Debug, Default)]
struct FoundWindow {
    steady: u32,
    /// Steady, but with more than a tenth of the run that is not.
    too_early: u32,
    /// Steady, of a part that is shorter than need be.
    shortened: u32,
    none: u32,
}

fn look(noise: &Process, course: Course, runs: u32) -> FoundWindow {
    let mut stream = Seed::fixed(21).stream(&format!("steady {} {course:?}", noise.name));
    let mut found = FoundWindow::default();
    for _ in 0..runs {
        match one(noise, course, &mut stream) {
            Ok(window) => {
                found.steady += 1;
                let from = course.steady_from().unwrap_or(0.0);
                found.too_early += u32::from(window.start < from - 0.1 - 1e-9);
                found.shortened += u32::from(window.start > from + 0.1 + 1e-9);
            }
            Err(_) => found.none += 1,
        }
    }
    found
}

fn one(noise: &Process, course: Course, stream: &mut Stream) -> Result<TimeWindow, Unsteady> {
    let series = noise.run(stream);
    let count = series.len() as f64;
    let points: Vec<(f64, f64)> = series
        .into_iter()
        .enumerate()
        .map(|(i, value)| {
            let at = i as f64 / count;
            (at, value * course.factor(at))
        })
        .collect();
    let ends: Vec<f64> = points.iter().map(|point| point.0).collect();
    find(TimeWindow { start: 0.0, end: 1.0 }, &ends, &[Signal { name: "latency", points: &points }])
}

#[test]
fn flat_runs_are_steady_and_drifting_ones_are_not() {
    let runs = 40;
    for noise in NOISES.iter().filter(|noise| noise.count <= 5000) {
        let flat = look(noise, Course::Flat, runs);
        assert!(flat.none <= 4, "{}: {flat:?}", noise.name);
        let drift = look(noise, Course::Drift(1.0), runs);
        assert!(drift.steady <= 2, "{}: {drift:?}", noise.name);
        let ramp = look(noise, Course::Ramp(0.3), runs);
        assert!(ramp.none + ramp.too_early <= 6, "{}: {ramp:?}", noise.name);
    }
}

#[test]
#[ignore = "a thousand runs of each course: half a minute in a release build"]
fn a_thousand_runs_give_the_table_of_the_steady_state() {
    let runs = 1000;
    let mut table = String::from(
        "| course | noise | samples | steady state found | of them too early | of them too short | none found | wrong |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (name, course) in COURSES {
        for noise in NOISES {
            let found = look(noise, *course, runs);
            let wrong = if course.steady_from().is_some() { found.none + found.too_early } else { found.steady };
            let share = |count: u32| format!("{:.1} %", 100.0 * f64::from(count) / f64::from(runs));
            let cells = [found.steady, found.too_early, found.shortened, found.none, wrong].map(share).join(" | ");
            let _ = writeln!(table, "| {name} | {} | {} | {cells} |", noise.name, noise.count);
        }
    }
    println!("{table}");
    page::hold("steady", &table);
}
