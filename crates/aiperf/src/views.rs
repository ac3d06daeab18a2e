//! What shows a run while it goes on. One set of views serves all runs of a command.

mod ending;
mod facts;
mod live_server;

use std::path::Path;
use std::sync::Arc;

use aiperf_config::{Config, Environment, UiKind};
use aiperf_dashboard::{Dashboard, DashboardHooks, Theme};
use aiperf_live::{LiveRun, RunEnd};

pub(crate) use ending::{cell_of, cells_of, end_of, end_of_report, failed};
pub(crate) use facts::facts;
pub(crate) use live_server::AfterRun;
use live_server::LiveServer;

use crate::{logging, screen};

/// The views of a command, from before its first run is prepared until its result is known.
#[derive(Debug)]
pub(crate) struct Views {
    live: Arc<LiveRun>,
    server: Option<LiveServer>,
    dashboard: Option<Dashboard>,
}

impl Views {
    /// Starts what the configuration asks for. Each view attaches itself to `live`. `dir`: the folder of all files.
    pub(crate) fn start(
        live: &Arc<LiveRun>,
        config: &Config,
        environment: &Environment,
        dir: &Path,
    ) -> anyhow::Result<Self> {
        logging::show_in(live);
        let server = live_server::start(live, config, environment, dir)?;
        let dashboard = (config.output.ui == UiKind::Dashboard).then(|| dashboard(live, environment));
        Ok(Self { live: Arc::clone(live), server, dashboard: dashboard.flatten() })
    }

    /// Whether the terminal shows the dashboard.
    pub(crate) fn has_dashboard(&self) -> bool {
        self.dashboard.is_some()
    }

    /// Tells all views how the command ended, and ends them, except for the live interface.
    pub(crate) fn finish(self, end: RunEnd) -> AfterRun {
        let outcome = end.outcome;
        self.live.end(end);
        drop(self.dashboard);
        AfterRun { server: self.server, outcome }
    }
}

/// If the terminal cannot be taken, the run goes on without the dashboard.
fn dashboard(live: &Arc<LiveRun>, environment: &Environment) -> Option<Dashboard> {
    let theme = Theme::of(|name| environment.variables.get(name).cloned());
    let hooks = DashboardHooks { closed: Box::new(screen::release) };
    match Dashboard::start(live, theme, hooks) {
        Ok(dashboard) => Some(dashboard),
        Err(error) => {
            log::warn!("the dashboard cannot be shown on this terminal: {error}; a progress line is shown instead");
            None
        }
    }
}
