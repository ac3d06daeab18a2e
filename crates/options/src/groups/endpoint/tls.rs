//! Whom to trust under TLS, and who we are.

use std::path::PathBuf;

use aiperf_address::{ClientCertificate, Proxies, TlsOptions, Verification};
use aiperf_config::{Environment, Target, Tuning};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

const ALL: [OptionId; 4] = [OptionId::CaCert, OptionId::ClientCert, OptionId::ClientKey, OptionId::Insecure];

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    tuning: &Tuning,
    targets: &[Target],
    proxies: &Proxies,
    warnings: &mut Vec<String>,
) -> Result<TlsOptions, ConfigError> {
    let insecure = raw.flag(OptionId::Insecure)?;
    let path = |id| file(raw, environment, id);
    let (ca_cert, certificate, key) =
        (path(OptionId::CaCert)?, path(OptionId::ClientCert)?, path(OptionId::ClientKey)?);
    let secure_proxy = tuning.trust_env && proxies.all().any(|proxy| proxy.origin.scheme.is_secure());
    let is_secure = |target: &Target| matches!(target, Target::Url(url) if url.scheme().is_secure());
    let given = ALL.into_iter().find(|id| raw.is_given(*id));
    if let Some(id) = given
        && !secure_proxy
        && !targets.iter().any(is_secure)
    {
        return Err(raw.needs_text(id, "an https:// or grpcs:// --url", "without TLS there are no certificates"));
    }
    if ca_cert.is_some() && insecure {
        let why = "one trusts the certificates of a file, the other any certificate";
        return Err(raw.conflict(OptionId::CaCert, OptionId::Insecure, why));
    }
    if ca_cert.is_some() && !tuning.ssl_verify {
        return Err(ConfigError::Conflict {
            first: raw.spelling(OptionId::CaCert),
            second: "AIPERF_HTTP_SSL_VERIFY=false".to_owned(),
            why: "one trusts the certificates of a file, the other any certificate".to_owned(),
        });
    }
    if key.is_some() && certificate.is_none() {
        return Err(raw.needs(OptionId::ClientKey, OptionId::ClientCert, "a private key needs its certificate"));
    }
    if insecure {
        warnings.push("server certificates are not checked (--insecure)".to_owned());
    } else if !tuning.ssl_verify && (secure_proxy || targets.iter().any(is_secure)) {
        warnings.push("server certificates are not checked (AIPERF_HTTP_SSL_VERIFY=false)".to_owned());
    }
    let client = certificate.map(|certificate| {
        let key = key.unwrap_or_else(|| certificate.clone());
        ClientCertificate { certificate, key }
    });
    let verification = if insecure { Verification::Off } else { Verification::Full };
    Ok(TlsOptions { verification, roots: ca_cert, client })
}

fn file(raw: &RawOptions, environment: &Environment, id: OptionId) -> Result<Option<PathBuf>, ConfigError> {
    match raw.text(id) {
        None => Ok(None),
        Some(text) if text.trim().is_empty() => Err(raw.bad(id, text, "give the path of a PEM file")),
        Some(text) => Ok(Some(environment.current_dir.join(text))),
    }
}
