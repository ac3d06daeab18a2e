//! `--url`: addresses of servers with commas between them, and `sim:`.

use aiperf_address::{Address, Scheme};
use aiperf_config::{SimTarget, Target};

/// Splits a token at commas, except where it is a simulator, whose settings may have commas of their own.
pub(crate) fn split(token: &str) -> Vec<&str> {
    if token.starts_with("sim:") {
        return vec![token];
    }
    token.split(',').map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

/// An address without a scheme gets `scheme`.
pub(crate) fn read(text: &str, scheme: Scheme) -> Result<Target, String> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("a URL has no blanks or control characters in it".to_owned());
    }
    let Some(rest) = text.strip_prefix("sim:") else {
        return Address::parse(text, scheme).map(Target::Url).map_err(|error| error.to_string());
    };
    let query = rest.strip_prefix("//").unwrap_or(rest);
    match query.strip_prefix('?') {
        Some(query) => Ok(Target::Sim(SimTarget { query: query.to_owned() })),
        None if query.is_empty() => Ok(Target::Sim(SimTarget::default())),
        None => Err("the settings of a simulator stand after a `?`, such as sim:?ttft=40&itl=8".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> String {
        match read(text, Scheme::Http).unwrap() {
            Target::Url(address) => address.as_str().to_owned(),
            Target::Sim(sim) => panic!("{sim:?}"),
        }
    }

    #[test]
    fn a_scheme_is_added_where_it_is_missing() {
        assert_eq!(url("localhost:8000"), "http://localhost:8000");
        assert_eq!(url("example.com/v1"), "http://example.com/v1");
        assert_eq!(url("https://u:p@[::1]:8443/x?q=1"), "https://u:p@[::1]:8443/x?q=1");
        assert_eq!(url("data:8000"), "http://data:8000");
    }

    #[test]
    fn a_grpc_server_is_a_host_and_a_port() {
        assert_eq!(url("grpc://localhost:8001"), "grpc://localhost:8001");
        assert_eq!(url("grpcs://[::1]:8001/"), "grpcs://[::1]:8001/");
        let bare = Target::Url(Address::of_server(Scheme::Grpc, "localhost", 8001));
        assert_eq!(read("localhost:8001", Scheme::Grpc), Ok(bare));
    }

    #[test]
    fn a_unix_socket_is_a_path() {
        assert_eq!(url("unix:/run/server.sock"), "unix:/run/server.sock");
        assert_eq!(url("unix:///run/server.sock:/v1"), "unix:///run/server.sock:/v1");
        assert_eq!(url("unix:8000"), "http://unix:8000");
        assert!(read("unix:server.sock", Scheme::Http).unwrap_err().contains("unix:/run/server.sock"));
    }

    #[test]
    fn a_simulator_takes_its_settings_after_a_question_mark() {
        assert_eq!(read("sim:", Scheme::Http).unwrap(), Target::Sim(SimTarget::default()));
        assert_eq!(
            read("sim:?ttft=40&itl=8", Scheme::Http).unwrap(),
            Target::Sim(SimTarget { query: "ttft=40&itl=8".to_owned() })
        );
        assert!(read("sim:ttft=40", Scheme::Http).unwrap_err().contains("after a `?`"));
        assert_eq!(split("sim:?ttft=a,b"), ["sim:?ttft=a,b"]);
    }

    #[test]
    fn what_is_not_an_address_is_refused_with_the_reason() {
        for (bad, reason) in [
            ("ftp://x", "ftp://"),
            ("ws:x", "ws:"),
            ("http://", "host is missing"),
            ("http://:80", "host is missing"),
            ("http://x:0", "port"),
            ("http://x:65536", "port"),
            ("http://x:+80", "port"),
            ("http://x:", "port"),
            ("http://a b", "blanks"),
            ("http://[::1]x", "makes no sense"),
            ("grpc://x:1/path", "no path"),
            ("grpcs:x", "grpcs:"),
        ] {
            assert!(read(bad, Scheme::Http).unwrap_err().contains(reason), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            for piece in split(&text) {
                let _ = read(piece, Scheme::Http);
            }
        }
    }
}
