//! The APIs that are spoken, one file each.

mod chat;
mod completions;
mod embeddings;

use crate::{Endpoint, EndpointKind};

/// The implementation of an endpoint type, for those that are built.
pub fn of(kind: EndpointKind) -> Option<&'static dyn Endpoint> {
    Some(match kind {
        EndpointKind::Chat => &chat::Chat,
        EndpointKind::Completions => &completions::Completions,
        EndpointKind::Embeddings => &embeddings::Embeddings,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_to_be_built_is_registered() {
        for kind in EndpointKind::ALL {
            assert_eq!(of(kind).is_some(), kind.is_built(), "{kind:?}");
        }
    }
}
