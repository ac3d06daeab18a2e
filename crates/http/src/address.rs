//! URLs fit to be shown, and what had to be taken out of them.

use crate::path::decoded;
use crate::secret::is_secret_parameter;

/// Stands where a secret was.
pub const REDACTED: &str = "<redacted>";

/// The URL without the user and password that may stand before its host, and without the values of query parameters that are
/// named like keys. Its scheme and its host may be missing; the settings of a simulator stay as they are.
pub fn shown_url(url: &str) -> String {
    if url.starts_with("sim:") {
        return url.to_owned();
    }
    let (scheme, authority, path) = parts(url);
    let user = authority.rsplit_once('@').map_or(String::new(), |_| format!("{REDACTED}@"));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}{user}{host}{}", without_keys(path))
}

/// What [`shown_url`] takes out of the query, as it was meant; where it is spelled otherwise, in that spelling too.
pub fn keys_in_url(url: &str) -> Vec<String> {
    let (_, _, path) = parts(url);
    let mut keys = Vec::new();
    for (name, value) in path.split_once('?').into_iter().flat_map(|(_, query)| query.split('&')).filter_map(pair) {
        if is_secret_parameter(&decoded(name)) {
            let meant = decoded(value);
            keys.extend((meant != value).then(|| value.to_owned()));
            keys.push(meant);
        }
    }
    keys
}

/// Scheme with what follows it, authority, and the rest.
fn parts(url: &str) -> (&str, &str, &str) {
    let is_scheme = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let start = url.find("://").filter(|at| is_scheme(&url[..*at])).map_or(0, |at| at + 3);
    let (scheme, rest) = url.split_at(start);
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    (scheme, authority, path)
}

fn pair(text: &str) -> Option<(&str, &str)> {
    text.split_once('=')
}

fn without_keys(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let shown = |text: &str| match pair(text) {
        Some((name, _)) if is_secret_parameter(&decoded(name)) => format!("{name}={REDACTED}"),
        _ => text.to_owned(),
    };
    format!("{path}?{}", query.split('&').map(shown).collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_a_url_is_taken_out_and_nothing_else() {
        assert_eq!(shown_url("https://me:pw@host:1/v1?a=b@c"), "https://<redacted>@host:1/v1?a=b@c");
        assert_eq!(shown_url("http://host/a@b"), "http://host/a@b");
        assert_eq!(shown_url("sim:?ttft=1"), "sim:?ttft=1");
        assert_eq!(shown_url("sim://?reasoning-tokens=1"), "sim://?reasoning-tokens=1");
    }

    #[test]
    fn keys_in_a_query_are_taken_out_and_nothing_else() {
        assert_eq!(
            shown_url("https://h/v1?api-version=2&api-key=k&SIG=s"),
            "https://h/v1?api-version=2&api-key=<redacted>&SIG=<redacted>"
        );
        assert_eq!(shown_url("http://h?key=k"), "http://h?key=<redacted>");
        assert_eq!(shown_url("http://h?monkey=k&key"), "http://h?monkey=k&key");
    }

    #[test]
    fn an_address_without_a_scheme_and_a_bare_path_have_keys_as_well() {
        assert_eq!(shown_url("me:pw@host:1/v1?api-key=k"), "<redacted>@host:1/v1?api-key=<redacted>");
        assert_eq!(shown_url("unix:/run/s.sock:/v1?api-key=k"), "unix:/run/s.sock:/v1?api-key=<redacted>");
        assert_eq!(shown_url("/v1/chat?api%2Dkey=k&to=http://a@b"), "/v1/chat?api%2Dkey=<redacted>&to=http://a@b");
    }

    #[test]
    fn keys_are_found_in_the_spelling_they_have_and_as_they_were_meant() {
        assert_eq!(keys_in_url("h/v1?a=b&api-key=k%2F1&key=plain"), ["k%2F1", "k/1", "plain"]);
        assert!(keys_in_url("http://h/v1?a=b").is_empty() && keys_in_url("http://h").is_empty());
    }
}
