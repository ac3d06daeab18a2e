//! The ids of requests: whether one is in two folders.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A UUID is its own key; of any other id it is a hash of 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RequestKey(u128);

impl RequestKey {
    pub(super) fn of(id: &str) -> Self {
        Self(uuid(id).unwrap_or_else(|| hashed(id)))
    }

    /// In 64 bits: two different keys have the same one about once in a million folders of a million records.
    pub(super) fn short(self) -> u64 {
        let (high, low) = ((self.0 >> 64) as u64, self.0 as u64);
        // The constants are those of a multiplicative hash: odd, and without a pattern.
        (high.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ low).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

/// The 32 hexadecimal digits of a UUID, with or without its hyphens.
fn uuid(id: &str) -> Option<u128> {
    let (mut value, mut digits) = (0_u128, 0);
    for byte in id.bytes().filter(|byte| *byte != b'-') {
        value = (value << 4) | u128::from(char::from(byte).to_digit(16)?);
        digits += 1;
    }
    (digits == 32).then_some(value)
}

fn hashed(id: &str) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, id).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    (half(1) << 64) | half(2)
}

/// The ids that were seen, in 16 bytes each.
#[derive(Debug, Default)]
pub(super) struct RequestIds(HashSet<RequestKey>);

impl RequestIds {
    /// Whether it is new.
    pub(super) fn insert(&mut self, id: RequestKey) -> bool {
        self.0.insert(id)
    }
}

/// Whether a number is twice in these lists, each of which is sorted.
pub(super) fn has_repeats(lists: &[Vec<u64>]) -> bool {
    let mut places = vec![0; lists.len()];
    let mut next: BinaryHeap<Reverse<(u64, usize)>> =
        lists.iter().enumerate().filter_map(|(list, keys)| Some(Reverse((*keys.first()?, list)))).collect();
    let mut last = None;
    while let Some(mut top) = next.peek_mut() {
        let Reverse((key, list)) = *top;
        if last == Some(key) {
            return true;
        }
        last = Some(key);
        places[list] += 1;
        match lists[list].get(places[list]) {
            Some(key) => *top = Reverse((*key, list)),
            None => drop(std::collections::binary_heap::PeekMut::pop(top)),
        }
    }
    false
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
        let bare = "6f1f64ab6a3c4c278f655ac0ac3e0f11";
        assert!(!ids.insert(RequestKey::of(bare)));
    }

    #[test]
    fn a_number_that_is_there_twice_is_found_in_one_list_and_in_two() {
        assert!(!has_repeats(&[vec![1, 3, 5], vec![], vec![2, 4]]));
        assert!(has_repeats(&[vec![1, 3, 5], vec![2, 5]]));
        assert!(has_repeats(&[vec![1, 1], vec![]]));
        assert!(!has_repeats(&[]));
    }
}
