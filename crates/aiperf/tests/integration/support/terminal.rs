//! A pseudo terminal that a program has to itself: what the program draws, which keys it gets, and what state it leaves.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_test_tools::available;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::wait_for;

/// The size of a terminal that has just been opened.
const SIZE: (u16, u16) = (80, 24);

/// Time between two looks whether the terminal was closed.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// The end of a pseudo terminal that a person sits at. [`Terminal::hang_up`] closes it.
pub(crate) struct Terminal {
    keys: File,
    /// The end of the program, so that settings can be read when the program has ended.
    pub(crate) path: PathBuf,
    shown: Arc<Mutex<Vec<u8>>>,
    is_closed: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Terminal {
    /// A new terminal, if this machine has the program that gives it to a child process.
    pub(crate) fn open() -> Option<Self> {
        if !available(&[&["setsid", "--version"]]) {
            return None;
        }
        let person: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let path = PathBuf::from(ptsname(&person, Vec::new()).unwrap().into_string().unwrap());
        let (keys, mut reading) = (File::from(person.try_clone().unwrap()), File::from(person));
        let shown = Arc::new(Mutex::new(Vec::new()));
        let terminal =
            Self { keys, path, shown: Arc::clone(&shown), is_closed: Arc::new(AtomicBool::new(false)), reader: None };
        terminal.resize(SIZE);
        let is_closed = Arc::clone(&terminal.is_closed);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while !is_closed.load(Ordering::Acquire) {
                let mut waiting = [PollFd::new(&reading, PollFlags::IN)];
                let has_text = poll(&mut waiting, Some(&LOOK)).is_ok_and(|ready| ready > 0);
                // Before the program has opened its end, and when it has closed it, there is nothing to read.
                match if has_text { reading.read(&mut bytes) } else { Ok(0) } {
                    Ok(length) => shown.lock().unwrap().extend_from_slice(&bytes[..length]),
                    Err(_) => thread::sleep(Duration::from_millis(5)),
                }
            }
        });
        Some(Self { reader: Some(reader), ..terminal })
    }

    /// Closes the terminal, as when its window is closed or its program is killed: the kernel sends SIGHUP to the session.
    pub(crate) fn hang_up(mut self) {
        self.is_closed.store(true, Ordering::Release);
        self.reader.take().unwrap().join().unwrap();
    }

    /// The end of the program.
    pub(crate) fn end_of_program(&self) -> File {
        OpenOptions::new().read(true).write(true).open(&self.path).unwrap()
    }

    pub(crate) fn resize(&self, (columns, rows): (u16, u16)) {
        let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.keys, size).unwrap();
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Everything that was written to it.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    /// The lines that a person sees now.
    pub(crate) fn screen(&self) -> String {
        screen_after(&self.shown())
    }

    /// Waits until a text stands on the screen.
    pub(crate) fn wait_for(&self, text: &str) {
        wait_for(&format!("{text:?} on the terminal"), || self.screen().contains(text).then_some(()));
    }

    /// Whether a shell could go on with it: lines are edited and echoed, and it is not on the alternate screen.
    pub(crate) fn is_restored(&self) -> bool {
        let modes = tcgetattr(self.end_of_program()).unwrap().local_modes;
        let shown = self.shown();
        let last = shown.rfind("\x1b[?1049").map(|place| shown[place..].starts_with("\x1b[?1049l"));
        modes.contains(LocalModes::ICANON | LocalModes::ECHO) && last != Some(false)
    }
}

/// Follows the few sequences that the program writes: the cursor is placed, lines and the screen are cleared, styles are left out.
fn screen_after(written: &str) -> String {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0, 0);
    let mut rest = written.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\r' => column = 0,
            '\n' => row += 1,
            '\x1b' => {
                // ESC [ parameters letter
                let mut sequence = String::new();
                for letter in rest.by_ref() {
                    sequence.push(letter);
                    if letter.is_ascii_alphabetic() {
                        break;
                    }
                }
                let numbers = sequence.trim_start_matches('[').trim_end_matches(char::is_alphabetic);
                match sequence.chars().last() {
                    Some('H') => {
                        let place = |text: &str| text.parse::<usize>().map_or(0, |number| number - 1);
                        let (line, of_line) = numbers.split_once(';').unwrap_or((numbers, ""));
                        (row, column) = (place(line), place(of_line));
                    }
                    Some('J' | 'h' | 'l') if numbers != "?25" => lines = vec![Vec::new()],
                    Some('K') => lines[row].clear(),
                    _ => {}
                }
                if matches!(sequence.as_str(), "[?1049h" | "[?1049l") {
                    (row, column) = (0, 0);
                }
            }
            letter => {
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = letter;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), Vec::new());
    }
    lines.into_iter().map(String::from_iter).collect::<Vec<_>>().join("\n")
}
