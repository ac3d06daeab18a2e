//! One line of progress, as text.

use aiperf_clock::Nanos;

/// What a progress line tells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ProgressNow {
    Requests(Snapshot),
    Download(Transfer),
    /// Anything else that takes time.
    Work(Work),
}

impl ProgressNow {
    /// On one line of a terminal with this many columns.
    pub(crate) fn line(&self, columns: usize) -> String {
        match self {
            Self::Requests(snapshot) => render(snapshot, columns),
            Self::Download(transfer) => render_transfer(transfer, columns),
            Self::Work(work) => fitting(columns, [work.line()]),
        }
    }

    /// As a line of a log.
    pub(crate) fn log_line(&self) -> String {
        match self {
            Self::Requests(snapshot) => render_log(snapshot),
            Self::Download(transfer) => render_transfer(transfer, usize::MAX),
            Self::Work(work) => work.line(),
        }
    }
}

/// Work that is not sending: loading a tokenizer, making the data set, writing files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) elapsed: Nanos,
}

impl Work {
    /// `Data set: being read or made  3.2 s`
    fn line(&self) -> String {
        let text = if self.text.is_empty() { String::new() } else { format!(": {}", self.text) };
        format!("{}{text}  {:.1} s", self.title, self.elapsed.as_secs_f64())
    }
}

/// Where a run stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Snapshot {
    /// What is going on: `Warmup`, `Profiling`, `Processing records`.
    pub(crate) activity: String,
    pub(crate) done: u64,
    pub(crate) in_flight: u64,
    pub(crate) failed: u64,
    /// Requests in all, when known.
    pub(crate) expected: Option<u64>,
    /// Length of the phase, when it ends by time.
    pub(crate) duration: Option<Nanos>,
    pub(crate) elapsed: Nanos,
    /// Time to first token so far, if there is one.
    pub(crate) first_token: Option<LatencyRange>,
    /// Request latency so far.
    pub(crate) latency: Option<LatencyRange>,
    /// A few words more.
    pub(crate) note: Option<String>,
    /// Changes with everything that comes from a server.
    pub(crate) signs_of_life: u64,
}

/// The middle of a time and its slow end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LatencyRange {
    pub(crate) p50: Nanos,
    pub(crate) p99: Nanos,
}

/// Lengths of the bar, the first that fits.
const BARS: [usize; 3] = [20, 10, 0];

/// `Profiling  120/200 |############        |  60%  12.3 s, 16 in flight, 98.1 req/s, 0 errors, p50/p99 TTFT 20.1/35.2 ms`,
/// in at most `columns` columns.
fn render(snapshot: &Snapshot, columns: usize) -> String {
    let lines = BARS.map(|bar| progress(snapshot, bar)).into_iter().chain([brief(snapshot)]);
    fitting(columns, lines)
}

/// One line for a log: `Profiling: 120 of 200 requests (60%), 12.3 s, 16 in flight, 98.1 req/s, 0 errors, ...`
fn render_log(snapshot: &Snapshot) -> String {
    let (elapsed, done) = (snapshot.elapsed.as_secs_f64(), snapshot.done);
    let share = snapshot.share().map_or_else(String::new, |share| format!(" ({:.0}%)", share * 100.0));
    let place = match (snapshot.expected, snapshot.duration) {
        (Some(all), _) => format!("{done} of {all} requests{share}, {elapsed:.1} s"),
        (None, Some(length)) => format!("{done} requests, {elapsed:.1} of {:.1} s{share}", length.as_secs_f64()),
        (None, None) => format!("{done} requests, {elapsed:.1} s"),
    };
    let parts = [place].into_iter().chain(snapshot.figures());
    format!("{}: {}", snapshot.activity, parts.collect::<Vec<_>>().join(", "))
}

/// A line that wraps cannot be drawn over: the first that fits is taken, and what is still too long is cut.
fn fitting(columns: usize, lines: impl IntoIterator<Item = String>) -> String {
    let mut last = String::new();
    for line in lines {
        if line.chars().count() <= columns {
            return line;
        }
        last = line;
    }
    last.chars().take(columns).collect()
}

