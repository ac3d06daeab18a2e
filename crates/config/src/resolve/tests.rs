//! Resolution from options to configuration.
