//! What must be known alike by those who write requests (`endpoint`), those who send them (`transport`) and those who say what
//! was sent (`config`, `experiment`): which names stand for secrets, and how a path goes on a request line.
#![forbid(unsafe_code)]

mod address;
mod path;
mod secret;

pub use address::{REDACTED, keys_in_url, shown_url};
pub use path::{decoded, encoded};
pub use secret::{is_secret_header, is_secret_parameter};
