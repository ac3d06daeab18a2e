//! A limit on the work for one comparison, so that a hostile expression cannot keep a grader busy.

/// Steps that are left. A step is about one operation on a number or on a term of a polynomial.
#[derive(Debug)]
pub(crate) struct Budget(u64);

impl Budget {
    /// Enough for every answer of the published benchmarks, and less than a second of work.
    pub(crate) fn of_one_comparison() -> Self {
        Self(60_000)
    }

    /// Takes `steps`; `None` if they are not left.
    pub(crate) fn spend(&mut self, steps: usize) -> Option<()> {
        self.0 = self.0.checked_sub(steps as u64)?;
        Some(())
    }
}
