//! Names whose values are secrets. Such values reach no file and no log, and no server but the one they were meant for.

/// Secret only as whole names: parts of many names that are not secret contain them.
const NAMES: [&str; 2] = ["key", "sig"];

/// Secret wherever a name contains them: the reference's list, and `subscription-key` and `functions-key`, which the reference
/// has as whole names.
const PARTS: [&str; 17] = [
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
    "subscription-key",
    "functions-key",
];

/// Whether the value of a header of this name is a secret.
pub fn is_secret_header(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    PARTS.iter().any(|part| name.contains(part))
}

/// Whether the value of a query parameter of this name is a secret.
pub fn is_secret_parameter(name: &str) -> bool {
    let bare = name.trim();
    NAMES.iter().any(|secret| bare.eq_ignore_ascii_case(secret)) || is_secret_header(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that the reference has in full.
    const KNOWN: [&str; 16] = [
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

    #[test]
    fn keys_tokens_and_cookies_are_secret_whatever_their_case() {
        let more = ["Authorization", "X-API-Key", "my-Token-2", "COOKIE", "X-Session-Affinity", " X-Functions-Key "];
        for name in KNOWN.iter().chain(&more) {
            assert!(is_secret_header(name), "{name}");
        }
        for name in ["Accept", "User-Agent", "X-Request-ID", "X-Key", "Content-Type", "Host"] {
            assert!(!is_secret_header(name), "{name}");
        }
    }

    #[test]
    fn a_parameter_may_have_a_shorter_name() {
        assert!(is_secret_parameter("KEY") && is_secret_parameter("sig") && is_secret_parameter("access_token"));
        assert!(!is_secret_parameter("monkey") && !is_secret_parameter("api-version"));
    }
}
