//! The proxies that the environment names, as other programs read them: lower-case names first, `ALL_PROXY` last.

use aiperf_config::redact;
use aiperf_config::{Environment, HttpVersion, ProxyConfig, ProxyServer, Secret, Target, Tuning};
use aiperf_http::decoded;

use crate::ConfigError;

pub(super) fn resolve(
    environment: &Environment,
    tuning: &Tuning,
    targets: &[Target],
    http_version: HttpVersion,
) -> Result<ProxyConfig, ConfigError> {
    let read = |names: &[&str]| match server(environment, names) {
        // What is not used may be wrong.
        Err(_) if !tuning.trust_env => Ok(None),
        read => read,
    };
    let http = read(&["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])?;
    let https = read(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])?;
    let bypass = first(environment, &["no_proxy", "NO_PROXY"]).map_or("", |(_, list)| list);
    let bypass = bypass.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let plain = |target: &Target| matches!(target, Target::Url(url) if url.get(..7).is_some_and(|start| ["http://", "grpc://"].iter().any(|plain| start.eq_ignore_ascii_case(plain))));
    if let Some(proxy) = http.as_ref().filter(|_| tuning.trust_env)
        && http_version == HttpVersion::Http2
        && targets.iter().any(plain)
    {
        return Err(ConfigError::Conflict {
            first: "--http-version 2".to_owned(),
            second: proxy.variable.clone(),
            why: "a proxy passes on plain HTTP/1.1 only; use an https:// server, or name the server in NO_PROXY and leave \
                  out the variable"
                .to_owned(),
        });
    }
    Ok(ProxyConfig { http, https, bypass })
}

/// The first of these that is set to something.
fn first<'a>(environment: &'a Environment, names: &[&'a str]) -> Option<(&'a str, &'a str)> {
    names.iter().find_map(|name| {
        let value = environment.variables.get(*name)?.trim();
        (!value.is_empty()).then_some((*name, value))
    })
}

fn server(environment: &Environment, names: &[&str]) -> Result<Option<ProxyServer>, ConfigError> {
    let Some((variable, text)) = first(environment, names) else { return Ok(None) };
    let bad = |expected: &str| ConfigError::BadVariable {
        name: variable.to_owned(),
        value: redact::url(text),
        expected: expected.to_owned(),
    };
    let form = "a proxy is written http://user:password@host:port";
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let secure = match scheme.to_ascii_lowercase().as_str() {
        "http" => false,
        "https" => true,
        socks if socks.starts_with("socks") => {
            return Err(bad("SOCKS proxies are not spoken here; use an http:// proxy, or unset AIPERF_HTTP_TRUST_ENV"));
        }
        _ => return Err(bad(form)),
    };
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let (user, host_and_port) = match authority.rsplit_once('@') {
        None => (None, authority),
        Some((user, host)) => (Some(user), host),
    };
    let (host, port) = match host_and_port.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, after)) => (host, after),
        None => host_and_port.split_at(host_and_port.find(':').unwrap_or(host_and_port.len())),
    };
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => Some(if secure { 443 } else { 80 }),
        None => None,
        Some(digits) => digits.parse::<u16>().ok().filter(|port| *port > 0),
    };
    let is_host = !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:".contains(&b));
    let Some(port) = port.filter(|_| is_host) else { return Err(bad(form)) };
    let user = user.map(|user| {
        let (name, password) = user.split_once(':').unwrap_or((user, ""));
        (decoded(name), Secret(decoded(password)))
    });
    if user.iter().any(|(name, password)| name.chars().chain(password.0.chars()).any(char::is_control)) {
        return Err(bad("its user name or password holds a control character"));
    }
    Ok(Some(ProxyServer { variable: variable.to_owned(), secure, host: host.to_owned(), port, user }))
}
