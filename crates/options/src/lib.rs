//! From what was typed to what it means: the option catalogue with its help texts, the grammar of values, the environment
//! variables, and every rule about options that go or do not go together. The result is an [`aiperf_config::Config`].
#![forbid(unsafe_code)]

pub mod catalogue;
mod command_line;
mod error;
mod grammar;
mod groups;
mod raw;
mod variables;

pub use command_line::{shell_word, shown_extra_inputs};
pub use error::ConfigError;
pub use grammar::goodput::read as read_goodput;
pub use grammar::header::read_into as read_headers;
pub use grammar::key_value::read_into as read_key_values;
pub use grammar::sequence::read as read_length_pairs;
pub use groups::{
    CAPACITY_RECIPE, PhaseOptions, contradicts_capacity, give_all_the_largest_data, read_tags, searches_capacity,
};
pub use raw::{Given, RawOptions};
pub use variables::{
    UnreadVariable, VARIABLES, Variable, WithoutEffect, search_tuning, unread_variables, variables_without_effect,
};
