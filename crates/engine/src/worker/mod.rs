//! A worker thread: one single-threaded runtime, its own connections, and the requests it was given credits for. It
//! stamps and stores bytes.

mod gauge;
mod in_flight;
mod job_answers;
mod panic_guard;
mod read_batcher;
mod read_delays;
mod send;
mod watcher;

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};

use aiperf_clock::{Timer, tighten_timer_slack};
use aiperf_seed::Stream;
use aiperf_transport::Client;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use self::send::{Context, Desk};
use crate::control::Event;
use crate::plan::Plan;
use crate::queue::QueueSender;
use crate::request::credit::Credit;
use crate::request::finished::{CutReason, Finished};
use crate::worker::in_flight::{CutSignal, Running};
use crate::worker::panic_guard::Alarm;
use crate::worker::read_batcher::{self as rest, Rest};
use crate::worker::read_delays::LocalDelays;

pub use self::gauge::WorkerGauge;
pub use self::read_delays::{ReadDelays, SharedDelays};

#[derive(Debug)]
pub(crate) enum Command {
    Send(Credit),
    /// End all requests in flight.
    Cut(CutReason),
}

/// The conductor's handle to one worker. Dropping it lets the worker finish and end.
#[derive(Debug)]
pub(crate) struct Worker {
    commands: UnboundedSender<Command>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(crate) fn start(
        index: usize,
        plan: &Plan,
        events: QueueSender<Event>,
        records: QueueSender<Finished>,
        gauge: &Arc<WorkerGauge>,
    ) -> io::Result<Self> {
        let (commands, inbox) = unbounded_channel();
        let desk = Desk {
            index,
            targets: Arc::clone(&plan.targets),
            headers: Arc::clone(&plan.headers),
            bodies: Arc::clone(&plan.bodies),
            endpoint: Arc::clone(&plan.endpoint),
            request_timeout: plan.request_timeout,
            send_limit: plan.timing.send_limit.into(),
            reuse: plan.reuse,
            wire: plan.wire,
            events,
            records,
            gauge: Arc::clone(gauge),
        };
        let client = plan.client.clone();
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().on_thread_park(rest::before_park).build()?;
        let may_rest = plan.may_rest();
        // A worker that cannot work must say so before it is given requests, which would wait for it for ever.
        let (ready, started) = sync_channel(1);
        let thread = thread::Builder::new().name(format!("worker-{index}")).spawn(move || {
            let events = desk.events.clone();
            let _alarm = Alarm(&events);
            tighten_timer_slack();
            tokio::task::LocalSet::new().block_on(&runtime, async move {
                match Timer::start() {
                    Ok(timer) => {
                        // Whoever started it waits for this.
                        let _ = ready.send(Ok(()));
                        let rest = Rest::new(timer.clone());
                        if may_rest {
                            Rest::install(&rest);
                        }
                        let context = Context {
                            desk,
                            client: Client::new(client),
                            timer,
                            delays: LocalDelays::default(),
                            ids: RefCell::new(Stream::from_entropy()),
                            rest,
                            last_size: Cell::default(),
                        };
                        serve(inbox, Rc::new(context)).await;
                        Rest::uninstall();
                    }
                    Err(cause) => {
                        let _ = ready.send(Err(cause));
                    }
                }
            });
        })?;
        started.recv().unwrap_or_else(|_| Err(io::Error::other("it ended at once")))?;
        Ok(Self { commands, thread: Some(thread) })
    }

    /// False when the worker is gone.
    pub(crate) fn tell(&self, command: Command) -> bool {
        let told = self.commands.send(command).is_ok();
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
        told
    }

    /// Waits until the worker has handed over all that it finished.
    pub(crate) fn join(mut self) {
        let thread = self.thread.take();
        drop(self);
        if thread.is_some_and(|t| t.join().is_err()) {
            log::error!("a worker thread panicked");
        }
    }
}

async fn serve(inbox: UnboundedReceiver<Command>, context: Rc<Context>) {
    let watched = Rc::clone(&context);
    tokio::select! {
        () = watched.desk.gauge.watch(&watched.timer, &watched.delays) => {}
        () = take_commands(inbox, context) => {}
    }
    watched.desk.gauge.gather(&watched.delays);
}

async fn take_commands(mut inbox: UnboundedReceiver<Command>, context: Rc<Context>) {
    let cut = RefCell::new(Rc::new(CutSignal::default()));
    let running = Rc::new(Running::default());
    while let Some(command) = inbox.recv().await {
        match command {
            Command::Send(credit) => {
                let (context, cut) = (Rc::clone(&context), Rc::clone(&cut.borrow()));
                let ticket = Running::enter(&running);
                tokio::task::spawn_local(async move {
                    let _alarm = Alarm(&context.desk.events);
                    context.perform(credit, &cut).await;
                    context.rest.note_end();
                    drop(ticket);
                });
            }
            Command::Cut(reason) => cut.replace(Rc::default()).ring(reason),
        }
    }
    running.wait_until_none().await;
}
