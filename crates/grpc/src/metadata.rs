//! Which headers may be sent with a call.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MetadataError {
    #[error("header {0} belongs to gRPC itself; leave it out")]
    Reserved(String),
    #[error("header {0} ends in -bin, so its value must be base64")]
    NotBase64(String),
    #[error(
        "header {0} has a value that metadata cannot carry; use printable ASCII, or base64 under a name that ends in -bin"
    )]
    NotAscii(String),
}

/// Names that gRPC uses itself.
const RESERVED: [&str; 3] = ["te", "content-type", "content-length"];

/// Whether a header may be sent with calls. Binary values are in base64, as on the wire.
pub fn check_metadata(name: &str, value: &str) -> Result<(), MetadataError> {
    let lower = name.to_ascii_lowercase();
    if RESERVED.contains(&lower.as_str()) || lower.starts_with("grpc-") || lower.starts_with(':') {
        return Err(MetadataError::Reserved(name.to_owned()));
    }
    if lower.ends_with("-bin") {
        return if is_base64(value) { Ok(()) } else { Err(MetadataError::NotBase64(name.to_owned())) };
    }
    if value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        Ok(())
    } else {
        Err(MetadataError::NotAscii(name.to_owned()))
    }
}

/// With or without padding; several values with commas between them.
fn is_base64(text: &str) -> bool {
    text.split(',').all(|value| {
        let digits = value.trim().trim_end_matches('=');
        let padding = value.trim().len() - digits.len();
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
        let whole = (digits.len() + padding) % 4 == 0;
        padding <= 2 && digits.len() % 4 != 1 && (padding == 0 || whole) && digits.bytes().all(is_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stand_in_base64_and_text_is_plain() {
        assert_eq!(check_metadata("trace-bin", "AQID/w=="), Ok(()));
        assert_eq!(check_metadata("Trace-Bin", "AQID/w"), Ok(()));
        assert_eq!(check_metadata("x-tenant", "a b"), Ok(()));
        assert_eq!(check_metadata("trace-bin", "not base64!"), Err(MetadataError::NotBase64("trace-bin".into())));
        assert_eq!(check_metadata("trace-bin", "AQID/w="), Err(MetadataError::NotBase64("trace-bin".into())));
        assert_eq!(check_metadata("x-tenant", "ä"), Err(MetadataError::NotAscii("x-tenant".into())));
        assert_eq!(check_metadata("grpc-timeout", "1S"), Err(MetadataError::Reserved("grpc-timeout".into())));
        assert_eq!(check_metadata("TE", "x"), Err(MetadataError::Reserved("TE".into())));
    }
}
