//! Serves every API that answers with text: reads the request and decides the reply and its faults.

use aiperf_clock::Nanos;

use crate::api::dialect::openai::UsageCounts;
use crate::api::dialect::{DialectWriter, ReplyHeader, ResponsesWriter};
use crate::api::stream::stream_reply;
use crate::api::text_request::{RejectedRequest, TextApi, TextRequest, UsagePlacement};
use crate::generation::admission::admit;
use crate::generation::draws::Draws;
use crate::generation::fault::{Fault, FaultPlan, MidwayFault, chunk_at};
use crate::generation::prompt::MeasuredPrompt;
use crate::generation::reply::GeneratedReply;
use crate::options::{SimOptions, UsageReport};
use crate::server::connection::{ClientConnection, ClientGone, ClientRequest};
use crate::server::exchange::ServedRequest;
use crate::server::http_request::Head;
use crate::server::response::{After, JSON, answer, deliver, fail_at_once, refuse};
use crate::server::worker::ServerWorker;
use crate::truth::TruthOutcome;

/// One reply, fully decided before the first byte of it is sent.
#[derive(Debug)]
pub(crate) struct PlannedReply {
    pub(crate) request: TextRequest,
    pub(crate) draws: Draws,
    pub(crate) prompt: MeasuredPrompt,
    pub(crate) reply: GeneratedReply,
    pub(crate) plan: FaultPlan,
    pub(crate) messages: DialectWriter,
    pub(crate) reports_reasoning: bool,
}

impl PlannedReply {
    /// The usage after `written` tokens of each choice, of which `reasoning` were reasoning.
    pub(crate) fn usage(&self, cached: Option<u32>, written: u32, reasoning: u32) -> UsageCounts {
        UsageCounts {
            prompt: self.prompt.tokens,
            cached,
            completion: written * self.request.choices,
            reasoning: self.reports_reasoning.then_some(reasoning * self.request.choices),
            timing: None,
        }
    }

    /// The usage of the whole reply, with its times if the server states them.
    pub(crate) fn final_usage(
        &self,
        exchange: &ServedRequest,
        cached: Option<u32>,
        written: u32,
        reasoning: u32,
    ) -> UsageCounts {
        // Times of several choices would not be those of the request.
        let timing = (self.request.wants_metrics && self.request.choices == 1).then(|| exchange.timing()).flatten();
        UsageCounts { timing, ..self.usage(cached, written, reasoning) }
    }

    /// Tokens of all choices.
    pub(crate) const fn output_tokens(&self) -> u32 {
        self.reply.tokens() * self.request.choices
    }

