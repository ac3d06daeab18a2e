//! Reads a pickled text, the form of the private tests of `LiveCodeBench`. Unpickling in general runs code of the file; this reader knows
//! only the instructions of one text, and refuses every other.

use thiserror::Error;

/// Why bytes are not a pickled text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PickleError {
    #[error("the pickle ends in the middle")]
    CutOff,
    #[error("the pickle has the instruction {0:#04x}, which a text does not need")]
    OtherInstruction(u8),
    #[error("the pickle is not one text")]
    NotOneText,
}

struct Bytes<'p>(&'p [u8]);

impl<'p> Bytes<'p> {
    fn take(&mut self, count: usize) -> Result<&'p [u8], PickleError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(PickleError::CutOff)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A length in `count` bytes, the lowest first.
    fn length(&mut self, count: usize) -> Result<usize, PickleError> {
        let bytes = self.take(count)?;
        let value = bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        usize::try_from(value).map_err(|_| PickleError::CutOff)
    }

    fn line(&mut self) -> Result<&'p [u8], PickleError> {
        let end = self.0.iter().position(|byte| *byte == b'\n').ok_or(PickleError::CutOff)?;
        let line = self.take(end)?;
        self.take(1)?;
        Ok(line)
    }
}

pub(crate) fn pickled_text(pickle: &[u8]) -> Result<String, PickleError> {
    let mut bytes = Bytes(pickle);
    let mut text = None;
    loop {
        let found = match bytes.take(1)?[0] {
            // The version of the format, a frame, which only helps to read ahead, and notes for later references, of which there are none.
            skipped @ (0x80 | 0x95 | 0x94 | b'q' | b'r') => {
                bytes.take(match skipped {
                    0x95 => 8,
                    b'r' => 4,
                    0x94 => 0,
                    _ => 1,
                })?;
                continue;
            }
            b'p' => {
                bytes.line()?;
                continue;
            }
            0x8c => {
                let length = bytes.length(1)?;
                bytes.take(length)?
            }
            b'X' => {
                let length = bytes.length(4)?;
                bytes.take(length)?
            }
            0x8d => {
                let length = bytes.length(8)?;
                bytes.take(length)?
            }
            b'.' => return text.ok_or(PickleError::NotOneText),
            other => return Err(PickleError::OtherInstruction(other)),
        };
        if text.replace(String::from_utf8_lossy(found).into_owned()).is_some() {
            return Err(PickleError::NotOneText);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_protocols_since_1_are_read() {
        // `pickle.dumps("hé", protocol=N)` of Python 3.11.
        assert_eq!(pickled_text(b"X\x03\x00\x00\x00h\xc3\xa9q\x00.").as_deref(), Ok("hé"));
        assert_eq!(pickled_text(b"\x80\x02X\x03\x00\x00\x00h\xc3\xa9q\x00.").as_deref(), Ok("hé"));
        assert_eq!(
            pickled_text(b"\x80\x04\x95\x07\x00\x00\x00\x00\x00\x00\x00\x8c\x03h\xc3\xa9\x94.").as_deref(),
            Ok("hé")
        );
        assert_eq!(pickled_text(b"\x80\x05\x8d\x02\x00\x00\x00\x00\x00\x00\x00ab\x94.").as_deref(), Ok("ab"));
    }

    #[test]
    fn a_pickle_that_would_run_code_is_refused() {
        // `os.system("id")`
        let call = b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.";
        assert_eq!(pickled_text(call), Err(PickleError::NotOneText));
        assert_eq!(pickled_text(b"cos\nsystem\n(S'id'\ntR."), Err(PickleError::OtherInstruction(b'c')));
    }

    #[test]
    fn cut_off_pickles_are_refused() {
        let whole = b"\x80\x04\x95\x07\x00\x00\x00\x00\x00\x00\x00\x8c\x03abc\x94.";
        for end in 0..whole.len() {
            assert!(pickled_text(&whole[..end]).is_err());
        }
        assert_eq!(pickled_text(b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff"), Err(PickleError::CutOff));
    }
}
