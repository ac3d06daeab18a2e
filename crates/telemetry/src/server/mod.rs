//! Metrics that inference servers publish about themselves.
