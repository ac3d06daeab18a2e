//! Phases that are measured together: their requests, the time that belongs to them, and the metrics that they have.

use aiperf_clock::{Mono, WallAnchor};
use aiperf_engine::PhaseOutcome;
use aiperf_metrics::{Columns, MetricContext, PhaseWindow, Summary};
use aiperf_protocol::PhaseKind;
use aiperf_report::{AskedPercentiles, PhaseReport};

use crate::record::threads::PhaseColumns;

/// At least one phase, or none of a run that was stopped before.
#[derive(Debug)]
pub(crate) struct JoinedPhases {
    pub(crate) columns: Columns,
    pub(crate) window: PhaseWindow,
    pub(crate) context: MetricContext,
    /// Name, index and whether it was cancelled; the name of a single phase is its own.
    head: Option<(String, u32, bool)>,
}

impl JoinedPhases {
    /// Takes the columns of these phases; `usual` is the context if there are none.
    pub(crate) fn take(
        kind: PhaseKind,
        indices: &[usize],
        outcomes: &[PhaseOutcome],
        columns: &mut PhaseColumns,
        contexts: &[MetricContext],
        usual: &MetricContext,
    ) -> Self {
        let window = |index: &usize| PhaseWindow::new(outcomes[*index].start, outcomes[*index].end);
        let now = Mono::now();
        let all = indices.iter().map(|index| std::mem::take(&mut columns[*index]));
        let joined = all.reduce(|mut all, next| {
            all.merge(next);
            all
        });
        let head = indices.first().map(|first| {
            let name = if indices.len() == 1 { outcomes[*first].name.to_string() } else { kind.name().to_owned() };
            (name, *first as u32, indices.iter().any(|index| outcomes[*index].ended_by.is_stopped()))
        });
        Self {
            columns: joined.unwrap_or_default(),
            window: PhaseWindow::join(&indices.iter().map(window).collect::<Vec<_>>())
                .unwrap_or_else(|| PhaseWindow::new(now, now)),
            context: MetricContext::joined(indices.iter().map(|index| &contexts[*index]))
                .unwrap_or_else(|| usual.clone()),
            head,
        }
    }

    /// Whether any of them began.
    pub(crate) const fn has_begun(&self) -> bool {
        self.head.is_some()
    }

    /// What the report says of them. `index` is that of a profiling phase that never began.
    pub(crate) fn report(&self, kind: PhaseKind, index: u32, anchor: &WallAnchor) -> PhaseReport {
        let (name, index, was_cancelled) = self.head.clone().unwrap_or_else(|| (kind.name().to_owned(), index, true));
        PhaseReport {
            name,
            kind,
            index,
            profiling_index: (kind == PhaseKind::Profiling).then_some(0),
            in_results: kind == PhaseKind::Profiling,
            was_cancelled,
            summary: Summary::compute(&self.columns, &self.window, &self.context, anchor),
            percentiles: AskedPercentiles::default(),
        }
    }
}
