//! Checks before the first request whether this machine has enough file descriptors and local ports for the connections of the
//! load. A connection without them would count as a failed request.

use std::collections::HashSet;
use std::fs;
use std::net::IpAddr;

use aiperf_address::{ConnectionReuse, HttpVersion, Scheme};
use aiperf_config::{Config, Pace, PhaseConfig};

use crate::error::RunError;
use crate::prepare::target::Targets;
use crate::watch::process::open_descriptors;

/// Descriptors that each worker thread opens: two to wait for sockets, one to be woken by, one timer.
const OF_EACH_WORKER: u64 = 4;
/// An open loop has as many requests in flight as come while one is answered. Long responses take some ten seconds.
const LONG_RESPONSE_SECONDS: f64 = 10.0;
/// How long a port that was closed cannot be used for another connection to the same address (`TIME_WAIT` on Linux).
const PORT_REST_SECONDS: f64 = 60.0;

/// What is available for connections; `None` if unknown or not relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ConnectionRoom {
    descriptors: Option<DescriptorRoom>,
    ports: Option<PortRoom>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DescriptorRoom {
    limit: u64,
    /// Open already, or sure to be opened for something else than connections.
    taken: u64,
    /// What one connection takes: two if the server is in this process.
    each: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PortRoom {
    count: u64,
    /// Every address of the servers is known, so that no further one can have further ports.
    is_all: bool,
}

/// What a phase will need.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ConnectionNeed {
    /// A closed loop opens them for certain, an open loop if responses take long.
    is_certain: bool,
    connections: u64,
    /// Connections opened in the time that a closed port cannot be used, if each request opens one.
    in_port_rest: u64,
}

/// Refuses a closed loop that cannot run, and warns of an open loop that may not.
pub(crate) fn check(
    config: &Config,
    phases: &[PhaseConfig],
    targets: &Targets,
    workers: usize,
    connection_limit: usize,
) -> Result<(), RunError> {
    // Requests share the connections of HTTP/2.
    if config.endpoint.http_version == HttpVersion::Http2 || config.endpoint.wire.is_grpc() {
        return Ok(());
    }
    let room = ConnectionRoom::of(config, targets, workers);
    let most = (workers as u64).saturating_mul(connection_limit as u64);
    for phase in phases {
        let need = ConnectionNeed::of(phase, config.endpoint.connection_reuse);
        let problem = room.problem(&ConnectionNeed { connections: need.connections.min(most), ..need });
        match problem {
            Some(CapacityProblem { is_certain: true, text }) => return Err(RunError::NoRoom(text)),
            Some(CapacityProblem { is_certain: false, text }) => log::warn!("{text}"),
            None => {}
        }
    }
    Ok(())
}

impl ConnectionNeed {
    fn of(phase: &PhaseConfig, reuse: ConnectionReuse) -> Self {
        let requests = [phase.stop.requests, phase.stop.sessions].into_iter().flatten().min().unwrap_or(u64::MAX);
        let rate = peak_rate(&phase.pace);
        let by_rate = rate.map_or(u64::MAX, |rate| (rate * LONG_RESPONSE_SECONDS).ceil() as u64);
        let ceiling = phase.pace.session_limit().map_or(u64::MAX, |limit| limit as u64);
        let connections = ceiling.min(requests).min(by_rate);
        let in_port_rest = match (reuse, rate) {
            (ConnectionReuse::Never, Some(rate)) => ((rate * PORT_REST_SECONDS).ceil() as u64).min(requests),
            _ => 0,
        };
        let is_certain = matches!(phase.pace, Pace::Concurrency(_));
        // Nothing is known of a load without a limit or a rate.
        let connections = if connections == u64::MAX { 0 } else { connections };
        Self { is_certain, connections, in_port_rest }
    }
}

fn peak_rate(pace: &Pace) -> Option<f64> {
    match pace {
        Pace::Rate { rate, .. } => rate.points.iter().map(|point| point.per_second).reduce(f64::max),
        Pace::UserCentric { per_second, .. } => Some(*per_second),
        Pace::Concurrency(_) | Pace::FixedSchedule { .. } | Pace::AgenticReplay(_) | Pace::Controlled(_) => None,
    }
}

