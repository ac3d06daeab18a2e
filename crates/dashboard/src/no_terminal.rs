//! Stands for `terminal` on platforms whose consoles the dashboard cannot take. Starting it fails, and the run shows the progress
//! line instead.

use std::io;
use std::time::Duration;

use crate::canvas::Frame;
use crate::keys::Key;

/// Whether the dashboard has the terminal: never.
pub const fn is_on_screen() -> bool {
    false
}

/// There is nothing to give back.
pub const fn restore() {}

/// A terminal that the dashboard has taken: there is none.
#[derive(Debug)]
pub(crate) enum Screen {}

impl Screen {
    pub(crate) fn take() -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "the dashboard is not available on this platform"))
    }

    pub(crate) const fn size(&self) -> (u16, u16) {
        match *self {}
    }

    pub(crate) fn draw(&mut self, _frame: Frame) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn keys(&mut self, _longest: Duration) -> io::Result<Vec<Key>> {
        match *self {}
    }
}

pub(crate) fn copy(_text: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
