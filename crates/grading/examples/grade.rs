//! Grades the answers on standard input: one JSON object with `grader`, `answer` and `gold` on each line. Writes each object with
//! the fields of its grade. `graders/compare.py` uses it.

use std::io::{BufRead, Write, stdin, stdout};

use aiperf_grading::Grader;
use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut output = stdout().lock();
    for line in stdin().lock().lines() {
        let mut row: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| row[name].as_str().map(str::to_owned).ok_or(format!("a line has no text {name:?}"));
        let grader: Grader = text("grader")?.parse()?;
        let grade = serde_json::to_value(grader.grade(&text("answer")?, &text("gold")?))?;
        if let (Some(row), Value::Object(fields)) = (row.as_object_mut(), grade) {
            row.extend(fields);
        }
        writeln!(output, "{row}")?;
    }
    Ok(())
}
