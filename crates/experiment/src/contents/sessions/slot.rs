//! What is in memory of one conversation.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aiperf_conversation::{Conversation, Media, Turn};
use bytes::Bytes;

#[derive(Debug, Default)]
pub(super) struct ConversationSlot {
    held: Mutex<Option<HeldContents>>,
    /// Live sessions of this conversation.
    sessions: AtomicU32,
}

#[derive(Debug, Default)]
struct HeldContents {
    conversation: Option<Arc<Conversation>>,
    /// By turn.
    bodies: Box<[Option<Bytes>]>,
    bytes: usize,
}

/// The bytes of a slot after something was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeptBytes {
    pub(super) added: usize,
    /// Everything that the slot holds now.
    pub(super) all: usize,
}

impl ConversationSlot {
    fn lock(&self) -> MutexGuard<'_, Option<HeldContents>> {
        // Nothing that is done under the lock leaves it half done.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn conversation(&self) -> Option<Arc<Conversation>> {
        self.lock().as_ref()?.conversation.clone()
    }

    /// A body, and the bytes of everything in the slot.
    pub(super) fn body(&self, turn: usize) -> Option<(Bytes, usize)> {
        let slot = self.lock();
        let held = slot.as_ref()?;
        Some((held.bodies.get(turn)?.clone()?, held.bytes))
    }

    pub(super) fn keep(
        &self,
        turns: usize,
        conversation: Option<&Arc<Conversation>>,
        body: Option<(usize, &Bytes)>,
    ) -> KeptBytes {
        let mut slot = self.lock();
        let held =
            slot.get_or_insert_with(|| HeldContents { bodies: vec![None; turns].into(), ..HeldContents::default() });
        let before = held.bytes;
        if let (None, Some(conversation)) = (&held.conversation, conversation) {
            held.bytes += size_of_contents(conversation);
            held.conversation = Some(Arc::clone(conversation));
        }
        if let Some((turn, body)) = body
            && let Some(place @ None) = held.bodies.get_mut(turn)
        {
            held.bytes += body.len();
            *place = Some(body.clone());
        }
        KeptBytes { added: held.bytes - before, all: held.bytes }
    }

    /// Drops the bodies of earlier turns; returns their bytes.
    pub(super) fn drop_bodies_before(&self, turn: usize) -> usize {
        let mut slot = self.lock();
        let Some(held) = slot.as_mut() else { return 0 };
        let earlier = held.bodies.iter_mut().take(turn);
        let freed = earlier.filter_map(Option::take).map(|body| body.len()).sum();
        held.bytes -= freed;
        freed
    }

    /// Drops everything; returns its bytes.
    pub(super) fn clear(&self) -> usize {
        // Freed when the lock is no longer held.
        let held = self.lock().take();
        held.map_or(0, |held| held.bytes)
    }

    pub(super) fn enter(&self) {
        self.sessions.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one session less; returns whether it was the last one.
    pub(super) fn leave(&self) -> bool {
        self.sessions.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

/// About the memory that generated contents take. Those that many conversations share count for each of them.
fn size_of_contents(conversation: &Conversation) -> usize {
    let media = |media: &[Media]| media.iter().flat_map(|m| &m.contents).map(|content| content.len()).sum::<usize>();
    let turn = |turn: &Turn| {
        size_of::<Turn>() + media(&turn.texts) + media(&turn.images) + media(&turn.audios) + media(&turn.videos)
    };
    let context = conversation.user_context.as_ref().map_or(0, |context| context.len());
    context + conversation.turns.iter().map(turn).sum::<usize>()
}
