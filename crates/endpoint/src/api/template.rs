//! Bodies made by a template of the user's.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::{Map, Value, json};

use crate::reply::content_finder::ContentFinder;
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, PayloadTemplate, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, settings: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(TemplateApi::new(settings))
}

#[derive(Debug)]
pub(super) struct TemplateApi {
    template: Option<PayloadTemplate>,
    finder: ContentFinder,
}

impl TemplateApi {
    pub(super) fn new(settings: &EndpointSettings) -> Self {
        let finder = ContentFinder::of_template(settings.response_field.clone());
        Self { template: settings.template.clone(), finder }
    }
}

impl Endpoint for TemplateApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let template = self.template.as_ref().ok_or(BuildError::NoTemplate)?;
        let failed = |reason| BuildError::Template { session: request.session(), turn: request.turn, reason };
        let has_extras = !request.options.extra_inputs.is_empty() || request.current()?.extra_body.is_some();
        if !has_extras && let Some(body) = template.render_compact(request).map_err(failed)? {
            return Ok(body);
        }
        let made: Map<String, Value> = template.render(request).map_err(failed)?;
        let mut payload = Payload::default();
        for (name, value) in &made {
            payload.set(name, BodyField::Given(value));
        }
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        self.finder.read(body)
    }

    fn carries_content(&self, data: &str) -> bool {
        self.finder.carries_content(data)
    }

    /// For templates that write the earlier turns.
    fn assistant_message(&self, reply: &Reply) -> Option<Value> {
        (!reply.plain_text.is_empty()).then(|| json!({"role": "assistant", "content": reply.plain_text}))
    }
}
