//! Percent-encoding (RFC 3986, section 2.1).

use std::fmt::Write as _;

/// The path and query as a request line takes them, which is ASCII without blanks; what is encoded already stays as it is.
pub fn encoded(path: &str) -> String {
    let mut ascii = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_graphic() {
            ascii.push(char::from(byte));
        } else {
            let _ = write!(ascii, "%{byte:02X}");
        }
    }
    ascii
}

/// What was meant by a part of a URL; what is no UTF-8 then is taken for Latin-1.
pub fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_encoded_already_stays_and_the_rest_becomes_ascii() {
        assert_eq!(encoded("/a%20b/é c?q=\u{7f}"), "/a%20b/%C3%A9%20c?q=%7F");
        assert_eq!(encoded("/v1/chat/completions?a=b&c"), "/v1/chat/completions?a=b&c");
    }

    #[test]
    fn a_percent_sign_without_two_digits_is_one() {
        assert_eq!(decoded("p%40ss%"), "p@ss%");
        assert_eq!(decoded("%+1%zz%4"), "%+1%zz%4");
        assert_eq!(decoded("%C3%A9 %E9"), "Ã© é", "one byte that is no UTF-8 makes all of it Latin-1");
    }

    proptest! {
        #[test]
        fn any_text_is_ascii_when_encoded(text in "\\PC{0,40}") {
            prop_assert!(encoded(&text).bytes().all(|byte| byte.is_ascii_graphic()));
        }

        #[test]
        fn text_comes_back(text in "[^%]{0,40}") {
            prop_assert_eq!(decoded(&encoded(&text)), text);
        }
    }
}
