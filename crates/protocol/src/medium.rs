//! The media beside text, and which APIs take them.

use crate::EndpointKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    Image,
    Audio,
    Video,
}

impl Medium {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "images",
            Self::Audio => "audio",
            Self::Video => "video",
        }
    }
}

impl EndpointKind {
    /// Whether a request can carry this medium. A template takes what its text asks for.
    pub fn takes(self, medium: Medium) -> bool {
        self.facts().takes.contains(&medium)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_medium_goes_where_the_api_has_a_place_for_it() {
        let takers = |medium| EndpointKind::ALL.into_iter().filter(|kind| kind.takes(medium)).count();
        assert_eq!([Medium::Image, Medium::Audio, Medium::Video].map(takers), [13, 8, 5]);
        assert!(!EndpointKind::Completions.takes(Medium::Image));
    }
}
