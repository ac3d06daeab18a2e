//! Every row of a trace checked, and everything that is wrong said at once.

use std::collections::HashMap;
use std::path::Path;

use aiperf_config::SessionColumn;

use crate::layout::{self, Rows};
use crate::{Layout, Prompt, Request, TraceError, trace};

/// What is wrong with one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub line: usize,
    pub problem: String,
}

#[derive(Debug)]
pub struct Checked {
    pub rows: usize,
    pub problems: Vec<Problem>,
}

/// Checks the rows of a file one by one, and those of a session together.
pub fn validate(path: &Path, layout: Layout) -> Result<Checked, TraceError> {
    let bytes = trace::file(path)?;
    let Rows { requests, mut problems, block_size } = layout::rows(path, &bytes, layout, SessionColumn::default())?;
    let rows = requests.len() + problems.len();
    if rows == 0 {
        return Err(TraceError::NoRequests { path: path.to_owned() });
    }
    problems.extend(session_problems(&requests));
    let block_size = u64::from(block_size);
    problems.extend(requests.iter().filter_map(|request| {
        let problem = block_problem(request, block_size)?;
        Some(Problem { line: request.line, problem })
    }));
    problems.sort_by_key(|problem| problem.line);
    Ok(Checked { rows, problems })
}

/// Blocks that the prompt has no room for.
pub fn block_problem(request: &Request, block_size: u64) -> Option<String> {
    let Prompt::Length { tokens, blocks } = &request.prompt else { return None };
    let before_last = (blocks.len() as u64).checked_sub(1)? * block_size;
    (before_last >= *tokens).then(|| {
        format!(
            "hash_ids: {} blocks of {block_size} tokens do not fit into input_length {tokens}; the last needs at least one \
             token",
            blocks.len()
        )
    })
}

/// Turns of one session must be of one kind: generated and literal texts join a history, messages and bodies bring it.
pub fn session_problems(requests: &[Request]) -> Vec<Problem> {
    let kind = |prompt: &Prompt| match prompt {
        Prompt::Length { .. } | Prompt::Text(_) | Prompt::Recorded { .. } => "texts",
        Prompt::Messages { .. } => "messages",
        Prompt::Payload(_) => "payload",
    };
    let mut kinds: HashMap<&str, &str> = HashMap::new();
    let mut problems = Vec::new();
    for request in requests {
        let Some(session) = request.session.as_deref() else { continue };
        let own = kind(&request.prompt);
        let first = *kinds.entry(session).or_insert(own);
        if first != own {
            let problem = format!("session_id {session:?} holds {first} and {own}; a session is of one kind");
            problems.push(Problem { line: request.line, problem });
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(rows: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        std::fs::write(&path, rows).unwrap();
        let checked = validate(&path, Layout::Mooncake).unwrap();
        checked.problems.iter().map(|problem| format!("{}: {}", problem.line, problem.problem)).collect()
    }

    #[test]
    fn every_bad_row_is_named() {
        let found = problems("{\"input_length\":5}\n{\"input_length\":-5}\n\n{}\n");
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("2: input_length") && found[1].starts_with("4: "), "{found:?}");
    }

    #[test]
    fn blocks_must_fit_and_sessions_be_of_one_kind() {
        let found = problems(
            "{\"input_length\":512,\"hash_ids\":[1,2]}\n{\"session_id\":\"a\",\"text_input\":\"x\"}\n\
             {\"session_id\":\"a\",\"payload\":{\"a\":1}}\n{\"session_id\":\"a\",\"input_length\":1}\n",
        );
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("1: hash_ids: 2 blocks of 512"));
        assert_eq!(found[1], "3: session_id \"a\" holds texts and payload; a session is of one kind");
    }
}
