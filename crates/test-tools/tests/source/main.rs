//! Rules about the source text of the whole workspace that no compiler checks.

mod files;
mod repeated_blocks;
mod type_names;
