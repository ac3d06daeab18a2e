//! Every rule about secrets: which names of headers, query parameters and body fields stand for them, how URLs and fields are
//! shown without them, and how they are taken out of what servers send back. Whatever goes to a file, a log or the terminal
//! passes through here.
#![forbid(unsafe_code)]

mod fields;
mod names;
mod secrets;
mod spelling;
mod url;

pub use aiperf_address::Secret;
pub use fields::{SecretFields, shown_fields};
pub use names::{is_secret_header, is_secret_parameter};
pub use secrets::{Secrets, values_of_credentials, values_of_header};
pub use url::{keys_in_url, shown_url};

/// Stands in place of a secret.
pub const REDACTED: &str = "<redacted>";
