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

/// What a piece of text is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Title,
    /// Heads of columns, labels.
    Head,
    /// What a row is about.
    Name,
    Value,
    /// Nothing to see.
    Faint,
    Good,
    Warning,
    Failure,
}

impl Tone {
    /// Parameters of the terminal's "select graphic rendition".
    const fn code(self) -> Option<&'static str> {
        match self {
            Self::Title => Some("1;36"),
            Self::Head => Some("1"),
            Self::Name => Some("36"),
            Self::Value => None,
            Self::Faint => Some("2"),
            Self::Good => Some("1;32"),
            Self::Warning => Some("1;33"),
            Self::Failure => Some("1;31"),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    ansi: bool,
}

impl Style {
    pub(super) fn new(colour: Colour) -> Self {
        Self { ansi: colour == Colour::Ansi }
    }

    pub(super) fn strong(self, text: &str) -> String {
        self.tone(text, Tone::Good)
    }

    pub(super) fn warning(self, text: &str) -> String {
        self.tone(text, Tone::Warning)
    }

    pub(super) fn failure(self, text: &str) -> String {
        self.tone(text, Tone::Failure)
    }

    pub(super) fn tone(self, text: &str, tone: Tone) -> String {
        match tone.code() {
            Some(code) if self.ansi && !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}
