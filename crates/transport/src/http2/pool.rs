//! Which connection an HTTP/2 request takes: one that has room, else a new one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use aiperf_clock::Mono;
use tokio::sync::{Mutex, OwnedSemaphorePermit};

use super::session::{Lease, Session};
use crate::client::{Client, Reuse};
use crate::error::TransportError;
use crate::exchange::{Exchange, Span, Trace};
use crate::origin::Origin;
use crate::request::Request;
use crate::watch::Watch;

/// The open sessions of a worker.
#[derive(Debug, Default)]
pub(crate) struct Http2Pool {
    shared: RefCell<HashMap<Origin, Vec<Rc<Session>>>>,
    sticky: RefCell<HashMap<String, Rc<Session>>>,
    /// Held while a shared connection is opened, so that a burst of requests opens one and not one each.
    opening: Mutex<()>,
}

impl Http2Pool {
    /// The fullest session that has room: the fewest connections do.
    fn with_room(&self, origin: &Origin, idle_limit: Mono) -> Option<Lease> {
        let mut shared = self.shared.borrow_mut();
        let sessions = shared.get_mut(origin)?;
        sessions.retain(|session| session.is_alive() && !session.is_idle_since(idle_limit));
        let fullest = sessions.iter().filter(|session| session.has_room()).max_by_key(|session| session.requests())?;
        Some(Lease::of(Rc::clone(fullest)))
    }

    fn least_busy(&self, origin: &Origin) -> Option<Lease> {
        let shared = self.shared.borrow();
        let least = shared.get(origin)?.iter().min_by_key(|session| session.requests())?;
        Some(Lease::of(Rc::clone(least)))
    }
}

impl Client {
    /// As [`Client::send`], on a connection that other requests may share. Dropping the future resets the request only.
    pub(crate) async fn send_http2(
        &self,
        request: &Request<'_>,
        reuse: Reuse<'_>,
        exchange: &mut Exchange,
        watch: &dyn Watch,
    ) -> Result<(), TransportError> {
        let mut attempts_before = 0;
        loop {
            let began = Mono::now();
            match self.attempt_http2(request, reuse, exchange, watch).await {
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
        reuse: Reuse<'_>,
        exchange: &mut Exchange,
        watch: &dyn Watch,
    ) -> Result<(), TransportError> {
        let lease = match reuse {
            Reuse::Pooled => self.lease_shared(request.origin, &mut exchange.trace).await?,
            Reuse::Never => self.lease_new(request.origin, &mut exchange.trace).await?,
            Reuse::Sticky { key, .. } => self.lease_sticky(request.origin, key, &mut exchange.trace).await?,
        };
        exchange.trace.local = lease.session.local;
        exchange.trace.remote = lease.session.remote;
        lease.exchange(request, exchange, watch).await?;
        if let Reuse::Sticky { key, is_last: false } = reuse {
            self.http2.sticky.borrow_mut().insert(key.to_owned(), Rc::clone(&lease.session));
        }
        Ok(())
    }

    async fn lease_shared(&self, origin: &Origin, trace: &mut Trace) -> Result<Lease, TransportError> {
        let idle_limit = || Mono::now() - self.settings.keepalive;
        trace.reused = true;
        if let Some(lease) = self.http2.with_room(origin, idle_limit()) {
            return Ok(lease);
        }
        let start = Mono::now();
        let _turn = self.http2.opening.lock().await;
        if let Some(lease) = self.http2.with_room(origin, idle_limit()) {
            trace.blocked = Some(Span { start, end: Mono::now() });
            return Ok(lease);
        }
        let slot = match Arc::clone(&self.slots).try_acquire_owned() {
            Ok(slot) => Some(slot),
            // As many connections as allowed: the request waits for its turn on one of them.
            Err(_) => match self.http2.least_busy(origin) {
                Some(lease) => return Ok(lease),
                None => self.owned_slot(trace).await,
            },
        };
        trace.reused = false;
        let session = self.start_session(origin, slot, trace).await?;
        self.http2.shared.borrow_mut().entry(origin.clone()).or_default().push(Rc::clone(&session));
        Ok(Lease::of(session))
    }

    async fn lease_new(&self, origin: &Origin, trace: &mut Trace) -> Result<Lease, TransportError> {
        let slot = self.owned_slot(trace).await;
        Ok(Lease::of(self.start_session(origin, slot, trace).await?))
    }

    async fn lease_sticky(&self, origin: &Origin, key: &str, trace: &mut Trace) -> Result<Lease, TransportError> {
        let kept = self.http2.sticky.borrow_mut().remove(key).filter(|session| session.is_alive());
        match kept {
            Some(session) => {
                trace.reused = true;
                Ok(Lease::of(session))
            }
            None => self.lease_new(origin, trace).await,
        }
    }

    async fn start_session(
        &self,
        origin: &Origin,
        slot: Option<OwnedSemaphorePermit>,
        trace: &mut Trace,
    ) -> Result<Rc<Session>, TransportError> {
        let connection = self.connect(origin, trace).await?;
        Session::start(connection, slot).await
    }

    async fn owned_slot(&self, trace: &mut Trace) -> Option<OwnedSemaphorePermit> {
        if let Ok(free) = Arc::clone(&self.slots).try_acquire_owned() {
            return Some(free);
        }
        let start = Mono::now();
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        trace.blocked = Some(Span { start, end: Mono::now() });
        slot
    }
}
