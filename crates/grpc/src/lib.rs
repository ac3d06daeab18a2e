//! gRPC without sockets: framing of messages, the status of a call, the messages of the `KServe` protocol and of server
//! reflection, and messages that only a descriptor describes.
#![forbid(unsafe_code)]

mod descriptor;
mod frame;
pub mod kserve;
mod metadata;
pub mod reflection;
mod status;
mod timeout;

pub use aiperf_protocol::{MethodName, MethodNameError};
pub use descriptor::{DescriptorError, MappingError, MethodShape, ServiceDescriptors};
pub use frame::{FRAME_HEAD, FrameError, GrpcFrame, GrpcFrameScanner, frame, frames};
pub use metadata::{MetadataError, check_metadata};
pub use status::{GrpcCode, GrpcStatus};
pub use timeout::timeout_value;
