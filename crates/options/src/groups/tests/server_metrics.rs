//! Which metrics pages are scraped, and into which files.

use std::time::Duration;

use aiperf_config::{Scraping, ServerMetricsFormat};

use super::with_model;

fn error(words: &[&str]) -> String {
    with_model(words).unwrap_err().to_string()
}

#[test]
fn server_metrics_are_collected_unless_they_are_switched_off() {
    let usual = with_model(&[]).unwrap().server_metrics.unwrap();
    assert!(usual.urls.is_empty() && !usual.required);
    assert_eq!((usual.formats.as_slice(), usual.scraping), (&ServerMetricsFormat::DEFAULT[..], Scraping::default()));
    assert_eq!(usual.scraping.interval, Duration::from_millis(333));
    assert_eq!(with_model(&["--no-server-metrics=true"]).unwrap().server_metrics, None);
}

#[test]
fn pages_and_formats_are_read() {
    let given = with_model(&[
        "--server-metrics=host:9400,https://other/prom/metrics",
        "--server-metrics-formats=parquet,json,parquet",
        "--server-metrics-required=true",
    ]);
    let given = given.unwrap().server_metrics.unwrap();
    let targets: Vec<String> = given.urls.iter().map(|url| url.request_target("/metrics").to_string()).collect();
    assert_eq!(targets, ["http://host:9400/metrics", "https://other/prom/metrics"]);
    assert_eq!(given.formats, [ServerMetricsFormat::Parquet, ServerMetricsFormat::Json]);
    assert!(given.required);
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(error(&["--server-metrics=ftp://host"]).contains("--server-metrics"));
    assert!(error(&["--server-metrics=grpc://host:8001"]).contains("HTTP"));
    assert!(error(&["--server-metrics=http://me:pw@host"]).contains("user name"));
    assert!(error(&["--server-metrics-formats=xml"]).contains("json, csv"));
    for other in ["--server-metrics=host", "--server-metrics-formats=json", "--server-metrics-required=true"] {
        assert!(error(&["--no-server-metrics=true", other]).contains("--no-server-metrics"), "{other}");
    }
}