impl Snapshot {
    fn share(&self) -> Option<f64> {
        let share = match (self.expected, self.duration) {
            (Some(all), _) if all > 0 => self.done as f64 / all as f64,
            (_, Some(length)) if length > Nanos::ZERO => self.elapsed.as_secs_f64() / length.as_secs_f64(),
            _ => return None,
        };
        Some(share.clamp(0.0, 1.0))
    }

    fn count(&self) -> String {
        self.expected.map_or_else(|| self.done.to_string(), |all| format!("{}/{all}", self.done))
    }

    fn rate(&self) -> Option<String> {
        let elapsed = self.elapsed.as_secs_f64();
        (elapsed > 0.0 && self.done > 0).then(|| format!("{:.1} req/s", self.done as f64 / elapsed))
    }

    fn errors(&self) -> String {
        format!("{} error{}", self.failed, if self.failed == 1 { "" } else { "s" })
    }

    /// `p50/p99 TTFT 20.1/35.2 ms`, `latency 120/180 ms`
    fn times(&self) -> Vec<String> {
        let named = [("TTFT", self.first_token), ("latency", self.latency)];
        let mut times: Vec<String> =
            named.into_iter().filter_map(|(name, time)| Some(format!("{name} {}", spread(time?)))).collect();
        if let Some(first) = times.first_mut() {
            first.insert_str(0, "p50/p99 ");
        }
        times
    }

    fn figures(&self) -> impl Iterator<Item = String> {
        let first = [Some(format!("{} in flight", self.in_flight)), self.rate(), Some(self.errors())];
        first.into_iter().flatten().chain(self.times()).chain(self.note.clone())
    }
}

fn progress(snapshot: &Snapshot, length: usize) -> String {
    let mut line = format!("{}  {}", snapshot.activity, snapshot.count());
    if let Some(share) = snapshot.share() {
        line.push_str(&format!(" {}", bar(share, length)));
    }
    line.push_str(&format!("  {:.1} s", snapshot.elapsed.as_secs_f64()));
    snapshot.figures().for_each(|figure| line.push_str(&format!(", {figure}")));
    line
}

/// What matters most, for a narrow terminal.
fn brief(snapshot: &Snapshot) -> String {
    let share = snapshot.share().map_or_else(String::new, |share| format!(" {:.0}%", share * 100.0));
    let first = [Some(format!("{}{share}", snapshot.count())), snapshot.rate(), Some(snapshot.errors())];
    first.into_iter().flatten().chain(snapshot.times()).collect::<Vec<_>>().join(", ")
}

/// `20.1/35.2 ms`, both in the unit that suits the longer one.
fn spread(time: LatencyRange) -> String {
    let (p50, p99) = (time.p50.as_secs_f64(), time.p99.as_secs_f64());
    let (unit, factor) = if p99 < 10.0 { ("ms", 1e3) } else { ("s", 1.0) };
    let decimals = usize::from(p99 * factor < 100.0);
    format!("{:.decimals$}/{:.decimals$} {unit}", p50 * factor, p99 * factor)
}

/// A file on its way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub(crate) name: String,
    pub(crate) done: u64,
    /// Bytes in all, when known.
    pub(crate) size: Option<u64>,
}

