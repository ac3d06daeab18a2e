//! Bounds on what a page may hold.

/// A page with a longer line or more samples is refused; series beyond the limit are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// Bytes of one line.
    pub line: usize,
    /// Samples of one page.
    pub samples: usize,
    /// Different series that one endpoint may send in a run, on all of its pages together.
    pub series: usize,
    /// Bytes of all different lines that one endpoint sends in a run.
    pub text: usize,
}

impl Default for PageLimits {
    /// Many times what inference servers send: a large page has a few thousand samples.
    fn default() -> Self {
        Self { line: 64 * 1024, samples: 100_000, series: 200_000, text: 32 << 20 }
    }
}
