//! The headers of a request.

use std::fmt;

use smallvec::SmallVec;

/// The headers of a usual request, in bytes and in lines. One is built for every request of the load, so allocations
/// are spared.
const USUAL_BYTES: usize = 512;
const USUAL_LINES: usize = 16;

/// Names and values in the order in which they are sent. They are stored as the lines that HTTP/1.1 writes, with the place of
/// each name and value: HTTP/1.1 sends the lines as they are, and everything else reads names and values without parsing.
#[derive(Clone)]
pub struct RequestHeaders {
    lines: String,
    places: SmallVec<[LinePlace; USUAL_LINES]>,
}

/// Where a line ends, and where its value begins. A line begins where the line before it ends.
#[derive(Debug, Clone, Copy)]
struct LinePlace {
    value: u32,
    end: u32,
}

const SEPARATOR: &str = ": ";
const LINE_END: &str = "\r\n";

impl Default for RequestHeaders {
    fn default() -> Self {
        Self { lines: String::with_capacity(USUAL_BYTES), places: SmallVec::new() }
    }
}

impl RequestHeaders {
    pub fn push(&mut self, name: &str, value: &str) {
        self.lines.push_str(name);
        self.lines.push_str(SEPARATOR);
        let value_start = self.lines.len() as u32;
        self.lines.push_str(value);
        self.lines.push_str(LINE_END);
        self.places.push(LinePlace { value: value_start, end: self.lines.len() as u32 });
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut start = 0;
        self.places.iter().map(move |place| {
            let (value, end) = (place.value as usize, place.end as usize);
            let name = &self.lines[start..value - SEPARATOR.len()];
            start = end;
            (name, &self.lines[value..end - LINE_END.len()])
        })
    }

    /// The first value under this name, in any letter case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All lines as HTTP/1.1 sends them, each with its line end.
    pub(crate) fn lines(&self) -> &[u8] {
        self.lines.as_bytes()
    }
}

impl<'h> Extend<(&'h str, &'h str)> for RequestHeaders {
    fn extend<T: IntoIterator<Item = (&'h str, &'h str)>>(&mut self, headers: T) {
        headers.into_iter().for_each(|(name, value)| self.push(name, value));
    }
}

impl<'h> FromIterator<(&'h str, &'h str)> for RequestHeaders {
    fn from_iter<T: IntoIterator<Item = (&'h str, &'h str)>>(headers: T) -> Self {
        let mut all = Self::default();
        all.extend(headers);
        all
    }
}

/// Names only: values may be secret.
impl fmt::Debug for RequestHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_value_is_found_in_any_letter_case() {
        let headers = RequestHeaders::from_iter([("Host", "h"), ("X-A", ""), ("x-a", "second")]);
        assert_eq!((headers.get("HOST"), headers.get("x-a"), headers.get("X-B")), (Some("h"), Some(""), None));
        assert_eq!(headers.lines(), b"Host: h\r\nX-A: \r\nx-a: second\r\n");
        assert_eq!(format!("{headers:?}"), r#"["Host", "X-A", "x-a"]"#);
    }

    proptest! {
        #[test]
        fn headers_come_back_as_they_went_in(pairs in prop::collection::vec(("[a-zA-Z:-]{1,20}", "\\PC{0,30}"), 0..20)) {
            let headers: RequestHeaders = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let back: Vec<_> = headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            prop_assert_eq!(back, pairs);
        }
    }
}
