//! What must not reach a file or a log: keys in headers, and passwords and keys in URLs.

pub use aiperf_http::{REDACTED, is_secret_header, keys_in_url, shown_url as url};
