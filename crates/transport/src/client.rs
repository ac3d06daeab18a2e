//! One worker thread's client: its idle connections, its looked-up names, its read buffer.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use aiperf_address::{ConnectionUse, HttpVersion, IpVersion, Origin, Proxies, SocketOptions};
use aiperf_clock::{Mono, Nanos};
use aiperf_socket::{SourceAddresses, Stamping};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::connection::{TlsSettings, for_proxy};
use crate::error::TransportError;
use crate::exchange::{BodyLimit, Exchange, ExchangeTrace, StageSpan};
use crate::http1::{HttpConnection, Receiver};
use crate::http2::Http2Pool;
use crate::observer::ExchangeObserver;
use crate::preconnect::ConnectionSetup;
use crate::redirect::is_redirect;
use crate::request::Request;
use crate::resend::Resend;

/// Large enough to take in what a burst left in the socket, small enough to stay in the cache.
const SCRATCH: usize = 64 * 1024;

/// Settings that all clients of a run share.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// Needed for `https` origins, which a redirect may lead to.
    pub tls: Option<TlsSettings>,
    pub proxies: Proxies,
    pub http_version: HttpVersion,
    pub ip_version: IpVersion,
    /// Connections in use at once; a request beyond it waits, and its trace says how long.
    pub connection_limit: usize,
    pub body_limit: BodyLimit,
    /// How long an idle connection is kept.
    pub keepalive: Nanos,
    /// How long the addresses of a name are cached.
    pub dns_cache: Nanos,
    pub socket: SocketOptions,
    /// Local addresses that connections use.
    pub sources: SourceAddresses,
    /// Whether the kernel or the reading thread stamps what is read.
    pub stamping: Stamping,
    pub resend: Resend,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            tls: None,
            proxies: Proxies::default(),
            http_version: HttpVersion::Http1,
            ip_version: IpVersion::Auto,
            connection_limit: 2_500,
            body_limit: BodyLimit::default(),
            keepalive: Nanos(300_000_000_000),
            dns_cache: Nanos(300_000_000_000),
            socket: SocketOptions::default(),
            sources: SourceAddresses::default(),
            stamping: Stamping::user(),
            resend: Resend::default(),
        }
    }
}

#[derive(Debug)]
struct Idle {
    connection: HttpConnection,
    since: Mono,
    /// Of a connection that was opened ahead and has not been used.
    opened_ahead: Option<Box<ConnectionSetup>>,
}

/// Whether the server accepted the request, or redirected it.
fn was_accepted(exchange: &Exchange) -> bool {
    exchange.is_success() || is_redirect(exchange.status)
}

/// Not `Send`: it belongs to the thread that made it.
#[derive(Debug)]
pub struct Client {
    pub(crate) settings: ClientSettings,
    pub(crate) resolved: RefCell<HashMap<Origin, (Mono, Vec<SocketAddr>)>>,
    idle: RefCell<HashMap<Origin, Vec<Idle>>>,
    sticky: RefCell<HashMap<String, HttpConnection>>,
    pub(crate) http2: Http2Pool,
    pub(crate) slots: Arc<Semaphore>,
    scratch: RefCell<Box<[u8]>>,
    receiver: Receiver,
}

