//! A request ready to be written: its head as bytes, its body shared.

use bytes::Bytes;

use crate::origin::Origin;

#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub origin: &'a Origin,
    /// Request line and headers, with the empty line that ends them.
    pub head: Vec<u8>,
    pub body: Bytes,
    /// Of a gRPC call, the longest message that is taken.
    pub message_limit: Option<usize>,
}

impl<'a> Request<'a> {
    /// A POST of `body`. `headers` are written as given; `Content-Length` is added here. What is said of the connection comes last.
    pub fn post<'h>(
        origin: &'a Origin,
        path_and_query: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: Bytes,
    ) -> Self {
        let mut connection = None;
        let before = headers.into_iter().filter(|(name, value)| {
            let held_back = *name == "Connection";
            connection = if held_back { Some(*value) } else { connection };
            !held_back
        });
        let mut head = start_head("POST", path_and_query, before);
        let length = body.len().to_string();
        let last = [("Content-Length", &*length)].into_iter().chain(connection.map(|value| ("Connection", value)));
        for (name, value) in last {
            write_header(&mut head, name, value);
        }
        head.extend_from_slice(b"\r\n");
        Self { origin, head, body, message_limit: None }
    }

    /// Adds the type of a body whose type changes with it. It is the last header.
    #[must_use]
    pub fn with_content_type(mut self, content_type: &str) -> Self {
        self.head.truncate(self.head.len() - 2);
        self.head.extend_from_slice(format!("Content-Type: {content_type}\r\n\r\n").as_bytes());
        self
    }

    /// A GET, which has no body.
    pub fn get<'h>(
        origin: &'a Origin,
        path_and_query: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> Self {
        let mut head = start_head("GET", path_and_query, headers);
        head.extend_from_slice(b"\r\n");
        Self { origin, head, body: Bytes::new(), message_limit: None }
    }
}

/// Request line and headers, without the empty line.
pub(crate) fn start_head<'h>(
    method: &str,
    path_and_query: &str,
    headers: impl IntoIterator<Item = (&'h str, &'h str)>,
) -> Vec<u8> {
    let mut head = Vec::with_capacity(512);
    for part in [method, " ", path_and_query, " HTTP/1.1\r\n"] {
        head.extend_from_slice(part.as_bytes());
    }
    for (name, value) in headers {
        write_header(&mut head, name, value);
    }
    head
}

fn write_header(head: &mut Vec<u8>, name: &str, value: &str) {
    for part in [name, ": ", value, "\r\n"] {
        head.extend_from_slice(part.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Scheme;

    #[test]
    fn a_post_is_written_with_headers_in_order_and_its_length() {
        let origin = Origin { scheme: Scheme::Http, host: "h".into(), port: 80 };
        let request = Request::post(&origin, "/p?q=1", [("Host", "h"), ("X-A", "b")], Bytes::from_static(b"{}"));
        let text = String::from_utf8(request.head).unwrap();
        assert_eq!(text, "POST /p?q=1 HTTP/1.1\r\nHost: h\r\nX-A: b\r\nContent-Length: 2\r\n\r\n");
        let last = Request::post(&origin, "/", [("Connection", "close"), ("X-A", "b")], Bytes::new());
        let text = String::from_utf8(last.head).unwrap();
        assert_eq!(text, "POST / HTTP/1.1\r\nX-A: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        let form = Request::post(&origin, "/", [], Bytes::new()).with_content_type("a/b; boundary=c");
        let text = String::from_utf8(form.head).unwrap();
        assert_eq!(text, "POST / HTTP/1.1\r\nContent-Length: 0\r\nContent-Type: a/b; boundary=c\r\n\r\n");
    }
}
