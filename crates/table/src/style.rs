//! How wide the console is, and whether it has colours.

/// Columns to fill at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width(pub usize);

impl Width {
    /// For files and pipes.
    pub const FILE: Self = Self(140);
    /// Nothing is wrapped.
    pub const UNLIMITED: Self = Self(usize::MAX);
}

/// Whether the console takes escape codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

/// What a piece of text is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emphasis {
    Title,
    /// Headings of columns, and labels.
    Head,
    /// What a row is about.
    Name,
    Value,
    /// A value that is missing.
    Faint,
    Good,
    Warning,
    Failure,
}

impl Emphasis {
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

/// Adds escape codes to a text if the console has colours.
#[derive(Debug, Clone, Copy)]
pub struct TextStyle {
    ansi: bool,
}

impl TextStyle {
    pub fn new(colour: Colour) -> Self {
        Self { ansi: colour == Colour::Ansi }
    }

    pub fn strong(self, text: &str) -> String {
        self.paint(text, Emphasis::Good)
    }

    pub fn warning(self, text: &str) -> String {
        self.paint(text, Emphasis::Warning)
    }

    pub fn failure(self, text: &str) -> String {
        self.paint(text, Emphasis::Failure)
    }

    pub fn paint(self, text: &str, emphasis: Emphasis) -> String {
        match emphasis.code() {
            Some(code) if self.ansi && !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}
