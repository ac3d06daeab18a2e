//! Colours and characters. Text has the terminal's own colours, so that it can be read on light and on dark backgrounds; only what
//! deserves attention is coloured.

use crate::canvas::{Color, Style};

/// How the dashboard looks on this terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    colours: bool,
    light: bool,
    /// The locale has no Unicode.
    ascii: bool,
}

impl Theme {
    /// Reads `NO_COLOR`, `COLORFGBG` (which terminals set to their colours) and the locale.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let background = set("COLORFGBG").and_then(|pair| pair.rsplit(';').next()?.parse::<u8>().ok());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let is_unicode = |locale: &String| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        };
        Self {
            colours: set("NO_COLOR").is_none(),
            light: background.is_some_and(|colour| colour == 7 || colour == 15),
            ascii: locale.is_some_and(|locale| !is_unicode(&locale)),
        }
    }

    pub const fn dark() -> Self {
        Self { colours: true, light: false, ascii: false }
    }

    pub const fn light() -> Self {
        Self { light: true, ..Self::dark() }
    }

    pub const fn without_colours() -> Self {
        Self { colours: false, ..Self::dark() }
    }

    pub const fn without_unicode() -> Self {
        Self { ascii: true, ..Self::dark() }
    }

    fn coloured(self, dark: Color, light: Color) -> Style {
        match (self.colours, self.light) {
            (false, _) => Style::new(),
            (true, false) => Style::new().colour(dark),
            (true, true) => Style::new().colour(light),
        }
    }

    /// Numbers.
    #[expect(clippy::unused_self, reason = "panels ask for it like for the styles that have colours")]
    pub(crate) fn value(self) -> Style {
        Style::new().bold()
    }

    /// Names of numbers, units, borders.
    pub(crate) fn quiet(self) -> Style {
        self.coloured(Color::Gray, Color::DarkGray)
    }

    pub(crate) fn border(self) -> Style {
        self.coloured(Color::DarkGray, Color::Gray)
    }

    pub(crate) fn title(self) -> Style {
        self.accent().bold()
    }

    /// Bars and charts.
    pub(crate) fn accent(self) -> Style {
        self.coloured(Color::Cyan, Color::Blue)
    }

    pub(crate) fn good(self) -> Style {
        self.coloured(Color::Green, Color::Green)
    }

    pub(crate) fn warning(self) -> Style {
        self.coloured(Color::Yellow, Color::Magenta).bold()
    }

    pub(crate) fn bad(self) -> Style {
        self.coloured(Color::Red, Color::Red).bold()
    }

    /// A line that must not be overlooked.
    pub(crate) fn alarm(self) -> Style {
        self.warning().reversed()
    }

    /// The line of keys.
    pub(crate) fn key(self) -> Style {
        self.accent().bold()
    }

    /// Horizontal, vertical, and the corners from top left in reading order.
    pub(crate) fn borders(self) -> [char; 6] {
        if self.ascii { ['-', '|', '+', '+', '+', '+'] } else { ['─', '│', '╭', '╮', '╰', '╯'] }
    }

    /// Eight levels of a bar, from the lowest to the full one.
    pub(crate) fn levels(self) -> [char; 8] {
        if self.ascii {
            ['.', '.', ':', ':', '|', '|', '#', '#']
        } else {
            ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
        }
    }

    /// Filled and empty parts of a bar that has lines above and below it.
    pub(crate) fn bar(self) -> (char, char) {
        if self.ascii { ('=', '-') } else { ('━', '─') }
    }

    /// Filled and empty parts of a bar on a line of its own.
    pub(crate) fn thick_bar(self) -> (char, char) {
        if self.ascii { ('#', '-') } else { ('█', '░') }
    }

    pub(crate) const fn is_ascii(self) -> bool {
        self.ascii
    }

    pub(crate) fn symbols(self) -> Symbols {
        if self.ascii {
            Symbols {
                done: "ok",
                failed: "!!",
                waiting: "..",
                skipped: "--",
                warning: "!",
                working: ["|", "/", "-", "\\"],
                dot: "-",
            }
        } else {
            Symbols {
                done: "✔",
                failed: "✘",
                waiting: "·",
                skipped: "–",
                warning: "▲",
                working: ["◐", "◓", "◑", "◒"],
                dot: "·",
            }
        }
    }
}

/// Signs that stand for a state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Symbols {
    pub(crate) done: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) waiting: &'static str,
    pub(crate) skipped: &'static str,
    pub(crate) warning: &'static str,
    pub(crate) working: [&'static str; 4],
    /// Between facts of one line.
    pub(crate) dot: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Theme {
        Theme::of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_chooses_colours_and_characters() {
        assert_eq!(of(&[]), Theme::dark());
        assert_eq!(of(&[("NO_COLOR", "1"), ("LANG", "C.UTF-8")]), Theme::without_colours());
        assert_eq!(of(&[("NO_COLOR", ""), ("COLORFGBG", "15;0")]), Theme::dark());
        assert_eq!(of(&[("COLORFGBG", "0;15")]), Theme::light());
        assert_eq!(of(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")]), Theme::without_unicode());
    }
}
