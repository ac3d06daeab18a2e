//! `aiperf plot --dashboard`: where the page is.

use clap::ArgMatches;

use super::{PlotTarget, refused};
use crate::cli::CliError;

pub(super) const USUAL_HOST: &str = "127.0.0.1";
const USUAL_PORT: u16 = 8050;

/// Where the dashboard listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DashboardAddress {
    pub(crate) host: String,
    /// 0 for any free one.
    pub(crate) port: u16,
}

impl DashboardAddress {
    pub(super) fn read(matches: &ArgMatches, target: PlotTarget) -> Result<Self, CliError> {
        let text = |name: &str| matches.get_one::<String>(name);
        if target != PlotTarget::Dashboard {
            for (option, name) in [("--host", "host"), ("--port", "port")] {
                if text(name).is_some() {
                    return Err(refused(option, "has an effect only with --dashboard; add it".to_owned()));
                }
            }
        }
        let port = match text("port") {
            None => USUAL_PORT,
            Some(port) => port.parse().map_err(|_| {
                refused("--port", format!("{port:?} is not a port; use 1 to 65535, or 0 for any free one"))
            })?,
        };
        Ok(Self { host: text("host").cloned().unwrap_or_else(|| USUAL_HOST.to_owned()), port })
    }
}
