//! The parts of a URL as it was typed. Splits any text, valid or not, so that messages can show what was wrong with it.

use std::fmt;

/// Any text, split where a URL would be. The parts together are the text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UrlText<'a> {
    /// With `://`; empty if the text does not begin with a scheme.
    pub scheme_prefix: &'a str,
    /// User and password with the `@`; empty if there are none.
    pub user_prefix: &'a str,
    pub host_and_port: &'a str,
    /// Empty, or from `/` to the query.
    pub path: &'a str,
    /// The query and the fragment; empty, or beginning with `?` or `#`.
    pub query_and_fragment: &'a str,
}

/// Without what may be secret.
impl fmt::Debug for UrlText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UrlText({}{}{})", self.scheme_prefix, self.host_and_port, self.path)
    }
}

impl<'a> UrlText<'a> {
    pub fn split(text: &'a str) -> Self {
        let is_scheme = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        let start = text.find("://").filter(|at| is_scheme(&text[..*at])).map_or(0, |at| at + 3);
        let (scheme_prefix, rest) = text.split_at(start);
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (user_prefix, host_and_port) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
        let (path, query_and_fragment) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
        Self { scheme_prefix, user_prefix, host_and_port, path, query_and_fragment }
    }

    /// Without `://`.
    pub fn scheme(&self) -> Option<&'a str> {
        self.scheme_prefix.strip_suffix("://")
    }

    /// Without the `@`.
    pub fn user_info(&self) -> Option<&'a str> {
        self.user_prefix.strip_suffix('@')
    }

    /// Without the `?` and the fragment.
    pub fn query(&self) -> Option<&'a str> {
        let before_fragment = self.query_and_fragment.split('#').next().unwrap_or_default();
        before_fragment.strip_prefix('?')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_part_is_found() {
        let url = UrlText::split("https://me:p@w@[::1]:8443/v1?to=http://a@b#part");
        assert_eq!((url.scheme(), url.user_info()), (Some("https"), Some("me:p@w")));
        assert_eq!((url.host_and_port, url.path), ("[::1]:8443", "/v1"));
        assert_eq!((url.query(), url.query_and_fragment), (Some("to=http://a@b"), "?to=http://a@b#part"));
        let bare = UrlText::split("host:8000#part?no");
        assert_eq!((bare.scheme(), bare.user_info(), bare.query()), (None, None, None));
        assert_eq!(UrlText::split("host/a?to=http://b").host_and_port, "host");
    }

    proptest! {
        #[test]
        fn the_parts_are_the_whole(text in "\\PC{0,60}") {
            let url = UrlText::split(&text);
            let whole = [url.scheme_prefix, url.user_prefix, url.host_and_port, url.path, url.query_and_fragment].concat();
            prop_assert_eq!(whole, text);
        }
    }
}
