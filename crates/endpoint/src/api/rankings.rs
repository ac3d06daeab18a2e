//! Rankings of passages for a query, in the dialects of NIM, Hugging Face TEI, Cohere and GenAI-Perf.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};
use serde_json::Value;

use crate::reply::documents::{self, EventResult, tree};
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;
use crate::request::payload::{BodyField, Payload, TextObject};
use crate::request::unsent::{PASSAGES, QUERY};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(kind: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(match kind {
        EndpointKind::CohereRankings => RankingsApi::Cohere,
        EndpointKind::HfTeiRankings => RankingsApi::HfTei,
        EndpointKind::NimRankings => RankingsApi::Nim,
        _ => RankingsApi::GenaiPerf,
    })
}

/// Whose body is sent. All read the same answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RankingsApi {
    Cohere,
    HfTei,
    Nim,
    /// NIM's with the model at the end; TEI's with `--extra-inputs rankings:tei`.
    GenaiPerf,
}

/// The extra input by which GenAI-Perf is told of TEI. It is not sent.
const FLAVOUR: &str = "rankings";
const TEI: &str = "tei";

impl RankingsApi {
    const fn kind(self) -> EndpointKind {
        match self {
            Self::Cohere => EndpointKind::CohereRankings,
            Self::HfTei => EndpointKind::HfTeiRankings,
            Self::Nim => EndpointKind::NimRankings,
            Self::GenaiPerf => EndpointKind::Rankings,
        }
    }

    fn query_and_passages<'a>(self, request: &TurnRequest<'a>) -> Result<(&'a str, Vec<&'a str>), BuildError> {
        let turn = request.lone_turn(self.kind())?;
        let named = |names: [&str; 2]| {
            let fields = turn.texts.iter().filter(move |field| names.contains(&field.name.as_str()));
            fields.flat_map(|field| field.contents.iter().map(|text| &**text)).collect::<Vec<&str>>()
        };
        let query = named(QUERY).first().copied().ok_or_else(|| BuildError::NoQuery {
            endpoint: self.kind().facts().name,
            session: request.session(),
            turn: request.turn,
        })?;
        Ok((query, named(PASSAGES)))
    }
}

impl Endpoint for RankingsApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let (query, passages) = self.query_and_passages(request)?;
        let model = BodyField::Text(&request.current()?.model);
        let objects =
            |texts: Vec<_>| BodyField::TextObjects(texts.into_iter().map(|text| TextObject { text }).collect());
        let asked_for_tei = request.options.extra_inputs.get(FLAVOUR).and_then(Value::as_str) == Some(TEI);
        let mut payload = Payload::default();
        match self {
            Self::Cohere => {
                payload.set("model", model);
                payload.set("query", BodyField::Text(query));
                payload.set("documents", BodyField::Texts(passages));
            }
            Self::Nim => {
                payload.set("model", model);
                payload.set("query", BodyField::TextObject(TextObject { text: query }));
                payload.set("passages", objects(passages));
            }
            Self::GenaiPerf if !asked_for_tei => {
                payload.set("query", BodyField::TextObject(TextObject { text: query }));
                payload.set("passages", objects(passages));
                payload.set("model", model);
            }
            Self::HfTei | Self::GenaiPerf => {
                payload.set("query", BodyField::Text(query));
                payload.set("texts", BodyField::Texts(passages));
            }
        }
        payload.lay_extras(request)?;
        if *self == Self::GenaiPerf {
            payload.remove(FLAVOUR);
        }
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, parse_event)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }
}

/// A list of ranks, bare or under one of its names, is one piece of content.
fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let answer = tree(data)?;
    let ranks = [Some(&answer), answer.get("results"), answer.get("rankings")];
    let any = ranks.into_iter().flatten().filter_map(Value::as_array).any(|ranks| !ranks.is_empty());
    transcript.non_text(usize::from(any));
    transcript.usage(UsageField::within(&answer, "usage").or_else(|| UsageField::within(&answer, "meta")));
    Ok(())
}