struct CapacityProblem {
    is_certain: bool,
    text: String,
}

impl ConnectionRoom {
    fn of(config: &Config, targets: &Targets, workers: usize) -> Self {
        let in_this_process = targets.simulated().count() == targets.requests.len();
        let descriptors = open_descriptors().map(|used| DescriptorRoom {
            limit: used.limit,
            taken: used.open + OF_EACH_WORKER * workers as u64,
            each: if in_this_process { 2 } else { 1 },
        });
        Self { descriptors, ports: PortRoom::of(config, targets) }
    }

    fn problem(&self, need: &ConnectionNeed) -> Option<CapacityProblem> {
        self.few_descriptors(need).or_else(|| self.few_ports(need))
    }

    fn few_descriptors(&self, need: &ConnectionNeed) -> Option<CapacityProblem> {
        let DescriptorRoom { limit, taken, each } = self.descriptors?;
        let wanted = taken.saturating_add(need.connections.saturating_mul(each));
        if wanted <= limit {
            return None;
        }
        let connections = need.connections;
        let allowed = limit.saturating_sub(taken) / each;
        let text = if need.is_certain {
            format!(
                "--concurrency: {connections} connections need {wanted} file descriptors, but this process may open {limit}, \
                 enough for {allowed} connections. Raise the limit (ulimit -n {wanted}), or lower --concurrency"
            )
        } else {
            format!(
                "The load may need {connections} connections at once (with responses of {LONG_RESPONSE_SECONDS} s), but the file \
                 descriptor limit of {limit} is enough for {allowed}: requests beyond that fail. Raise the limit \
                 (ulimit -n {wanted}), lower the rate, or set --concurrency {allowed}"
            )
        };
        Some(CapacityProblem { is_certain: need.is_certain, text })
    }

    fn few_ports(&self, need: &ConnectionNeed) -> Option<CapacityProblem> {
        let PortRoom { count, is_all } = self.ports?;
        let connections = need.connections;
        if connections > count {
            let text = format!(
                "--concurrency: {connections} connections need as many local ports, but this machine has {count} for the \
                 server's address. Widen net.ipv4.ip_local_port_range, send from several addresses (--source-address), or lower \
                 --concurrency"
            );
            return Some(CapacityProblem { is_certain: need.is_certain && is_all, text });
        }
        let opened = need.in_port_rest;
        (opened > count).then(|| CapacityProblem {
            is_certain: false,
            text: format!(
                "Without reuse of connections the load opens {opened} connections in {PORT_REST_SECONDS} s, but this machine has \
                 {count} local ports for the server's address, and a closed port may be unusable for that long: requests \
                 may fail. Use --connection-reuse-strategy pooled, send from several addresses (--source-address), or lower \
                 the rate"
            ),
        })
    }
}

impl PortRoom {
    /// Every address of a server has its own set of ports, and so has every address that connections leave from.
    fn of(config: &Config, targets: &Targets) -> Option<Self> {
        let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
        let origins: HashSet<_> = targets.requests.iter().map(|target| &target.origin).collect();
        if origins.iter().any(|origin| origin.scheme == Scheme::Unix) {
            return None;
        }
        let sources = config.endpoint.source_addresses.len().max(1);
        let count = ports_in(&range)?.saturating_mul((origins.len() * sources) as u64);
        Some(Self { count, is_all: origins.iter().all(|origin| origin.host.parse::<IpAddr>().is_ok()) })
    }
}

/// The first and the last port, apart by white space.
fn ports_in(range: &str) -> Option<u64> {
    let mut ends = range.split_whitespace().map(str::parse::<u64>);
    let (first, last) = (ends.next()?.ok()?, ends.next()?.ok()?);
    last.checked_sub(first).map(|span| span + 1)
}

#[cfg(test)]
mod tests {
    use aiperf_config::{Arrival, PhaseKind, RateCurve, StopConditions};

