//! Limits for templates: a number of steps, a depth, a length of what it writes, and widths of the filters that
//! make text out of a number.

use std::io::{self, Write};

use minijinja::value::{Kwargs, Rest, Value};
use minijinja::{Environment, Error, ErrorKind, State, filters};

/// A second of work, and far more than any body needs.
const STEPS: u64 = 2_000_000;
const DEPTH: usize = 64;
/// Films and pictures in base64 are bodies, too.
const MOST_WRITTEN: usize = 256 << 20;
/// Columns of text, or groups of a list.
const WIDEST: i64 = 1_000;

pub(super) fn apply(environment: &mut Environment<'static>) {
    environment.set_fuel(Some(STEPS));
    environment.set_recursion_limit(DEPTH);
    environment.add_filter("indent", within_width(Value::from_function(filters::indent)));
    environment.add_filter("tojson", within_width(Value::from_function(filters::tojson)));
    environment.add_filter("batch", within_width(Value::from_function(filters::batch)));
    environment.add_filter("slice", within_width(Value::from_function(filters::slice)));
    let format = Value::from_function(filters::format);
    environment.add_filter("format", move |state: &mut State<'_, '_>, args: Rest<Value>, named: Kwargs| {
        let pattern = args.first().and_then(Value::as_str).unwrap_or_default();
        if has_wide_field(pattern) {
            return Err(too_wide());
        }
        if has_broken_key(pattern) {
            let why = "a key of format, as in %(key)s, has a character that is not ASCII; name it in ASCII";
            return Err(Error::new(ErrorKind::InvalidOperation, why));
        }
        called(&format, state, args, named)
    });
}

/// The filter, for numbers up to [`WIDEST`] after the value that it is applied to.
fn within_width(
    filter: Value,
) -> impl Fn(&mut State<'_, '_>, Rest<Value>, Kwargs) -> Result<Value, Error> + Send + Sync + 'static {
    move |state, args, named| {
        let mut numbers = named.args().filter_map(|name| named.peek::<Value>(name).ok());
        let wide = args.iter().skip(1).any(is_wide) || numbers.any(|number| is_wide(&number));
        drop(numbers);
        if wide { Err(too_wide()) } else { called(&filter, state, args, named) }
    }
}

fn called(filter: &Value, state: &mut State<'_, '_>, args: Rest<Value>, named: Kwargs) -> Result<Value, Error> {
    let mut args = args.0;
    if named.args().next().is_some() {
        args.push(named.into());
    }
    filter.call(state, &args)
}

fn is_wide(argument: &Value) -> bool {
    argument.is_number() && argument.as_i64().is_none_or(|number| number > WIDEST)
}

/// A `%` field of four digits or more, or of a width that is an argument.
fn has_wide_field(pattern: &str) -> bool {
    pattern.split('%').skip(1).any(|field| {
        let shape = field.split(|c: char| c.is_ascii_alphabetic()).next().unwrap_or_default();
        shape.contains('*') || shape.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 3)
    })
}

/// A `%(key)` with a character that is not ASCII in its key: the engine steps through keys by bytes, and panics within a character.
fn has_broken_key(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some((_, field)) = rest.split_once('%') {
        rest = field;
        if let Some(literal) = field.strip_prefix('%') {
            rest = literal;
        } else if let Some(keyed) = field.strip_prefix('(') {
            let (key, after) = keyed.split_once(')').unwrap_or((keyed, ""));
            if !key.is_ascii() {
                return true;
            }
            rest = after;
        }
    }
    false
}

fn too_wide() -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("a width or number of groups is above {WIDEST}"))
}

/// What a template writes, up to a length.
#[derive(Debug, Default)]
pub(super) struct TemplateOutput(pub(super) Vec<u8>);

impl Write for TemplateOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_WRITTEN {
            return Err(io::Error::other(format!("it writes more than {} MiB", MOST_WRITTEN >> 20)));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_the_engine_would_cut_within_a_character_is_broken() {
        for broken in ["%(6.\u{519}", "%(\u{519})s", "%%%(\u{519})s", "%(a)s %(\u{519})s", "%5%(\u{519})s"] {
            assert!(has_broken_key(broken), "{broken}");
        }
        for whole in ["", "100%% \u{519}", "%s \u{519} %5.1f", "%(name)s \u{519}", "%%(\u{519})s", "%l\u{519}", "%"] {
            assert!(!has_broken_key(whole), "{whole}");
        }
    }

    #[test]
    fn a_field_without_a_conversion_is_an_error_of_the_engine() {
        let mut environment = Environment::new();
        apply(&mut environment);
        for pattern in ["%\u{519}", "%l\u{519}", "a %5\u{519}d", "%.\u{519}", "%%%\u{519}", "%5%(\u{519})s", "%"] {
            let source = format!("{{{{ '{pattern}'|format(1.5) }}}}");
            assert!(environment.render_str(&source, ()).is_err(), "{pattern}");
        }
    }

    #[test]
    fn what_made_the_engine_panic_is_an_error() {
        let mut environment = Environment::new();
        apply(&mut environment);
        let rendered = environment.render_str("{{ '%(6.\u{519}'|format(1.5) }}", ());
        assert!(rendered.unwrap_err().to_string().contains("not ASCII"));
        assert_eq!(environment.render_str("{{ '%s %.1f%%'|format('\u{519}', 1.5) }}", ()).unwrap(), "\u{519} 1.5%");
        assert_eq!(environment.render_str("{{ '%(a)s \u{519}'|format(a=1) }}", ()).unwrap(), "1 \u{519}");
    }
}