impl Client {
    pub fn new(settings: ClientSettings) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(settings.connection_limit)),
            settings,
            http2: Http2Pool::default(),
            resolved: RefCell::default(),
            idle: RefCell::default(),
            sticky: RefCell::default(),
            scratch: RefCell::new(vec![0; SCRATCH].into_boxed_slice()),
            receiver: Receiver::default(),
        }
    }

    /// Receives the streamed responses of all requests whose observers are shared, without end. Something must run it
    /// while there are such requests.
    pub async fn receive(&self) {
        self.receiver.run(&self.scratch).await;
    }

    /// Sends the request and reads the whole response into `exchange`, following redirects. When the returned future is dropped, the
    /// connection is closed (HTTP/2: the request is reset) and `exchange` keeps what was read until then.
    ///
    /// # Panics
    /// With HTTP/2 outside a tokio `LocalSet`, which keeps the connections going.
    pub async fn send(
        &self,
        request: &Request<'_>,
        reuse: ConnectionUse<'_>,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(), TransportError> {
        exchange.body_limit = self.settings.body_limit;
        self.send_once(request, reuse, exchange, observer).await?;
        if is_redirect(exchange.status) {
            // Rare and large: it would take its memory in every request.
            return Box::pin(self.follow(request, reuse, exchange, observer)).await;
        }
        Ok(())
    }

    pub(crate) async fn send_once(
        &self,
        request: &Request<'_>,
        reuse: ConnectionUse<'_>,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(), TransportError> {
        if self.settings.http_version == HttpVersion::Http2 {
            return Box::pin(self.send_http2(request, reuse, exchange, observer)).await;
        }
        let through_proxy = match self.settings.proxies.of(request.origin) {
            Some(proxy) if !request.origin.scheme.is_secure() => Some(for_proxy(request, proxy)),
            _ => None,
        };
        let request = through_proxy.as_ref().unwrap_or(request);
        let _slot = self.slot(&mut exchange.trace).await;
        if let Some((kept, opened_ahead)) = self.take_open(request.origin, reuse) {
            exchange.trace.take_open_connection(opened_ahead);
            let (began, blocked) = (Mono::now(), exchange.trace.blocked);
            match self.send_over(kept, request, reuse, exchange, observer).await {
                Err(error) if self.settings.resend.allows_on_left_connection(&error, exchange) => {
                    exchange.set_attempt_aside(began);
                    exchange.trace.blocked = blocked;
                }
                done => return done,
            }
        }
        let fresh = self.connect(request.origin, &mut exchange.trace).await?;
        self.send_over(HttpConnection(fresh), request, reuse, exchange, observer).await
    }

    async fn send_over(
        &self,
        connection: HttpConnection,
        request: &Request<'_>,
        reuse: ConnectionUse<'_>,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(), TransportError> {
        exchange.trace.local = connection.0.local;
        exchange.trace.remote = connection.0.remote;
        let (connection, reusable) =
            connection.exchange(request, &self.receiver, &self.scratch, exchange, observer).await?;
        match reuse {
            ConnectionUse::Pooled if reusable => self.keep_idle(request.origin, connection, None),
            ConnectionUse::Sticky { key, is_last: false } if reusable && was_accepted(exchange) => {
                self.sticky.borrow_mut().insert(key.to_owned(), connection);
            }
            ConnectionUse::Pooled | ConnectionUse::Never | ConnectionUse::Sticky { .. } => {}
        }
        Ok(())
    }

    /// Waits for a free connection slot. The semaphore is never closed, so there is always one in the end.
    async fn slot(&self, trace: &mut ExchangeTrace) -> Option<SemaphorePermit<'_>> {
        if let Ok(free) = self.slots.try_acquire() {
            return Some(free);
        }
        let start = Mono::now();
        let slot = self.slots.acquire().await.ok();
        trace.blocked = Some(StageSpan { start, end: Mono::now() });
        slot
    }

    /// An open connection, and the times of its set-up if it was opened ahead.
    fn take_open(
        &self,
        origin: &Origin,
        reuse: ConnectionUse<'_>,
    ) -> Option<(HttpConnection, Option<Box<ConnectionSetup>>)> {
        match reuse {
            ConnectionUse::Pooled => self.take_idle(origin).map(|idle| (idle.connection, idle.opened_ahead)),
            ConnectionUse::Never => None,
            ConnectionUse::Sticky { key, .. } => {
                let kept = self.sticky.borrow_mut().remove(key).filter(HttpConnection::is_alive);
                kept.map(|connection| (connection, None))
            }
        }
    }

    /// The connection used last is taken first: it is the least likely to have been closed by the server.
    fn take_idle(&self, origin: &Origin) -> Option<Idle> {
        let mut idle = self.idle.borrow_mut();
        let waiting = idle.get_mut(origin)?;
        let oldest = Mono::now() - self.settings.keepalive;
        while let Some(idle) = waiting.pop() {
            if idle.since >= oldest && idle.connection.is_alive() {
                return Some(idle);
            }
        }
        None
    }

    /// How many connections wait for a request. Those that the server has closed are dropped.
    pub(crate) fn idle_connections(&self, origin: &Origin) -> usize {
        let mut idle = self.idle.borrow_mut();
        let Some(waiting) = idle.get_mut(origin) else { return 0 };
        let oldest = Mono::now() - self.settings.keepalive;
        waiting.retain(|idle| idle.since >= oldest && idle.connection.is_alive());
        waiting.len()
    }

    pub(crate) fn keep_idle(
        &self,
        origin: &Origin,
        connection: HttpConnection,
        opened_ahead: Option<Box<ConnectionSetup>>,
    ) {
        let idle = Idle { connection, since: Mono::now(), opened_ahead };
        let mut all = self.idle.borrow_mut();
        match all.get_mut(origin) {
            Some(waiting) => waiting.push(idle),
            None => {
                all.insert(origin.clone(), vec![idle]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
