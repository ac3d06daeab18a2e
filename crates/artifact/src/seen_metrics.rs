//! What the first records of a file tell about the run that left them.

use std::path::Path;

use aiperf_metrics::{Flags, Metric};

use crate::ArtifactError;
use crate::line::{LineReader, RecordLine};
use crate::lines::each_line;

/// Lines that are looked at to find out what kind of run it was.
const FIRST_LINES: usize = 1_000;

/// Which metrics some of the records have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SeenMetrics {
    pub(crate) first_token: bool,
    pub(crate) output_tokens: bool,
    pub(crate) schedule_lag: bool,
    pub(crate) internal: bool,
    pub(crate) experimental: bool,
}

impl SeenMetrics {
    pub(crate) fn peek(path: &Path) -> Result<Self, ArtifactError> {
        let (mut seen, mut reader, mut lines) = (Self::default(), LineReader::default(), 0);
        each_line(path, |_, line, _| {
            if let Ok(record) = reader.read(line) {
                seen.add(&record);
            }
            lines += 1;
            lines < FIRST_LINES
        })?;
        Ok(seen)
    }

    fn add(&mut self, record: &RecordLine) {
        for (metric, _) in record.metrics.known() {
            let flags = metric.definition().flags;
            self.first_token |= *metric == Metric::TimeToFirstToken;
            self.output_tokens |= *metric == Metric::OutputTokenCount;
            self.schedule_lag |= *metric == Metric::ScheduleLag;
            self.internal |= flags.has(Flags::INTERNAL);
            self.experimental |= flags.has(Flags::EXPERIMENTAL);
        }
    }

    /// What either has.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            first_token: self.first_token || other.first_token,
            output_tokens: self.output_tokens || other.output_tokens,
            schedule_lag: self.schedule_lag || other.schedule_lag,
            internal: self.internal || other.internal,
            experimental: self.experimental || other.experimental,
        }
    }
}
