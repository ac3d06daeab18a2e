//! GPU sources.
