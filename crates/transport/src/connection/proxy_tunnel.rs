//! What a request through a proxy looks like, and how a proxy is asked for a tunnel.

use std::future::poll_fn;
use std::io;

use aiperf_address::{Origin, Proxy};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::io::ReadBuf;

use super::byte_stream::ByteStream;
use crate::error::TransportError;
use crate::headers::RequestHeaders;
use crate::http1::write_head;
use crate::request::{Method, Request};

/// A longer answer to `CONNECT` is an error.
const MAX_ANSWER: usize = 16 * 1024;

/// The request as a proxy takes it that passes on plain HTTP: with the whole URL, and with our credentials.
pub(crate) fn for_proxy<'a>(request: &Request<'a>, proxy: &Proxy) -> Request<'a> {
    let origin = request.origin;
    let target = format!("http://{}{}", origin.host_header(), request.target);
    let mut through = Request { target: target.into(), ..request.clone() };
    authorize(&mut through.headers, proxy);
    through
}

fn authorize(headers: &mut RequestHeaders, proxy: &Proxy) {
    if let Some(credentials) = &proxy.credentials {
        let value = format!("Basic {}", BASE64_STANDARD.encode(credentials.joined().0));
        headers.push("Proxy-Authorization", &value);
    }
}

/// Asks the proxy to open a way to the server. The bytes after that are between the server and us.
pub(super) async fn tunnel(stream: &mut ByteStream, origin: &Origin, proxy: &Proxy) -> Result<(), TransportError> {
    let refused = |reason: String| TransportError::Proxy { proxy: proxy.origin.clone(), status: None, reason };
    let broken = |cause: io::Error| refused(format!("broke off: {cause}"));
    let server = origin.host_and_port();
    let mut headers = RequestHeaders::from_iter([("Host", server.as_str())]);
    authorize(&mut headers, proxy);
    let request = Request::new(origin, Method::Connect, server, headers);
    write_head(stream, &request).await.map_err(broken)?;

    let mut answer = Vec::new();
    let mut buffer = [0_u8; 1024];
    loop {
        let mut read = ReadBuf::new(&mut buffer);
        poll_fn(|cx| stream.poll_read(cx, &mut read)).await.map_err(broken)?;
        if read.filled().is_empty() {
            return Err(refused("closed the connection instead of answering CONNECT".into()));
        }
        answer.extend_from_slice(read.filled());
        let mut slots = [httparse::EMPTY_HEADER; 64];
        let mut response = httparse::Response::new(&mut slots);
        match response.parse(&answer) {
            Ok(httparse::Status::Partial) if answer.len() <= MAX_ANSWER => {}
            Ok(httparse::Status::Complete(used)) => {
                let status = response.code.unwrap_or(0);
                if !(200..300).contains(&status) {
                    let reason = format!("answers {status} {}", response.reason.unwrap_or_default());
                    let proxy = proxy.origin.clone();
                    return Err(TransportError::Proxy { proxy, status: Some(status), reason });
                }
                // The server sends nothing before we do, so nothing of it can be here yet.
                return if used == answer.len() { Ok(()) } else { Err(refused("sent more than an answer".into())) };
            }
            Ok(httparse::Status::Partial) => return Err(refused("sends an answer without end".into())),
            Err(error) => return Err(refused(format!("does not speak HTTP: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_address::{Credentials, Scheme, Secret};
    use bytes::Bytes;

    use super::*;
    use crate::http1::request_text;

    #[test]
    fn a_plain_request_names_the_whole_url_to_the_proxy() {
        let origin = |host: &str, port| Origin { scheme: Scheme::Http, host: host.to_owned(), port };
        let credentials = Credentials { user: "me".into(), password: Secret("pw".into()) };
        let proxy = Proxy { origin: origin("proxy", 1), credentials: Some(credentials), variable: String::new() };
        let server = origin("h", 8000);
        let request = Request::post(&server, "/p", [("Host", "h:8000")], Bytes::from_static(b"{}"));
        let expected = "POST http://h:8000/p HTTP/1.1\r\nHost: h:8000\r\nContent-Length: 2\r\n\
                        Proxy-Authorization: Basic bWU6cHc=\r\n\r\n{}";
        assert_eq!(request_text(&for_proxy(&request, &proxy)), expected);
        let server = origin("::1", 80);
        let request = Request::get(&server, "/p", []);
        let proxy = Proxy { credentials: None, ..proxy };
        assert_eq!(request_text(&for_proxy(&request, &proxy)), "GET http://[::1]/p HTTP/1.1\r\n\r\n");
    }
}
