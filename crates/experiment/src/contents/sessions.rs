//! The data set as it goes over the wire. What a turn says is made when it is needed or a little ahead, is held while
//! there is room, and is made again where there was none: the same conversation always gives the same bytes.

mod facts;
mod markers;
mod prefetch_queue;
mod renderer;
mod slot;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::record::warnings::WarnOnce;
use aiperf_clock::Nanos;
use aiperf_conversation::{BranchKind, Conversation, ConversationIndex, Lineage, ReplayOrigin, Turn};
use aiperf_dataset::Dataset;
use aiperf_endpoint::{BuildError, History, body_document, check_turns, unsent};
use aiperf_engine::{Began, Bodies, FollowUpBodies, PreparedConversation, PreparedTurn, Session};
use aiperf_protocol::EndpointKind;
use aiperf_redact::SecretFields;
use aiperf_report::InputSession;
use bytes::Bytes;
use facts::InputCounts;
use serde_json::Value;
use slot::{ConversationSlot, KeptBytes};

pub(crate) use facts::TurnFacts;
pub(crate) use markers::Markers;
pub(crate) use prefetch_queue::{PrefetchQueue, StartCounter, WantedBody};
pub(crate) use renderer::Renderer;

/// All conversations of the run, with as many of their contents as there is room for.
pub(crate) struct Sessions {
    dataset: Arc<Dataset>,
    renderer: Renderer,
    markers: Option<Markers>,
    /// Fields of bodies that no file may have.
    secret_fields: SecretFields,
    /// One for each conversation.
    slots: Vec<ConversationSlot>,
    input_counts: InputCounts,
    /// Bytes in all slots.
    held: AtomicUsize,
    /// Bytes up to which contents stay when their session is over.
    room: usize,
    /// Conversations made so far; those made again count again.
    made: AtomicUsize,
    /// Who makes contents ahead.
    pub(crate) prefetch_queue: PrefetchQueue,
}

impl Sessions {
    /// Looks at all that can be wrong before contents are generated, and at the contents of the conversation `first`.
    pub(crate) fn prepare(
        dataset: Arc<Dataset>,
        kind: EndpointKind,
        renderer: Renderer,
        markers: Option<Markers>,
        first: usize,
        room: usize,
    ) -> Result<Self, BuildError> {
        let outlines = dataset.outlines();
        for outline in outlines {
            check_turns(kind, outline)?;
        }
        let sessions = Self {
            slots: (0..dataset.len()).map(|_| ConversationSlot::default()).collect(),
            input_counts: InputCounts::new(outlines),
            secret_fields: SecretFields::of(&renderer.options.extra_inputs),
            renderer,
            markers,
            held: AtomicUsize::new(0),
            room,
            made: AtomicUsize::new(0),
            prefetch_queue: PrefetchQueue::default(),
            dataset,
        };
        // What is in memory anyway can be looked at as a whole.
        let checked = if sessions.dataset.is_deferred() { first..first + 1 } else { 0..sessions.len() };
        let unsent_warning = WarnOnce::default();
        for index in checked {
            sessions.check(kind, index, &unsent_warning)?;
        }
        Ok(sessions)
    }

    /// Makes every body of a conversation once, as far as that needs no replies.
    fn check(&self, kind: EndpointKind, index: usize, unsent_warning: &WarnOnce) -> Result<(), BuildError> {
        let conversation = self.find(index, None);
        for turn in 0..conversation.turns.len() {
            if let Some(what) = unsent(kind, &conversation.turns[turn]) {
                let (endpoint, session) = (kind.facts().name, &conversation.session_id);
                unsent_warning.warn(|| {
                    format!("The {endpoint} endpoint cannot send the {what} of turn {turn} of session {session}; the request is sent without it")
                });
            }
            let body = self.renderer.alone(&conversation, turn)?;
            if Renderer::alone_is_fixed(&conversation, turn) && self.has_room() {
                self.keep(index, &conversation, Some((turn, &body)));
            }
        }
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether some request may be due only when the answer to another has been read.
    pub(crate) fn may_wait_for_replies(&self) -> bool {
        let starts_others = |turn: &Turn| !turn.branches.is_empty();
        self.dataset.outlines().iter().any(|outline| outline.turns.len() > 1 || outline.turns.iter().any(starts_others))
    }

    pub(crate) fn session_id(&self, index: usize) -> &str {
        &self.dataset.outlines()[index].session_id.0
    }

    pub(crate) fn turn(&self, index: usize, turn: usize) -> TurnFacts<'_> {
        let conversation = &self.dataset.outlines()[index];
        let outline = &conversation.turns[turn];
        // Later turns carry what was said before them.
        let stands_alone = turn == 0 && conversation.system.is_none() && conversation.user_context.is_none();
        TurnFacts {
            max_tokens: outline.max_tokens,
            asked_input: outline.input_tokens.filter(|_| stands_alone),
            audio_seconds: outline.audio_seconds,
            blocks: outline.origin.as_ref().map(|origin| origin.blocks),
            input: self.input_counts.of(index, turn),
        }
    }

