//! Takes the whole terminal, and gives it back as it was: at the end, after a panic, and when the process is about to exit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
};

use crate::canvas::{Frame, update};
use crate::keys::{Key, keys_of};

static ON_SCREEN: AtomicBool = AtomicBool::new(false);
/// The terminal and its settings before.
static BEFORE: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Alternate screen, no cursor; and back.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[0m\x1b[?25h\x1b[?1049l";
const SMALLEST: (u16, u16) = (80, 24);

/// Whether the dashboard has the terminal: nothing else may be written to it.
pub fn is_on_screen() -> bool {
    ON_SCREEN.load(Ordering::Acquire)
}

/// Gives the terminal back. May be called at any time, from any thread, and more than once.
pub fn restore() {
    if !ON_SCREEN.swap(false, Ordering::AcqRel) {
        return;
    }
    // A terminal that is gone cannot be restored, and need not be.
    let _ = write(LEAVE);
    if let Some((terminal, before)) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = tcsetattr(&terminal, OptionalActions::Flush, &before);
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// The terminal while the dashboard has it. Keys come from the controlling terminal, whatever stdin is.
#[derive(Debug)]
pub(crate) struct Screen {
    terminal: File,
    drawn: Option<Frame>,
}

impl Screen {
    pub(crate) fn take() -> io::Result<Self> {
        restore_after_panic();
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let before = tcgetattr(&terminal)?;
        let mut settings = before.clone();
        // Keys come at once and are not echoed. Ctrl-C stays a signal, which also works if the dashboard should not; Ctrl-Z and
        // Ctrl-\ would leave the terminal as it is.
        settings.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        settings.input_modes.remove(InputModes::IXON | InputModes::ICRNL);
        for code in [SpecialCodeIndex::VSUSP, SpecialCodeIndex::VQUIT] {
            settings.special_codes[code] = 0;
        }
        tcsetattr(&terminal, OptionalActions::Flush, &settings)?;
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some((terminal.try_clone()?, before));
        ON_SCREEN.store(true, Ordering::Release);
        if let Err(error) = write(ENTER) {
            restore();
            return Err(error);
        }
        Ok(Self { terminal, drawn: None })
    }

    /// Columns and rows.
    pub(crate) fn size(&self) -> (u16, u16) {
        tcgetwinsize(&self.terminal)
            .map(|size| (size.ws_col, size.ws_row))
            .ok()
            .filter(|(columns, rows)| *columns > 0 && *rows > 0)
            .unwrap_or(SMALLEST)
    }

    /// Draws a picture of the size of the terminal.
    pub(crate) fn draw(&mut self, frame: Frame) -> io::Result<()> {
        let text = update(self.drawn.as_ref(), &frame);
        self.drawn = Some(frame);
        if is_on_screen() && !text.is_empty() { write(&text) } else { Ok(()) }
    }

    /// Waits for keys; none after the time is over. An error if the terminal is gone.
    pub(crate) fn keys(&mut self, longest: Duration) -> io::Result<Vec<Key>> {
        let timeout = Timespec { tv_sec: longest.as_secs() as i64, tv_nsec: i64::from(longest.subsec_nanos()) };
        let mut waiting = [PollFd::new(&self.terminal, PollFlags::IN)];
        match poll(&mut waiting, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 256];
        match self.terminal.read(&mut bytes)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            length => Ok(keys_of(&bytes[..length])),
        }
    }
}

/// The message of a panic is for the normal screen.
fn restore_after_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            restore();
            before(about);
        }));
    });
}

/// Hands a text to the clipboard of the terminal (OSC 52).
pub(crate) fn copy(text: &str) -> io::Result<()> {
    write(&format!("\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text)))
}
