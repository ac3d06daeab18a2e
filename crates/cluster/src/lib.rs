//! One run on several nodes. A coordinator hands out the configuration, sets the common start and collects the records; each node
//! sends its own share and needs no message for a request. Everything that must survive a crash goes through a message bus:
//! configuration, membership and barriers as keys with values, records as an acknowledged stream, files by their content hash.

mod bus;
mod chunk;
mod clock_offset;
mod coordinator;
mod error;
mod journal;
mod message;
mod names;
mod node;
#[cfg(test)]
mod tests;

pub use bus::{AccessError, Answer, Bus, NatsAccess, NatsBus, StreamMessage, Subscription};
pub use clock_offset::{ClockReading, ClockSegment};
pub use coordinator::{Collected, Coordinator, CoordinatorSettings, LostNode, NodeView, RunObserver, RunView, share};
pub use error::ClusterError;
pub use journal::{Journal, JournalNote, JournalPhase};
pub use message::{
    Counters, KnownBy, LossFacts, NodeCard, NodeEnd, NodeFacts, NodePhase, PhaseSent, RunSecrets, RunSpec, SharedFile,
    StartOrder,
};
pub use node::{Assignment, Member, NodeAgent, NodeSettings, Remains, Shipped, StopKind};
