//! URLs fit to be shown, and the keys that are taken out of them.

use aiperf_address::{UrlText, percent_decoded};

use crate::REDACTED;
use crate::names::is_secret_parameter;

/// The URL without the user and password that may stand before its host, and without the values of query parameters that are
/// named like keys. Its scheme and its host may be missing; the settings of a simulator stay as they are.
pub fn shown_url(url: &str) -> String {
    if url.starts_with("sim:") {
        return url.to_owned();
    }
    let parts = UrlText::split(url);
    let user = parts.user_info().map_or(String::new(), |_| format!("{REDACTED}@"));
    let query = without_keys(parts.query_and_fragment);
    format!("{}{user}{}{}{query}", parts.scheme_prefix, parts.host_and_port, parts.path)
}

/// The values that [`shown_url`] takes out of the query, with percent-encoding taken off; also as they were typed, if that
/// differs.
pub fn keys_in_url(url: &str) -> Vec<String> {
    let query = UrlText::split(url).query_and_fragment.split_once('?').map_or("", |(_, query)| query);
    let mut keys = Vec::new();
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        if is_secret_parameter(&percent_decoded(name)) {
            let meant = percent_decoded(value);
            keys.extend((meant != value).then(|| value.to_owned()));
            keys.push(meant);
        }
    }
    keys
}

fn without_keys(query_and_fragment: &str) -> String {
    let Some((before, query)) = query_and_fragment.split_once('?') else { return query_and_fragment.to_owned() };
    let shown = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if is_secret_parameter(&percent_decoded(name)) => format!("{name}={REDACTED}"),
        _ => pair.to_owned(),
    };
    format!("{before}?{}", query.split('&').map(shown).collect::<Vec<_>>().join("&"))
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
