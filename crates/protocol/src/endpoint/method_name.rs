//! The name of a method.

use std::fmt;

use thiserror::Error;

/// `package.Service/Method`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MethodName {
    pub service: String,
    pub method: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a method is written package.Service/Method")]
pub struct MethodNameError;

impl MethodName {
    /// Reads `package.Service/Method`, with or without a slash before it.
    pub fn parse(text: &str) -> Result<Self, MethodNameError> {
        let text = text.strip_prefix('/').unwrap_or(text);
        let (service, method) = text.split_once('/').ok_or(MethodNameError)?;
        let is_name = |name: &str| {
            !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if !service.split('.').all(is_name) || !is_name(method) {
            return Err(MethodNameError);
        }
        Ok(Self { service: service.to_owned(), method: method.to_owned() })
    }

    /// The path of its calls.
    pub fn path(&self) -> String {
        format!("/{self}")
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.service, self.method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_has_a_service_and_a_name() {
        let method = MethodName::parse("/a.b.Words/Say").unwrap();
        assert_eq!((method.service.as_str(), method.method.as_str()), ("a.b.Words", "Say"));
        assert_eq!(method.path(), "/a.b.Words/Say");
        for wrong in ["", "Words", "a.b.Words.Say", "a..b/Say", "a/b/c", "a/", "/a/b c", "1a/b"] {
            assert_eq!(MethodName::parse(wrong), Err(MethodNameError), "{wrong}");
        }
    }
}
