//! What shows a run while it goes on. One set of views serves all runs of a command.

mod ending;
mod facts;

use std::sync::Arc;

use aiperf_config::{Config, Environment};
use aiperf_live::{LiveRun, RunEnd};

pub(crate) use ending::{cell_of, cells_of, end_of, failed};
pub(crate) use facts::facts;

use crate::logging;

/// The views of a command, from before its first run is prepared until its result is known.
#[derive(Debug)]
pub(crate) struct Views {
    live: Arc<LiveRun>,
}

impl Views {
    /// Starts what the configuration asks for. Each view attaches itself to `live`.
    pub(crate) fn start(live: &Arc<LiveRun>, _config: &Config, _environment: &Environment) -> anyhow::Result<Self> {
        logging::show_in(live);
        Ok(Self { live: Arc::clone(live) })
    }

    /// Tells all views how the command ended, and ends them.
    pub(crate) fn finish(self, end: RunEnd) {
        self.live.end(end);
    }
}
