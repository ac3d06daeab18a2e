//! `ShareGPT`: conversations between people and a model. A person's message and the reply to it are one turn; the
//! output length is that of the reply. Conversations with a turn that is too short or too long are left out.

use aiperf_conversation::Turn;
use aiperf_tokenizer::Tokenizer;

use super::text;
use crate::public::table_row::{ColumnValue, TableRow};

pub(super) const COLUMN: &str = "conversations";

const LEAST_TOKENS: usize = 4;
const MOST_PROMPT_TOKENS: usize = 1024;
const MOST_TOKENS: usize = 2048;

pub(super) fn turns(row: &TableRow, tokenizer: &dyn Tokenizer) -> Result<Vec<Turn>, String> {
    let messages = row.list(COLUMN)?;
    let mut turns = Vec::new();
    for pair in messages.windows(2) {
        let (Some(("human", prompt)), Some(("gpt", reply))) = (message(&pair[0]), message(&pair[1])) else { continue };
        let Some(reply_tokens) = suitable(prompt, reply, tokenizer) else { return Ok(Vec::new()) };
        turns.push(Turn { max_tokens: Some(reply_tokens), ..text::turn(prompt) });
    }
    Ok(turns)
}

fn message(cell: &ColumnValue) -> Option<(&str, &str)> {
    let ColumnValue::Record(row) = cell else { return None };
    match (row.get("from"), row.get("value")) {
        (Some(ColumnValue::Text(from)), Some(ColumnValue::Text(value))) => Some((from, value)),
        _ => None,
    }
}

/// The number of tokens in the reply; `None` if the prompt or the reply is too short or too long.
fn suitable(prompt: &str, reply: &str, tokenizer: &dyn Tokenizer) -> Option<u32> {
    let prompt = tokenizer.count(prompt);
    if !(LEAST_TOKENS..=MOST_PROMPT_TOKENS).contains(&prompt) {
        return None;
    }
    let reply = tokenizer.count(reply);
    (reply >= LEAST_TOKENS && prompt + reply <= MOST_TOKENS).then(|| u32::try_from(reply).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Prompts and maximum lengths. With the built-in tokenizer "word " is one token.
    fn read(messages: &[(&str, usize)]) -> Vec<(usize, u32)> {
        let nowhere = HubEnvironment::from_variables(|_| None);
        let tokenizer = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap();
        let said: Vec<_> = messages
            .iter()
            .map(|(from, tokens)| json!({"from": from, "value": vec!["word"; *tokens].join(" ")}))
            .collect();
        let ColumnValue::Record(row) = ColumnValue::from(json!({ "conversations": said })) else { panic!("an object") };
        let turns = turns(&row, &*tokenizer).unwrap();
        turns.iter().map(|turn| (tokenizer.count(turn.all_texts().next().unwrap()), turn.max_tokens.unwrap())).collect()
    }

    #[test]
    fn each_pair_is_a_turn_of_the_length_of_its_reply() {
        assert_eq!(read(&[("human", 5), ("gpt", 6), ("human", 7), ("gpt", 8)]), [(5, 6), (7, 8)]);
        assert_eq!(read(&[("gpt", 9), ("human", 5), ("gpt", 6), ("human", 7)]), [(5, 6)]);
        assert!(read(&[("human", 5)]).is_empty());
        assert!(read(&[("gpt", 5), ("gpt", 6)]).is_empty());
    }

    #[test]
    fn one_unsuitable_pair_drops_the_conversation() {
        let both = |prompt, reply| read(&[("human", 9), ("gpt", 9), ("human", prompt), ("gpt", reply)]).len();
        assert_eq!(both(4, 4), 2);
        assert_eq!(both(3, 4), 0);
        assert_eq!(both(4, 3), 0);
        assert_eq!(both(1024, 1024), 2);
        assert_eq!(both(1025, 4), 0);
        assert_eq!(both(1024, 1025), 0);
        assert_eq!(both(4, 2044), 2);
    }

    proptest! {
        #[test]
        fn no_row_makes_it_panic(from in "human|gpt|x", value in r#"null|5|"a b c d e f"|\[\]"#) {
            let text = format!(r#"{{"conversations": [{{"from": "{from}", "value": {value}}}, {{"from": "gpt", "value": {value}}}, {value}]}}"#);
            let ColumnValue::Record(row) = ColumnValue::from(serde_json::from_str::<serde_json::Value>(&text).unwrap()) else { panic!("an object") };
            let nowhere = HubEnvironment::from_variables(|_| None);
            let tokenizer = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap();
            let _ = turns(&row, &*tokenizer);
        }
    }
}
