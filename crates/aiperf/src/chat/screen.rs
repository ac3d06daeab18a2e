//! Where answers are read as they come.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use aiperf_endpoint::NewWords;
use aiperf_protocol::Reply;
use anyhow::Context;

/// Standard output, which may be closed while an answer comes.
#[derive(Debug, Default)]
pub(super) struct ChatScreen {
    failed: Option<io::Error>,
}

impl ChatScreen {
    /// What cannot be written is noted; the answer is still waited for.
    pub(super) fn put(&mut self, text: &str) {
        let mut stdout = io::stdout();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.failed.get_or_insert(error);
        }
    }

    /// Whether the reader of stdout has left, such as a closed pager. Any other failure is an error.
    pub(super) fn is_gone(&mut self) -> anyhow::Result<bool> {
        match &self.failed {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
            _ => self.failed.take().map_or(Ok(false), Err).context("cannot write to stdout"),
        }
    }
}

/// The part of an answer that is on the screen.
#[derive(Debug)]
pub(super) struct AnswerView<'a> {
    screen: &'a mut ChatScreen,
    is_terminal: bool,
    text: bool,
    reasoning: bool,
}

impl<'a> AnswerView<'a> {
    pub(super) fn on(screen: &'a mut ChatScreen) -> Self {
        Self { screen, is_terminal: io::stdout().is_terminal(), text: false, reasoning: false }
    }

    pub(super) fn show(&mut self, words: NewWords<'_>) {
        let mut piece = String::new();
        if !words.reasoning.is_empty() {
            piece.push_str(if self.reasoning { "" } else { "[reasoning] " });
            piece.push_str(&self.harmless(words.reasoning));
            self.reasoning = true;
        }
        if !words.text.is_empty() {
            piece.push_str(if self.reasoning && !self.text { "\n[answer] " } else { "" });
            piece.push_str(&self.harmless(words.text));
            self.text = true;
        }
        self.screen.put(&piece);
    }

    /// What could not be followed: an answer in one piece, and calls of tools.
    pub(super) fn show_rest(&mut self, reply: &Reply) {
        self.show(NewWords {
            reasoning: if self.reasoning { "" } else { &reply.reasoning_text },
            text: if self.text { "" } else { &reply.plain_text },
        });
        for call in &reply.tool_calls {
            self.end_line();
            let line = format!("[tool call] {}({})", call.name, call.arguments);
            self.screen.put(&format!("{}\n", self.harmless(&line)));
        }
    }

    pub(super) fn end_line(&mut self) {
        if std::mem::take(&mut self.text) | std::mem::take(&mut self.reasoning) {
            self.screen.put("\n");
        }
    }

    fn harmless<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_terminal { without_commands(text) } else { Cow::Borrowed(text) }
    }
}

/// A terminal obeys control characters, and an answer is not meant to steer it.
fn without_commands(text: &str) -> Cow<'_, str> {
    let is_command = |c: char| c.is_control() && !['\n', '\t'].contains(&c);
    if text.contains(is_command) {
        return Cow::Owned(text.replace(is_command, "\u{fffd}"));
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_does_not_steer_the_terminal() {
        assert_eq!(without_commands("a\u{1b}[2Jb\r\n\tc"), "a\u{fffd}[2Jb\u{fffd}\n\tc");
        assert!(matches!(without_commands("plain\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_reader_that_went_away_is_no_error_and_a_full_disk_is() {
        let mut closed = ChatScreen { failed: Some(io::ErrorKind::BrokenPipe.into()) };
        assert!(closed.is_gone().unwrap() && closed.is_gone().unwrap());
        let mut full = ChatScreen { failed: Some(io::ErrorKind::StorageFull.into()) };
        assert!(full.is_gone().unwrap_err().to_string().contains("stdout"));
    }
}
