//! The endpoint types and the settings that belong to some of them.

mod declared;
mod facts;
mod kind;
mod kserve_backend;
mod medium;
mod method_name;
mod registry;
mod template_text;
mod wire;

pub use declared::{DeclaredEndpoint, EndpointDeclaration, ResponseRules};
pub use facts::{BodyForm, BodySource, EndpointFacts, GrpcSupport, TurnPart};
pub use kind::EndpointKind;
pub use kserve_backend::KserveBackend;
pub use medium::Medium;
pub use method_name::{MethodName, MethodNameError};
pub use template_text::TemplateText;
pub use wire::Wire;
