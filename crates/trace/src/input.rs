//! The bytes of input files: read with limits, decompressed, split into lines, and checked before a library trusts them.

mod compression;
mod panic_guard;
mod parquet_pages;
mod source;
mod text_errors;

pub use compression::{MOST_UNPACKED, unpack, unpacking};
pub use panic_guard::catch_panic;
pub use parquet_pages::check_pages;
pub use source::{SourceError, read_file};
pub use text_errors::{not_json, not_utf8};

/// The lines that are not blank, trimmed, with their numbers from one. A byte order mark is not part of the first line.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let numbered = bytes.split(|byte| *byte == b'\n').enumerate();
    numbered.map(|(index, line)| (index + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_keep_their_numbers(blank in 0_usize..5) {
            let content = format!("\u{feff}{}x\r\n", "\n".repeat(blank));
            let found: Vec<(usize, &[u8])> = lines(content.as_bytes()).collect();
            prop_assert_eq!(found, vec![(blank + 1, &b"x"[..])]);
        }
    }
}
