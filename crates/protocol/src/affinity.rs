//! Headers by which routers recognise a session.

/// Which further headers carry the correlation id, for routers that keep a session on one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AffinityHeaders {
    pub session_affinity: bool,
    pub session_id: bool,
    pub smg_routing_key: bool,
    pub dynamo_session_id: bool,
}

impl Default for AffinityHeaders {
    fn default() -> Self {
        Self { session_affinity: true, session_id: false, smg_routing_key: false, dynamo_session_id: false }
    }
}
