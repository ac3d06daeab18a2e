//! One row of an option table.

/// One option as people see it, and what the command does with its value.
#[derive(Debug, Clone, Copy)]
pub struct OptionRow<A> {
    /// Without leading hyphens.
    pub name: &'static str,
    /// What its value looks like; empty for a flag.
    pub value: &'static str,
    /// The default in the same notation; empty if there is none.
    pub default: &'static str,
    pub help: &'static str,
    pub action: A,
}

/// Reads a value into the options of a command. The error says which values fit.
pub type Setter<T> = fn(&mut T, &str) -> Result<(), String>;

impl<A> OptionRow<A> {
    /// The name as a command line has it, without leading hyphens.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// The help text of the command line, with the default.
    pub fn help_with_default(&self) -> String {
        if self.default.is_empty() {
            self.help.to_owned()
        } else {
            format!("{} [default: {}]", self.help, self.default)
        }
    }

    /// A row of a Markdown table: option, value, default and meaning. `name` and `value` may be shown otherwise than here.
    pub fn markdown(&self, name: &str, value: &str) -> String {
        let cell = |text: &str| text.replace('|', "\\|");
        let value = if value.is_empty() { "flag".to_owned() } else { cell(value) };
        let default = if self.default.is_empty() { "–".to_owned() } else { cell(self.default) };
        format!("| `{name}` | {value} | {default} | {} |", cell(self.help))
    }
}

/// A row whose action is a [`Setter`]: `option_row!("osl", "TOKENS", "64", "Output tokens", |o, v| o.osl = number(v)?)`.
#[macro_export]
macro_rules! option_row {
    ($name:literal, $value:expr, $default:literal, $help:literal, |$o:ident, $v:ident| $apply:expr) => {
        $crate::OptionRow {
            name: $name,
            value: $value,
            default: $default,
            help: $help,
            action: |$o, $v| {
                $apply;
                Ok(())
            },
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gives_its_flag_its_help_and_its_line_in_a_page() {
        let row = OptionRow { name: "tokens_per_chunk", value: "N|all", default: "1", help: "Tokens", action: () };
        assert_eq!(row.flag(), "tokens-per-chunk");
        assert_eq!(row.help_with_default(), "Tokens [default: 1]");
        assert_eq!(row.markdown("--x", row.value), "| `--x` | N\\|all | 1 | Tokens |");
        let flag = OptionRow { default: "", ..row };
        assert_eq!(flag.help_with_default(), "Tokens");
        assert_eq!(flag.markdown("--x", ""), "| `--x` | flag | – | Tokens |");
    }
}
