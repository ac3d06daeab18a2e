//! The printable characters that stand for bytes in byte-level vocabularies (from GPT-2).

/// The first character that stands for a byte without a printable character of its own.
const FIRST_SHIFTED: u32 = 256;

const fn is_printable(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF)
}

/// The bytes without a printable character, in order: the first has the character 256.
const SHIFTED: [u8; 68] = {
    let mut bytes = [0; 68];
    let (mut byte, mut count) = (0_u16, 0);
    while byte < 256 {
        if !is_printable(byte as u8) {
            bytes[count] = byte as u8;
            count += 1;
        }
        byte += 1;
    }
    bytes
};

/// The byte that a character stands for.
pub fn byte_of_char(c: char) -> Option<u8> {
    match u8::try_from(c) {
        Ok(byte) => is_printable(byte).then_some(byte),
        Err(_) => SHIFTED.get((c as u32).checked_sub(FIRST_SHIFTED)? as usize).copied(),
    }
}

/// Appends the bytes that the characters of a token stand for. Returns whether each of them stands for one; if not, nothing is
/// appended.
pub fn bytes_of_token(token: &str, bytes: &mut Vec<u8>) -> bool {
    let before = bytes.len();
    for c in token.chars() {
        let Some(byte) = byte_of_char(c) else {
            bytes.truncate(before);
            return false;
        };
        bytes.push(byte);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_one_character() {
        let mut bytes: Vec<u8> = (0..400).filter_map(char::from_u32).filter_map(byte_of_char).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
        assert_eq!((byte_of_char('Ġ'), byte_of_char('Ċ'), byte_of_char('a')), (Some(b' '), Some(b'\n'), Some(b'a')));
        assert_eq!((byte_of_char(' '), byte_of_char('｜')), (None, None));
    }

    #[test]
    fn a_token_with_another_character_has_no_bytes() {
        let mut bytes = b"x".to_vec();
        assert!(bytes_of_token("Ġthe", &mut bytes));
        assert!(!bytes_of_token("a b", &mut bytes));
        assert_eq!(bytes, b"x the");
    }
}
