//! Who waits for whom among conversations that start others: joins of spawned children and rounds of orchestrators.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aiperf_clock::Mono;
use aiperf_endpoint::BuildError;
use bytes::Bytes;

use crate::request::credit::{Session, SessionKey};

/// What a parent does when a child ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The parent sends this turn once all children of the branch have ended.
    Join(usize),
    /// The parent starts its next round once all children of the round have ended.
    Round,
    Nothing,
}

/// A turn that waits for children, with all that is needed to send it.
#[derive(Debug)]
pub(super) struct ParkedTurn {
    pub(super) session: Arc<Session>,
    pub(super) turn: usize,
    /// The body, made from the replies so far.
    pub(super) body: Option<Result<Bytes, BuildError>>,
    pub(super) last_due: Mono,
}

/// What waited for the end of a child.
#[derive(Debug)]
pub(super) enum Released {
    Turn(ParkedTurn),
    /// All children of an orchestrator's round have ended.
    RoundOver(SessionKey),
}

#[derive(Debug, Default)]
pub(super) struct BranchJoins {
    members: HashMap<SessionKey, Member>,
    /// Roots whose whole trees were abandoned.
    abandoned: HashSet<SessionKey>,
}

#[derive(Debug)]
struct Member {
    parent: Option<(SessionKey, Awaited)>,
    root: SessionKey,
    /// By turn, how many children it still waits for.
    joins: HashMap<usize, usize>,
    parked: Option<ParkedTurn>,
    /// Children of the current round.
    in_round: usize,
    rounds_begun: usize,
    /// One of its turns failed.
    failed: bool,
    session: Arc<Session>,
}

impl BranchJoins {
    /// Notes a session that starts others, or was started by one.
    pub(super) fn enter(&mut self, session: &Arc<Session>, parent: Option<(SessionKey, Awaited)>) {
        let root = parent.and_then(|(key, _)| self.members.get(&key)).map_or(session.id, |member| member.root);
        if let Some((key, awaited)) = parent
            && let Some(member) = self.members.get_mut(&key)
        {
            match awaited {
                Awaited::Join(turn) => *member.joins.entry(turn).or_default() += 1,
                Awaited::Round => member.in_round += 1,
                Awaited::Nothing => {}
            }
        }
        let member = Member {
            parent,
            root,
            joins: HashMap::new(),
            parked: None,
            in_round: 0,
            rounds_begun: 0,
            failed: false,
            session: Arc::clone(session),
        };
        self.members.insert(session.id, member);
    }

    /// Whether a turn must wait for children that have not ended.
    pub(super) fn must_wait(&self, session: SessionKey, turn: usize) -> bool {
        self.members.get(&session).is_some_and(|member| member.joins.get(&turn).is_some_and(|left| *left > 0))
    }

    pub(super) fn park(&mut self, parked: ParkedTurn) {
        if let Some(member) = self.members.get_mut(&parked.session.id) {
            member.parked = Some(parked);
        }
    }

    /// The session and the number of the round that an orchestrator begins now.
    pub(super) fn begin_round(&mut self, orchestrator: SessionKey) -> Option<(Arc<Session>, usize)> {
        let member = self.members.get_mut(&orchestrator)?;
        let round = member.rounds_begun;
        member.rounds_begun += 1;
        Some((Arc::clone(&member.session), round))
    }

    pub(super) fn rounds_begun(&self, orchestrator: SessionKey) -> usize {
        self.members.get(&orchestrator).map_or(0, |member| member.rounds_begun)
    }

    pub(super) fn session(&self, key: SessionKey) -> Option<Arc<Session>> {
        self.members.get(&key).map(|member| Arc::clone(&member.session))
    }

    /// Notes the end of a session, and returns what waited for it.
    pub(super) fn leave(&mut self, session: SessionKey) -> Option<Released> {
        let (parent, awaited) = self.members.remove(&session)?.parent?;
        let member = self.members.get_mut(&parent)?;
        match awaited {
            Awaited::Nothing => None,
            Awaited::Round => {
                member.in_round -= 1;
                (member.in_round == 0).then_some(Released::RoundOver(parent))
            }
            Awaited::Join(turn) => {
                let left = member.joins.get_mut(&turn)?;
                *left -= 1;
                let free = *left == 0 && member.parked.as_ref().is_some_and(|parked| parked.turn == turn);
                if free { member.parked.take().map(Released::Turn) } else { None }
            }
        }
    }

    pub(super) fn note_failure(&mut self, session: SessionKey) {
        if let Some(member) = self.members.get_mut(&session) {
            member.failed = true;
        }
    }

    pub(super) fn has_failed(&self, session: SessionKey) -> bool {
        self.members.get(&session).is_some_and(|member| member.failed)
    }

    /// Abandons the whole tree of a session: none of its sessions sends another turn.
    pub(super) fn abandon(&mut self, session: SessionKey) {
        if let Some(member) = self.members.get(&session) {
            self.abandoned.insert(member.root);
        }
    }

    pub(super) fn is_abandoned(&self, session: SessionKey) -> bool {
        self.members.get(&session).is_some_and(|member| self.abandoned.contains(&member.root))
    }

    pub(super) fn is_member(&self, session: SessionKey) -> bool {
        self.members.contains_key(&session)
    }
}
