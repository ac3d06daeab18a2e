//! Variables about sockets and names: `AIPERF_HTTP_SO_*`, `AIPERF_HTTP_TCP_*`, `AIPERF_HTTP_*_DNS_CACHE`.

use std::time::Duration;

use aiperf_address::SocketOptions;
use aiperf_config::Tuning;

use super::Variables;
use crate::ConfigError;
use crate::grammar::number;

impl Variables<'_> {
    pub(super) fn socket(&self) -> Result<SocketOptions, ConfigError> {
        let default = SocketOptions::default();
        let seconds =
            |name: &str, default: Duration| self.int(name, default.as_secs(), 1, 100_000).map(Duration::from_secs);
        Ok(SocketOptions {
            receive_buffer: self.buffer("AIPERF_HTTP_SO_RCVBUF")?,
            send_buffer: self.buffer("AIPERF_HTTP_SO_SNDBUF")?,
            keepalive_idle: seconds("AIPERF_HTTP_TCP_KEEPIDLE", default.keepalive_idle)?,
            keepalive_interval: seconds("AIPERF_HTTP_TCP_KEEPINTVL", default.keepalive_interval)?,
            keepalive_count: self.int("AIPERF_HTTP_TCP_KEEPCNT", default.keepalive_count, 1, 100)?,
            user_timeout: self
                .int("AIPERF_HTTP_TCP_USER_TIMEOUT", default.user_timeout.as_millis() as u64, 1, 1_000_000)
                .map(Duration::from_millis)?,
        })
    }

    pub(super) fn dns_cache(&self) -> Result<Duration, ConfigError> {
        let kept = self.truth("AIPERF_HTTP_USE_DNS_CACHE", true)?;
        let time = self.int("AIPERF_HTTP_TTL_DNS_CACHE", Tuning::default().dns_cache.as_secs(), 0, 1_000_000)?;
        Ok(if kept { Duration::from_secs(time) } else { Duration::ZERO })
    }

    fn buffer(&self, name: &str) -> Result<Option<usize>, ConfigError> {
        self.read(name, None, "must be a number of bytes, 1024 or more, or auto", |text| {
            if text.eq_ignore_ascii_case("auto") {
                return Some(None);
            }
            let bytes = number::int(text).filter(|bytes| (1024..=i128::from(i32::MAX)).contains(bytes))?;
            usize::try_from(bytes).ok().map(Some)
        })
    }
}
