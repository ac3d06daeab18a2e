//! `AIPERF_OTEL_*`: when and how much is sent to an OpenTelemetry collector.

use aiperf_config::OtelSending;

use super::Variables;
use crate::ConfigError;

impl Variables<'_> {
    pub(super) fn otel(&self) -> Result<OtelSending, ConfigError> {
        let default = OtelSending::default();
        Ok(OtelSending {
            flush_interval: self.seconds("AIPERF_OTEL_FLUSH_INTERVAL_SECONDS", default.flush_interval, 0.1, 60.0)?,
            batch: self.int("AIPERF_OTEL_MAX_BATCH_RECORDS", default.batch, 1, 1_000_000)?,
            buffer: self.int("AIPERF_OTEL_MAX_BUFFERED_RECORDS", default.buffer, 1, 10_000_000)?,
            timeout: self.seconds("AIPERF_OTEL_REQUEST_TIMEOUT_SECONDS", default.timeout, 0.1, 300.0)?,
        })
    }
}
