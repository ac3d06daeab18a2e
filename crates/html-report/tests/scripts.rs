//! The scripts of the page, run by node without a browser.

use std::path::Path;
use std::process::Command;

#[test]
fn scripts_of_the_page_compute_what_they_should() {
    if !aiperf_test_tools::available(&[&["node", "--version"]]) {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/scripts.test.mjs");
    let done = Command::new("node").arg(script).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
