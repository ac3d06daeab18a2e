//! Parts of a turn for which its API has no field. They are left out of the body, and the user is warned.

use aiperf_conversation::Turn;
use aiperf_protocol::{EndpointKind, TurnPart};

use crate::request::media::each;

/// Names of texts that a ranking is made of.
pub(crate) const QUERY: [&str; 2] = ["query", "queries"];
pub(crate) const PASSAGES: [&str; 2] = ["passages", "passage"];

/// The part of a turn that is not sent, for a warning; `None` if all of it is sent.
pub fn unsent(kind: EndpointKind, turn: &Turn) -> Option<String> {
    if turn.raw_payload.is_some() {
        return None;
    }
    let facts = kind.facts();
    if facts.ranks {
        return unranked(turn);
    }
    let count = |part: TurnPart| match part {
        TurnPart::Texts => turn.all_texts().count(),
        TurnPart::Images => each(&turn.images).count(),
        TurnPart::Audio => each(&turn.audios).count(),
    };
    let unsent = facts.sends_first_only.iter().find(|part| count(**part) > 1)?;
    Some(format!("{} after the first", unsent.name()))
}

fn unranked(turn: &Turn) -> Option<String> {
    let is_known = |name: &str| QUERY.contains(&name) || PASSAGES.contains(&name);
    if let Some(field) = turn.texts.iter().find(|field| !is_known(&field.name)) {
        return Some(format!("text named {:?}", field.name));
    }
    let queries = turn.texts.iter().filter(|field| QUERY.contains(&field.name.as_str()));
    (queries.map(|field| field.contents.len()).sum::<usize>() > 1).then(|| "queries after the first".to_owned())
}

#[cfg(test)]
mod tests {
    use aiperf_conversation::Media;

    use super::*;

    fn named(texts: &[(&str, &[&str])]) -> Turn {
        let field = |(name, contents): &(&str, &[&str])| Media {
            name: (*name).to_owned(),
            contents: contents.iter().map(|text| (*text).into()).collect(),
        };
        Turn { texts: texts.iter().map(field).collect(), ..Turn::default() }
    }

    fn warning(kind: EndpointKind, turn: &Turn) -> String {
        unsent(kind, turn).unwrap_or_default()
    }

    #[test]
    fn a_ranking_has_one_query_and_its_passages() {
        let whole = named(&[("query", &["q"]), ("passages", &["a", "b"])]);
        assert_eq!(unsent(EndpointKind::CohereRankings, &whole), None);
        let two = named(&[("queries", &["q", "r"]), ("passage", &["a"])]);
        assert_eq!(warning(EndpointKind::Rankings, &two), "queries after the first");
        let other = named(&[("query", &["q"]), ("title", &["t"])]);
        assert_eq!(warning(EndpointKind::NimRankings, &other), "text named \"title\"");
    }

    #[test]
    fn a_form_has_one_of_each() {
        let two = named(&[("text", &["a", "b"])]);
        assert_eq!(warning(EndpointKind::ImageGeneration, &two), "texts after the first");
        assert_eq!(warning(EndpointKind::VideoGeneration, &two), "texts after the first");
        let images = vec![Media::unnamed("x"), Media::unnamed("y")];
        let edit = Turn { images: images.clone(), ..named(&[("text", &["a"])]) };
        assert_eq!(warning(EndpointKind::ImageEdit, &edit), "images after the first");
        let speech = Turn { audios: images, ..Turn::default() };
        assert_eq!(warning(EndpointKind::AudioTranscription, &speech), "audio after the first");
    }

    #[test]
    fn others_send_all_texts() {
        let two = named(&[("text", &["a", "b"])]);
        for kind in [EndpointKind::Chat, EndpointKind::Completions, EndpointKind::Embeddings, EndpointKind::Template] {
            assert_eq!(unsent(kind, &two), None);
        }
    }
}
