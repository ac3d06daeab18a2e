//! Checks every row of a trace, and reports all problems at once.

use std::collections::HashMap;
use std::path::Path;

use aiperf_config::SessionColumn;

use crate::layout::{self, LayoutRows};
use crate::request::MOST_TOKENS;
use crate::{Layout, TraceError, TracePrompt, TraceRequest, trace};

/// What is wrong with one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProblem {
    pub line: usize,
    pub problem: String,
}

#[derive(Debug)]
pub struct ValidationReport {
    pub layout: Layout,
    pub rows: usize,
    pub problems: Vec<RowProblem>,
}

/// Checks the rows of a file one by one, and the rows of each session together. Rows that pass can be replayed. Without
/// `layout` it is detected; without `block_size` that of the layout is used.
pub fn validate(path: &Path, layout: Option<Layout>, block_size: Option<u32>) -> Result<ValidationReport, TraceError> {
    let bytes = trace::file(path)?;
    let layout = layout.map_or_else(|| trace::detected(path, &bytes), Ok)?;
    let LayoutRows { requests, mut problems, block_size: own } =
        layout::rows(path, &bytes, layout, SessionColumn::default())?;
    let rows = requests.len() + problems.len();
    if rows == 0 {
        return Err(TraceError::NoRequests { path: path.to_owned() });
    }
    problems.extend(session_problems(&requests));
    let block_size = block_size.unwrap_or(own);
    problems.extend(requests.iter().filter_map(|request| {
        let problem = request_problem(request, block_size)?;
        Some(RowProblem { line: request.line, problem })
    }));
    problems.sort_by_key(|problem| problem.line);
    Ok(ValidationReport { layout, rows, problems })
}

/// Why a request cannot be replayed.
pub fn request_problem(request: &TraceRequest, block_size: u32) -> Option<String> {
    length_problem(request).or_else(|| block_problem(request, block_size))
}

/// A length outside the allowed range.
fn length_problem(request: &TraceRequest) -> Option<String> {
    let (input, output) = match request.prompt {
        TracePrompt::Recorded { .. } => ("input_tokens", "output_tokens"),
        _ => ("input_length", "output_length"),
    };
    let beyond = |field: &str, tokens: Option<u64>, least: u64| {
        let tokens = tokens.filter(|tokens| !(least..=MOST_TOKENS).contains(tokens))?;
        Some(format!("{field}: from {least} to {MOST_TOKENS} tokens are expected, not {tokens}"))
    };
    beyond(input, request.input_tokens(), 1).or_else(|| beyond(output, request.output_tokens, 0))
}

/// More blocks than fit into the prompt.
fn block_problem(request: &TraceRequest, block_size: u32) -> Option<String> {
    let TracePrompt::Length { tokens, blocks } = &request.prompt else { return None };
    request.has_too_many_blocks(block_size).then(|| {
        format!(
            "hash_ids: {} blocks of {block_size} tokens do not fit into input_length {tokens}; the last needs at least one \
             token. If this trace has another block size, set it (profile: --isl-block-size, else: --block-size)",
            blocks.len()
        )
    })
}

/// Sessions that mix kinds of turns. Generated and literal texts are added to a history; messages, bodies and texts marked as
/// such contain it.
pub fn session_problems(requests: &[TraceRequest]) -> Vec<RowProblem> {
    let kind = |request: &TraceRequest| match &request.prompt {
        TracePrompt::Length { .. } | TracePrompt::Text(_) | TracePrompt::Recorded { .. } if request.holds_history => {
            "whole prompts"
        }
        TracePrompt::Length { .. } | TracePrompt::Text(_) | TracePrompt::Recorded { .. } => "texts",
        TracePrompt::Messages { .. } => "messages",
        TracePrompt::Payload(_) => "payload",
    };
    let mut kinds: HashMap<&str, &str> = HashMap::new();
    let mut problems = Vec::new();
    for request in requests {
        let Some(session) = request.session.as_deref() else { continue };
        let own = kind(request);
        let first = *kinds.entry(session).or_insert(own);
        if first != own {
            let problem =
                format!("session_id {session:?} mixes {first} and {own}; all rows of a session must be of one kind");
            problems.push(RowProblem { line: request.line, problem });
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
        let checked = validate(&path, None, None).unwrap();
        checked.problems.iter().map(|problem| format!("{}: {}", problem.line, problem.problem)).collect()
    }

    #[test]
    fn every_bad_row_is_named() {
        let found = problems("{\"input_length\":5}\n{\"input_length\":-5}\n\n{}\n");
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("2: input_length") && found[1].starts_with("4: "), "{found:?}");
    }

    #[test]
    fn what_could_not_be_sent_is_not_valid() {
        let found = problems(
            "{\"input_length\":1}\n{\"input_length\":0}\n{\"input_length\":100000001}\n\
             {\"input_length\":9,\"output_length\":100000001}\n",
        );
        assert_eq!(found[0], "2: input_length: from 1 to 100000000 tokens are expected, not 0");
        assert!(
            found[1].starts_with("3: input_length: ") && found[2].starts_with("4: output_length: from 0 to"),
            "{found:?}"
        );
    }

    #[test]
    fn layout_and_size_of_blocks_are_found_or_given() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        std::fs::write(&path, "{\"input_length\":40,\"hash_ids\":[1,2,3]}\n").unwrap();
        assert_eq!(validate(&path, None, None).unwrap().problems.len(), 1);
        let checked = validate(&path, None, Some(16)).unwrap();
        assert_eq!((checked.layout, checked.problems.len()), (Layout::Mooncake, 0));
        std::fs::write(&path, "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.98,0,10\n").unwrap();
        let checked = validate(&path, None, None).unwrap();
        let problem = "ContextTokens: a whole number from 1 to 100000000 is expected, not \"0\"";
        assert_eq!((checked.layout, checked.problems[0].problem.as_str()), (Layout::Azure, problem));
    }

    #[test]
    fn blocks_must_fit_and_sessions_be_of_one_kind() {
        let found = problems(
            "{\"input_length\":512,\"hash_ids\":[1,2]}\n{\"session_id\":\"a\",\"text_input\":\"x\"}\n\
             {\"session_id\":\"a\",\"payload\":{\"a\":1}}\n{\"session_id\":\"a\",\"input_length\":1}\n",
        );
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("1: hash_ids: 2 blocks of 512"));
        let mixed = problems(
            "{\"session_id\":\"a\",\"input_length\":1}\n\
             {\"session_id\":\"a\",\"input_length\":1,\"context_mode\":\"message_array_with_responses\"}\n",
        );
        assert_eq!(
            mixed,
            ["2: session_id \"a\" mixes texts and whole prompts; all rows of a session must be of one kind"]
        );
        assert_eq!(found[1], "3: session_id \"a\" mixes texts and payload; all rows of a session must be of one kind");
    }
}
