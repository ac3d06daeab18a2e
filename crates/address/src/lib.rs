//! Where servers are, and how connections to them are made. A URL is parsed once, into an [`Address`], and carried as that type
//! to the socket; no other crate takes a URL apart. Settings of connections that are chosen on the command line and used by the
//! transport are defined here once, so that no crate translates them for another. No I/O.
//!
//! [`Address`] is not a `url::Url` or an `http::Uri`. `url` normalises what it reads (default ports, `..`, percent-encoding,
//! letter case), and a request would differ from what the user typed; `http::Uri` refuses characters that users do type and
//! that are percent-encoded here, and knows neither bare `host:port` nor Unix sockets.
#![forbid(unsafe_code)]

mod address;
mod authority;
mod connection;
mod credentials;
mod origin;
mod percent;
mod proxy;
mod reference;
mod request_target;
mod scheme;
mod url_text;

pub use address::{Address, AddressError};
pub use connection::{
    ClientCertificate, ConnectionReuse, ConnectionUse, HttpVersion, IpVersion, SocketOptions, TlsOptions, Verification,
};
pub use credentials::{Credentials, Secret};
pub use origin::Origin;
pub use percent::{percent_decoded, percent_encoded};
pub use proxy::{Proxies, Proxy};
pub use reference::ReferenceError;
pub use request_target::RequestTarget;
pub use scheme::Scheme;
pub use url_text::UrlText;