    use super::*;

    fn phase(pace: Pace, requests: Option<u64>) -> PhaseConfig {
        PhaseConfig::new(PhaseKind::Profiling, pace, StopConditions { requests, ..StopConditions::default() })
    }

    fn rate(per_second: f64, ceiling: Option<usize>) -> Pace {
        Pace::Rate { rate: RateCurve::constant(per_second), arrival: Arrival::Poisson, ceiling }
    }

    fn need(pace: Pace, requests: Option<u64>) -> ConnectionNeed {
        ConnectionNeed::of(&phase(pace, requests), ConnectionReuse::Pooled)
    }

    const SMALL: ConnectionRoom =
        ConnectionRoom { descriptors: Some(DescriptorRoom { limit: 64, taken: 20, each: 1 }), ports: None };

    #[test]
    fn a_closed_loop_needs_its_concurrency_and_no_more_than_its_requests() {
        assert_eq!(need(Pace::Concurrency(200), None).connections, 200);
        assert_eq!(need(Pace::Concurrency(200), Some(10)).connections, 10);
        assert!(need(Pace::Concurrency(200), None).is_certain);
    }

    #[test]
    fn an_open_loop_needs_what_comes_while_a_long_response_is_read() {
        let open = need(rate(100.0, None), None);
        assert_eq!((open.connections, open.is_certain), (1_000, false));
        assert_eq!(need(rate(100.0, Some(50)), None).connections, 50);
        assert_eq!(need(rate(100.0, None), Some(80)).connections, 80);
        let schedule = Pace::FixedSchedule { zero: aiperf_config::ScheduleZero::Earliest, ceiling: None };
        assert_eq!(need(schedule, None).connections, 0, "nothing is known of it");
    }

    #[test]
    fn a_closed_loop_beyond_the_descriptor_limit_is_refused_with_figures_and_an_open_loop_is_warned_of() {
        assert!(SMALL.problem(&need(Pace::Concurrency(44), None)).is_none());
        let closed = SMALL.problem(&need(Pace::Concurrency(45), None)).unwrap();
        assert!(closed.is_certain);
        for part in ["45 connections", "65 file descriptors", "may open 64", "enough for 44", "ulimit -n 65"] {
            assert!(closed.text.contains(part), "{part}: {}", closed.text);
        }
        let open = SMALL.problem(&need(rate(10.0, None), None)).unwrap();
        assert!(!open.is_certain && open.text.contains("enough for 44"), "{}", open.text);
    }

    #[test]
    fn a_server_in_this_process_takes_a_descriptor_for_each_connection_too() {
        let both = ConnectionRoom { descriptors: Some(DescriptorRoom { limit: 64, taken: 20, each: 2 }), ports: None };
        assert!(both.problem(&need(Pace::Concurrency(22), None)).is_none());
        assert!(both.problem(&need(Pace::Concurrency(23), None)).is_some());
    }

    #[test]
    fn ports_limit_connections_at_once_and_where_they_are_not_reused_those_of_a_minute() {
        let room = |is_all| ConnectionRoom { descriptors: None, ports: Some(PortRoom { count: 28_232, is_all }) };
        assert!(room(true).problem(&need(Pace::Concurrency(30_000), None)).is_some_and(|found| found.is_certain));
        assert!(room(false).problem(&need(Pace::Concurrency(30_000), None)).is_some_and(|found| !found.is_certain));
        let open = |reuse| ConnectionNeed::of(&phase(rate(500.0, Some(100)), None), reuse);
        assert!(room(true).problem(&open(ConnectionReuse::Pooled)).is_none());
        let found = room(true).problem(&open(ConnectionReuse::Never)).unwrap();
        assert!(!found.is_certain && found.text.contains("30000 connections in 60 s"), "{}", found.text);
    }

    #[test]
    fn the_range_of_ports_holds_both_its_ends() {
        assert_eq!(ports_in("32768\t60999\n"), Some(28_232));
        assert_eq!(ports_in("x"), None);
    }
}
