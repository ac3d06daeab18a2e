//! Takes our own keys out of what servers say back to us: many repeat the key that they refuse, some whole requests.

mod spelling;

use std::borrow::Cow;

use aiperf_config::redact::{REDACTED, SecretFields, is_secret_header, keys_in_url};
use aiperf_config::{Config, EndpointConfig, ProxyServer, Target};
use aiperf_metrics::Failure;
use aiperf_transport::Exchange;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use memchr::memmem::Finder;
use serde_json::Value;

use self::spelling::spellings;
use crate::prepare::settings;

/// A shorter value is found in texts that have nothing to do with it.
const SHORTEST: usize = 6;
/// The same of what is not an error message: there is far more of it, and mostly it is about something else.
const SHORTEST_IN_CONTENT: usize = 8;
/// What an error message may end in after a piece of what the server said.
const AFTER_A_CUT: [char; 5] = ['.', '…', '"', '\'', ')'];

/// The keys that requests carry, in every spelling that a server may give them back in; longest first, so that none is left in
/// pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrets {
    spelled: Vec<Spelled>,
    /// Fields of bodies that carry some of them.
    fields: SecretFields,
}

#[derive(Clone)]
struct Spelled {
    finder: Finder<'static>,
    /// Long enough to be looked for in all that a server says.
    anywhere: bool,
}

impl std::fmt::Debug for Spelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(REDACTED)
    }
}

impl Secrets {
    pub(crate) fn of(config: &Config) -> Self {
        let endpoint = &config.endpoint;
        let mut values = keys_in_urls(endpoint);
        for (name, value) in settings::own_headers(endpoint) {
            if is_secret_header(&name) {
                values.extend(parts_of_header(&name, &value));
            }
        }
        if config.tuning.trust_env {
            for proxy in [&endpoint.proxies.http, &endpoint.proxies.https].into_iter().flatten() {
                values.extend(keys_of_proxy(proxy));
            }
        }
        let fields = SecretFields::of(&endpoint.extra_inputs);
        values.extend(fields.values());
        Self { fields, ..Self::spelled(values) }
    }

    fn spelled(values: Vec<String>) -> Self {
        let mut all: Vec<(String, bool)> = Vec::new();
        for value in values.into_iter().filter(|value| value.len() >= SHORTEST) {
            let anywhere = value.len() >= SHORTEST_IN_CONTENT;
            all.extend(spellings(&value).into_iter().map(|text| (text, anywhere)));
        }
        all.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all.dedup();
        let spelled = |(text, anywhere): (String, bool)| Spelled { finder: Finder::new(&text).into_owned(), anywhere };
        Self { spelled: all.into_iter().map(spelled).collect(), fields: SecretFields::default() }
    }

    /// For what is said of an error.
    pub(crate) fn hide<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        hidden(self.spelled.iter(), text)
    }

    /// For what a server says and what it is asked.
    pub(crate) fn hide_in_content<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        hidden(self.spelled.iter().filter(|secret| secret.anywhere), text)
    }

    /// Whether [`Secrets::hide_in_content`] would change any part of these bytes.
    pub(crate) fn are_in(&self, content: &[u8]) -> bool {
        self.spelled.iter().any(|secret| secret.anywhere && secret.finder.find(content).is_some())
    }

    /// For a body that was sent: takes out the fields that carry secrets, however short these are. `None` where there are none.
    pub(crate) fn without_fields(&self, body: &[u8]) -> Option<String> {
        if self.fields.is_empty() {
            return None;
        }
        let mut document: Value = serde_json::from_slice(body).ok()?;
        self.fields.hide(&mut document);
        Some(document.to_string())
    }

    pub(crate) fn hide_in(&self, failure: &mut Failure) {
        let cause = failure.cause.as_mut().map(|cause| &mut cause.message);
        for text in [Some(&mut failure.kind), Some(&mut failure.message), cause].into_iter().flatten() {
            self.hide_in_place(text);
            self.hide_cut_end(text);
        }
    }

    /// Takes them out of what records tell of an answer besides its headers and its body.
    pub(crate) fn hide_in_head(&self, exchange: &mut Exchange) {
        self.hide_in_place(&mut exchange.reason);
        exchange.redirects.iter_mut().for_each(|hop| self.hide_in_place(&mut hop.to));
    }

    fn hide_in_place(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.hide(Cow::Borrowed(text)) {
            *text = hidden;
        }
    }

    /// A message that is cut short may have been cut within a key.
    fn hide_cut_end(&self, text: &mut String) {
        let kept = text.trim_end_matches(AFTER_A_CUT);
        let begun = |secret: &Spelled| {
            let whole = secret.finder.needle();
            (SHORTEST..whole.len()).rev().find(|length| kept.as_bytes().ends_with(&whole[..*length]))
        };
        let cut = self.spelled.iter().filter_map(begun).max().map(|length| kept.len() - length);
        // A spelling begins and ends between characters; what is cut off of it may not.
        if let Some(start) = cut.filter(|start| text.is_char_boundary(*start)) {
            text.replace_range(start..kept.len(), REDACTED);
        }
    }
}

