//! Asks on one stream and reads answers from another, so that a terminal, a pipe and a test work alike.

use std::io::{BufRead, Write};

use anyhow::Context;

pub(super) struct Questions<R, W> {
    pub(super) input: R,
    pub(super) output: W,
}

impl<R: BufRead, W: Write> Questions<R, W> {
    pub(super) fn say(&mut self, line: &str) -> anyhow::Result<()> {
        writeln!(self.output, "{line}").context("cannot ask")
    }

    /// Asks until `read` accepts the answer; an empty one stands for `default`. At the end of the input the default is
    /// taken, and without one `flag` is asked for.
    pub(super) fn ask<T>(
        &mut self,
        question: &str,
        default: Option<&str>,
        flag: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> anyhow::Result<T> {
        let shown = default.map_or_else(String::new, |default| format!(" [{default}]"));
        loop {
            write!(self.output, "{question}{shown}: ").and_then(|()| self.output.flush()).context("cannot ask")?;
            let mut line = String::new();
            let ended = self.input.read_line(&mut line).context("cannot read the answer")? == 0;
            if !line.ends_with('\n') {
                // Whoever types ends the line; a pipe does not.
                self.say("")?;
            }
            let answer = match (line.trim(), default) {
                ("", Some(default)) => default,
                ("", None) if ended => anyhow::bail!("no answer to {question:?}; give {flag}"),
                ("", None) => continue,
                (answer, _) => answer,
            };
            match read(answer) {
                Ok(value) => return Ok(value),
                Err(problem) if ended => anyhow::bail!("{problem}; give {flag}"),
                Err(problem) => self.say(&problem)?,
            }
        }
    }
}
