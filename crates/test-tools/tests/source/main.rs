//! Rules about the source text of the whole workspace that no compiler checks.

#![allow(clippy::expect_used, reason = "a step of a test that fails must fail the test")]

mod files;
mod repeated_blocks;
mod type_names;
