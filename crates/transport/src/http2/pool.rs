//! Which connection an HTTP/2 request takes: one that has room, else a new one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use aiperf_address::{ConnectionUse, Origin};
use aiperf_clock::Mono;
use tokio::sync::{Mutex, OwnedSemaphorePermit};

use super::connection::{Http2Connection, StreamLease};
use crate::client::Client;
use crate::error::TransportError;
use crate::exchange::{Exchange, ExchangeTrace, StageSpan};
use crate::observer::ExchangeObserver;
use crate::request::Request;

/// The open HTTP/2 connections of a worker.
#[derive(Debug, Default)]
pub(crate) struct Http2Pool {
    shared: RefCell<HashMap<Origin, Vec<Rc<Http2Connection>>>>,
    sticky: RefCell<HashMap<String, Rc<Http2Connection>>>,
    /// Held while a shared connection is opened, so that a burst of requests opens one and not one each.
    opening: Mutex<()>,
}

impl Http2Pool {
    /// The fullest connection that has room, so that as few as possible are open.
    fn with_room(&self, origin: &Origin, idle_limit: Mono) -> Option<StreamLease> {
        let mut shared = self.shared.borrow_mut();
        let connections = shared.get_mut(origin)?;
        connections.retain(|connection| connection.is_alive() && !connection.is_idle_since(idle_limit));
        let fullest = connections
            .iter()
            .filter(|connection| connection.has_room())
            .max_by_key(|connection| connection.requests())?;
        Some(StreamLease::of(Rc::clone(fullest)))
    }

    fn least_busy(&self, origin: &Origin) -> Option<StreamLease> {
        let shared = self.shared.borrow();
        let least = shared.get(origin)?.iter().min_by_key(|connection| connection.requests())?;
        Some(StreamLease::of(Rc::clone(least)))
    }
}

impl Client {
    /// As [`Client::send`], on a connection that other requests may share. Dropping the future resets the request only.
    pub(crate) async fn send_http2(
        &self,
        request: &Request<'_>,
        reuse: ConnectionUse<'_>,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(), TransportError> {
        let mut attempts_before = 0;
        loop {
            let began = Mono::now();
            match self.attempt_http2(request, reuse, exchange, observer).await {
                Err(error) if self.settings.resend.allows_when_not_taken(&error, exchange, attempts_before) => {
                    attempts_before += 1;
                    exchange.set_attempt_aside(began);
                }
                done => return done,
            }
        }
    }

    async fn attempt_http2(
        &self,
        request: &Request<'_>,
        reuse: ConnectionUse<'_>,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(), TransportError> {
        let lease = match reuse {
            ConnectionUse::Pooled => self.lease_shared(request.origin, &mut exchange.trace).await?,
            ConnectionUse::Never => self.lease_new(request.origin, &mut exchange.trace).await?,
            ConnectionUse::Sticky { key, .. } => self.lease_sticky(request.origin, key, &mut exchange.trace).await?,
        };
        exchange.trace.local = lease.connection.local;
        exchange.trace.remote = lease.connection.remote;
        lease.exchange(request, exchange, observer).await?;
        if let ConnectionUse::Sticky { key, is_last: false } = reuse {
            self.http2.sticky.borrow_mut().insert(key.to_owned(), Rc::clone(&lease.connection));
        }
        Ok(())
    }

    async fn lease_shared(&self, origin: &Origin, trace: &mut ExchangeTrace) -> Result<StreamLease, TransportError> {
        let idle_limit = || Mono::now() - self.settings.keepalive;
        if let Some(lease) = self.http2.with_room(origin, idle_limit()) {
            trace.take_open_connection(lease.connection.opened_ahead.take());
            return Ok(lease);
        }
        let start = Mono::now();
        let _turn = self.http2.opening.lock().await;
        if let Some(lease) = self.http2.with_room(origin, idle_limit()) {
            trace.take_open_connection(lease.connection.opened_ahead.take());
            trace.blocked = Some(StageSpan { start, end: Mono::now() });
            return Ok(lease);
        }
        let slot = match Arc::clone(&self.slots).try_acquire_owned() {
            Ok(slot) => Some(slot),
            // All allowed connections are open: the request waits on one of them.
            Err(_) => match self.http2.least_busy(origin) {
                Some(lease) => {
                    trace.reused = true;
                    return Ok(lease);
                }
                None => self.owned_slot(trace).await,
            },
        };
        let connection = self.start_connection(origin, slot, trace).await?;
        self.http2.shared.borrow_mut().entry(origin.clone()).or_default().push(Rc::clone(&connection));
        Ok(StreamLease::of(connection))
    }

    /// Whether a request to `origin` finds an open connection.
    pub(crate) fn has_http2_room(&self, origin: &Origin) -> bool {
        self.http2.with_room(origin, Mono::now() - self.settings.keepalive).is_some()
    }

    /// Opens a connection that requests may share, before there are any.
    pub(crate) async fn open_http2(&self, origin: &Origin, trace: &mut ExchangeTrace) -> Result<(), TransportError> {
        let lease = self.lease_shared(origin, trace).await?;
        lease.connection.opened_ahead.replace(Some(Box::new((&*trace).into())));
        Ok(())
    }

    async fn lease_new(&self, origin: &Origin, trace: &mut ExchangeTrace) -> Result<StreamLease, TransportError> {
        let slot = self.owned_slot(trace).await;
        Ok(StreamLease::of(self.start_connection(origin, slot, trace).await?))
    }

    async fn lease_sticky(
        &self,
        origin: &Origin,
        key: &str,
        trace: &mut ExchangeTrace,
    ) -> Result<StreamLease, TransportError> {
        let kept = self.http2.sticky.borrow_mut().remove(key).filter(|connection| connection.is_alive());
        match kept {
            Some(connection) => {
                trace.reused = true;
                Ok(StreamLease::of(connection))
            }
            None => self.lease_new(origin, trace).await,
        }
    }

    async fn start_connection(
        &self,
        origin: &Origin,
        slot: Option<OwnedSemaphorePermit>,
        trace: &mut ExchangeTrace,
    ) -> Result<Rc<Http2Connection>, TransportError> {
        let connection = self.connect(origin, trace).await?;
        Http2Connection::start(connection, slot).await
    }

    async fn owned_slot(&self, trace: &mut ExchangeTrace) -> Option<OwnedSemaphorePermit> {
        if let Ok(free) = Arc::clone(&self.slots).try_acquire_owned() {
            return Some(free);
        }
        let start = Mono::now();
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        trace.blocked = Some(StageSpan { start, end: Mono::now() });
        slot
    }
}
