//! The head of a request as HTTP/1.1 writes it.

use std::io::IoSlice;

use crate::request::Request;

/// Method, blank, target, version, headers, empty line, body.
const PARTS: usize = 7;

impl Request<'_> {
    /// The whole request as it goes on the wire. The parts are written together, so that nothing is copied.
    pub(super) fn parts(&self) -> [IoSlice<'_>; PARTS] {
        let head = [
            self.method.name().as_bytes(),
            b" ",
            self.target.as_bytes(),
            b" HTTP/1.1\r\n",
            self.headers.lines(),
            b"\r\n",
            &self.body,
        ];
        head.map(IoSlice::new)
    }

    /// Length of all but the body.
    pub(super) fn head_length(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum::<usize>() - self.body.len()
    }
}

#[cfg(test)]
pub(crate) fn text(request: &Request<'_>) -> String {
    let parts = request.parts();
    String::from_utf8(parts.iter().flat_map(|part| part.to_vec()).collect()).unwrap()
}

#[cfg(test)]
mod tests {
    use aiperf_address::{Origin, Scheme};
    use bytes::Bytes;

    use super::*;

    #[test]
    fn a_post_is_written_with_headers_in_order_and_its_length() {
        let origin = Origin { scheme: Scheme::Http, host: "h".into(), port: 80 };
        let request = Request::post(&origin, "/p?q=1", [("Host", "h"), ("X-A", "b")], Bytes::from_static(b"{}"));
        assert_eq!(text(&request), "POST /p?q=1 HTTP/1.1\r\nHost: h\r\nX-A: b\r\nContent-Length: 2\r\n\r\n{}");
        assert_eq!(request.head_length(), text(&request).len() - 2);
        let last = Request::post(&origin, "/", [("Connection", "close"), ("X-A", "b")], Bytes::new());
        assert_eq!(text(&last), "POST / HTTP/1.1\r\nX-A: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        let form = Request::post(&origin, "/", [], Bytes::new()).with_content_type("a/b; boundary=c");
        let expected = "POST / HTTP/1.1\r\nContent-Length: 0\r\nContent-Type: a/b; boundary=c\r\n\r\n";
        assert_eq!(text(&form), expected);
        let get = Request::get(&origin, "/", [("Host", "h")]);
        assert_eq!(text(&get), "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    }
}
