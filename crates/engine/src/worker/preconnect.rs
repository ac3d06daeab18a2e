//! Opens the connections that the requests of a worker will need, before they start.

use std::rc::Rc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::send::RequestSender;
use crate::control::SchedulerEvent;
use crate::request::preconnect::{ConnectionsAhead, Preconnected};

/// Connections that are being opened at the same time. A server that is asked for more of them than it has room to
/// accept drops some, and they are late by a second.
const AT_ONCE: usize = 32;

impl RequestSender {
    /// Tells the scheduler when all of them are open or have failed. Connections that are open already count.
    pub(super) async fn preconnect(self: Rc<Self>, ahead: Vec<ConnectionsAhead>) {
        let turns = Rc::new(Semaphore::new(AT_ONCE));
        let mut opening = JoinSet::new();
        for ConnectionsAhead { target, count } in ahead {
            let missing = self.client.missing_connections(&self.context.targets[target].origin, count);
            for _ in 0..missing {
                let (sender, turns) = (Rc::clone(&self), Rc::clone(&turns));
                opening.spawn_local(async move {
                    let _turn = turns.acquire().await;
                    sender.client.preconnect(&sender.context.targets[target].origin).await
                });
            }
        }
        let mut all = Preconnected::default();
        while let Some(ended) = opening.join_next().await {
            match ended {
                Ok(Ok(())) => all.opened += 1,
                Ok(Err(error)) => all.add(Preconnected { opened: 0, failed: 1, failure: Some(error.to_string()) }),
                Err(_) => all.failed += 1,
            }
        }
        let _ = self.context.events.send(SchedulerEvent::Preconnected(all));
    }
}
