//! A worker thread: one single-threaded runtime, its own connections, and the requests that it was given credits for. It
//! stamps and stores bytes.

mod credit_reserve;
mod gauge;
mod in_flight;
mod interruption;
mod job_answers;
mod panic_guard;
mod pool;
mod preconnect;
mod read_batcher;
mod read_delays;
mod segment_outlet;
mod send;
mod start_gate;
mod watcher;

use std::cell::{Cell, RefCell};
use std::io;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};

use aiperf_clock::{Timer, tighten_timer_slack};
use aiperf_protocol::RunOutcome;
use aiperf_seed::Stream;
use aiperf_transport::{Client, ExchangeSize};
use tokio::runtime::{LocalOptions, LocalRuntime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use self::send::{RequestSender, WorkerContext};
use crate::control::SchedulerEvent;
use crate::plan::Plan;
use crate::queue::QueueSender;
use crate::record_queue::{Pressure, RecordSender};
use crate::request::credit::Credit;
use crate::request::preconnect::ConnectionsAhead;
use crate::request::reserved::{ReservedCredit, Withdrawn};
use crate::sent_journal::SentJournal;
use crate::worker::credit_reserve::CreditReserve;
use crate::worker::in_flight::{CutSignals, InFlight};
use crate::worker::panic_guard::PanicGuard;
use crate::worker::read_batcher::{self as batcher, ReadBatcher};
use crate::worker::read_delays::LocalDelays;
use crate::worker::start_gate::{self as gate, StartGate};

pub use self::gauge::WorkerGauge;
pub(crate) use self::pool::WorkerPool;
pub use self::read_delays::{ReadDelays, SharedDelays};

#[derive(Debug)]
enum WorkerCommand {
    Send(Credit),
    /// Hold these, and start one whenever a request has ended.
    Reserve(Vec<ReservedCredit>),
    /// Give back what is held.
    Withdraw,
    /// Open connections before requests need them.
    Preconnect(Vec<ConnectionsAhead>),
    /// End all requests in flight of these phases.
    Cut {
        phases: RangeInclusive<usize>,
        phase_outcome: RunOutcome,
    },
}

/// The scheduler's handle to one worker. Dropping it lets the worker finish and end.
#[derive(Debug)]
struct Worker {
    commands: UnboundedSender<WorkerCommand>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn start(
        index: usize,
        plan: &Plan,
        events: QueueSender<SchedulerEvent>,
        records: RecordSender,
        gauge: &Arc<WorkerGauge>,
        journal: Option<&Arc<dyn SentJournal>>,
    ) -> io::Result<Self> {
        let (commands, inbox) = unbounded_channel();
        let context = WorkerContext {
            index,
            targets: Arc::clone(&plan.sending.targets),
            headers: Arc::clone(&plan.sending.headers),
            bodies: Arc::clone(&plan.workload.bodies),
            endpoint: Arc::clone(&plan.sending.endpoint),
            request_timeout: plan.sending.request_timeout,
            send_limit: plan.sending.send_limit,
            reuse: plan.sending.reuse,
            wire: plan.sending.wire,
            reads_while_arriving: plan.sending.reads_while_arriving,
            pressures: plan.workload.phases.iter().map(|phase| Pressure::of(&phase.pace)).collect(),
            events,
            records,
            gauge: Arc::clone(gauge),
            journal: journal.cloned(),
        };
        let client = plan.sending.client.clone();
        let may_batch_reads = plan.sending.may_batch_reads();
        let first_size =
            if plan.sending.reads_while_arriving { ExchangeSize::SEGMENT } else { ExchangeSize::default() };
        // A worker that cannot start must report it before it is given requests, which would never come back.
        let (ready, started) = sync_channel(1);
        let thread = thread::Builder::new().name(format!("worker-{index}")).spawn(move || {
            let events = context.events.clone();
            let _guard = PanicGuard(&events);
            tighten_timer_slack();
            let (runtime, timer) = match start_runtime() {
                Ok(started) => started,
                Err(cause) => {
                    let _ = ready.send(Err(cause));
                    return;
                }
            };
            // The thread that starts the worker waits for this.
            let _ = ready.send(Ok(()));
            let (batcher, gate) = (ReadBatcher::new(timer.clone()), StartGate::new());
            if may_batch_reads {
                ReadBatcher::install(&batcher);
            }
            StartGate::install(&gate);
            let sender = RequestSender {
                context,
                client: Client::new(client),
                timer,
                delays: LocalDelays::default(),
                ids: RefCell::new(Stream::from_entropy()),
                batcher,
                gate,
                last_size: Cell::new(first_size),
                waits_for_room: tokio::sync::Mutex::new(()),
                reserve: CreditReserve::default(),
            };
            runtime.block_on(serve(inbox, Rc::new(sender)));
            ReadBatcher::uninstall();
            StartGate::uninstall();
        })?;
        started.recv().unwrap_or_else(|_| Err(io::Error::other("the thread ended at once")))?;
        Ok(Self { commands, thread: Some(thread) })
    }

    /// False when the worker is gone.
    fn send_command(&self, command: WorkerCommand) -> bool {
        let sent = self.commands.send(command).is_ok();
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
        sent
    }

    /// Waits until the worker has handed over all that it finished.
    fn join(mut self) {
        let thread = self.thread.take();
        drop(self);
        if thread.is_some_and(|t| t.join().is_err()) {
            log::error!("a worker thread panicked");
        }
    }
}

/// The runtime of a worker thread, and its timer.
fn start_runtime() -> io::Result<(LocalRuntime, Timer)> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_io().on_thread_park(batcher::before_park).on_thread_unpark(gate::after_unpark);
    // Elsewhere the timer is a file descriptor.
    #[cfg(not(target_os = "linux"))]
    builder.enable_time();
    let runtime = builder.build_local(LocalOptions::default())?;
    let timer = runtime.block_on(async { Timer::start() })?;
    Ok((runtime, timer))
}

