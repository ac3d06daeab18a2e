//! The names of the endpoint types, made from the [registry](super::registry).

use serde::{Serialize, Serializer};

use super::declared::DeclaredEndpoint;
use super::facts::{BodyForm, BodySource, EndpointFacts, GrpcSupport, TurnPart};
use super::medium::Medium;

const IMAGES: &[Medium] = &[Medium::Image];
const AUDIO: &[Medium] = &[Medium::Audio];
const IMAGES_AND_AUDIO: &[Medium] = &[Medium::Image, Medium::Audio];
const ALL_MEDIA: &[Medium] = &[Medium::Image, Medium::Audio, Medium::Video];

macro_rules! kinds {
    ($($kind:ident $name:literal $link:ident $module:ident { $($facts:tt)* };)*) => {
        /// Every API that can be benchmarked.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EndpointKind {
            $(#[doc = concat!("`", $name, "`")] $kind,)*
            /// Declared by a plugin pack.
            Declared(DeclaredEndpoint),
        }

        impl EndpointKind {
            /// The spelling of each built-in type, in the order of [`Self::ALL`].
            pub const NAMES: &'static [&'static str] = &[$($name),*];
            pub const ALL: [Self; Self::NAMES.len()] = [$(Self::$kind),*];

            pub const fn facts(self) -> &'static EndpointFacts {
                match self {
                    $(Self::$kind => const { &EndpointFacts { name: $name, ..EndpointFacts { $($facts)* } } },)*
                    Self::Declared(endpoint) => &endpoint.declaration().facts,
                }
            }
        }
    };
}

crate::for_each_endpoint!(kinds);

impl EndpointKind {
    /// Whether it can be called over gRPC.
    pub const fn speaks_grpc(self) -> bool {
        self.facts().speaks_grpc()
    }

    /// Path appended to the base URL; empty for none. `{model}` stands for the name of the model.
    pub const fn path(self, streaming: bool) -> &'static str {
        self.facts().path(streaming)
    }

    /// Whether a request can carry this medium. A template takes what its text asks for.
    pub fn takes(self, medium: Medium) -> bool {
        self.facts().takes.contains(&medium)
    }

    /// Reads the name of a built-in type in any case, with `-` and `_` alike.
    pub fn from_name(text: &str) -> Option<Self> {
        let wanted = text.to_ascii_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|kind| kind.facts().name == wanted)
    }
}

impl Default for EndpointKind {
    fn default() -> Self {
        Self::Chat
    }
}

impl Serialize for EndpointKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.facts().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_with_either_dash() {
        assert_eq!(EndpointKind::from_name("NIM-Rankings"), Some(EndpointKind::NimRankings));
        assert_eq!(EndpointKind::from_name("chats"), None);
        assert!(EndpointKind::ALL.iter().all(|k| EndpointKind::from_name(k.facts().name) == Some(*k)));
    }

    #[test]
    fn facts_agree_with_each_other() {
        for kind in EndpointKind::ALL {
            let facts = kind.facts();
            assert!(facts.needs.is_none_or(|medium| kind.takes(medium)), "{}", facts.name);
            assert!(facts.produces_tokens || !facts.sends_limit, "{}", facts.name);
            assert!(facts.form != BodyForm::Protobuf || facts.grpc == GrpcSupport::MethodOfUser, "{}", facts.name);
            assert!(facts.stream_path.is_none() || facts.streams, "{}", facts.name);
        }
    }

    #[test]
    fn each_medium_goes_where_the_api_has_a_place_for_it() {
        let taken = |kind: EndpointKind| [Medium::Image, Medium::Audio, Medium::Video].map(|medium| kind.takes(medium));
        assert_eq!(taken(EndpointKind::Chat), [true, true, true]);
        assert_eq!(taken(EndpointKind::Multimodal), [true, true, false]);
        assert_eq!(taken(EndpointKind::Vision), [true, false, false]);
        assert_eq!(taken(EndpointKind::AudioTranscription), [false, true, false]);
        assert_eq!(taken(EndpointKind::Completions), [false, false, false]);
    }
}
