//! Pictures of example runs, as text. Styles are tested apart.

use aiperf_live::{LiveRun, Scene as Example};
use insta::assert_snapshot;

use super::*;
use crate::theme::Theme;
use crate::view_state::ViewState;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

fn drawn(example: Example, (width, height): (u16, u16), state: &ViewState, theme: Theme) -> Frame {
    let run = LiveRun::example_of(example);
    let (snapshot, history, facts) = (run.snapshot(), run.history(), run.facts());
    let scene = Scene { snapshot: &snapshot, history: &history, facts: &facts, state, theme };
    let mut frame = Frame::new(width, height);
    draw(&mut frame, &scene);
    frame
}

/// Times of log lines are in the zone of the machine.
fn text(frame: &Frame) -> String {
    frame.text().lines().map(without_times).collect::<Vec<_>>().join("\n")
}

fn without_times(line: &str) -> String {
    let Some(place) = line.find(":30:").filter(|_| line.contains("INFO")) else { return line.to_owned() };
    format!("{}HH:MM:SS{}", &line[..place - 2], &line[place + 6..])
}

fn snapshots(name: &str, example: Example, state: &ViewState) {
    for (width, height) in SIZES {
        let drawn = drawn(example, (width, height), state, Theme::dark());
        assert_snapshot!(format!("{name}_{width}x{height}"), text(&drawn));
    }
}

#[test]
fn start() {
    snapshots("start", Example::Start, &ViewState::default());
}

#[test]
fn steady_load() {
    snapshots("steady", Example::Steady, &ViewState::default());
}

#[test]
fn errors() {
    snapshots("errors", Example::Errors, &ViewState::default());
}

#[test]
fn saturation() {
    snapshots("saturation", Example::Saturated, &ViewState::default());
}

#[test]
fn the_end() {
    snapshots("end", Example::End, &ViewState::default());
}

#[test]
fn a_sweep() {
    snapshots("sweep", Example::Sweep, &ViewState::default());
}

#[test]
fn the_other_pages() {
    for (page, name) in Page::ALL.into_iter().skip(1) {
        let state = ViewState { page, ..ViewState::default() };
        let drawn = drawn(Example::Errors, (100, 30), &state, Theme::dark());
        assert_snapshot!(format!("page_{name}"), text(&drawn));
    }
    let state = ViewState { shows_help: true, ..ViewState::default() };
    assert_snapshot!("help", text(&drawn(Example::Steady, (80, 24), &state, Theme::dark())));
}

#[test]
fn small_terminals_get_the_lines_that_fit() {
    for (width, height) in [(59, 24), (40, 10), (12, 3), (1, 1)] {
        let drawn = drawn(Example::Errors, (width, height), &ViewState::default(), Theme::dark());
        assert_snapshot!(format!("small_{width}x{height}"), text(&drawn));
    }
}

/// No size makes the drawing panic, and no page does.
#[test]
fn every_size_can_be_drawn() {
    let sizes = [
        (1, 1),
        (3, 2),
        (20, 5),
        (60, 16),
        (61, 17),
        (79, 23),
        (99, 29),
        (100, 31),
        (159, 44),
        (160, 49),
        (300, 100),
        (300, 20),
        (65, 90),
    ];
    for example in [Example::Start, Example::Errors, Example::Saturated, Example::End, Example::Sweep] {
        let run = LiveRun::example_of(example);
        let (snapshot, history, facts) = (run.snapshot(), run.history(), run.facts());
        for (width, height) in sizes {
            for (page, _) in Page::ALL {
                let state =
                    ViewState { page, scroll: usize::MAX, columns: 900, shows_help: true, ..ViewState::default() };
                let scene = Scene {
                    snapshot: &snapshot,
                    history: &history,
                    facts: &facts,
                    state: &state,
                    theme: Theme::without_unicode(),
                };
                draw(&mut Frame::new(width, height), &scene);
            }
        }
    }
}

#[test]
fn without_colours_nothing_is_coloured_and_without_unicode_all_is_ascii() {
    for example in [Example::Errors, Example::Saturated, Example::Sweep] {
        let plain = drawn(example, (120, 40), &ViewState::default(), Theme::without_colours());
        assert!(plain.cells().iter().all(|cell| cell.style.colour.is_none()));
        let ascii = text(&drawn(example, (80, 24), &ViewState::default(), Theme::without_unicode()));
        assert!(ascii.replace('…', "").is_ascii(), "{ascii}");
    }
}

#[test]
fn a_verdict_stands_out_on_every_background() {
    for theme in [Theme::dark(), Theme::light(), Theme::without_colours()] {
        let drawn = drawn(Example::Errors, (120, 40), &ViewState::default(), theme);
        assert!(drawn.cells().iter().filter(|cell| cell.style.is_reversed).count() > 40);
    }
}
