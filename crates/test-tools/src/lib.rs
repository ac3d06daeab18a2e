//! Tests that need a program which a machine with only Rust does not have. Such a test asks here first: if the program is
//! missing, the test names it and passes, unless [`REQUIRED`] is set, as the gate does; then it fails.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::{Command, Stdio};

/// The environment variable under which a missing program fails the test that needs it.
pub const REQUIRED: &str = "AIPERF_TEST_REQUIRE_TOOLS";

/// Whether every command of `commands` (a program and its arguments) can be run and succeeds.
///
/// # Panics
///
/// If one cannot and [`REQUIRED`] is set.
pub fn available(commands: &[&[&str]]) -> bool {
    let missing: Vec<String> =
        commands.iter().filter(|command| !succeeds(command)).map(|command| command.join(" ")).collect();
    if missing.is_empty() {
        return true;
    }
    let missing = missing.join(", ");
    assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, and this test needs what is missing: {missing}");
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Not `eprintln!`, which the test harness hides for a test that passes.
    let _ = writeln!(std::io::stderr(), "skipped: {test} needs what is missing here: {missing}");
    false
}

fn succeeds(command: &[&str]) -> bool {
    let Some((program, arguments)) = command.split_first() else { return true };
    let started = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    started.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_there_is_available() {
        // Cargo tells its tests where it is.
        let cargo = std::env::var("CARGO").expect("tests are run by cargo");
        assert!(available(&[&[&cargo, "--version"]]));
        assert!(available(&[]));
    }

    #[test]
    fn a_missing_program_is_not_available() {
        assert!(!succeeds(&["aiperf-program-that-does-not-exist"]));
    }
}
