//! The request ids that were seen, in 16 bytes each.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Debug, Default)]
pub(super) struct RequestIds(HashSet<RequestKey>);

/// A UUID is its own key; of any other id it is a hash of 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RequestKey(u128);

impl RequestKey {
    pub(super) fn of(id: &str) -> Self {
        let digits: Vec<u8> = id.bytes().filter(|byte| *byte != b'-').collect();
        let uuid = std::str::from_utf8(&digits).ok().filter(|digits| digits.len() == 32);
        Self(uuid.and_then(|digits| u128::from_str_radix(digits, 16).ok()).unwrap_or_else(|| hashed(id)))
    }
}

fn hashed(id: &str) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, id).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    (half(1) << 64) | half(2)
}

impl RequestIds {
    /// Whether it is new.
    pub(super) fn insert(&mut self, id: RequestKey) -> bool {
        self.0.insert(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_new_once_however_it_is_written() {
        let mut ids = RequestIds::default();
        for id in ["6f1f64ab-6a3c-4c27-8f65-5ac0ac3e0f11", "request 1", "request 2", ""] {
            assert!(ids.insert(RequestKey::of(id)), "{id}");
            assert!(!ids.insert(RequestKey::of(id)), "{id}");
        }
    }
}
