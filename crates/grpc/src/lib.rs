//! The words of gRPC, as bytes and without sockets: how messages are framed, what a call's status says, the messages of the
//! `KServe` protocol and of server reflection, and messages that only a descriptor knows.
#![forbid(unsafe_code)]

mod descriptor;
mod frame;
pub mod kserve;
mod metadata;
pub mod reflection;
mod status;
mod timeout;

pub use aiperf_protocol::{MethodName, MethodNameError};
pub use descriptor::{DescriptorError, Descriptors, MappingError, MethodShape};
pub use frame::{FRAME_HEAD, Frame, FrameError, FrameScanner, frame, frames};
pub use metadata::{MetadataError, check_metadata};
pub use status::{Code, Status};
pub use timeout::timeout_value;