async fn serve(inbox: UnboundedReceiver<WorkerCommand>, sender: Rc<RequestSender>) {
    let watched = Rc::clone(&sender);
    let receives = Rc::clone(&sender);
    tokio::task::spawn_local(async move {
        let _guard = PanicGuard(&receives.context.events);
        receives.client.receive().await;
    });
    tokio::select! {
        () = watched.context.gauge.watch(&watched.timer, &watched.delays) => {}
        () = take_commands(inbox, sender) => {}
    }
    watched.context.gauge.gather(&watched.delays);
}

async fn take_commands(mut inbox: UnboundedReceiver<WorkerCommand>, sender: Rc<RequestSender>) {
    let mut cuts = CutSignals::default();
    let in_flight = Rc::new(InFlight::default());
    while let Some(command) = inbox.recv().await {
        match command {
            WorkerCommand::Send(credit) => {
                let (sender, cut) = (Rc::clone(&sender), cuts.of_phase(credit.phase));
                let ticket = InFlight::enter(&in_flight);
                tokio::task::spawn_local(async move {
                    let _guard = PanicGuard(&sender.context.events);
                    let mut next = Some(credit);
                    while let Some(credit) = next {
                        next = sender.send(credit, &cut).await;
                        sender.batcher.note_end();
                    }
                    drop(ticket);
                });
            }
            WorkerCommand::Reserve(credits) => sender.reserve.add(credits),
            WorkerCommand::Withdraw => {
                let withdrawn = Withdrawn { worker: sender.context.index, credits: sender.reserve.give_back() };
                let _ = sender.context.events.send(SchedulerEvent::Withdrawn(withdrawn));
            }
            WorkerCommand::Preconnect(ahead) => {
                let sender = Rc::clone(&sender);
                tokio::task::spawn_local(async move {
                    let events = sender.context.events.clone();
                    let _guard = PanicGuard(&events);
                    sender.preconnect(ahead).await;
                });
            }
            WorkerCommand::Cut { phases, phase_outcome } => cuts.raise(&phases, phase_outcome),
        }
    }
    in_flight.wait_until_none().await;
}
