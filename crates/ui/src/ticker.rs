//! A thread that redraws the progress line on stderr: in place on a terminal, now and then as plain lines elsewhere.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::line::{Snapshot, Transfer, render, render_transfer};

/// True while a line stands on the terminal that other output must not run into.
static DRAWN: AtomicBool = AtomicBool::new(false);

#[derive(Debug, Clone, Copy)]
pub enum Style {
    /// Redrawn in place, ten times a second, in as many columns as there are then: a terminal may be resized at any time.
    Terminal { columns: fn() -> usize },
    /// A new line every few seconds, for logs.
    Plain,
}

impl Style {
    fn columns(self) -> usize {
        match self {
            Self::Terminal { columns } => columns(),
            Self::Plain => usize::MAX,
        }
    }
}

/// Draws until it is dropped.
#[derive(Debug)]
pub struct ProgressLine {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// `snapshot` is asked for the state at each redraw; `None` draws nothing.
    pub fn start(style: Style, snapshot: Arc<dyn Fn() -> Option<Snapshot> + Send + Sync>) -> Self {
        Self::drawing(style, move |columns| snapshot().map(|snapshot| render(&snapshot, columns)))
    }

    /// The same for a file that is being downloaded.
    pub fn of_download(style: Style, transfer: impl Fn() -> Option<Transfer> + Send + 'static) -> Self {
        Self::drawing(style, move |columns| transfer().map(|transfer| render_transfer(&transfer, columns)))
    }

    fn drawing(style: Style, line: impl Fn(usize) -> Option<String> + Send + 'static) -> Self {
        let (stop, stopped) = channel::<()>();
        let pause = match style {
            Style::Terminal { .. } => Duration::from_millis(100),
            Style::Plain => Duration::from_secs(5),
        };
        // Without a thread there is no progress to see; the run itself does not need it.
        let thread = thread::Builder::new()
            .name("progress".into())
            .spawn(move || {
                while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    match line(style.columns()) {
                        Some(line) => draw(style, &line),
                        None => clear_line(),
                    }
                }
                clear_line();
            })
            .ok();
        Self { stop: Some(stop), thread }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn draw(style: Style, line: &str) {
    let mut err = std::io::stderr().lock();
    // A closed stderr only means that nobody watches.
    let _ = match style {
        Style::Terminal { .. } => {
            DRAWN.store(true, Ordering::Relaxed);
            write!(err, "\r\x1b[2K{line}")
        }
        Style::Plain => writeln!(err, "{line}"),
    };
    let _ = err.flush();
}

/// Takes the progress line off the terminal so that other text can be written; the next redraw brings it back.
pub fn clear_line() {
    if DRAWN.swap(false, Ordering::Relaxed) {
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "\r\x1b[2K");
        let _ = err.flush();
    }
}
