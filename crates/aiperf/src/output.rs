//! Lines for people and scripts, on stdout and stderr. Either may be closed or full: a reader that has left is not an error; a full
//! disk is, and the exit code tells. The macros take the place of the standard ones, which panic.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;

use crate::progress::without_line;
use crate::screen::{self, Stream};

/// Why stdout could not be written, until someone says so.
static FAILURE: Mutex<Option<io::Error>> = Mutex::new(None);

macro_rules! println {
    ($($words:tt)*) => {
        $crate::output::print_line(format_args!($($words)*))
    };
}

macro_rules! print {
    ($($words:tt)*) => {
        $crate::output::print_words(format_args!($($words)*))
    };
}

macro_rules! eprintln {
    ($($words:tt)*) => {
        $crate::output::tell(format_args!($($words)*))
    };
}

/// Writes to stdout. A reader that has left is not an error.
pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to stdout"),
    }
}

pub(crate) fn print_line(words: fmt::Arguments<'_>) {
    print_words(format_args!("{words}\n"));
}

/// A failure is kept for [`take_failure`].
pub(crate) fn print_words(words: fmt::Arguments<'_>) {
    if screen::is_taken(Stream::Stdout) {
        return screen::hold(Stream::Stdout, words.to_string());
    }
    let mut stdout = io::stdout();
    if let Err(error) = without_line(|| stdout.write_fmt(words).and_then(|()| stdout.flush())) {
        note_failure(error);
    }
}

/// A line on stderr. If that is gone, nobody can be told.
pub(crate) fn tell(words: fmt::Arguments<'_>) {
    if screen::is_taken(Stream::Stderr) {
        crate::logging::tell_views(&words.to_string());
        return screen::hold(Stream::Stderr, format!("{words}\n"));
    }
    let _ = without_line(|| writeln!(io::stderr(), "{words}"));
}

fn note_failure(error: io::Error) {
    if error.kind() != io::ErrorKind::BrokenPipe {
        FAILURE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// The first failure of a line that was to be printed.
pub(crate) fn take_failure() -> anyhow::Result<()> {
    match FAILURE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error).context("cannot write to stdout"),
        None => Ok(()),
    }
}
