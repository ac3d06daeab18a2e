//! What keeps a template from running away: a number of steps, a depth, a length of what it writes, and widths of the filters that
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
        let widths = args.first().and_then(Value::as_str).is_some_and(has_wide_field);
        if widths { Err(too_wide()) } else { called(&format, state, args, named) }
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

fn too_wide() -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("a width or number of groups is above {WIDEST}"))
}

/// What a template writes, up to a length.
#[derive(Debug, Default)]
pub(super) struct Written(pub(super) Vec<u8>);

impl Write for Written {
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
