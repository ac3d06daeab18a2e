//! The media that a request can hold in addition to text.

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
