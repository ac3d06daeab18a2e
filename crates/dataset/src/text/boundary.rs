//! Character boundaries near a byte offset of a text.

/// The last character boundary at or before an offset.
pub(super) fn at_or_before(text: &str, place: usize) -> usize {
    let mut place = place.min(text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}

/// The first character boundary at or after an offset.
pub(super) fn at_or_after(text: &str, place: usize) -> usize {
    let mut place = place.min(text.len());
    while !text.is_char_boundary(place) {
        place += 1;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_inside_a_character_moves_to_its_ends() {
        assert_eq!((at_or_before("a七b", 2), at_or_after("a七b", 2)), (1, 4));
        assert_eq!((at_or_before("a七b", 4), at_or_after("a七b", 4)), (4, 4));
        assert_eq!((at_or_before("ab", 9), at_or_after("ab", 9)), (2, 2));
    }
}
