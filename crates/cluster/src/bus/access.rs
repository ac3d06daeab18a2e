//! How a process reaches NATS: the URL, and what the environment says about TLS and credentials. Credentials are read from
//! variables and files only, so that no command line, configuration file, artifact or log has them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Variables that this module reads.
pub(crate) const USER: &str = "AIPERF_NATS_USER";
pub(crate) const PASSWORD: &str = "AIPERF_NATS_PASSWORD";
pub(crate) const TOKEN: &str = "AIPERF_NATS_TOKEN";
pub(crate) const CREDENTIALS: &str = "AIPERF_NATS_CREDS";
pub(crate) const NKEY: &str = "AIPERF_NATS_NKEY_FILE";
pub(crate) const CA: &str = "AIPERF_NATS_CA";
pub(crate) const CERTIFICATE: &str = "AIPERF_NATS_CERT";
pub(crate) const KEY: &str = "AIPERF_NATS_KEY";
pub(crate) const WAIT: &str = "AIPERF_NATS_WAIT";

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AccessError {
    #[error("{url}: a NATS URL begins with nats:// or tls://, such as nats://10.0.0.5:4222")]
    Scheme { url: String },
    #[error(
        "the NATS URL has a user or password in it, which would be visible to every user of the machine; set {USER} and {PASSWORD} instead"
    )]
    Credentials,
    #[error("{name} is set, but not {other}; set both, or neither")]
    Half { name: &'static str, other: &'static str },
    #[error("{first} and {second} are both set; use one way to sign in to NATS")]
    TwoWays { first: &'static str, second: &'static str },
    #[error("{name}: cannot read {path}: {reason}")]
    Unreadable { name: &'static str, path: PathBuf, reason: String },
    #[error("{WAIT} {value:?}: must be a number of seconds, such as 60")]
    Wait { value: String },
}

/// How to sign in.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum SignIn {
    Nothing,
    Password {
        user: String,
        password: String,
    },
    Token(String),
    /// Content of a credentials file: a JWT and the seed of its key.
    Credentials(String),
    /// Seed of an nkey.
    Nkey(String),
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "Nothing",
            Self::Password { .. } => "Password(<redacted>)",
            Self::Token(_) => "Token(<redacted>)",
            Self::Credentials(_) => "Credentials(<redacted>)",
            Self::Nkey(_) => "Nkey(<redacted>)",
        })
    }
}

/// All that a connection needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NatsAccess {
    pub(crate) url: String,
    pub(crate) sign_in: SignIn,
    /// Certificates of authorities to trust in addition to those of the system.
    pub(crate) authorities: Option<PathBuf>,
    /// The client's own certificate and key.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
    /// How long to try again if the server cannot be reached: schedulers start it at the same time as its clients.
    pub(crate) wait: Duration,
}

impl NatsAccess {
    /// `url` as given, perhaps several with commas; the rest from these environment variables.
    pub fn read(url: &str, variables: &BTreeMap<String, String>) -> Result<Self, AccessError> {
        for one in url.split(',') {
            let (scheme, rest) = one
                .trim()
                .split_once("://")
                .ok_or_else(|| AccessError::Scheme { url: aiperf_redact::shown_url(one) })?;
            if !["nats", "tls"].contains(&scheme) {
                return Err(AccessError::Scheme { url: aiperf_redact::shown_url(one) });
            }
            if rest.contains('@') {
                return Err(AccessError::Credentials);
            }
        }
        let get = |name: &str| variables.get(name).filter(|value| !value.is_empty()).cloned();
        let authorities = get(CA).map(PathBuf::from);
        let identity =
            pair((CERTIFICATE, get(CERTIFICATE)), (KEY, get(KEY)))?.map(|(cert, key)| (cert.into(), key.into()));
        let seconds = get(WAIT).map(|value| value.trim().parse().map_err(|_| AccessError::Wait { value }));
        let wait = Duration::from_secs(seconds.transpose()?.unwrap_or(0));
        Ok(Self { url: url.to_owned(), sign_in: sign_in(get)?, authorities, identity, wait })
    }

    pub fn url(&self) -> &str {
        &self.url
    }
}

fn sign_in(get: impl Fn(&str) -> Option<String>) -> Result<SignIn, AccessError> {
    let password = pair((USER, get(USER)), (PASSWORD, get(PASSWORD)))?;
    let ways = [
        (USER, password.is_some()),
        (TOKEN, get(TOKEN).is_some()),
        (CREDENTIALS, get(CREDENTIALS).is_some()),
        (NKEY, get(NKEY).is_some()),
    ];
    let mut given = ways.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        return Err(AccessError::TwoWays { first, second });
    }
    if let Some((user, password)) = password {
        return Ok(SignIn::Password { user, password });
    }
    if let Some(token) = get(TOKEN) {
        return Ok(SignIn::Token(token));
    }
    if let Some(path) = get(CREDENTIALS) {
        return Ok(SignIn::Credentials(content(CREDENTIALS, Path::new(&path))?));
    }
    match get(NKEY) {
        Some(path) => Ok(SignIn::Nkey(content(NKEY, Path::new(&path))?.trim().to_owned())),
        None => Ok(SignIn::Nothing),
    }
}

type Named = (&'static str, Option<String>);

/// Two variables that belong together.
fn pair(first: Named, second: Named) -> Result<Option<(String, String)>, AccessError> {
    match (first, second) {
        ((_, Some(first)), (_, Some(second))) => Ok(Some((first, second))),
        ((_, None), (_, None)) => Ok(None),
        ((name, Some(_)), (other, None)) | ((other, None), (name, Some(_))) => Err(AccessError::Half { name, other }),
    }
}

fn content(name: &'static str, path: &Path) -> Result<String, AccessError> {
    std::fs::read_to_string(path).map_err(|cause| AccessError::Unreadable {
        name,
        path: path.to_owned(),
        reason: cause.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str, variables: &[(&str, &str)]) -> Result<NatsAccess, AccessError> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        NatsAccess::read(url, &variables)
    }

    #[test]
    fn credentials_come_from_the_environment_and_are_never_shown() {
        let access = read("nats://host:4222", &[(USER, "me"), (PASSWORD, "hush")]).unwrap();
        assert!(!format!("{access:?}").contains("hush"));
        assert_eq!(access.sign_in, SignIn::Password { user: "me".into(), password: "hush".into() });
        let shown = read("nats://me:hush@host", &[]).unwrap_err().to_string();
        assert!(shown.contains(PASSWORD) && !shown.contains("hush"), "{shown}");
    }

    #[test]
    fn half_of_a_pair_and_two_ways_are_mistakes() {
        assert!(matches!(read("nats://h", &[(USER, "me")]), Err(AccessError::Half { name: USER, other: PASSWORD })));
        assert!(matches!(read("nats://h", &[(KEY, "k")]), Err(AccessError::Half { name: KEY, .. })));
        let two = read("tls://h", &[(TOKEN, "t"), (USER, "u"), (PASSWORD, "p")]);
        assert!(matches!(two, Err(AccessError::TwoWays { first: USER, second: TOKEN })));
        assert!(matches!(read("nats://h", &[(WAIT, "soon")]), Err(AccessError::Wait { .. })));
        assert!(matches!(read("http://h", &[]), Err(AccessError::Scheme { .. })));
        assert!(matches!(read("h:4222", &[]), Err(AccessError::Scheme { .. })));
        assert!(matches!(read("nats://h", &[(CREDENTIALS, "/no/such/file")]), Err(AccessError::Unreadable { .. })));
    }
}
