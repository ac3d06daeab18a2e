//! Connections that know when their bytes arrived. A thread that is busy reads late; the kernel stamped the bytes when they
//! came in, and here that stamp is read together with them. Also raises the limits of a process that opens many connections.
#![forbid(unsafe_code)]

mod connect;
mod descriptors;
mod host_name;
mod receive;
mod source;
mod stamping;
mod stream;

pub use connect::{connect_tcp, connect_unix};
pub use descriptors::{grow_descriptor_table, lacks_descriptors, raise_descriptor_limit};
pub use host_name::host_name;
pub use receive::{ask_for_stamps, receive_stamped};
pub use source::SourceAddresses;
pub use stamping::Stamping;
pub use stream::StampedStream;
