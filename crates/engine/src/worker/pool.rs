//! All worker threads of a run: where the scheduler's requests go.

use std::ops::RangeInclusive;
use std::sync::Arc;

use aiperf_protocol::RunOutcome;

use super::{Worker, WorkerCommand, WorkerGauge};
use crate::control::SchedulerEvent;
use crate::plan::{EngineError, Plan};
use crate::queue::QueueSender;
use crate::record_queue::RecordSender;
use crate::request::credit::Credit;
use crate::request::preconnect::ConnectionsAhead;
use crate::request::reserved::ReservedCredit;
use crate::scheduler::Dispatch;
use crate::sent_journal::SentJournal;

#[derive(Debug)]
pub(crate) struct WorkerPool {
    workers: Vec<Worker>,
}

impl WorkerPool {
    /// Starts as many workers as the plan says; at least one.
    pub(crate) fn start(
        plan: &Plan,
        events: &QueueSender<SchedulerEvent>,
        records: &RecordSender,
        gauge: &Arc<WorkerGauge>,
        journal: Option<&Arc<dyn SentJournal>>,
    ) -> Result<Self, EngineError> {
        let start = |index| {
            Worker::start(index, plan, events.clone(), records.clone(), gauge, journal)
                .map_err(|cause| EngineError::Worker { worker: index, cause })
        };
        let workers = (0..plan.workers.max(1)).map(start).collect::<Result<_, _>>()?;
        Ok(Self { workers })
    }

    /// Waits until every worker has handed over all that it finished.
    pub(crate) fn join(self) {
        for worker in self.workers {
            worker.join();
        }
    }
}

impl Dispatch for WorkerPool {
    fn workers(&self) -> usize {
        self.workers.len()
    }

    fn send(&self, credit: Credit) -> bool {
        self.workers[credit.session.worker].send_command(WorkerCommand::Send(credit))
    }

    fn reserve(&self, worker: usize, credits: Vec<ReservedCredit>) -> bool {
        self.workers[worker].send_command(WorkerCommand::Reserve(credits))
    }

    fn withdraw(&self, worker: usize) -> bool {
        self.workers[worker].send_command(WorkerCommand::Withdraw)
    }

    fn preconnect(&self, worker: usize, ahead: Vec<ConnectionsAhead>) -> bool {
        self.workers[worker].send_command(WorkerCommand::Preconnect(ahead))
    }

    fn cut(&self, phases: RangeInclusive<usize>, phase_outcome: RunOutcome) {
        for worker in &self.workers {
            worker.send_command(WorkerCommand::Cut { phases: phases.clone(), phase_outcome });
        }
    }
}
