//! Connections that are opened before a request needs them. The first request on each of them carries the times of its
//! set-up in its trace.

use aiperf_address::{HttpVersion, Origin};

use crate::client::Client;
use crate::error::TransportError;
use crate::exchange::{ExchangeTrace, StageSpan};
use crate::http1::HttpConnection;

/// When the stages of a connection that was opened ahead began and ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionSetup {
    dns: Option<StageSpan>,
    connect: Option<StageSpan>,
    tls: Option<StageSpan>,
}

impl From<&ExchangeTrace> for ConnectionSetup {
    fn from(trace: &ExchangeTrace) -> Self {
        Self { dns: trace.dns, connect: trace.connect, tls: trace.tls }
    }
}

impl ExchangeTrace {
    /// The request goes over a connection that was open: used before, or opened ahead and used now for the first time.
    pub(crate) fn take_open_connection(&mut self, opened_ahead: Option<Box<ConnectionSetup>>) {
        let Some(setup) = opened_ahead else {
            self.reused = true;
            return;
        };
        self.preconnected = true;
        self.dns = setup.dns;
        self.connect = setup.connect;
        self.tls = setup.tls;
    }
}

impl Client {
    /// How many connections to `origin` must be opened so that `wanted` requests find one. With HTTP/2 they share one.
    pub fn missing_connections(&self, origin: &Origin, wanted: usize) -> usize {
        match self.settings.http_version {
            HttpVersion::Http1 => {
                wanted.min(self.settings.connection_limit).saturating_sub(self.idle_connections(origin))
            }
            HttpVersion::Http2 => usize::from(wanted > 0 && !self.has_http2_room(origin)),
        }
    }

    /// Opens a connection to `origin` and keeps it for a request that may use any connection.
    ///
    /// # Panics
    /// With HTTP/2 outside a tokio `LocalSet` or `LocalRuntime`, which keeps the connections going.
    pub async fn preconnect(&self, origin: &Origin) -> Result<(), TransportError> {
        let mut trace = ExchangeTrace::default();
        match self.settings.http_version {
            HttpVersion::Http1 => {
                let connection = self.connect(origin, &mut trace).await?;
                self.keep_idle(origin, HttpConnection(connection), Some(Box::new((&trace).into())));
                Ok(())
            }
            HttpVersion::Http2 => self.open_http2(origin, &mut trace).await,
        }
    }
}
