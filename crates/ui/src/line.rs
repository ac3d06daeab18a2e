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
    /// A few words more.
    pub note: Option<String>,
}

/// Lengths of the bar, the first that fits.
const BARS: [usize; 3] = [20, 10, 0];

/// `Profiling  120/200 |############        |  60%  12.3 s, 16 in flight, 98.1 req/s`, in at most so many columns.
pub fn render(snapshot: &Snapshot, columns: usize) -> String {
    fitting(columns, |bar| progress(snapshot, bar))
}

/// A line that wraps cannot be drawn over: the bar becomes shorter, and what is still too long is cut.
fn fitting(columns: usize, line: impl Fn(usize) -> String) -> String {
    let lines = BARS.map(line);
    let fits = |line: &&String| line.chars().count() <= columns;
    lines.iter().find(fits).cloned().unwrap_or_else(|| lines[BARS.len() - 1].chars().take(columns).collect())
}

fn progress(snapshot: &Snapshot, length: usize) -> String {
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
        line.push_str(&format!(" {}", bar(share, length)));
    }
    line.push_str(&format!("  {elapsed:.1} s, {} in flight", snapshot.in_flight));
    if snapshot.failed > 0 {
        line.push_str(&format!(", {} failed", snapshot.failed));
    }
    if elapsed > 0.0 && snapshot.done > 0 {
        line.push_str(&format!(", {:.1} req/s", snapshot.done as f64 / elapsed));
    }
    if let Some(note) = &snapshot.note {
        line.push_str(&format!("; {note}"));
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
pub fn render_transfer(transfer: &Transfer, columns: usize) -> String {
    fitting(columns, |bar| download(transfer, bar))
}

fn download(transfer: &Transfer, length: usize) -> String {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let mut line = format!("Downloading {}  {:.1}", transfer.name, megabytes(transfer.done));
    match transfer.size.filter(|size| *size > 0) {
        Some(size) => {
            let share = transfer.done as f64 / size as f64;
            line.push_str(&format!("/{:.1} MB {}", megabytes(size), bar(share, length)));
        }
        None => line.push_str(" MB"),
    }
    line
}

/// `|#####               |  25%`, or only how much.
fn bar(share: f64, length: usize) -> String {
    let share = share.clamp(0.0, 1.0);
    let filled = (share * length as f64).round() as usize;
    let drawn =
        if length > 0 { format!("|{}{}| ", "#".repeat(filled), " ".repeat(length - filled)) } else { String::new() };
    format!("{drawn}{:3.0}%", share * 100.0)
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
            render(&snapshot, usize::MAX),
            "Profiling  5/10 |##########          |  50%  2.0 s, 2 in flight, 1 failed, 2.5 req/s"
        );
    }

    #[test]
    fn a_line_never_needs_more_columns_than_there_are() {
        let snapshot = Snapshot {
            activity: "Profiling".into(),
            done: 12_345,
            in_flight: 128,
            failed: 17,
            expected: Some(100_000),
            elapsed: Nanos(67_800_000_000),
            ..Snapshot::default()
        };
        assert_eq!(
            render(&snapshot, 80),
            "Profiling  12345/100000  12%  67.8 s, 128 in flight, 17 failed, 182.1 req/s"
        );
        assert_eq!(
            render(&snapshot, 90),
            "Profiling  12345/100000 |#         |  12%  67.8 s, 128 in flight, 17 failed, 182.1 req/s"
        );
        assert_eq!(render(&snapshot, 23), "Profiling  12345/100000");
    }

    #[test]
    fn a_timed_phase_shows_its_share_of_the_time() {
        let snapshot = Snapshot {
            activity: "Warmup".into(),
            duration: Some(Nanos(4_000_000_000)),
            elapsed: Nanos(1_000_000_000),
            ..Snapshot::default()
        };
        assert_eq!(render(&snapshot, 80), "Warmup  0 |#####               |  25%  1.0 s, 0 in flight");
    }

    #[test]
    fn a_note_stands_at_the_end() {
        let snapshot = Snapshot { activity: "Profiling".into(), note: Some("20 s more".into()), ..Snapshot::default() };
        assert_eq!(render(&snapshot, 80), "Profiling  0  0.0 s, 0 in flight; 20 s more");
    }

    #[test]
    fn a_download_shows_how_much_of_the_file_is_there() {
        let transfer = Transfer { name: "a.parquet".into(), done: 12_000_000, size: Some(48_000_000) };
        assert_eq!(render_transfer(&transfer, 80), "Downloading a.parquet  12.0/48.0 MB |#####               |  25%");
        let unknown = Transfer { size: None, ..transfer };
        assert_eq!(render_transfer(&unknown, 80), "Downloading a.parquet  12.0 MB");
    }
}
