//! Takes our own keys out of what servers send back: many repeat the key that they refuse, some repeat whole requests.

use std::borrow::Cow;

use aiperf_address::Credentials;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use memchr::memmem::Finder;
use serde_json::Value;

use crate::REDACTED;
use crate::fields::SecretFields;
use crate::spelling::spellings;

/// A shorter value is found in texts that have nothing to do with it.
const SHORTEST: usize = 6;
/// Shortest value that is searched for in contents: there is far more text than in error messages, and mostly it is about
/// something else.
const SHORTEST_IN_CONTENT: usize = 8;
/// What an error message may end in after a piece of what the server said.
const AFTER_A_CUT: [char; 5] = ['.', '…', '"', '\'', ')'];

/// The keys that requests carry, in every spelling that a server may send them back in; longest first, so that none is left in
/// pieces.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
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
    /// `values` are those that headers and URLs carry; the fields bring their own.
    pub fn new(mut values: Vec<String>, fields: SecretFields) -> Self {
        values.extend(fields.values());
        let mut all: Vec<(String, bool)> = Vec::new();
        for value in values.into_iter().filter(|value| value.len() >= SHORTEST) {
            let anywhere = value.len() >= SHORTEST_IN_CONTENT;
            all.extend(spellings(&value).into_iter().map(|text| (text, anywhere)));
        }
        all.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all.dedup();
        let spelled = |(text, anywhere): (String, bool)| Spelled { finder: Finder::new(&text).into_owned(), anywhere };
        Self { spelled: all.into_iter().map(spelled).collect(), fields }
    }

    /// Takes secrets out of a text about an error.
    pub fn hide<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        hidden(self.spelled.iter(), text)
    }

    /// Takes secrets out of what a server says or what it is asked.
    pub fn hide_in_content<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        hidden(self.spelled.iter().filter(|secret| secret.anywhere), text)
    }

    /// Whether [`Secrets::hide_in_content`] would change any part of these bytes.
    pub fn are_in(&self, content: &[u8]) -> bool {
        self.spelled.iter().any(|secret| secret.anywhere && secret.finder.find(content).is_some())
    }

    /// A body that was sent, without the fields that carry secrets, however short these are. `None` if there are no such fields.
    pub fn without_fields(&self, body: &[u8]) -> Option<String> {
        if self.fields.is_empty() {
            return None;
        }
        let mut document: Value = serde_json::from_slice(body).ok()?;
        self.fields.hide(&mut document);
        Some(document.to_string())
    }

    /// Takes secrets out of an error message, also one that was cut short within a key.
    pub fn hide_in_message(&self, text: &mut String) {
        self.hide_in_place(text);
        self.hide_cut_end(text);
    }

    pub fn hide_in_place(&self, text: &mut String) {
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

/// The secrets in a header: the whole value, and what of it a server would send back alone: the key after `Bearer`, the password
/// in `Basic`, each cookie.
pub fn values_of_header(name: &str, value: &str) -> Vec<String> {
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

/// The secrets in a user name and password, as a proxy would send them back.
pub fn values_of_credentials(credentials: &Credentials) -> Vec<String> {
    let login = credentials.joined().0;
    vec![credentials.password.0.clone(), BASE64_STANDARD.encode(&login), login]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(values: &[&str]) -> Secrets {
        Secrets::new(values.iter().map(|value| (*value).to_owned()).collect(), SecretFields::default())
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
        assert_eq!(values_of_header("Authorization", "Bearer key-123"), ["Bearer key-123", "key-123"]);
        assert_eq!(values_of_header("Cookie", "a=1; sid=\"cookie-77\"")[1..], ["1", "cookie-77"]);
        let basic = values_of_header("Authorization", "Basic bWU6cGFzc3dvcmQx");
        assert_eq!(basic[1..], ["bWU6cGFzc3dvcmQx", "password1", "me:password1"]);
        assert_eq!(values_of_header("X-Api-Key", "key-123"), ["key-123"]);
    }
}