    /// The recorded request that a turn replays.
    pub(crate) fn origin(&self, index: usize, turn: usize) -> Option<&ReplayOrigin> {
        self.dataset.outlines()[index].turns[turn].origin.as_deref()
    }

    /// Whether contents may stay that nobody needs at the moment.
    pub(crate) fn has_room(&self) -> bool {
        self.held.load(Ordering::Relaxed) < self.room
    }

    /// A conversation with its contents: those held, or new ones that are not held yet. Of a turn: with those that its
    /// body is made of.
    fn find(&self, index: usize, turn: Option<usize>) -> Arc<Conversation> {
        if let Some(conversation) = self.slots[index].conversation() {
            return conversation;
        }
        if self.dataset.is_deferred() {
            self.made.fetch_add(1, Ordering::Relaxed);
        }
        let conversation = match turn {
            Some(turn) => self.dataset.conversation_at(ConversationIndex(index), turn),
            None => self.dataset.conversation(ConversationIndex(index)),
        };
        match &self.markers {
            Some(markers) => markers.mark(&conversation),
            None => conversation,
        }
    }

    /// Puts what was made into its slot, where someone else may have put the same before. Says how much is in there.
    fn keep(&self, index: usize, conversation: &Arc<Conversation>, body: Option<(usize, &Bytes)>) -> usize {
        let contents = self.contents_matter(index).then_some(conversation);
        let KeptBytes { added, all } =
            self.slots[index].keep(self.dataset.outlines()[index].turns.len(), contents, body);
        self.held.fetch_add(added, Ordering::Relaxed);
        all
    }

    /// Whether anyone asks for the contents when the first body is there: a later turn does, and a fork. What the data
    /// set has in memory need not be held a second time.
    fn contents_matter(&self, index: usize) -> bool {
        let outline = &self.dataset.outlines()[index];
        let forks = |kind: BranchKind| matches!(kind, BranchKind::Fork { .. });
        self.dataset.is_deferred()
            && !self.dataset.is_made_by_turn()
            && (outline.turns.len() > 1
                || outline.lineage == Lineage::Child
                || outline.turns.iter().flat_map(|turn| &turn.branches).any(|branch| forks(branch.kind)))
    }

    /// For those who go on from a reply.
    fn conversation(&self, index: usize) -> Arc<Conversation> {
        let conversation = self.find(index, None);
        self.keep(index, &conversation, None);
        conversation
    }

    /// Makes what the start of a session needs. Says how many bytes the conversation holds.
    pub(crate) fn make_ahead(&self, index: usize) -> usize {
        self.make_turn(index, 0)
    }

    pub(crate) fn make_turn(&self, index: usize, turn: usize) -> usize {
        if let Some((_, bytes)) = self.slots[index].body(turn) {
            return bytes;
        }
        let conversation = self.find(index, Some(turn));
        // One that cannot be made is the worker's to report.
        let body = (turn < conversation.turns.len()).then(|| self.renderer.fixed(&conversation, turn).ok()).flatten();
        self.keep(index, &conversation, body.as_ref().map(|body| (turn, body)))
    }

    /// What comes after a turn that is about to be sent.
    fn look_ahead(&self, index: usize, turn: usize) {
        let outline = &self.dataset.outlines()[index];
        let next = (turn + 1 < outline.turns.len() && !Renderer::needs_replies(outline, turn + 1))
            .then_some(WantedBody { conversation: index, turn: turn + 1 });
        let children = outline.turns[turn].branches.iter().flat_map(|branch| &branch.children);
        let children = children.map(|child| WantedBody { conversation: child.0, turn: 0 });
        for wanted in next.into_iter().chain(children) {
            if self.slots[wanted.conversation].body(wanted.turn).is_none() {
                self.prefetch_queue.want(wanted);
            }
        }
    }

    /// The conversation as `inputs.json` shows it: each turn by itself, and the bytes of its bodies. What had
    /// to be made for it stays if there is room.
    pub(crate) fn input(&self, index: usize) -> (InputSession, usize) {
        let outline = &self.dataset.outlines()[index];
        let (mut made, mut bytes) = (None, 0);
        let mut payloads = Vec::with_capacity(outline.turns.len());
        for turn in 0..outline.turns.len() {
            let is_fixed = Renderer::alone_is_fixed(outline, turn);
            let held = if is_fixed { self.slots[index].body(turn) } else { None };
            let body = held.map(|(body, _)| body).or_else(|| {
                let conversation = made.get_or_insert_with(|| self.find(index, None));
                let body = self.renderer.alone(conversation, turn).ok()?;
                if is_fixed && self.has_room() {
                    self.keep(index, conversation, Some((turn, &body)));
                }
                Some(body)
            });
            bytes += body.as_ref().map_or(0, Bytes::len);
            payloads.extend(body.and_then(|body| match self.renderer.endpoint.legible_body(&body) {
                Some(legible) => serde_json::from_str(&legible).ok(),
                None => body_document(&body),
            }));
        }
        for payload in &mut payloads {
            self.secret_fields.hide(payload);
        }
        (InputSession { session_id: self.session_id(index).to_owned(), payloads }, bytes)
    }

