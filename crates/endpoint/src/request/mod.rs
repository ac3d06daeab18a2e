//! Writes requests: turns and their history become bodies, and sent bodies are read again for what counts as input.

mod form_document;
mod headers;
mod history;
mod input_text;
mod job;
pub(crate) mod kserve;
pub(crate) mod media;
pub(crate) mod message;
pub(crate) mod multipart;
pub(crate) mod payload;
mod template;
pub(crate) mod unsent;

pub use form_document::body_document;
pub use headers::{HeaderError, HeaderOptions, HeaderPlan, RequestIds};
pub use history::{History, Past};
pub use input_text::InputText;
pub use job::{Job, JobAnswer, JobPlace, JobStep};
pub use kserve::KserveSettings;
pub use template::PayloadTemplate;
pub use unsent::unsent;
