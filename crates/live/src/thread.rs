//! The `live` thread: makes a snapshot five times a second for as long as a view is attached.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use aiperf_clock::Mono;

use crate::run::LiveRun;

/// Time between two snapshots.
pub(crate) const INTERVAL: Duration = Duration::from_millis(200);

pub(crate) fn start(run: &Arc<LiveRun>) -> std::io::Result<()> {
    let run = Arc::clone(run);
    let work = move || {
        while run.is_watched() {
            run.tick(Mono::now());
            run.sleep(INTERVAL);
        }
    };
    thread::Builder::new().name("live".into()).spawn(work).map(drop)
}
