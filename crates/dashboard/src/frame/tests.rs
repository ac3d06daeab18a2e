//! Pictures of example runs, as text. Styles are tested apart.

use aiperf_live::{LiveRun, Scene as Example};
use insta::assert_snapshot;
use jiff::tz::TimeZone;

use super::*;
use crate::canvas::Color;
use crate::theme::Theme;
use crate::view_state::ViewState;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

fn drawn(example: Example, (width, height): (u16, u16), state: &ViewState, theme: Theme) -> Frame {
    let run = LiveRun::example_of(example);
    let (snapshot, history, facts) = (run.snapshot(), run.history(), run.facts());
    let scene = Scene { snapshot: &snapshot, history: &history, facts: &facts, state, theme, zone: &TimeZone::UTC };
    let mut frame = Frame::new(width, height);
    draw(&mut frame, &scene);
    frame
}

fn snapshots(name: &str, example: Example, state: &ViewState) {
    for (width, height) in SIZES {
        let drawn = drawn(example, (width, height), state, Theme::dark());
        assert_snapshot!(format!("{name}_{width}x{height}"), drawn.text());
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
        assert_snapshot!(format!("page_{name}"), drawn.text());
    }
    let state = ViewState { shows_help: true, ..ViewState::default() };
    assert_snapshot!("help", drawn(Example::Steady, (80, 24), &state, Theme::dark()).text());
}

#[test]
fn small_terminals_get_the_lines_that_fit() {
    for (width, height) in [(59, 24), (40, 10), (12, 3), (1, 1)] {
        let drawn = drawn(Example::Errors, (width, height), &ViewState::default(), Theme::dark());
        assert_snapshot!(format!("small_{width}x{height}"), drawn.text());
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
                    zone: &TimeZone::UTC,
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
        let ascii = drawn(example, (80, 24), &ViewState::default(), Theme::without_unicode()).text();
        assert!(ascii.is_ascii(), "{ascii}");
        if example == Example::Errors {
            assert_snapshot!("ascii_80x24", ascii);
        }
    }
}

#[test]
fn a_light_background_gets_other_accents_and_the_same_text() {
    let of = |theme| drawn(Example::Errors, (120, 40), &ViewState::default(), theme);
    let (dark, light) = (of(Theme::dark()), of(Theme::light()));
    assert_eq!(dark.text(), light.text());
    let has = |frame: &Frame, colour| frame.cells().iter().any(|cell| cell.style.colour == Some(colour));
    assert!(has(&dark, Color::Cyan) && has(&dark, Color::Yellow));
    // Yellow and cyan can hardly be read on white.
    assert!(!has(&light, Color::Cyan) && !has(&light, Color::Yellow));
}

#[test]
fn a_verdict_stands_out_on_every_background() {
    for theme in [Theme::dark(), Theme::light(), Theme::without_colours()] {
        let drawn = drawn(Example::Errors, (120, 40), &ViewState::default(), theme);
        assert!(drawn.cells().iter().filter(|cell| cell.style.is_reversed).count() > 40);
    }
}
