//! Text with styles.

use unicode_width::UnicodeWidthStr;

/// The colours that every terminal has, by their number in escape sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Color {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Blue = 34,
    Magenta = 35,
    Cyan = 36,
    Gray = 37,
    DarkGray = 90,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// The terminal's own colour if none.
    pub(crate) colour: Option<Color>,
    pub(crate) is_bold: bool,
    /// Foreground and background are exchanged.
    pub(crate) is_reversed: bool,
    /// Darker on dark backgrounds, paler on light ones.
    pub(crate) is_dim: bool,
}

impl Style {
    pub(crate) const fn new() -> Self {
        Self { colour: None, is_bold: false, is_reversed: false, is_dim: false }
    }

    pub(crate) const fn colour(self, colour: Color) -> Self {
        Self { colour: Some(colour), ..self }
    }

    pub(crate) const fn bold(self) -> Self {
        Self { is_bold: true, ..self }
    }

    pub(crate) const fn dim(self) -> Self {
        Self { is_dim: true, ..self }
    }

    pub(crate) const fn reversed(self) -> Self {
        Self { is_reversed: true, ..self }
    }
}

/// A text in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
}

impl Span {
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    pub(crate) fn raw(text: impl Into<String>) -> Self {
        Self::styled(text, Style::new())
    }

    /// Columns that it takes.
    pub(crate) fn width(&self) -> usize {
        self.text.width()
    }
}

/// Spans next to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line(pub(crate) Vec<Span>);

impl From<Vec<Span>> for Line {
    fn from(spans: Vec<Span>) -> Self {
        Self(spans)
    }
}

impl From<Span> for Line {
    fn from(span: Span) -> Self {
        Self(vec![span])
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self(vec![Span::raw(text)])
    }
}
