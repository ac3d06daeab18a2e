//! Error messages for bytes that should be text: encodings other than UTF-8, and invalid JSON. They name the byte or the
//! column, and what to do.

const UTF16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Why the first bytes of a file are not text; `None` if they can be.
pub(crate) fn in_beginning(bytes: &[u8]) -> Option<String> {
    if UTF16.iter().any(|mark| bytes.starts_with(mark)) {
        return Some("is UTF-16, and input files are UTF-8; convert it with `iconv -f UTF-16 -t UTF-8`".to_owned());
    }
    let first_line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    first_line.contains(&0).then(|| {
        "is not a text file: it has a NUL byte in its first line; if it is UTF-16, convert it with `iconv -f UTF-16 -t UTF-8`"
            .to_owned()
    })
}

/// Which byte of a line is not UTF-8; `None` if all are.
pub fn not_utf8(line: &[u8]) -> Option<String> {
    let place = std::str::from_utf8(line).err()?.valid_up_to();
    let byte = line.get(place)?;
    let column = place + 1;
    Some(format!(
        "not UTF-8: byte 0x{byte:02X} at column {column}; if the file is Latin-1, convert it with `iconv -f LATIN1 -t UTF-8`"
    ))
}

/// Why a line is not valid JSON.
pub fn not_json(line: &[u8], error: &serde_json::Error) -> String {
    not_utf8(line).unwrap_or_else(|| {
        let problem = error.to_string();
        // serde also counts lines, and here there is one.
        let problem = problem.rsplit_once(" at line ").map_or(problem.as_str(), |(problem, _)| problem);
        format!("not valid JSON at column {}: {problem}", error.column())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: &[u8]) -> String {
        not_json(line, &serde_json::from_slice::<serde_json::Value>(line).unwrap_err())
    }

    #[test]
    fn a_bad_line_is_told_by_its_column_and_never_by_a_line_of_its_own() {
        assert_eq!(fault(br#"{"text": nothing}"#), "not valid JSON at column 11: expected ident");
        assert_eq!(fault(br#"{"text": "#), "not valid JSON at column 9: EOF while parsing a value");
    }

    #[test]
    fn another_encoding_is_named_with_the_byte_and_the_way_out() {
        let latin1 = fault(b"{\"text\": \"caf\xe9\"}");
        assert!(latin1.starts_with("not UTF-8: byte 0xE9 at column 14;") && latin1.contains("iconv"), "{latin1}");
        for utf16 in [&b"\xff\xfe{\0"[..], b"\xfe\xff\0{"] {
            assert!(in_beginning(utf16).unwrap().starts_with("is UTF-16"));
        }
        assert!(in_beginning(b"{\0\"\0").unwrap().contains("UTF-16"));
        assert_eq!(in_beginning("{\"text\": \"é\"}\n\0".as_bytes()), None, "rows are looked at one by one");
    }
}