/// `Downloading data/train.parquet  12.0/48.0 MB |#####               |  25%`
fn render_transfer(transfer: &Transfer, columns: usize) -> String {
    fitting(columns, BARS.map(|bar| download(transfer, bar)))
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

    fn counted() -> Snapshot {
        Snapshot {
            activity: "Profiling".into(),
            done: 12_345,
            in_flight: 128,
            failed: 17,
            expected: Some(100_000),
            elapsed: Nanos(67_800_000_000),
            ..Snapshot::default()
        }
    }

    fn timed() -> Snapshot {
        let spread = |p50, p99| Some(LatencyRange { p50: Nanos(p50), p99: Nanos(p99) });
        Snapshot { first_token: spread(20_300_000, 35_120_000), latency: spread(120_400_000, 181_000_000), ..counted() }
    }

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
            "Profiling  5/10 |##########          |  50%  2.0 s, 2 in flight, 2.5 req/s, 1 error"
        );
    }

    #[test]
    fn errors_and_times_are_shown_while_the_run_goes_on() {
        assert_eq!(
            render(&timed(), 140),
            "Profiling  12345/100000 |#         |  12%  67.8 s, 128 in flight, 182.1 req/s, 17 errors, p50/p99 TTFT \
             20.3/35.1 ms, latency 120/181 ms"
        );
        assert_eq!(
            render_log(&timed()),
            "Profiling: 12345 of 100000 requests (12%), 67.8 s, 128 in flight, 182.1 req/s, 17 errors, p50/p99 TTFT \
             20.3/35.1 ms, latency 120/181 ms"
        );
        assert_eq!(
            render(&timed(), 100),
            "12345/100000 12%, 182.1 req/s, 17 errors, p50/p99 TTFT 20.3/35.1 ms, latency 120/181 ms"
        );
    }

    #[test]
    fn a_line_never_needs_more_columns_than_there_are() {
        assert_eq!(
            render(&counted(), 80),
            "Profiling  12345/100000  12%  67.8 s, 128 in flight, 182.1 req/s, 17 errors"
        );
        assert_eq!(
            render(&counted(), 90),
            "Profiling  12345/100000 |#         |  12%  67.8 s, 128 in flight, 182.1 req/s, 17 errors"
        );
        assert_eq!(render(&counted(), 12), "12345/100000");
        for columns in 0..200 {
            assert!(render(&timed(), columns).chars().count() <= columns);
        }
    }

    #[test]
    fn long_times_are_in_seconds() {
        let spread = |p50, p99| super::spread(LatencyRange { p50: Nanos(p50), p99: Nanos(p99) });
        assert_eq!(spread(900_000, 1_250_000), "0.9/1.2 ms");
        assert_eq!(spread(800_000_000, 9_000_000_000), "800/9000 ms");
        assert_eq!(spread(800_000_000, 12_000_000_000), "0.8/12.0 s");
    }

    #[test]
    fn a_timed_phase_shows_its_share_of_the_time() {
        let snapshot = Snapshot {
            activity: "Warmup".into(),
            duration: Some(Nanos(4_000_000_000)),
            elapsed: Nanos(1_000_000_000),
            ..Snapshot::default()
        };
        assert_eq!(render(&snapshot, 80), "Warmup  0 |#####               |  25%  1.0 s, 0 in flight, 0 errors");
        assert_eq!(render_log(&snapshot), "Warmup: 0 requests, 1.0 of 4.0 s (25%), 0 in flight, 0 errors");
    }

    #[test]
    fn a_note_stands_at_the_end() {
        let snapshot = Snapshot { activity: "Profiling".into(), note: Some("20 s more".into()), ..Snapshot::default() };
        assert_eq!(render(&snapshot, 80), "Profiling  0  0.0 s, 0 in flight, 0 errors, 20 s more");
    }

    #[test]
    fn other_work_shows_what_it_is_and_how_long_it_takes() {
        let work = |text: &str| {
            ProgressNow::Work(Work { title: "Data set".into(), text: text.into(), elapsed: Nanos(3_240_000_000) })
        };
        assert_eq!(work("being read or made").line(80), "Data set: being read or made  3.2 s");
        assert_eq!(work("").line(80), "Data set  3.2 s");
        assert_eq!(work("being read or made").line(12), "Data set: be");
        assert_eq!(work("").log_line(), "Data set  3.2 s");
    }

    #[test]
    fn a_download_shows_how_much_of_the_file_is_there() {
        let transfer = Transfer { name: "a.parquet".into(), done: 12_000_000, size: Some(48_000_000) };
        assert_eq!(render_transfer(&transfer, 80), "Downloading a.parquet  12.0/48.0 MB |#####               |  25%");
        let unknown = Transfer { size: None, ..transfer };
        assert_eq!(render_transfer(&unknown, 80), "Downloading a.parquet  12.0 MB");
    }
}
