//! Serves rankings: a score for each passage, the best first.

use serde_json::{Value, json};

use crate::api::single_reply::{self, ReplyInputs, SingleReplyPlan};
use crate::api::text_request::RejectedRequest;
use crate::generation::prefix_cache::content_hash;
use crate::generation::prompt::RequestPrompt;
use crate::server::connection::{ClientConnection, ClientGone, ClientRequest};
use crate::server::exchange::ServedRequest;
use crate::server::response::{After, JSON, refuse};
use crate::server::worker::ServerWorker;

/// Whose answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RankingApi {
    Nim,
    HfTei,
    Cohere,
}

struct RankingBody {
    prompt: RequestPrompt,
    passages: Vec<String>,
    return_text: bool,
}

fn read(body: &[u8]) -> Result<RankingBody, RejectedRequest> {
    let body: Value = serde_json::from_slice(body).map_err(|e| RejectedRequest::invalid_json(&e))?;
    let text = |value: &Value| value.as_str().or_else(|| value["text"].as_str()).map(str::to_owned);
    let query = text(&body["query"]).ok_or_else(|| RejectedRequest::of("query", "field required: query".to_owned()))?;
    let list = ["passages", "documents", "texts"].into_iter().find_map(|name| body[name].as_array());
    let passages: Vec<String> = list.into_iter().flatten().filter_map(text).collect();
    if passages.is_empty() {
        return Err(RejectedRequest::of("passages", "at least one passage is needed.".to_owned()));
    }
    let mut prompt = RequestPrompt::of(&query);
    for passage in &passages {
        prompt.push_apart(passage);
    }
    Ok(RankingBody { prompt, passages, return_text: body["return_text"] == true })
}

pub(crate) async fn rank(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
    api: RankingApi,
) -> Result<After, ClientGone> {
    let body = match read(&received.body) {
        Ok(body) => body,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, received.head.keep_alive).await,
    };
    let make = |made: &ReplyInputs<'_>| {
        let answer = answer(api, &body, made.draws.key(), made.prompt.tokens);
        (JSON, answer.to_string().into_bytes())
    };
    let work = SingleReplyPlan { prompt: &body.prompt, steps: 0, make: &make };
    single_reply::serve(worker, connection, exchange, received, work).await
}

fn answer(api: RankingApi, body: &RankingBody, key: u64, tokens: u32) -> Value {
    let mut scored: Vec<(f64, usize)> = (0..body.passages.len()).map(|index| (score(key, index), index)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let ranks = |name: &str| -> Vec<Value> {
        let rank = |(score, index): &(f64, usize)| {
            let mut rank = json!({"index": index, name: score});
            if body.return_text {
                rank["text"] = json!(body.passages[*index]);
            }
            rank
        };
        scored.iter().map(rank).collect()
    };
    match api {
        RankingApi::Nim => {
            json!({"rankings": ranks("logit"), "usage": {"prompt_tokens": tokens, "total_tokens": tokens}})
        }
        RankingApi::HfTei => Value::Array(ranks("score")),
        RankingApi::Cohere => json!({
            "id": format!("rerank-{key:016x}"), "results": ranks("relevance_score"),
            "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
        }),
    }
}

/// Between zero and one; the same for the same request.
fn score(key: u64, index: usize) -> f64 {
    let hash = content_hash(&[&key.to_le_bytes(), &index.to_le_bytes()]);
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_passage_gets_a_rank_and_the_best_comes_first() {
        let body = read(br#"{"query":{"text":"q"},"passages":[{"text":"a"},{"text":"b"},{"text":"c"}]}"#).unwrap();
        assert_eq!((body.prompt.text.as_str(), body.prompt.apart.len()), ("qabc", 3));
        let answer = answer(RankingApi::Nim, &body, 7, 4);
        let ranks = answer["rankings"].as_array().unwrap();
        assert!(ranks.is_sorted_by(|a, b| a["logit"].as_f64() >= b["logit"].as_f64()));
        assert_eq!(ranks.len(), 3);
    }

    #[test]
    fn a_query_needs_passages() {
        assert_eq!(read(br#"{"query":"q"}"#).err().unwrap().parameter, Some("passages"));
        assert_eq!(read(br#"{"texts":["a"]}"#).err().unwrap().parameter, Some("query"));
    }
}
