//! What requests say: conversations and bodies, made when they are needed or a little ahead.

pub(crate) mod prefetch;
pub(crate) mod sessions;
