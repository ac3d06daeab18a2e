//! One request on its way: its session, the credit that lets a worker send it, and what comes back.

pub(crate) mod bodies;
pub(crate) mod credit;
pub(crate) mod finished;
pub(crate) mod follow_up;
pub(crate) mod preconnect;
pub(crate) mod reserved;
pub(crate) mod streamed_body;
