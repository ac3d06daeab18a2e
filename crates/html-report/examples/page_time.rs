//! Measures how long the page of a run takes: `cargo run --profile dist -p aiperf-html-report --example page_time -- FOLDER`.
//! Reading the records alone is measured first; the rest of the time is the page's own.
#![allow(clippy::unwrap_used, reason = "a measurement ends where something is not as it should be")]

use std::path::Path;
use std::time::Instant;

use aiperf_artifact::{Folder, read_requests};
use aiperf_html_report::{RunPageOptions, run_page};

fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let folder = Folder::open(Path::new(&dir)).unwrap();
    for _ in 0..3 {
        let start = Instant::now();
        let mut requests = 0;
        read_requests(&folder, &mut |_| requests += 1).unwrap();
        let read = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let page = run_page(&folder, None, &RunPageOptions::default(), "0").unwrap();
        let whole = start.elapsed().as_secs_f64();
        std::fs::write("report.html", &page).unwrap();
        println!("{requests} requests: read {read:.2} s, page {:.2} s more, {} bytes", whole - read, page.len());
    }
}
