//! The proxies that the environment names, as other programs read them: lower-case names first, `ALL_PROXY` last.

use aiperf_address::{Address, AddressError, HttpVersion, Proxies, Proxy, Scheme};
use aiperf_config::{Environment, Target, Tuning};
use aiperf_redact::shown_url;

use crate::ConfigError;

pub(super) fn resolve(
    environment: &Environment,
    tuning: &Tuning,
    targets: &[Target],
    http_version: HttpVersion,
) -> Result<Proxies, ConfigError> {
    let read = |names: &[&str]| match proxy(environment, names) {
        // What is not used may be wrong.
        Err(_) if !tuning.trust_env => Ok(None),
        read => read,
    };
    let http = read(&["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])?;
    let https = read(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])?;
    let bypass = first(environment, &["no_proxy", "NO_PROXY"]).map_or("", |(_, list)| list);
    let bypass = bypass.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let is_plain = |target: &Target| matches!(target, Target::Url(url) if url.origin().scheme == Scheme::Http);
    if let Some(proxy) = http.as_ref().filter(|_| tuning.trust_env)
        && http_version == HttpVersion::Http2
        && targets.iter().any(is_plain)
    {
        return Err(ConfigError::Conflict {
            first: "--http-version 2".to_owned(),
            second: proxy.variable.clone(),
            why: "a proxy passes on plain HTTP/1.1 only; use an https:// server, or name the server in NO_PROXY and leave \
                  out the variable"
                .to_owned(),
        });
    }
    Ok(Proxies { http, https, bypass })
}

/// The first of these variables that is not empty.
fn first<'a>(environment: &'a Environment, names: &[&'a str]) -> Option<(&'a str, &'a str)> {
    names.iter().find_map(|name| {
        let value = environment.variables.get(*name)?.trim();
        (!value.is_empty()).then_some((*name, value))
    })
}

fn proxy(environment: &Environment, names: &[&str]) -> Result<Option<Proxy>, ConfigError> {
    let Some((variable, text)) = first(environment, names) else { return Ok(None) };
    let bad = |expected: &str| ConfigError::BadVariable {
        name: variable.to_owned(),
        value: shown_url(text),
        expected: expected.to_owned(),
    };
    let form = "a proxy is written http://user:password@host:port";
    let address = match Address::parse(text, Scheme::Http) {
        Err(AddressError::Scheme(scheme)) if scheme.to_ascii_lowercase().starts_with("socks") => {
            return Err(bad("SOCKS proxies are not supported; use an http:// proxy, or unset AIPERF_HTTP_TRUST_ENV"));
        }
        Ok(address) if matches!(address.scheme(), Scheme::Http | Scheme::Https) => address,
        Ok(_) | Err(_) => return Err(bad(form)),
    };
    let credentials = address.credentials().cloned();
    if credentials.as_ref().is_some_and(|login| login.joined().0.chars().any(char::is_control)) {
        return Err(bad("its user name or password contains a control character"));
    }
    Ok(Some(Proxy { origin: address.origin(), credentials, variable: variable.to_owned() }))
}