    /// What a turn's reply makes possible: the next turn, and the first turns of forks. `reply` is `None` when the
    /// request failed.
    pub(crate) fn after(&self, session: &Session, turn: usize, reply: Option<Value>, failed: bool) -> FollowUpBodies {
        let conversation = self.conversation(session.conversation);
        session
            .with_history(|history| self.bodies_after(&conversation, turn, reply, failed, history))
            .unwrap_or_default()
    }

    fn bodies_after(
        &self,
        conversation: &Arc<Conversation>,
        turn: usize,
        reply: Option<Value>,
        failed: bool,
        history: &mut History,
    ) -> FollowUpBodies {
        history.note(conversation, turn, reply);
        let next = (turn + 1 < conversation.turns.len() && Renderer::needs_replies(conversation, turn + 1))
            .then(|| self.renderer.body(conversation, turn + 1, history));
        let mut forks = Vec::new();
        for branch in &conversation.turns[turn].branches {
            if let BranchKind::Fork { .. } = branch.kind {
                for child in &branch.children {
                    let forked = self.conversation(child.0);
                    forks.push((child.0, self.renderer.body(&forked, 0, &history.fork(forked.context_mode))));
                }
            }
        }
        FollowUpBodies { next, forks, failed, overflowed: false }
    }

    /// Whether what follows a turn is made of its reply.
    pub(crate) fn goes_on_from_reply(&self, index: usize, turn: usize) -> bool {
        let outline = &self.dataset.outlines()[index];
        let forks = |kind: BranchKind| matches!(kind, BranchKind::Fork { .. });
        (turn + 1 < outline.turns.len() && Renderer::needs_replies(outline, turn + 1))
            || outline.turns[turn].branches.iter().any(|branch| forks(branch.kind))
    }

    /// The part of it that the engine plans with.
    pub(crate) fn for_engine(&self) -> Vec<PreparedConversation> {
        let prepared = |outline: &Arc<Conversation>| PreparedConversation {
            session_id: Arc::clone(&outline.session_id.0),
            lineage: outline.lineage.clone(),
            context_mode: outline.context_mode,
            turns: (outline.turns.iter().enumerate())
                .map(|(place, turn)| PreparedTurn {
                    needs_replies: Renderer::needs_replies(outline, place),
                    timestamp_ms: turn.timestamp_ms,
                    recorded: turn.recorded_ms.map(|ms| Nanos::from_secs_f64(ms / 1e3)),
                    answered_before: turn.answered_before.iter().map(|(other, turn)| (other.0, *turn)).collect(),
                    delay: turn.delay_ms.map(|ms| Nanos::from_secs_f64(ms / 1e3)),
                    branches: turn.branches.clone(),
                })
                .collect(),
        };
        self.dataset.outlines().iter().map(prepared).collect()
    }
}

impl Bodies for Sessions {
    fn fixed(&self, conversation: usize, turn: usize) -> Result<Bytes, BuildError> {
        let slot = &self.slots[conversation];
        let body = if let Some((body, _)) = slot.body(turn) {
            body
        } else {
            let contents = self.find(conversation, Some(turn));
            let body = self.renderer.fixed(&contents, turn)?;
            self.keep(conversation, &contents, Some((turn, &body)));
            body
        };
        if turn > 0 && !self.has_room() {
            self.held.fetch_sub(slot.drop_bodies_before(turn), Ordering::Relaxed);
        }
        self.look_ahead(conversation, turn);
        Ok(body)
    }

    fn single_token(&self, conversation: usize, turn: usize) -> Result<Bytes, BuildError> {
        let mut contents = Conversation::clone(&self.find(conversation, Some(turn)));
        if let Some(turn) = contents.turns.get_mut(turn) {
            turn.max_tokens = Some(1);
        }
        let body = self.renderer.fixed(&Arc::new(contents), turn);
        self.look_ahead(conversation, turn);
        body
    }

    fn per_session(&self, session: &Session, body: &Bytes) -> Option<Bytes> {
        self.markers.as_ref()?.put(session, self.session_id(session.root_conversation), body)
    }

    fn begin(&self, conversation: usize, began: Began) {
        self.slots[conversation].enter();
        let is_first = match began {
            Began::Drawn => self.prefetch_queue.drawn.advance(),
            Began::Scheduled => self.prefetch_queue.scheduled.advance(),
            Began::Branched => return,
        };
        if is_first {
            let made = self.made.load(Ordering::Relaxed);
            log::debug!("The first session begins; {made} of {} conversations were generated by then", self.len());
        }
        self.prefetch_queue.wake_if_due();
    }

    fn end(&self, conversation: usize) {
        if self.slots[conversation].leave() && !self.has_room() {
            self.held.fetch_sub(self.slots[conversation].clear(), Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("len", &self.len()).field("held", &self.held).finish_non_exhaustive()
    }
}
