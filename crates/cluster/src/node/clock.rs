//! Measures how far the node's clock is from the coordinator's, before the start and again while the run goes on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::bus::Bus;
use crate::clock_offset::{ClockReading, Probe, offset_of};
use crate::message::{ClockAnswer, decode};
use crate::names;

pub(super) const THREAD: &str = "node-clock";
/// Probes of one measurement.
const PROBES: usize = 16;
/// A probe that takes longer says nothing.
const PROBE_PATIENCE: Duration = Duration::from_millis(500);

/// The node's clock in nanoseconds since 1970.
pub(crate) type NodeClock = Box<dyn Fn() -> u64 + Send + Sync>;

pub(crate) struct ClockWatch {
    bus: Arc<dyn Bus>,
    subject: String,
    clock: Mutex<NodeClock>,
    latest: Mutex<Option<ClockReading>>,
}

impl std::fmt::Debug for ClockWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClockWatch").field("latest", &self.latest()).finish_non_exhaustive()
    }
}

impl ClockWatch {
    pub(crate) fn new(bus: Arc<dyn Bus>, run: &str, clock: NodeClock) -> Self {
        Self { bus, subject: names::clock(run), clock: Mutex::new(clock), latest: Mutex::default() }
    }

    /// From now on the node's clock is this one: readings of the earlier one are forgotten.
    pub(crate) fn set_clock(&self, clock: NodeClock) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = clock;
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Probes the coordinator. Without an answer the last measurement stays.
    pub(crate) fn measure(&self) -> Option<ClockReading> {
        let clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let mut probes = Vec::new();
        for _ in 0..PROBES {
            let sent = clock();
            let Ok(answer) = self.bus.request(&self.subject, Vec::new(), PROBE_PATIENCE) else {
                if probes.is_empty() {
                    break;
                }
                continue;
            };
            let received = clock();
            if let Ok(ClockAnswer { received_ns, sent_ns }) = decode(&self.subject, &answer) {
                probes.push(Probe { sent, coordinator_received: received_ns, coordinator_sent: sent_ns, received });
            }
        }
        let reading = offset_of(&probes)?;
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
        Some(reading)
    }

    pub(crate) fn latest(&self) -> Option<ClockReading> {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Instant;

    use aiperf_clock::{Mono, WallAnchor};

    use super::*;
    use crate::bus::{NatsAccess, NatsBus};
    use crate::message::encode;

    struct Server(Child);

    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn hand_on(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
        let (sender, pieces) = channel::<(Instant, Vec<u8>)>();
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(length) = from.read(&mut buffer) {
                if length == 0 || sender.send((Instant::now() + delay, buffer[..length].to_vec())).is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || {
            while let Ok((due, piece)) = pieces.recv() {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                if to.write_all(&piece).is_err() {
                    return;
                }
            }
        });
    }

    /// A path to this port that takes so long in each direction.
    fn slow_path(port: u16, there: Duration, back: Duration) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { return };
                for one in [&near, &far] {
                    one.set_nodelay(true).unwrap();
                }
                hand_on(near.try_clone().unwrap(), far.try_clone().unwrap(), there);
                hand_on(far, near, back);
            }
        });
        own
    }

    #[test]
    fn offsets_of_nodes_are_within_their_bounds_whatever_the_path() {
        if !aiperf_test_tools::available(&[&["nats-server", "--version"]]) {
            return;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("nats-server");
        command.args(["-a", "127.0.0.1", "-p", &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        let _server = Server(command.spawn().unwrap());
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "nats-server does not listen");
            thread::sleep(Duration::from_millis(10));
        }
        let connect = |port: u16| {
            let access =
                NatsAccess::read(&format!("nats://127.0.0.1:{port}"), &std::collections::BTreeMap::new()).unwrap();
            Arc::new(NatsBus::connect(&access, "test").unwrap())
        };
        let anchor = WallAnchor::take();
        let time = move || anchor.epoch(Mono::now()).0;
        let coordinator = connect(port);
        let answer = move |_: &[u8]| {
            let received_ns = time();
            encode(&ClockAnswer { received_ns, sent_ns: time() })
        };
        coordinator.serve(&names::clock("r"), Box::new(answer)).unwrap();
        let micros = Duration::from_micros;
        for (there, back) in [(500, 500), (900, 100), (100, 3000)] {
            let node = connect(slow_path(port, micros(there), micros(back)));
            for offset in [0_i64, 5_000_000, -250_000_000, 3_600_000_000_000] {
                let clock = Box::new(move || time().saturating_add_signed(offset));
                let reading = ClockWatch::new(Arc::clone(&node) as Arc<dyn Bus>, "r", clock).measure().unwrap();
                let error = reading.offset_ns.abs_diff(offset);
                println!(
                    "{there} us there, {back} us back, offset {} ms: error {:.3} ms, bound {:.3} ms",
                    offset / 1_000_000,
                    error as f64 / 1e6,
                    reading.bound_ns as f64 / 1e6
                );
                assert!(error <= reading.bound_ns, "{reading:?} for {offset}");
            }
        }
    }
}
