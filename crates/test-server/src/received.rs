//! Requests as they came over the socket. Whatever is not the HTTP/1.1 that this project writes fails the test.

use std::io::Read;

/// One request as it came over the socket.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub method: String,
    /// What stood in the request line.
    pub target: String,
    /// In the order and spelling in which they came.
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Vec<u8>,
    /// The number of the connection, counted from 1.
    pub connection: usize,
}

impl ReceivedRequest {
    pub fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    }

    /// The headers of a request whose values are all text.
    pub fn text_headers(&self) -> Vec<(String, String)> {
        let text = |value: &Vec<u8>| String::from_utf8(value.clone()).unwrap();
        self.headers.iter().map(|(name, value)| (name.clone(), text(value))).collect()
    }
}

/// The next request on connection number `connection`; `None` if the client has gone.
pub fn read_request(stream: &mut impl Read, connection: usize) -> Option<ReceivedRequest> {
    let (head, body) = read_head(stream)?;
    let mut lines = head.strip_suffix(b"\r\n\r\n")?.split(|byte| *byte == b'\n').map(|line| {
        // The last line's end was taken off with the empty line after it.
        line.strip_suffix(b"\r").unwrap_or(line)
    });
    let first = String::from_utf8(lines.next()?.to_vec()).unwrap();
    let [method, target, "HTTP/1.1"] = first.split(' ').collect::<Vec<_>>()[..] else {
        panic!("not a request line: {first:?}")
    };
    let headers = lines.map(header_of).collect();
    let mut request =
        ReceivedRequest { method: method.to_owned(), target: target.to_owned(), headers, body, connection };
    let length: usize = request.header("content-length").map_or(0, |text| text.parse().unwrap());
    let mut buffer = vec![0; 64 * 1024];
    while request.body.len() < length {
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => request.body.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
    Some(request)
}

fn header_of(line: &[u8]) -> (String, Vec<u8>) {
    let colon = line.windows(2).position(|pair| pair == b": ");
    let colon = colon.unwrap_or_else(|| panic!("not a header line: {:?}", String::from_utf8_lossy(line)));
    (String::from_utf8(line[..colon].to_vec()).unwrap(), line[colon + 2..].to_vec())
}

/// The head with the empty line that ends it, and what came after it; `None` if the client has gone.
pub fn read_head(stream: &mut impl Read) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = seen.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = seen.split_off(end + 4);
            return Some((seen, rest));
        }
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => seen.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}
