//! Grades the programs on standard input: one JSON object with `answer` and `gold` on each line. Writes the fields of each grade.
//! `graders/compare_programs.py` uses it.

use std::io::{BufRead, stdin};
use std::time::Duration;

use aiperf_code_grading::CodeGrader;
use aiperf_sandbox::{Python, enter_if_asked};
use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    enter_if_asked();
    let grader = CodeGrader::new(Python::find("python3")?, Duration::from_secs(300));
    for line in stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| row[name].as_str().ok_or(format!("a line has no text {name:?}"));
        println!("{}", serde_json::to_string(&grader.grade(text("answer")?, text("gold")?)?)?);
    }
    Ok(())
}
