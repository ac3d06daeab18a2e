//! How wide and how colourful the console is.

/// Columns to fill at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width(pub usize);

impl Width {
    /// For files and pipes.
    pub const FILE: Self = Self(140);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    ansi: bool,
}

impl Style {
    pub(super) fn new(colour: Colour) -> Self {
        Self { ansi: colour == Colour::Ansi }
    }

    pub(super) fn title(self, text: &str) -> String {
        self.wrap(text, "1;36")
    }

    pub(super) fn strong(self, text: &str) -> String {
        self.wrap(text, "1;32")
    }

    pub(super) fn warning(self, text: &str) -> String {
        self.wrap(text, "1;33")
    }

    pub(super) fn failure(self, text: &str) -> String {
        self.wrap(text, "1;31")
    }

    fn wrap(self, text: &str, code: &str) -> String {
        if self.ansi { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
