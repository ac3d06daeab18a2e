//! How many requests a run will send, how long it will take and how much it will write, as far as its configuration says
//! so and a measured latency completes it.

use aiperf_config::{Config, DatasetSource, ExportLevel, Pace, PhaseConfig};

/// Bytes of one line of the records file, with streaming and without further options.
const RECORD_BYTES: f64 = 2_700.0;
/// Bytes that raw records add to one request, in addition to its output.
const RAW_BYTES: f64 = 6_000.0;
/// Bytes of all other files of a run.
const OTHER_BYTES: f64 = 130_000.0;

/// What a short run against the same server showed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeFigures {
    /// Seconds of one request.
    pub latency: f64,
    /// Bytes in files that grow with each request.
    pub bytes_per_request: f64,
    /// Bytes of all other files.
    pub bytes_per_run: f64,
}

/// What one run will probably be. `None`: it cannot be known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RunEstimate {
    pub requests: Option<f64>,
    pub seconds: Option<f64>,
    pub bytes: Option<f64>,
}

impl RunEstimate {
    /// Of all phases of a run.
    pub fn of(config: &Config, probe: Option<ProbeFigures>) -> Self {
        let latency = probe.map(|probe| probe.latency);
        let turns = turns(config);
        let phases = || config.phases.iter();
        let sum = |of: &dyn Fn(&PhaseConfig) -> Option<f64>| phases().map(of).sum::<Option<f64>>();
        let requests = sum(&|phase| phase_requests(phase, turns, latency));
        let seconds = sum(&|phase| phase_seconds(phase, turns, latency));
        let (each, others) = match probe {
            Some(probe) => (probe.bytes_per_request, probe.bytes_per_run),
            None => (known_bytes(config.output.level), OTHER_BYTES),
        };
        Self { requests, seconds, bytes: requests.map(|requests| requests * each + others) }
    }
}

const fn known_bytes(level: ExportLevel) -> f64 {
    match level {
        ExportLevel::Summary => 0.0,
        ExportLevel::Records => RECORD_BYTES,
        ExportLevel::Raw => RECORD_BYTES + RAW_BYTES,
    }
}

/// Requests of one session on average, if the data is generated.
fn turns(config: &Config) -> Option<f64> {
    match &config.dataset.source {
        DatasetSource::Synthetic(synthetic) => Some(synthetic.turns.mean()),
        _ => None,
    }
}

/// The fewest requests that one of the stop conditions allows.
fn phase_requests(phase: &PhaseConfig, turns: Option<f64>, latency: Option<f64>) -> Option<f64> {
    let counted = counted_requests(phase, turns);
    let timed = phase.stop.duration.zip(rate(phase, latency)).map(|(time, rate)| time.as_secs_f64() * rate);
    least(counted, timed)
}

fn counted_requests(phase: &PhaseConfig, turns: Option<f64>) -> Option<f64> {
    let sessions = phase.stop.sessions.zip(turns).map(|(sessions, turns)| sessions as f64 * turns);
    least(phase.stop.requests.map(|requests| requests as f64), sessions)
}

/// The shortest time that one of the stop conditions allows.
fn phase_seconds(phase: &PhaseConfig, turns: Option<f64>, latency: Option<f64>) -> Option<f64> {
    let counted = counted_requests(phase, turns).zip(rate(phase, latency)).map(|(requests, rate)| {
        // The last request takes its time too.
        requests / rate + if matches!(phase.pace, Pace::Concurrency(_)) { 0.0 } else { latency.unwrap_or(0.0) }
    });
    least(counted, phase.stop.duration.map(|time| time.as_secs_f64()))
}

/// Requests in a second: those that are asked for, or those that a closed loop makes if the latency does not grow.
fn rate(phase: &PhaseConfig, latency: Option<f64>) -> Option<f64> {
    let rate = match &phase.pace {
        Pace::Concurrency(sessions) => latency.map(|latency| *sessions as f64 / latency)?,
        Pace::Rate { rate, .. } => match &rate.points[..] {
            [only] => only.per_second,
            _ => return None,
        },
        Pace::UserCentric { per_second, .. } => *per_second,
        Pace::FixedSchedule { .. } | Pace::AgenticReplay(_) | Pace::Controlled(_) => return None,
    };
    (rate.is_finite() && rate > 0.0).then_some(rate)
}

fn least(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use aiperf_config::Environment;
    use aiperf_options::RawOptions;

    use super::*;

    fn estimate(pairs: &[(&str, &str)], latency: Option<f64>) -> RunEstimate {
        let mut pairs = pairs.to_vec();
        pairs.push(("model", "m"));
        let config = RawOptions::of_pairs(&pairs).unwrap().resolve(&Environment::default()).unwrap();
        let probe = latency.map(|latency| ProbeFigures { latency, bytes_per_request: 100.0, bytes_per_run: 1_000.0 });
        RunEstimate::of(&config, probe)
    }

    #[test]
    fn a_closed_loop_takes_as_long_as_its_latency_says() {
        let known = estimate(&[("concurrency", "4"), ("request-count", "100")], Some(0.5));
        assert_eq!(known, RunEstimate { requests: Some(100.0), seconds: Some(12.5), bytes: Some(11_000.0) });
        let unknown = estimate(&[("concurrency", "4"), ("request-count", "100")], None);
        assert_eq!((unknown.requests, unknown.seconds), (Some(100.0), None));
        let timed = estimate(&[("concurrency", "4"), ("benchmark-duration", "60")], None);
        assert_eq!((timed.requests, timed.seconds, timed.bytes), (None, Some(60.0), None));
        let timed = estimate(&[("concurrency", "4"), ("benchmark-duration", "60")], Some(0.5));
        assert_eq!((timed.requests, timed.seconds), (Some(480.0), Some(60.0)));
    }

    #[test]
    fn a_rate_says_how_long_a_run_takes_and_its_warmup_is_part_of_it() {
        let known = estimate(&[("request-rate", "10"), ("request-count", "50"), ("warmup-request-count", "20")], None);
        assert_eq!((known.requests, known.seconds), (Some(70.0), Some(7.0)));
        let sessions = estimate(&[("request-rate", "10"), ("num-sessions", "5"), ("session-turns-mean", "4")], None);
        assert_eq!(sessions.requests, Some(20.0));
    }
}
