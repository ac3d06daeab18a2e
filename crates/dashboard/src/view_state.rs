//! What the person at the terminal has chosen.

use std::sync::Arc;

use aiperf_live::{History, Snapshot};

use crate::keys::Action;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Page {
    #[default]
    Overview,
    Progress,
    Metrics,
    Client,
    Server,
    Log,
}

impl Page {
    pub(crate) const ALL: [(Self, &'static str); 6] = [
        (Self::Overview, "overview"),
        (Self::Progress, "progress"),
        (Self::Metrics, "metrics"),
        (Self::Client, "client"),
        (Self::Server, "server"),
        (Self::Log, "log"),
    ];
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ViewState {
    pub(crate) page: Page,
    pub(crate) hides_log: bool,
    pub(crate) shows_help: bool,
    pub(crate) filter: String,
    pub(crate) is_typing: bool,
    /// Rows from the top, or from the bottom of a log.
    pub(crate) scroll: usize,
    pub(crate) columns: usize,
    /// What stands still while the view is paused.
    pub(crate) paused: Option<(Arc<Snapshot>, Arc<History>)>,
    /// A short answer to the last key.
    pub(crate) message: Option<String>,
}

impl ViewState {
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.filter.is_empty() || text.to_lowercase().contains(&self.filter.to_lowercase())
    }

    /// Does what a key asks for, as far as it concerns the view alone.
    pub(crate) fn apply(&mut self, action: Action, snapshot: &Arc<Snapshot>, history: &Arc<History>) {
        self.message = None;
        match action {
            Action::Show(page) => {
                // Pressing the number of a page again goes back, as in the reference.
                self.page = if self.page == page { Page::Overview } else { page };
                (self.scroll, self.columns, self.shows_help) = (0, 0, false);
            }
            Action::Back if self.shows_help => self.shows_help = false,
            Action::Back if self.is_typing || !self.filter.is_empty() => {
                self.is_typing = false;
                self.filter.clear();
            }
            Action::Back => (self.page, self.scroll, self.columns) = (Page::Overview, 0, 0),
            Action::HideLog => self.hides_log = !self.hides_log,
            Action::Help => self.shows_help = !self.shows_help,
            Action::Filter => {
                self.is_typing = true;
                if self.page == Page::Overview {
                    self.page = Page::Metrics;
                }
            }
            Action::Pause => {
                self.paused = match self.paused {
                    Some(_) => None,
                    None => Some((Arc::clone(snapshot), Arc::clone(history))),
                };
            }
            Action::Scroll { rows, columns } => {
                // The newest lines of a log are at its end: up goes away from it.
                let rows = if self.page == Page::Log { -rows } else { rows };
                self.scroll = self.scroll.saturating_add_signed(rows as isize);
                self.columns = self.columns.saturating_add_signed(columns as isize);
            }
            Action::ToTop => self.scroll = if self.page == Page::Log { usize::MAX } else { 0 },
            Action::ToBottom => self.scroll = if self.page == Page::Log { 0 } else { usize::MAX },
            Action::Type(letter) => self.filter.push(letter),
            Action::Erase => drop(self.filter.pop()),
            Action::Accept => self.is_typing = false,
            Action::CopyLog | Action::Quit => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(actions: &[Action]) -> ViewState {
        let (snapshot, history) = (Arc::new(Snapshot::default()), Arc::new(History::default()));
        let mut state = ViewState::default();
        for action in actions {
            state.apply(*action, &snapshot, &history);
        }
        state
    }

    #[test]
    fn a_page_is_left_by_its_own_number_and_by_escape() {
        assert_eq!(after(&[Action::Show(Page::Log)]).page, Page::Log);
        assert_eq!(after(&[Action::Show(Page::Log), Action::Show(Page::Log)]).page, Page::Overview);
        assert_eq!(after(&[Action::Show(Page::Metrics), Action::Back]).page, Page::Overview);
    }

    #[test]
    fn escape_first_ends_the_filter_then_the_page() {
        let written = [Action::Filter, Action::Type('t'), Action::Type('x'), Action::Erase, Action::Accept];
        let state = after(&written);
        assert_eq!((state.filter.as_str(), state.is_typing, state.page), ("t", false, Page::Metrics));
        assert!(state.matches("Time to First Token") && !state.matches("ISL"));
        let state = after(&[&written[..], &[Action::Back]].concat());
        assert_eq!((state.filter.as_str(), state.page), ("", Page::Metrics));
    }

    #[test]
    fn a_paused_view_keeps_its_snapshot_until_it_goes_on() {
        assert!(after(&[Action::Pause]).paused.is_some());
        assert!(after(&[Action::Pause, Action::Pause]).paused.is_none());
    }

    #[test]
    fn scrolling_never_goes_above_the_first_row() {
        let up = Action::Scroll { rows: -3, columns: 0 };
        let down = Action::Scroll { rows: 2, columns: 8 };
        assert_eq!(after(&[down, up]).scroll, 0);
        assert_eq!(after(&[Action::Show(Page::Log), up]).scroll, 3);
        assert_eq!(after(&[down]).columns, 8);
    }
}
