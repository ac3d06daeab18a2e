//! Serves every API that answers with text: reads what is asked, decides what is said and what goes wrong.

use crate::api::dialect::openai::Usage;
use crate::api::dialect::{Letterhead, ResponsesWriter, Writer};
use crate::api::stream::stream_reply;
use crate::api::text_request::{Ask, Refusal, StreamUsage, TextApi};
use crate::generation::admission::admit;
use crate::generation::draws::Draws;
use crate::generation::fault::{Fault, FaultPlan, MidwayFault, chunk_at};
use crate::generation::prompt::Measured;
use crate::generation::reply::Reply;
use crate::options::{SimOptions, UsageReport};
use crate::server::connection::{ClientGone, Connection, Received};
use crate::server::exchange::Exchange;
use crate::server::http_request::Head;
use crate::server::response::{After, JSON, answer, deliver, fail_at_once, refuse};
use crate::server::worker::Worker;
use crate::truth::Outcome;

/// One reply, fully decided before the first byte of it is sent.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) ask: Ask,
    pub(crate) draws: Draws,
    pub(crate) prompt: Measured,
    pub(crate) reply: Reply,
    pub(crate) plan: FaultPlan,
    pub(crate) messages: Writer,
    pub(crate) reports_reasoning: bool,
}

impl Job {
    /// The usage after `written` tokens of each choice, of which `reasoning` were reasoning.
    pub(crate) fn usage(&self, cached: Option<u32>, written: u32, reasoning: u32) -> Usage {
        Usage {
            prompt: self.prompt.tokens,
            cached,
            completion: written * self.ask.choices,
            reasoning: self.reports_reasoning.then_some(reasoning * self.ask.choices),
        }
    }

    /// How the reply ends when nothing comes between.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.plan.fault == Some(Fault::Empty) { Outcome::Empty } else { Outcome::Completed }
    }

    /// The fault that comes part-way, and the chunk before which it comes.
    pub(crate) fn midway_fault(&self) -> Option<(MidwayFault, u32)> {
        match self.plan.fault {
            Some(Fault::Midway { kind, at }) => Some((kind, chunk_at(at, self.reply.chunks()))),
            _ => None,
        }
    }
}

/// Which API a path belongs to, and whether it streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextRoute {
    pub(crate) api: TextApi,
    /// Whether the path itself says so; `None` where the body or a header does.
    pub(crate) streaming: Option<bool>,
}

impl TextRoute {
    pub(crate) const fn by_body(api: TextApi) -> Self {
        Self { api, streaming: None }
    }

    pub(crate) const fn by_path(api: TextApi, streaming: bool) -> Self {
        Self { api, streaming: Some(streaming) }
    }

    fn streams(self, head: &Head, asked: bool) -> bool {
        let accepts = || head.header("accept").is_some_and(|types| types.contains("text/event-stream"));
        self.streaming.unwrap_or_else(|| if self.api == TextApi::Solido { accepts() } else { asked })
    }
}

pub(crate) async fn generate(
    worker: &Worker,
    connection: &mut Connection,
    exchange: &mut Exchange,
    received: &Received,
    asked: TextRoute,
) -> Result<After, ClientGone> {
    let TextRoute { api, .. } = asked;
    let state = &*worker.state;
    let options = &state.options;
    let keep_alive = received.head.keep_alive;
    let number = state.next_inference();
    let mut ask = match Ask::read(api, &received.body) {
        Ok(ask) => ask,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, keep_alive).await,
    };
    ask.stream = asked.streams(&received.head, ask.stream);
    let draws = state.repetitions.draws(options.seed, received.head.path(), &received.body);
    let plan = options.faults.plan(number, |name| draws.stream(name));
    let mut prompt = ask.prompt.measure(options.count, cache_block(options));
    prompt.tokens += ask.previous.as_deref().map_or(0, |id| state.remembered(id));
    exchange.note(|record| {
        record.streaming = ask.stream;
        record.prompt_tokens = Some(prompt.tokens);
    });
    if let Some(after) = fail_at_once(connection, exchange, &plan, keep_alive).await? {
        return Ok(after);
    }
    let mut reply = Reply::plan(&ask, options, &draws);
    if plan.fault == Some(Fault::Empty) {
        reply = reply.without_content();
    }
    if options.usage == UsageReport::Never {
        ask.usage = StreamUsage::Nowhere;
    }
    if let Some(refusal) = too_long(options.context, prompt.tokens, reply.tokens()) {
        return refuse(connection, exchange, 400, &refusal, keep_alive).await;
    }
    let created = state.anchor.epoch(received.arrival).0 / 1_000_000_000;
    let model = ask.model.as_deref().unwrap_or(&options.model);
    let head = Letterhead {
        key: draws.key(),
        created,
        model,
        reasoning_field: options.reasoning_field,
        spec_drafts: options.spec_drafts,
        usage: options.usage,
        store: ask.store,
    };
    let messages = Writer::new(api, &head);
    if ask.store {
        state.remember(ResponsesWriter::id(draws.key()), prompt.tokens + reply.tokens());
    }
    let reports_reasoning = api.converses() && options.reasoning > 0;
    let job = Job { ask, draws, prompt, reply, plan, messages, reports_reasoning };
    if job.ask.stream {
        stream_reply(worker, connection, exchange, received, &job).await
    } else {
        whole_reply(worker, connection, exchange, received, &job).await
    }
}

/// In the words by which clients know it.
fn too_long(context: u32, prompt: u32, output: u32) -> Option<Refusal> {
    let asked = prompt.saturating_add(output);
    (context > 0 && asked > context).then(|| Refusal {
        message: format!("This model's maximum context length is {context} tokens, and {asked} were asked for."),
        parameter: None,
    })
}

/// The block size by which prompts are cut, when there is a cache to cut them for.
pub(crate) fn cache_block(options: &SimOptions) -> Option<u32> {
    (options.cache_blocks > 0).then_some(options.cache_block)
}

async fn whole_reply(
    worker: &Worker,
    connection: &mut Connection,
    exchange: &mut Exchange,
    received: &Received,
    job: &Job,
) -> Result<After, ClientGone> {
    let Job { ask, reply, .. } = job;
    let state = &*worker.state;
    let mut admitted = admit(state, connection, exchange, received.arrival, &job.prompt, &job.draws).await?;
    admitted.pace.advance(reply.tokens().saturating_sub(1));
    if let Some(stall) = job.plan.stall {
        admitted.pace.pause(stall.span);
        exchange.note(|record| record.stalled = true);
    }
    connection.wait_until(&worker.timer, admitted.pace.due).await?;

    let usage = job.usage(admitted.cached_tokens, reply.tokens(), reply.reasoning);
    let mut body = Vec::with_capacity(512 + 8 * usage.completion as usize);
    job.messages.full(reply, ask.choices, usage, &mut body);
    drop(admitted.place);
    let fault = job.midway_fault().map(|(kind, _)| kind);
    if fault.is_none() {
        exchange.note(|record| {
            record.output_tokens = usage.completion;
            record.reasoning_tokens = reply.reasoning * ask.choices;
        });
        state.metrics.finished(reply.finish);
    }
    if job.outcome() == Outcome::Empty {
        return answer(connection, exchange, 200, &body, Outcome::Empty, received.head.keep_alive).await;
    }
    deliver(connection, exchange, (JSON, &body), fault, received.head.keep_alive).await
}

/// Whether usage goes on every chunk.
pub(crate) fn on_every_chunk(ask: &Ask, usage: impl FnOnce() -> Usage) -> Option<Usage> {
    (ask.usage == StreamUsage::EveryChunk).then(usage)
}
