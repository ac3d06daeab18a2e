//! The `dashboard` thread: reads keys, and draws when there is something new.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_live::{History, LiveRun, Snapshot, View};
use jiff::tz::TimeZone;

use crate::canvas::Frame;
use crate::frame;
use crate::keys::{self, Action};
use crate::panels::Scene;
use crate::terminal::{self, Screen};
use crate::theme::Theme;
use crate::view_state::ViewState;

/// The longest wait for a key before the thread looks whether there is a new snapshot, or the end.
const LOOK: Duration = Duration::from_millis(50);

/// What the dashboard asks its owner to do.
pub struct DashboardHooks {
    /// The terminal is as it was.
    pub closed: Box<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for DashboardHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DashboardHooks")
    }
}

/// Draws until it is finished or dropped, or the user leaves it.
#[derive(Debug)]
pub struct Dashboard {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    _view: View,
}

impl Dashboard {
    /// Takes the terminal.
    pub fn start(live: &Arc<LiveRun>, theme: Theme, hooks: DashboardHooks) -> io::Result<Self> {
        let view = live.attach()?;
        let stop = Arc::new(AtomicBool::new(false));
        let screen = Screen::take()?;
        let drawing = DrawingLoop {
            live: Arc::clone(live),
            theme,
            hooks,
            stop: Arc::clone(&stop),
            state: ViewState::default(),
            zone: TimeZone::system(),
        };
        let thread = thread::Builder::new().name("dashboard".into()).spawn(move || drawing.run(screen));
        if thread.is_err() {
            terminal::restore();
        }
        Ok(Self { stop, thread: Some(thread?), _view: view })
    }

    /// Closes the dashboard. If its view is paused, it stays until the user goes on or leaves.
    pub fn finish(self) {
        drop(self);
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has restored the terminal and told why.
            let _ = thread.join();
        }
    }
}

struct DrawingLoop {
    live: Arc<LiveRun>,
    theme: Theme,
    hooks: DashboardHooks,
    stop: Arc<AtomicBool>,
    state: ViewState,
    zone: TimeZone,
}

impl DrawingLoop {
    fn run(mut self, mut screen: Screen) {
        // A terminal that is gone ends the dashboard and not the run.
        let _ = self.draw_until_the_end(&mut screen);
        terminal::restore();
        (self.hooks.closed)();
    }

    fn draw_until_the_end(&mut self, screen: &mut Screen) -> io::Result<()> {
        let mut drawn = None;
        let mut history = self.live.history();
        let mut must_draw = true;
        let mut size = screen.size();
        loop {
            let snapshot = self.live.snapshot();
            if drawn.is_none_or(|seq| seq != snapshot.seq) {
                history = self.live.history();
                must_draw = true;
            }
            // The last picture of a run is worth a look only if somebody has stopped the view.
            if self.stop.load(Ordering::Acquire) && self.state.paused.is_none() || !terminal::is_on_screen() {
                return Ok(());
            }
            if must_draw {
                size = screen.size();
                self.draw(screen, size, &snapshot, &history)?;
                drawn = Some(snapshot.seq);
                must_draw = false;
            }
            for key in screen.keys(LOOK)? {
                let Some(action) = keys::action(key, self.state.is_typing) else { continue };
                must_draw = true;
                if !self.act(action, &snapshot, &history) {
                    return Ok(());
                }
            }
            must_draw |= screen.size() != size;
        }
    }

    /// Returns false if the user leaves.
    fn act(&mut self, action: Action, snapshot: &Arc<Snapshot>, history: &Arc<History>) -> bool {
        self.state.apply(action, snapshot, history);
        match action {
            Action::Quit => return false,
            Action::CopyLog => {
                let lines: Vec<String> =
                    snapshot.log.iter().map(|line| format!("{} {}", line.level, line.message)).collect();
                let copied = terminal::copy(&lines.join("\n"));
                self.state.message = Some(match copied {
                    Ok(()) => format!("{} lines of the log were handed to the clipboard of the terminal", lines.len()),
                    Err(error) => format!("the log could not be copied: {error}"),
                });
            }
            _ => {}
        }
        true
    }

    fn draw(
        &mut self,
        screen: &mut Screen,
        (columns, rows): (u16, u16),
        snapshot: &Arc<Snapshot>,
        history: &Arc<History>,
    ) -> io::Result<()> {
        let facts = self.live.facts();
        let is_over = self.stop.load(Ordering::Acquire);
        // The end is shown even if the view is paused, which keeps it on the screen.
        let (snapshot, history) = match &self.state.paused {
            Some((snapshot, history)) if !is_over => (Arc::clone(snapshot), Arc::clone(history)),
            _ => (Arc::clone(snapshot), Arc::clone(history)),
        };
        if is_over && self.state.message.is_none() {
            self.state.message = Some("The run is over. Press p or q for its report.".to_owned());
        }
        let scene = Scene {
            snapshot: &snapshot,
            history: &history,
            facts: &facts,
            state: &self.state,
            theme: self.theme,
            zone: &self.zone,
        };
        let mut picture = Frame::new(columns, rows);
        frame::draw(&mut picture, &scene);
        screen.draw(picture)
    }
}
