//! The console as it was approved, at the widths people have.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod runs;

use std::path::Path;

use aiperf_metrics::{ClientLoad, MetricContext};
use aiperf_protocol::EndpointKind;
use aiperf_protocol::RunEnding;
use aiperf_report::console::{Colour, Width, render, render_selftest, render_trailer};
use aiperf_report::{Citation, Grade, WrittenFile};

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap()
}

#[test]
fn a_clean_run_at_file_width() {
    let text = render(&runs::clean_run(), Width::FILE, Colour::Plain);
    assert!(!text.contains('\u{1b}'));
    insta::assert_snapshot!("clean_140", text);
}

#[test]
fn a_run_with_failures_at_file_width() {
    let text = render(&runs::mixed_run(), Width::FILE, Colour::Plain);
    assert!(widest(&text) <= 140);
    assert!(!text.contains('\u{1b}'), "a server's message must not drive the terminal");
    insta::assert_snapshot!("mixed_140", text);
}

#[test]
fn eighty_columns_are_enough() {
    let mut report = runs::mixed_run();
    report.show_trace_timing = true;
    let text = render(&report, Width(80), Colour::Plain);
    assert!(widest(&text) <= 80, "{text}");
    insta::assert_snapshot!("mixed_80", text);
}

#[test]
fn nothing_succeeded() {
    insta::assert_snapshot!("failed_140", render(&runs::failed_run(), Width::FILE, Colour::Plain));
}

#[test]
fn a_stall_that_service_times_hide_is_said_with_its_figures_and_what_to_do() {
    let text = render(&runs::stalled_run(), Width::FILE, Colour::Plain);
    insta::assert_snapshot!("stalled_140", text);
    let narrow = render(&runs::stalled_run(), Width(80), Colour::Plain);
    assert!(widest(&narrow) <= 80, "{narrow}");
}

#[test]
fn why_requests_failed_is_said_before_the_table_of_failures() {
    let text = render(&runs::refused_run(), Width::FILE, Colour::Plain);
    let (hint, table) = (text.find("--use-legacy-max-tokens").unwrap(), text.find("Error Summary").unwrap());
    assert!(hint < table);
    assert_eq!(text.matches("--use-legacy-max-tokens").count(), 1);
}

#[test]
fn a_run_that_did_not_stream_shows_no_rows_of_zeros() {
    let context = MetricContext::new(EndpointKind::Embeddings, false);
    let report = runs::report(&(0..5).map(runs::embedded).collect::<Vec<_>>(), &context);
    let text = render(&report, Width::FILE, Colour::Plain);
    assert!(text.contains("aiperf | Embeddings Metrics: Effective"));
    assert!(!text.contains(": Active"));
    assert!(!text.contains("Decode"));
}

#[test]
fn colours_come_only_when_asked_for_and_do_not_move_the_table() {
    let plain = render(&runs::mixed_run(), Width(100), Colour::Plain);
    let coloured = render(&runs::mixed_run(), Width(100), Colour::Ansi);
    assert!(coloured.contains("\u{1b}[1;36m"));
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    bare.push_str(rest);
    assert_eq!(bare, plain);
}

#[test]
fn the_trailer_says_how_to_repeat_the_run_and_where_its_files_are() {
    let mut report = runs::clean_run();
    report.ending = RunEnding::INTERRUPTED;
    report.other_files =
        vec![WrittenFile { label: "Records Export".to_owned(), path: "out/profile_export.jsonl".into() }];
    let written = [WrittenFile { label: "CSV Export".to_owned(), path: "out/profile_export_aiperf.csv".into() }];
    insta::assert_snapshot!("trailer", render_trailer(&report, &written, Path::new("out"), Colour::Plain));
}

#[test]
fn a_selftest_fits_eighty_columns_and_says_what_is_wrong() {
    let report = runs::selftest();
    let text = render_selftest(&report, Width(80), Colour::Plain);
    assert!(widest(&text) <= 80, "{text}");
    insta::assert_snapshot!("selftest_80", text);
    let coloured = render_selftest(&report, Width(80), Colour::Ansi);
    assert!(coloured.contains("\u{1b}[1;31mVerdict: FAIL"));
}

#[test]
fn a_run_cites_the_selftest_of_its_machine_and_says_when_it_went_beyond() {
    let mut report = runs::clean_run();
    let reached = ClientLoad::of(&report.profiling.summary).unwrap();
    let mut certificate = runs::selftest().certificate();
    certificate.verdict = Grade::Pass;
    certificate.load = reached;
    report.selftest = Citation::choose(&[certificate.clone()], Some(&reached));
    let text = render(&report, Width::FILE, Colour::Plain);
    assert!(text.contains("This machine was certified on 2026-11-15 for"), "{text}");
    assert!(!text.contains("aiperf selftest"), "{text}");
    certificate.load.in_flight = 0;
    report.selftest = Citation::choose(&[certificate], Some(&reached));
    let text = render(&report, Width(80), Colour::Plain);
    assert!(text.contains("exceeded the certified load") && text.contains("aiperf selftest --streams"), "{text}");
    assert!(widest(&text) <= 80, "{text}");
}
