//! Server addresses: `http://`, `https://`, `grpc://` and `grpcs://` URLs, bare `host:port`, Unix sockets (`unix:/path`), and `sim:`.

use aiperf_config::{SimTarget, Target};
use aiperf_protocol::unix_socket;

/// Schemes that people try; without this list `ftp:host` would pass for a host called `ftp`.
const FOREIGN: [&str; 9] = ["ftp", "ws", "wss", "data", "file", "mailto", "javascript", "grpc", "grpcs"];

/// Splits a token at commas, except where it is a simulator, whose settings may have commas of their own.
pub(crate) fn split(token: &str) -> Vec<&str> {
    if token.starts_with("sim:") {
        return vec![token];
    }
    token.split(',').map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

/// What has no scheme gets `scheme`.
pub(crate) fn read(text: &str, scheme: &str) -> Result<Target, String> {
    if text.chars().any(char::is_whitespace) {
        return Err("a URL has no blanks in it".to_owned());
    }
    if let Some(rest) = text.strip_prefix("sim:") {
        let query = rest.strip_prefix("//").unwrap_or(rest);
        return match query.strip_prefix('?') {
            Some(query) => Ok(Target::Sim(SimTarget { query: query.to_owned() })),
            None if query.is_empty() => Ok(Target::Sim(SimTarget::default())),
            None => Err("the settings of a simulator stand after a `?`, such as sim:?ttft=40&itl=8".to_owned()),
        };
    }
    match unix_socket(text) {
        Ok(None) => {}
        Ok(Some(_)) => return Ok(Target::Url(text.to_owned())),
        Err(_) => {
            let form = "a Unix socket is written unix:/run/server.sock, or unix:/run/server.sock:/v1 with a path";
            return Err(form.to_owned());
        }
    }
    let url = if text.contains("://") {
        text.to_owned()
    } else {
        refuse_foreign(text)?;
        format!("{scheme}://{text}")
    };
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", &url));
    if !["http", "https", "grpc", "grpcs"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Err(format!("{scheme}:// is not spoken here; use http://, https://, grpc:// or grpcs://"));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if scheme.to_ascii_lowercase().starts_with("grpc") && !["", "/"].contains(&path) {
        return Err("a gRPC server has no path; give its host and port only".to_owned());
    }
    let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    check_host(host_and_port)?;
    Ok(Target::Url(url))
}

fn refuse_foreign(text: &str) -> Result<(), String> {
    let Some((scheme, rest)) = text.split_once(':') else { return Ok(()) };
    let port = &rest[..rest.find('/').unwrap_or(rest.len())];
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    if !is_port && FOREIGN.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Err(format!("{scheme}: is not spoken here; use http:// or https://"));
    }
    Ok(())
}

fn check_host(host_and_port: &str) -> Result<(), String> {
    let (host, port) = match host_and_port.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, after)) => (host, after),
        None => host_and_port.split_at(host_and_port.find(':').unwrap_or(host_and_port.len())),
    };
    if host.is_empty() {
        return Err("the host is missing".to_owned());
    }
    let Some(port) = port.strip_prefix(':') else {
        return if port.is_empty() { Ok(()) } else { Err(format!("{port:?} after the host makes no sense")) };
    };
    match port.parse::<u16>() {
        Ok(number) if number > 0 && port.bytes().all(|b| b.is_ascii_digit()) => Ok(()),
        _ => Err(format!("the port must be 1 to 65535, not {port:?}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> String {
        match read(text, "http").unwrap() {
            Target::Url(url) => url,
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
        assert_eq!(read("localhost:8001", "grpc"), Ok(Target::Url("grpc://localhost:8001".to_owned())));
    }

    #[test]
    fn a_unix_socket_is_a_path() {
        assert_eq!(url("unix:/run/server.sock"), "unix:/run/server.sock");
        assert_eq!(url("unix:///run/server.sock:/v1"), "unix:///run/server.sock:/v1");
        assert_eq!(url("unix:8000"), "http://unix:8000");
        assert!(read("unix:server.sock", "http").unwrap_err().contains("unix:/run/server.sock"));
    }

    #[test]
    fn a_simulator_takes_its_settings_after_a_question_mark() {
        assert_eq!(read("sim:", "http").unwrap(), Target::Sim(SimTarget::default()));
        assert_eq!(
            read("sim:?ttft=40&itl=8", "http").unwrap(),
            Target::Sim(SimTarget { query: "ttft=40&itl=8".to_owned() })
        );
        assert!(read("sim:ttft=40", "http").unwrap_err().contains("after a `?`"));
        assert_eq!(split("sim:?ttft=a,b"), ["sim:?ttft=a,b"]);
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_reason() {
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
            assert!(read(bad, "http").unwrap_err().contains(reason), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            for piece in split(&text) {
                let _ = read(piece, "http");
            }
        }
    }
}
