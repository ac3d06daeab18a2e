//! What is sent: conversations and their turns. Data sets make them, endpoints render them, the engine schedules them.
#![forbid(unsafe_code)]

mod branch;
mod branch_counts;
mod media;
mod origin;
mod turn;

pub use branch::{Branch, BranchKind, ConversationIndex, Lineage, Orchestrator, Round, ThinkTime};
pub use branch_counts::BranchCounts;
pub use media::Media;
pub use origin::{BlockReuse, RecordedLine, RecordedPlace, ReplayOrigin};
pub use turn::{ContextMode, Conversation, Role, SessionId, Turn};
