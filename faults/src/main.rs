//! The fault lab: runs the real `aiperf` program against scripted servers, signals, full disks and odd environments, and
//! compares what it counts, says and returns with what each scenario expects.
#![forbid(unsafe_code)]

mod authority;
mod body;
mod check;
mod command;
mod expectation;
mod folder;
mod lab;
mod options;
mod program;
mod scenario;
mod server;
mod soak;
mod step;
mod trial;

use std::process::ExitCode;

use options::Options;

fn main() -> ExitCode {
    let outcome = Options::parse(std::env::args().skip(1)).and_then(|options| match options {
        Options::Run(run) => lab::run(&run),
        Options::Soak(soak) => soak::run(&soak),
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
