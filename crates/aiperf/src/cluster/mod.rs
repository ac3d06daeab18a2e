//! Runs on several nodes: `aiperf profile --nodes`, `aiperf node` and `aiperf attach`.

mod coordinate;
mod kept_count;
mod live_feed;
mod node;
mod reporter;
mod results;
mod spec;
mod view;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aiperf_seed::Stream;

pub(crate) use coordinate::{attach, coordinate};
pub(crate) use node::node;
pub(crate) use reporter::report_if_asked;

use crate::interrupts::Interrupts;
use crate::profile::INTERRUPTED;

/// Exit code of a run that lost nodes and went on without them.
const NODES_LOST: u8 = 5;

/// A flag that the first Ctrl-C sets; the second one ends the process.
fn stop_flag(interrupts: &Interrupts, first: &'static str) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let own = Arc::clone(&flag);
    interrupts.call(move || {
        if own.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        eprintln!("{first}");
    });
    flag
}

/// An id that no other process has.
fn new_id() -> String {
    let mut id = Stream::from_entropy().uuid().simple().to_string();
    id.truncate(12);
    id
}
