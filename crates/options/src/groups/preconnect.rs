//! Rules of `--preconnect`: it needs connections that requests share, and a load that says how many it needs.

use aiperf_address::ConnectionReuse;
use aiperf_config::{EndpointConfig, PhaseConfig};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

pub(super) fn check(
    raw: &RawOptions,
    endpoint: &EndpointConfig,
    profiling: &PhaseConfig,
    force_close: bool,
) -> Result<(), ConfigError> {
    if !endpoint.preconnect {
        return Ok(());
    }
    let id = OptionId::Preconnect;
    let each_opens_its_own = |who: &str| format!("each {who} opens a connection of its own when it starts");
    match endpoint.connection_reuse {
        ConnectionReuse::Pooled => {}
        ConnectionReuse::Never if force_close => {
            return Err(ConfigError::Conflict {
                first: raw.spelling(id),
                second: "AIPERF_HTTP_FORCE_CLOSE".to_owned(),
                why: each_opens_its_own("request"),
            });
        }
        ConnectionReuse::Never => {
            return Err(raw.conflict(id, OptionId::ConnectionReuseStrategy, &each_opens_its_own("request")));
        }
        ConnectionReuse::StickyUserSessions => {
            return Err(raw.conflict(id, OptionId::ConnectionReuseStrategy, &each_opens_its_own("session")));
        }
    }
    if profiling.pace.sessions_at_once().is_none() {
        let why = "a schedule without a limit does not say how many connections it needs";
        return Err(raw.needs(id, OptionId::Concurrency, why));
    }
    Ok(())
}
