//! Several servers with one queue, such as replicas behind a load balancer: M/M/k.

use std::collections::VecDeque;

use aiperf_seed::{Seed, Stream};

use super::ServerModel;
use super::single::ServiceTime;
use crate::load::CompletedRequest;

#[derive(Debug)]
pub struct ServerPool {
    servers: usize,
    service: ServiceTime,
    draws: Stream,
    waiting: VecDeque<f64>,
    /// Requests that are worked on: when each one ends, and when it arrived.
    busy: Vec<(f64, f64)>,
}

impl ServerPool {
    pub fn new(servers: usize, service: ServiceTime, seed: Seed) -> Self {
        let draws = seed.stream("queue_model.service");
        Self { servers, service, draws, waiting: VecDeque::new(), busy: Vec::with_capacity(servers) }
    }

    fn begin(&mut self, now_s: f64, arrival_s: f64) {
        let finish_s = now_s + self.service.draw(&mut self.draws);
        self.busy.push((finish_s, arrival_s));
    }

    /// The request that ends next.
    fn first(&self) -> Option<usize> {
        (0..self.busy.len()).min_by(|&a, &b| self.busy[a].0.total_cmp(&self.busy[b].0))
    }
}

impl ServerModel for ServerPool {
    fn arrive(&mut self, now_s: f64) {
        if self.busy.len() < self.servers {
            self.begin(now_s, now_s);
        } else {
            self.waiting.push_back(now_s);
        }
    }

    fn next_event_s(&self) -> f64 {
        self.first().map_or(f64::INFINITY, |index| self.busy[index].0)
    }

    fn advance(&mut self, completed: &mut Vec<CompletedRequest>) {
        let Some(index) = self.first() else { return };
        let (now_s, arrival_s) = self.busy.swap_remove(index);
        completed.push(CompletedRequest { arrival_s, first_token_s: now_s, finish_s: now_s });
        if let Some(arrival_s) = self.waiting.pop_front() {
            self.begin(now_s, arrival_s);
        }
    }
}

/// The share of requests of an M/M/k queue that take longer than `limit_s` (Erlang's C formula for the share that waits).
pub fn pool_late_share(requests_per_s: f64, servers: u32, service_s: f64, limit_s: f64) -> f64 {
    let (load, servers) = (requests_per_s * service_s, f64::from(servers));
    if load >= servers {
        return 1.0;
    }
    // Erlang's B by its recursion, then C from it.
    let blocked = (1..=servers as u32).fold(1.0, |blocked, k| load * blocked / (f64::from(k) + load * blocked));
    let waits = blocked / (1.0 - load / servers * (1.0 - blocked));
    let served = (-limit_s / service_s).exp();
    let spare = servers - load - 1.0;
    let waited =
        if spare.abs() < 1e-9 { limit_s / service_s } else { -(-spare * limit_s / service_s).exp_m1() / spare };
    served * (1.0 + waits * waited)
}
