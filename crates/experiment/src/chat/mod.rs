//! `aiperf chat`: one turn at a time, with the latency and token counts of each answer. Requests and responses are the same as
//! in a run: bodies, headers, connections and parsing.

mod error;
mod figures;
mod limits;
mod listener;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aiperf_address::{ConnectionUse, RequestTarget};
use aiperf_clock::Mono;
use aiperf_config::Config;
use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, SessionId, Turn};
use aiperf_endpoint::{BodyOptions, Endpoint, HeaderPlan, History, NewWords, RequestIds, ResponseBody, TurnRequest};
use aiperf_hub::Hub;
use aiperf_protocol::Reply;
use aiperf_seed::Stream;
use aiperf_tokenizer::{Tokenizer, TokenizerRequest};
use aiperf_transport::{Client, Exchange, Request};
use bytes::Bytes;
use tokio::runtime::Runtime;

pub use error::ChatError;
pub use figures::{Counted, TurnFigures, WhoCounts};

use self::limits::ChatLimits;
use self::listener::ReplyListener;
use crate::prepare::discovery::Discovered;
use crate::prepare::secrets::secrets_of;
use crate::prepare::settings;
use crate::prepare::target::Targets;
use aiperf_redact::Secrets;

/// Time between two checks for Ctrl-C.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Whether earlier turns are sent again with each new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChatMemory {
    #[default]
    Kept,
    Off,
}

/// Set when the user stops the answer that is being received.
pub type Interrupt = Arc<AtomicBool>;

/// The reply of the server with its latency and token counts.
#[derive(Debug)]
pub struct ChatAnswer {
    pub reply: Reply,
    pub figures: TurnFigures,
}

#[derive(Debug)]
pub struct ChatSession {
    targets: Targets,
    client: Client,
    runtime: Runtime,
    endpoint: Arc<dyn Endpoint>,
    options: BodyOptions,
    headers: HeaderPlan,
    secrets: Secrets,
    limits: ChatLimits,
    model: Arc<str>,
    system_prompt: Option<Arc<str>>,
    memory: ChatMemory,
    history: History,
    session: SessionId,
    ids: Stream,
    tokenizer: TokenizerRequest,
    /// Loaded when a server first leaves the counting to us.
    counter: Option<Arc<dyn Tokenizer>>,
}

impl ChatSession {
    /// Nothing is sent yet. `version` is the program's own.
    pub fn open(
        config: &Config,
        system_prompt: Option<&str>,
        memory: ChatMemory,
        version: &str,
    ) -> Result<Self, ChatError> {
        let [model] = config.dataset.models.as_slice() else { return Err(ChatError::SeveralModels) };
        if config.endpoint.targets.len() > 1 {
            return Err(ChatError::SeveralServers);
        }
        let targets = Targets::open(&config.endpoint, model)?;
        let client = Client::new(settings::client_settings(config, &targets)?);
        let mut ids = Stream::from_entropy();
        Ok(Self {
            client,
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ChatError::Runtime)?,
            endpoint: aiperf_endpoint::of(
                config.endpoint.kind,
                &settings::endpoint_settings(config, Discovered::default())?,
            ),
            options: settings::body_options(config),
            headers: settings::header_plan(config, version)?,
            secrets: secrets_of(config),
            limits: ChatLimits { connect: config.tuning.chat_connect_timeout, read: config.tuning.chat_read_timeout },
            model: Arc::clone(model),
            system_prompt: system_prompt.map(Arc::from),
            memory,
            history: History::new(ContextMode::DeltasWithoutResponses),
            session: SessionId(ids.uuid().to_string().into()),
            ids,
            tokenizer: TokenizerRequest {
                name: config.endpoint.tokenizer_name(model).to_owned(),
                revision: config.endpoint.tokenizer_revision.clone(),
                chat_template: false,
            },
            counter: None,
            targets,
        })
    }

    /// Sends a message and reads the whole answer; `on_words` is told of new words as they come. A turn that fails, or that
    /// `interrupt` ends, is forgotten: the next one is sent as if it had not been.
    pub fn say(
        &mut self,
        message: &str,
        hub: &Hub,
        interrupt: &Interrupt,
        on_words: &mut dyn FnMut(NewWords<'_>),
    ) -> Result<ChatAnswer, ChatError> {
        let conversation = Arc::new(self.conversation(message));
        let request = TurnRequest {
            conversation: &conversation,
            turn: 0,
            history: self.history.before_next(),
            options: &self.options,
        };
        let body = self.endpoint.body(&request)?;
        let id = self.ids.uuid().to_string();
        let [target] = self.targets.requests.as_slice() else { return Err(ChatError::SeveralServers) };
        let start = Mono::now();
        let exchange = self.runtime.block_on(self.exchange(target, &body, &id, interrupt, on_words))?;
        if !exchange.is_success() {
            return Err(ChatError::of_status(&exchange));
        }
        let response = ResponseBody {
            content_type: exchange.header("content-type"),
            bytes: &exchange.body,
            marks: &exchange.marks,
        };
        let reply = self.endpoint.read(response)?;
        let counted = self.count(&reply, &body, hub);
        if self.memory == ChatMemory::Kept {
            self.history.note(&conversation, 0, self.endpoint.assistant_message(&reply));
        }
        Ok(ChatAnswer { figures: TurnFigures::of(&reply, start, counted), reply })
    }

    /// What is said of an error, without our keys, which the server may have repeated.
    pub fn without_secrets(&self, text: &str) -> String {
        self.secrets.hide(text.into()).into_owned()
    }

    fn conversation(&self, message: &str) -> Conversation {
        let turn = Turn { texts: vec![Media::unnamed(message)], model: Arc::clone(&self.model), ..Turn::default() };
        Conversation {
            session_id: self.session.clone(),
            turns: vec![turn],
            system: self.system_prompt.clone(),
            user_context: None,
            context_mode: ContextMode::DeltasWithoutResponses,
            lineage: Lineage::Root,
        }
    }

    async fn exchange(
        &self,
        target: &RequestTarget,
        body: &[u8],
        request_id: &str,
        interrupt: &Interrupt,
        on_words: &mut dyn FnMut(NewWords<'_>),
    ) -> Result<Exchange, ChatError> {
        let ids = RequestIds {
            host: &target.host_header,
            request_id,
            correlation_id: &self.session.0,
            parent_correlation_id: None,
            trace_parent: None,
        };
        let body = Bytes::copy_from_slice(body);
        let request = Request::post(&target.origin, &target.path_and_query, self.headers.lines(ids), body);
        let listener = ReplyListener::new(RefCell::new(on_words));
        let mut exchange = Exchange::default();
        tokio::select! {
            sent = self.client.send(&request, ConnectionUse::Pooled, &mut exchange, &listener) => sent?,
            late = self.limits.overrun(&listener) => return Err(late),
            () = asked(interrupt) => return Err(ChatError::Interrupted),
        }
        Ok(exchange)
    }

    /// The token counts of the server if it reports any, otherwise those of the client.
    fn count(&mut self, reply: &Reply, body: &[u8], hub: &Hub) -> Result<Counted, ChatError> {
        if let Some(counted) = Counted::of_usage(reply) {
            return Ok(counted);
        }
        let counter = match &self.counter {
            Some(counter) => Arc::clone(counter),
            None => aiperf_tokenizer::load(&self.tokenizer, hub.environment())?,
        };
        self.counter = Some(Arc::clone(&counter));
        Ok(Counted::by(&*counter, reply, self.endpoint.input_text(body).as_ref()))
    }
}

async fn asked(interrupt: &Interrupt) {
    while !interrupt.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK_UP).await;
    }
}
