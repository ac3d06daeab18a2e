//! What shows a run while it goes on. One set of views serves all runs of a command.

mod ending;
mod facts;
mod live_server;

use std::path::Path;
use std::sync::Arc;

use aiperf_api::ApiServer;
use aiperf_config::{Config, Environment};
use aiperf_live::{LiveRun, RunEnd};

pub(crate) use ending::{cell_of, cells_of, end_of, failed};
pub(crate) use facts::facts;
pub(crate) use live_server::AfterRun;

use crate::logging;

/// The views of a command, from before its first run is prepared until its result is known.
#[derive(Debug)]
pub(crate) struct Views {
    live: Arc<LiveRun>,
    server: Option<ApiServer>,
}

impl Views {
    /// Starts what the configuration asks for. Each view attaches itself to `live`. `dir`: the folder of all files.
    pub(crate) fn start(
        live: &Arc<LiveRun>,
        config: &Config,
        _environment: &Environment,
        dir: &Path,
    ) -> anyhow::Result<Self> {
        logging::show_in(live);
        let server = live_server::start(live, config, dir)?;
        Ok(Self { live: Arc::clone(live), server })
    }

    /// Tells all views how the command ended, and ends them, except for the live interface.
    pub(crate) fn finish(self, end: RunEnd) -> AfterRun {
        let outcome = end.outcome;
        self.live.end(end);
        AfterRun { server: self.server, outcome }
    }
}
