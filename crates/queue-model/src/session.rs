//! A session: requests sent to one server, without a pause, at a load that the caller changes.

use std::collections::VecDeque;

use aiperf_seed::{Seed, Stream};

use crate::load::{CompletedRequest, Load};
use crate::server::ServerModel;

#[derive(Debug)]
pub struct VirtualSession {
    server: Box<dyn ServerModel>,
    arrivals: Stream,
    load: Load,
    now_s: f64,
    next_arrival_s: f64,
    in_flight: u32,
    sent: u64,
    sent_since: Vec<f64>,
    completed: VecDeque<CompletedRequest>,
    buffer: Vec<CompletedRequest>,
}

impl VirtualSession {
    /// A session that begins with an idle server. It sends nothing until [`apply`](Self::apply) is called.
    pub fn new(server: Box<dyn ServerModel>, seed: Seed) -> Self {
        Self {
            server,
            arrivals: seed.stream("queue_model.arrivals"),
            load: Load::ClosedLoop { users: 0 },
            now_s: 0.0,
            next_arrival_s: f64::INFINITY,
            in_flight: 0,
            sent: 0,
            sent_since: Vec::new(),
            completed: VecDeque::new(),
            buffer: Vec::new(),
        }
    }

    pub fn now_s(&self) -> f64 {
        self.now_s
    }

    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// How many requests have been sent so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The times at which requests were sent since the last call, in order.
    pub fn take_sent(&mut self) -> std::vec::Drain<'_, f64> {
        self.sent_since.drain(..)
    }

    /// Sends at another load from now on. Requests in flight stay in flight.
    pub fn apply(&mut self, load: Load) {
        self.load = load;
        match load {
            Load::OpenLoop { .. } => self.schedule_arrival(),
            Load::ClosedLoop { .. } => {
                self.next_arrival_s = f64::INFINITY;
                self.refill();
            }
        }
    }

    /// Runs until a request completes, and returns it. `None` if nothing is sent and nothing is in flight.
    pub fn next_completed(&mut self) -> Option<CompletedRequest> {
        while self.completed.is_empty() {
            let event_s = self.server.next_event_s();
            if self.next_arrival_s <= event_s {
                if self.next_arrival_s.is_infinite() {
                    return None;
                }
                self.now_s = self.next_arrival_s;
                self.send();
                self.schedule_arrival();
            } else {
                self.now_s = event_s;
                self.server.advance(&mut self.buffer);
                self.in_flight -= self.buffer.len() as u32;
                self.completed.extend(self.buffer.drain(..));
                self.refill();
            }
        }
        self.completed.pop_front()
    }

    fn send(&mut self) {
        self.in_flight += 1;
        self.sent += 1;
        self.sent_since.push(self.now_s);
        self.server.arrive(self.now_s);
    }

    fn refill(&mut self) {
        if let Load::ClosedLoop { users } = self.load {
            while self.in_flight < users {
                self.send();
            }
        }
    }

    fn schedule_arrival(&mut self) {
        self.next_arrival_s = match self.load {
            Load::OpenLoop { requests_per_s } if requests_per_s > 0.0 => {
                self.now_s + self.arrivals.exponential(1.0 / requests_per_s)
            }
            _ => f64::INFINITY,
        };
    }
}
