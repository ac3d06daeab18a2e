//! What must not reach a file or a log: keys in headers, and passwords and keys in URLs.

/// Stands where a secret was.
pub const REDACTED: &str = "<redacted>";

const SECRET_NAMES: [&str; 16] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "ocp-apim-subscription-key",
    "x-goog-api-key",
    "x-functions-key",
    "aeg-sas-key",
    "x-amz-security-token",
    "cookie",
    "set-cookie",
    "x-auth-token",
    "x-access-token",
    "x-session-token",
    "x-csrf-token",
    "x-xsrf-token",
];

const SECRET_PARTS: [&str; 15] = [
    "auth",
    "token",
    "secret",
    "password",
    "passwd",
    "credential",
    "cookie",
    "apikey",
    "api-key",
    "api_key",
    "session",
    "signature",
    "sas-key",
    "access-key",
    "private-key",
];

/// Whether the value of a header of this name is a secret.
pub fn is_secret_header(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    SECRET_NAMES.contains(&name.as_str()) || SECRET_PARTS.iter().any(|part| name.contains(part))
}

/// The URL without the user and password that may stand before its host, and without the values of query parameters that are
/// named like keys.
pub fn url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| *scheme != "sim") else {
        return url.to_owned();
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let user = authority.rsplit_once('@').map_or(String::new(), |_| format!("{REDACTED}@"));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{user}{host}{}", without_keys(path))
}

fn without_keys(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let shown = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if is_secret_parameter(name) => format!("{name}={REDACTED}"),
        _ => pair.to_owned(),
    };
    format!("{path}?{}", query.split('&').map(shown).collect::<Vec<_>>().join("&"))
}

fn is_secret_parameter(name: &str) -> bool {
    ["key", "sig"].iter().any(|secret| name.eq_ignore_ascii_case(secret)) || is_secret_header(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tokens_and_cookies_are_secret_whatever_their_case() {
        for name in
            ["Authorization", "X-API-Key", "my-Token-2", "COOKIE", "X-Session-Affinity", "Ocp-Apim-Subscription-Key"]
        {
            assert!(is_secret_header(name), "{name}");
        }
        for name in ["Accept", "User-Agent", "X-Request-ID", "X-Key"] {
            assert!(!is_secret_header(name), "{name}");
        }
    }

    #[test]
    fn a_password_in_a_url_is_taken_out_and_nothing_else() {
        assert_eq!(url("https://me:pw@host:1/v1?a=b@c"), "https://<redacted>@host:1/v1?a=b@c");
        assert_eq!(url("http://host/a@b"), "http://host/a@b");
        assert_eq!(url("sim:?ttft=1"), "sim:?ttft=1");
        assert_eq!(url("sim://?reasoning-tokens=1"), "sim://?reasoning-tokens=1");
    }

    #[test]
    fn keys_in_a_query_are_taken_out_and_nothing_else() {
        assert_eq!(
            url("https://h/v1?api-version=2&api-key=k&SIG=s"),
            "https://h/v1?api-version=2&api-key=<redacted>&SIG=<redacted>"
        );
        assert_eq!(url("http://h?key=k"), "http://h?key=<redacted>");
        assert_eq!(url("http://h?monkey=k&key"), "http://h?monkey=k&key");
    }
}