fn hidden<'a, 's>(secrets: impl Iterator<Item = &'s Spelled>, text: Cow<'a, str>) -> Cow<'a, str> {
    let mut text = text;
    for secret in secrets {
        let mut found = secret.finder.find_iter(text.as_bytes()).peekable();
        if found.peek().is_none() {
            continue;
        }
        let mut kept = String::with_capacity(text.len());
        let mut end = 0;
        for start in found {
            kept.push_str(&text[end..start]);
            kept.push_str(REDACTED);
            end = start + secret.finder.needle().len();
        }
        kept.push_str(&text[end..]);
        text = Cow::Owned(kept);
    }
    text
}

fn keys_in_urls(endpoint: &EndpointConfig) -> Vec<String> {
    let urls = endpoint.targets.iter().filter_map(|target| match target {
        Target::Url(url) => Some(url.as_str()),
        Target::Sim(_) => None,
    });
    let reset = endpoint.reset_kv_cache.iter().map(|reset| reset.path.as_str());
    let profiler = endpoint.server_profiler.iter().flat_map(|hook| [hook.start_path.as_str(), &hook.stop_path]);
    urls.chain(endpoint.custom_path.as_deref()).chain(reset).chain(profiler).flat_map(keys_in_url).collect()
}

/// The whole value, and what of it a server would give back alone: the key after `Bearer`, the password in `Basic`, each cookie.
fn parts_of_header(name: &str, value: &str) -> Vec<String> {
    let mut parts = vec![value.to_owned()];
    if name.to_ascii_lowercase().contains("cookie") {
        let values = value.split(';').filter_map(|cookie| cookie.split_once('='));
        parts.extend(values.map(|(_, value)| value.trim().trim_matches('"').to_owned()));
    } else if let Some((scheme, key)) = value.trim().rsplit_once(' ') {
        parts.push(key.to_owned());
        let basic = scheme.trim().eq_ignore_ascii_case("basic").then(|| BASE64_STANDARD.decode(key).ok()).flatten();
        if let Some(login) = basic.and_then(|bytes| String::from_utf8(bytes).ok()) {
            parts.extend(login.split_once(':').map(|(_, password)| password.to_owned()));
            parts.push(login);
        }
    }
    parts
}

fn keys_of_proxy(proxy: &ProxyServer) -> Vec<String> {
    let Some((user, password)) = &proxy.user else { return Vec::new() };
    let login = format!("{user}:{}", password.0);
    vec![password.0.clone(), BASE64_STANDARD.encode(&login), login]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(values: &[&str]) -> Secrets {
        Secrets::spelled(values.iter().map(|value| (*value).to_owned()).collect())
    }

    #[test]
    fn keys_are_hidden_and_short_words_are_not() {
        let secrets = secrets(&["sk-123456", "123456", "abc"]);
        assert_eq!(secrets.hide("bad key sk-123456, 123456, abc".into()), "bad key <redacted>, <redacted>, abc");
        assert!(matches!(secrets.hide("fine".into()), Cow::Borrowed("fine")));
        assert_eq!(secrets.hide_in_content("sk-123456 123456".into()), "<redacted> 123456");
        assert!(secrets.are_in(b"xsk-123456x") && !secrets.are_in(b"123456"));
        assert!(!format!("{secrets:?}").contains("123456"));
    }

    #[test]
    fn a_key_is_found_in_json_and_in_json_within_json() {
        let key = "a\"b/c\\dé-key";
        let secrets = secrets(&[key]);
        let once = serde_json::to_string(key).unwrap();
        let twice = serde_json::to_string(&once).unwrap();
        let python = r#""a\"b/c\\d\u00e9-key""#;
        let php = r#""a\"b\/c\\d\u00E9-key""#;
        for text in [key, &once, &twice, python, php, &serde_json::to_string(python).unwrap()] {
            let hidden = secrets.hide_in_content(text.into());
            assert!(hidden.contains(REDACTED) && !hidden.contains("-key"), "{text}: {hidden}");
        }
    }

    #[test]
    fn a_message_that_is_cut_within_a_key_keeps_no_piece_of_it() {
        let secrets = secrets(&["sk-abcdefghij"]);
        let cut = |text: &str| {
            let mut text = text.to_owned();
            secrets.hide_cut_end(&mut text);
            text
        };
        assert_eq!(cut("it begins \"key sk-abcdef\""), "it begins \"key <redacted>\"");
        assert_eq!(cut("key sk-abcdefg..."), "key <redacted>...");
        assert_eq!(cut("key sk-ab"), "key sk-ab");
        assert_eq!(cut("all is well."), "all is well.");
    }

    #[test]
    fn what_a_server_would_give_back_alone_is_a_secret_too() {
        assert_eq!(parts_of_header("Authorization", "Bearer key-123"), ["Bearer key-123", "key-123"]);
        assert_eq!(parts_of_header("Cookie", "a=1; sid=\"cookie-77\"")[1..], ["1", "cookie-77"]);
        let basic = parts_of_header("Authorization", "Basic bWU6cGFzc3dvcmQx");
        assert_eq!(basic[1..], ["bWU6cGFzc3dvcmQx", "password1", "me:password1"]);
        assert_eq!(parts_of_header("X-Api-Key", "key-123"), ["key-123"]);
    }
}
