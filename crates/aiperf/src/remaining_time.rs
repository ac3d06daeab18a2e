//! How long the runs of a command that are still to come will probably take: as long as those that are over took on
//! average, pauses included.

use aiperf_clock::Mono;

#[derive(Debug)]
pub(crate) struct RemainingTime {
    /// All runs there may be.
    total: usize,
    /// When the first run of this command began.
    began: Option<Mono>,
    made: usize,
    /// Runs of an earlier command, and the seconds that they took.
    kept: usize,
    kept_seconds: f64,
}

impl RemainingTime {
    pub(crate) const fn new(total: usize) -> Self {
        Self { total, began: None, made: 0, kept: 0, kept_seconds: 0.0 }
    }

    pub(crate) fn begin_run(&mut self, now: Mono) {
        self.began.get_or_insert(now);
    }

    pub(crate) const fn end_run(&mut self) {
        self.made += 1;
    }

    pub(crate) fn keep_run(&mut self, seconds: f64) {
        self.kept += 1;
        self.kept_seconds += seconds;
    }

    /// Seconds for all runs after the run with this number (from 0); `None` before any run is over.
    pub(crate) fn after(&self, number: usize, now: Mono) -> Option<f64> {
        let left = self.total.saturating_sub(number + 1) as f64;
        self.mean(now).map(|mean| mean * left)
    }

    /// Seconds of one run.
    fn mean(&self, now: Mono) -> Option<f64> {
        let over = self.made + self.kept;
        let spent = self.began.filter(|_| self.made > 0).map_or(0.0, |began| now.since(began).as_secs_f64());
        (over > 0).then(|| (spent + self.kept_seconds) / over as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_the_runs_before_it() {
        let at = |seconds: u64| Mono::from_nanos(seconds * 1_000_000_000);
        let mut time = RemainingTime::new(10);
        assert_eq!(time.after(0, at(0)), None);
        time.keep_run(4.0);
        assert_eq!(time.after(0, at(0)), Some(36.0));
        time.begin_run(at(5));
        time.end_run();
        // One run of 4 s before, one of 8 s now.
        assert_eq!(time.after(1, at(13)), Some(48.0));
    }
}