    /// How the reply ends if no other fault occurs.
    pub(crate) fn outcome(&self) -> TruthOutcome {
        if self.plan.fault == Some(Fault::Empty) { TruthOutcome::Empty } else { TruthOutcome::Completed }
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
    /// Whether the path decides it; `None` if the body or a header does.
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
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
    asked: TextRoute,
) -> Result<After, ClientGone> {
    let TextRoute { api, .. } = asked;
    let state = &*worker.state;
    let options = &state.options;
    let keep_alive = received.head.keep_alive;
    let number = state.next_inference();
    let mut request = match TextRequest::read(api, &received.body) {
        Ok(request) => request,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, keep_alive).await,
    };
    request.stream = asked.streams(&received.head, request.stream);
    let draws = state.repetitions.draws(options.seed, received.head.path(), &received.body);
    let plan = options.faults.plan(number, |name| draws.stream(name));
    let load = state.load.now();
    if options.most_in_system > 0 && load.running + load.waiting >= options.most_in_system {
        // A client that sends the next request at once would otherwise keep the server busy with refusals.
        let pause = Nanos::from_secs_f64(options.ttft.draw(&mut draws.stream("ttft")) / 1e3);
        connection.wait_until(&worker.timer, received.arrival + pause).await?;
        let refusal = RejectedRequest { message: "the server is full".to_owned(), parameter: None };
        return refuse(connection, exchange, 429, &refusal, keep_alive).await;
    }
    let mut prompt = request.prompt.measure(options.count, cache_block(options));
    prompt.tokens += request.previous.as_deref().map_or(0, |id| state.remembered(id));
    exchange.note(|record| {
        record.streaming = request.stream;
        record.prompt_tokens = Some(prompt.tokens);
    });
    if let Some(after) = fail_at_once(connection, exchange, &plan, keep_alive).await? {
        return Ok(after);
    }
    let mut reply = GeneratedReply::plan(&request, options, &draws);
    if plan.fault == Some(Fault::Empty) {
        reply = reply.without_content();
    }
    if options.usage == UsageReport::Never {
        request.usage = UsagePlacement::Nowhere;
    }
    request.wants_metrics &= options.request_metrics;
    if let Some(refusal) = too_long(options.context, prompt.tokens, reply.tokens()) {
        return refuse(connection, exchange, 400, &refusal, keep_alive).await;
    }
    let created = state.anchor.epoch(received.arrival).0 / 1_000_000_000;
    let model = request.model.as_deref().unwrap_or(&options.model);
    let head = ReplyHeader {
        key: draws.key(),
        created,
        model,
        reasoning_field: options.reasoning_field,
        spec_drafts: options.spec_drafts,
        usage: options.usage,
        store: request.store,
    };
    let messages = DialectWriter::new(api, &head);
    if request.store {
        state.remember(ResponsesWriter::id(draws.key()), prompt.tokens + reply.tokens());
    }
    let reports_reasoning = api.is_chat() && options.reasoning > 0;
    let job = PlannedReply { request, draws, prompt, reply, plan, messages, reports_reasoning };
    if job.request.stream {
        stream_reply(worker, connection, exchange, received, &job).await
    } else {
        whole_reply(worker, connection, exchange, received, &job).await
    }
}

/// The error that real servers send, in their wording.
fn too_long(context: u32, prompt: u32, output: u32) -> Option<RejectedRequest> {
    let asked = prompt.saturating_add(output);
    (context > 0 && asked > context).then(|| RejectedRequest {
        message: format!("This model's maximum context length is {context} tokens, and {asked} were asked for."),
        parameter: None,
    })
}

/// The block size by which prompts are cut, when there is a cache to cut them for.
pub(crate) fn cache_block(options: &SimOptions) -> Option<u32> {
    (options.cache_blocks > 0).then_some(options.cache_block)
}

async fn whole_reply(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
    job: &PlannedReply,
) -> Result<After, ClientGone> {
    let PlannedReply { request, reply, .. } = job;
    let state = &*worker.state;
    let prompt = (&job.prompt, job.output_tokens());
    let mut admitted = admit(state, connection, exchange, received.arrival, prompt, &job.draws).await?;
    if reply.tokens() > 0 {
        connection.wait_until(&worker.timer, admitted.pace.due).await?;
        exchange.first_token(admitted.pace.due);
    }
    admitted.pace.advance(reply.tokens().saturating_sub(1));
    if let Some(stall) = job.plan.stall {
        admitted.pace.pause(stall.span);
        exchange.note(|record| record.stalled = true);
    }
    connection.wait_until(&worker.timer, admitted.pace.due).await?;

    let fault = job.midway_fault().map(|(kind, _)| kind);
    if fault.is_none() {
        let reasoning_tokens = reply.reasoning * request.choices;
        exchange.wrote_whole(admitted.pace.due, job.output_tokens(), reasoning_tokens);
    }
    let usage = job.final_usage(exchange, admitted.cached_tokens, reply.tokens(), reply.reasoning);
    let mut body = Vec::with_capacity(512 + 8 * usage.completion as usize);
    job.messages.full(reply, request.choices, usage, &mut body);
    if fault.is_none() {
        exchange.engine_done(reply.finish);
    }
    drop(admitted.place);
    if job.outcome() == TruthOutcome::Empty {
        return answer(connection, exchange, 200, &body, TruthOutcome::Empty, received.head.keep_alive).await;
    }
    deliver(connection, exchange, (JSON, &body), fault, received.head.keep_alive).await
}

/// Whether usage goes on every chunk.
pub(crate) fn on_every_chunk(request: &TextRequest, usage: impl FnOnce() -> UsageCounts) -> Option<UsageCounts> {
    (request.usage == UsagePlacement::EveryChunk).then(usage)
}
