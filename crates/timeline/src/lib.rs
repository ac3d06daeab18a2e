//! What a finished run did when. Reads artifact folders of aiperf and AIPerf, knows nothing of the engine: the requests of a run on
//! the slots that they took turns in, as a Perfetto trace or as swim lanes, and the messages that were sent turn by turn.
#![forbid(unsafe_code)]

mod counters;
mod error;
mod html;
mod perfetto;
mod request;
mod slots;
mod swim_lane;
mod turn_messages;

pub use error::TimelineError;
pub use perfetto::trace;
pub use swim_lane::{SwimLaneOptions, SwimLanes};
pub use turn_messages::{TurnMessages, TurnMessagesOptions};
