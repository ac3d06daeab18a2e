//! Bodies that the data set brings ready-made, sent to the URL as it was given.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};

use crate::reply::content_finder::ContentFinder;
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, settings: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(RawApi::new(settings))
}

#[derive(Debug)]
pub(super) struct RawApi {
    finder: ContentFinder,
}

impl RawApi {
    pub(super) fn new(settings: &EndpointSettings) -> Self {
        Self { finder: ContentFinder::of_raw(settings.response_field.clone()) }
    }
}

impl Endpoint for RawApi {
    /// A ready-made body never comes here: it is sent as it is, whatever the endpoint type.
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        Err(BuildError::NoPayload { session: request.session(), turn: request.turn })
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        self.finder.read(body)
    }

    fn carries_content(&self, data: &str) -> bool {
        self.finder.carries_content(data)
    }
}
