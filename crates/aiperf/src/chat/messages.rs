//! Reads the messages of a chat, one per line.

use std::io::BufRead;

use anyhow::{Context, anyhow};

#[derive(Debug)]
pub(super) struct MessageLines<R> {
    input: R,
    line: usize,
    /// Reading failed: no further message can be read.
    broken: bool,
}

impl<R: BufRead> MessageLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, line: 0, broken: false }
    }
}

/// Blank lines are passed over.
impl<R: BufRead> Iterator for MessageLines<R> {
    type Item = anyhow::Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.broken {
            let mut bytes = Vec::new();
            match self.input.read_until(b'\n', &mut bytes).context("the next message cannot be read") {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => {
                    self.broken = true;
                    return Some(Err(error));
                }
            }
            self.line += 1;
            let Ok(text) = String::from_utf8(bytes) else {
                return Some(Err(anyhow!("line {} of the input is not valid UTF-8; it was not sent", self.line)));
            };
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.trim().is_empty() {
                return Some(Ok(text.to_owned()));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_message_and_blank_ones_are_not() {
        let input = b"one\r\n\n  \n two \nlast without newline";
        let read: Vec<String> = MessageLines::new(&input[..]).map(Result::unwrap).collect();
        assert_eq!(read, ["one", " two ", "last without newline"]);
    }

    #[test]
    fn a_line_that_is_no_text_is_named_and_the_next_one_read() {
        let read: Vec<_> = MessageLines::new(&b"a\n\xFF\nb\n"[..]).collect();
        assert!(read[1].as_ref().unwrap_err().to_string().starts_with("line 2 "));
        assert_eq!(read[2].as_ref().unwrap(), "b");
    }
}
