//! What is sent: conversations and their turns. Data sets make them, endpoints render them, the engine schedules them.

mod media;
mod turn;

pub use media::Media;
pub use turn::{ContextMode, Conversation, Role, SessionId, Turn};
