//! One line of progress, as text.

use aiperf_clock::Nanos;

/// Where a run stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// What is going on: `Warmup`, `Profiling`, `Processing records`.
    pub activity: String,
    pub done: u64,
    pub in_flight: u64,
    pub failed: u64,
    /// Requests in all, when known.
    pub expected: Option<u64>,
    /// Length of the phase, when it ends by time.
    pub duration: Option<Nanos>,
    pub elapsed: Nanos,
}

const BAR: usize = 20;

/// `Profiling  120/200 |############        |  60%  12.3 s, 16 in flight, 98.1 req/s`
pub fn render(snapshot: &Snapshot) -> String {
    let elapsed = snapshot.elapsed.as_secs_f64();
    let share = match (snapshot.expected, snapshot.duration) {
        (Some(all), _) if all > 0 => Some(snapshot.done as f64 / all as f64),
        (_, Some(length)) if length > Nanos::ZERO => Some(elapsed / length.as_secs_f64()),
        _ => None,
    };
    let mut line = format!("{}  {}", snapshot.activity, snapshot.done);
    if let Some(all) = snapshot.expected {
        line.push_str(&format!("/{all}"));
    }
    if let Some(share) = share {
        line.push_str(&format!(" {}", bar(share)));
    }
    line.push_str(&format!("  {elapsed:.1} s, {} in flight", snapshot.in_flight));
    if snapshot.failed > 0 {
        line.push_str(&format!(", {} failed", snapshot.failed));
    }
    if elapsed > 0.0 && snapshot.done > 0 {
        line.push_str(&format!(", {:.1} req/s", snapshot.done as f64 / elapsed));
    }
    line
}

/// A file on its way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transfer {
    pub name: String,
    pub done: u64,
    /// Bytes in all, when known.
    pub size: Option<u64>,
}

/// `Downloading data/train.parquet  12.0/48.0 MB |#####               |  25%`
pub fn render_transfer(transfer: &Transfer) -> String {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let mut line = format!("Downloading {}  {:.1}", transfer.name, megabytes(transfer.done));
    match transfer.size.filter(|size| *size > 0) {
        Some(size) => {
            let share = transfer.done as f64 / size as f64;
            line.push_str(&format!("/{:.1} MB {}", megabytes(size), bar(share)));
        }
        None => line.push_str(" MB"),
    }
    line
}

/// `|#####               |  25%`
fn bar(share: f64) -> String {
    let share = share.clamp(0.0, 1.0);
    let filled = (share * BAR as f64).round() as usize;
    format!("|{}{}| {:3.0}%", "#".repeat(filled), " ".repeat(BAR - filled), share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counted_phase_shows_its_share() {
        let snapshot = Snapshot {
            activity: "Profiling".into(),
            done: 5,
            in_flight: 2,
            failed: 1,
            expected: Some(10),
            elapsed: Nanos(2_000_000_000),
            ..Snapshot::default()
        };
        assert_eq!(
            render(&snapshot),
            "Profiling  5/10 |##########          |  50%  2.0 s, 2 in flight, 1 failed, 2.5 req/s"
        );
    }

    #[test]
    fn a_timed_phase_shows_its_share_of_the_time() {
        let snapshot = Snapshot {
            activity: "Warmup".into(),
            duration: Some(Nanos(4_000_000_000)),
            elapsed: Nanos(1_000_000_000),
            ..Snapshot::default()
        };
        assert_eq!(render(&snapshot), "Warmup  0 |#####               |  25%  1.0 s, 0 in flight");
    }

    #[test]
    fn a_download_shows_how_much_of_the_file_is_there() {
        let transfer = Transfer { name: "a.parquet".into(), done: 12_000_000, size: Some(48_000_000) };
        assert_eq!(render_transfer(&transfer), "Downloading a.parquet  12.0/48.0 MB |#####               |  25%");
        let unknown = Transfer { size: None, ..transfer };
        assert_eq!(render_transfer(&unknown), "Downloading a.parquet  12.0 MB");
    }
}
