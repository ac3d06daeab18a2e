//! ZIP files without compression: pictures are compressed already.

/// Beginning of each part of the file.
const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
/// The version of the format that stored files need: 2.0.
const VERSION: u16 = 20;
/// Names are UTF-8.
const UTF8_NAMES: u16 = 1 << 11;
/// The first day of the format, 1980-01-01: the same files give the same bytes.
const DATE: u16 = (1 << 5) | 1;

/// A ZIP file of these files. Each is smaller than 4 GiB.
pub(crate) fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut facts = Vec::new();
        for field in [VERSION, UTF8_NAMES, 0, 0, DATE] {
            facts.extend(field.to_le_bytes());
        }
        let size = (content.len() as u32).to_le_bytes();
        facts.extend(crc32fast::hash(content).to_le_bytes());
        facts.extend(size);
        facts.extend(size);
        facts.extend((name.len() as u16).to_le_bytes());
        // No extra fields.
        facts.extend([0; 2]);

        directory.extend(CENTRAL);
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&facts);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());

        bytes.extend(LOCAL);
        bytes.extend(facts);
        bytes.extend(name.as_bytes());
        bytes.extend(content);
    }
    let start = (bytes.len() as u32).to_le_bytes();
    let count = (files.len() as u16).to_le_bytes();
    let length = (directory.len() as u32).to_le_bytes();
    bytes.extend(directory);
    bytes.extend(END);
    bytes.extend([0; 4]);
    bytes.extend(count);
    bytes.extend(count);
    bytes.extend(length);
    bytes.extend(start);
    bytes.extend([0; 2]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_says_where_each_file_is() {
        let files = [("a.txt".to_owned(), b"hello".to_vec()), ("é.svg".to_owned(), Vec::new())];
        let bytes = zip(&files);
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let end = bytes.len() - 22;
        assert_eq!(bytes[end..end + 4], END);
        let (length, start) = (number(end + 12), number(end + 16));
        assert_eq!(start + length, end);
        assert_eq!(bytes[start..start + 4], CENTRAL);
        assert_eq!(number(start + 16), 0x3610_a686, "the check sum of hello");
        assert_eq!(number(start + 42), 0, "where the first file begins");
        assert_eq!(&bytes[30..35], b"a.txt");
        assert_eq!(&bytes[35..40], b"hello");
        let second = start + 46 + 5;
        assert_eq!(bytes[number(second + 42)..][..4], LOCAL);
    }
}
