//! Who we are to a server or proxy.

use std::fmt;

use crate::percent::percent_decoded;

/// A value that never reaches a file or a log.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<redacted>")
    }
}

/// A user name and a password, with percent-encoding taken off.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Credentials {
    pub user: String,
    pub password: Secret,
}

impl Credentials {
    /// From the part of a URL before the `@`.
    pub(crate) fn from_user_info(text: &str) -> Self {
        let (user, password) = text.split_once(':').unwrap_or((text, ""));
        Self { user: percent_decoded(user), password: Secret(percent_decoded(password)) }
    }

    /// `user:password`, which Basic authentication encodes.
    pub fn joined(&self) -> Secret {
        Secret(format!("{}:{}", self.user, self.password.0))
    }
}
