//! Percent-encoding (RFC 3986, section 2.1).

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What a request line must not contain. Everything beyond ASCII is encoded in any case.
const UNSENDABLE: &AsciiSet = &CONTROLS.add(b' ');

/// A path and query as a request line takes them: ASCII without blanks. What is encoded already stays as it is.
pub fn percent_encoded(path_and_query: &str) -> String {
    utf8_percent_encode(path_and_query, UNSENDABLE).to_string()
}

/// A part of a URL with percent-encoding taken off. Bytes that are not UTF-8 then are read as Latin-1.
pub fn percent_decoded(text: &str) -> String {
    let bytes: Vec<u8> = percent_decode_str(text).collect();
    String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_encoded_already_stays_and_the_rest_becomes_ascii() {
        assert_eq!(percent_encoded("/a%20b/é c?q=\u{7f}"), "/a%20b/%C3%A9%20c?q=%7F");
        assert_eq!(percent_encoded("/v1/chat/completions?a=b&c"), "/v1/chat/completions?a=b&c");
    }

    #[test]
    fn a_percent_sign_without_two_digits_stays() {
        assert_eq!(percent_decoded("p%40ss%"), "p@ss%");
        assert_eq!(percent_decoded("%+1%zz%4"), "%+1%zz%4");
        assert_eq!(percent_decoded("%C3%A9 %E9"), "Ã© é", "one byte that is not UTF-8 makes all of it Latin-1");
    }

    proptest! {
        #[test]
        fn any_text_is_ascii_when_encoded(text in "\\PC{0,40}") {
            prop_assert!(percent_encoded(&text).bytes().all(|byte| byte.is_ascii_graphic()));
        }

        #[test]
        fn text_comes_back(text in "[^%]{0,40}") {
            prop_assert_eq!(percent_decoded(&percent_encoded(&text)), text);
        }
    }
}
