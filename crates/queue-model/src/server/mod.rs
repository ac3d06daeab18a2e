//! The servers. Each is a small discrete-event model: it takes arrivals and says when its next event is due.

pub(crate) mod batching;
mod crommelin;
pub(crate) mod pool;
pub(crate) mod single;

pub use crommelin::crommelin_late_share;
pub use pool::pool_late_share;

use crate::load::CompletedRequest;

/// A server on virtual time. A session calls [`arrive`](Self::arrive) and [`advance`](Self::advance) in the order of their times.
pub trait ServerModel: std::fmt::Debug {
    /// A request arrives.
    fn arrive(&mut self, now_s: f64);

    /// When the next event inside the server is due; infinite if it is idle.
    fn next_event_s(&self) -> f64;

    /// Performs the event that is due, and appends the requests that it completes.
    fn advance(&mut self, completed: &mut Vec<CompletedRequest>);
}
