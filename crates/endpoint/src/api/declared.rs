//! Endpoint types that plugin packs declare: bodies made by the template of the pack, responses read by its rules.

use std::sync::Arc;

use aiperf_protocol::{DeclaredEndpoint, Reply, ReplyError};
use serde_json::Value;

use super::template::TemplateApi;
use crate::reply::documents;
use crate::reply::rules::{RuleParser, RuleSet};
use crate::reply::stream_reader::PieceReader;
use crate::{
    BuildError, DeclarationError, Endpoint, EndpointSettings, PayloadTemplate, ReplyReader, ResponseBody, TurnRequest,
};

/// The texts of a declaration, compiled. A declaration that cannot be compiled was refused when its pack was read.
pub(super) fn endpoint(declared: DeclaredEndpoint, settings: &EndpointSettings) -> Arc<dyn Endpoint> {
    let rules = RuleSet::compile(&declared.declaration().response);
    let template = PayloadTemplate::parse(&declared.declaration().template.source).ok();
    let requests = TemplateApi::new(&EndpointSettings { template, response_field: None, ..settings.clone() });
    match rules {
        Ok(rules) if rules.finds_content() => Arc::new(DeclaredApi { requests, rules: Arc::new(rules) }),
        _ => Arc::new(requests),
    }
}

/// Compiles the texts of a declaration; the error names the text that is wrong. Says whether the template may write the limit of
/// a turn.
pub fn check_declaration(template: &str, rules: &aiperf_protocol::ResponseRules) -> Result<bool, DeclarationError> {
    let template = PayloadTemplate::parse(template).map_err(DeclarationError::Template)?;
    RuleSet::compile(rules).map_err(DeclarationError::Rule)?;
    Ok(template.may_write_limit())
}

#[derive(Debug)]
struct DeclaredApi {
    requests: TemplateApi,
    rules: Arc<RuleSet>,
}

impl DeclaredApi {
    fn parser(&self) -> RuleParser {
        RuleParser(Arc::clone(&self.rules))
    }
}

impl Endpoint for DeclaredApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        self.requests.body(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read_until(self.rules.stream_end(), body, self.parser())
    }

    fn reader(&self) -> Option<Box<dyn ReplyReader>> {
        Some(Box::new(PieceReader::new(self.rules.stream_end(), self.parser())))
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, self.parser())
    }

    fn assistant_message(&self, reply: &Reply) -> Option<Value> {
        self.requests.assistant_message(reply)
    }
}
