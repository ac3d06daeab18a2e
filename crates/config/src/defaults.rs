//! Values that apply if an option is not given. Resolution fills them in, and the export leaves them out.

use std::time::Duration;

use crate::Length;

/// The tokenizer that is compiled in.
pub const TOKENIZER: &str = "builtin";
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(21_600);
/// Pause between two readiness probes.
pub const PROBE_INTERVAL: Duration = Duration::from_secs(5);
/// How long a server may be out of reach before the run is ended.
pub const UNREACHABLE_TIMEOUT: Duration = Duration::from_secs(10);
/// Conversations of a generated data set.
pub const ENTRIES: usize = 100;
/// Turns of a conversation.
pub const TURNS: Length = Length::constant(1.0);
