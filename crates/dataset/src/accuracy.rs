//! The questions of an accuracy benchmark as conversations of one turn, with the gold answers apart: they are never sent.

mod rows;

use std::collections::BTreeMap;
use std::sync::Arc;

use aiperf_accuracy::{Question, QuestionRole, questions};
use aiperf_config::AccuracySource;
use aiperf_conversation::{Conversation, Lineage, Media, SessionId, Turn};
use aiperf_hub::Hub;
use serde_json::{Map, Value, json};

use crate::DatasetError;
use rows::BenchmarkRows;

/// What the answers to the questions of a benchmark are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerKeys {
    /// One for each conversation of the data set, in its order.
    pub keys: Vec<AnswerKey>,
    pub origin: QuestionOrigin,
}

/// The gold answer of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerKey {
    /// The subject, category or part of the benchmark.
    pub task: Arc<str>,
    pub gold: String,
}

/// Where the questions come from, so that two runs can be known to ask the same ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionOrigin {
    /// A repository on the hub, and the commits of the files that were read.
    Hub { repository: &'static str, commits: Vec<String> },
    /// A folder, and a hash of the files that were read.
    Folder { path: String, sha256: String },
}

pub(crate) fn conversations(
    source: &AccuracySource,
    hub: Option<&Hub>,
) -> Result<(Vec<Conversation>, AnswerKeys), DatasetError> {
    let problem = |problem: String| DatasetError::Accuracy { name: source.benchmark.facts().name, problem };
    let mut rows = BenchmarkRows::new(source, hub);
    let mut asked = questions(source.benchmark, &source.settings, &mut |part| rows.load(part))
        .map_err(|error| problem(error.to_string()))?;
    if asked.is_empty() {
        return Err(problem(rows.nothing_found()));
    }
    let all = asked.len();
    asked.truncate(source.entries.unwrap_or(usize::MAX).max(1));
    if source.entries.is_some_and(|entries| entries > all) {
        log::warn!("The benchmark {} has {all} questions; each of them is asked once", source.benchmark.facts().name);
    }
    let mut names = QuestionNames { benchmark: source.benchmark.facts().name, counts: BTreeMap::new() };
    let (mut conversations, mut keys) = (Vec::with_capacity(asked.len()), Vec::with_capacity(asked.len()));
    let mut tasks: BTreeMap<String, Arc<str>> = BTreeMap::new();
    for question in asked {
        let task = Arc::clone(tasks.entry(question.task.clone()).or_insert_with(|| Arc::from(question.task.as_str())));
        let session_id = names.next(&question.task);
        let (turn, gold) = turn(source, question);
        keys.push(AnswerKey { task, gold });
        conversations.push(Conversation {
            session_id,
            turns: vec![turn],
            system: source.system_prompt.clone().filter(|_| source.takes_messages),
            user_context: None,
            context_mode: aiperf_conversation::ContextMode::default(),
            lineage: Lineage::Root,
        });
    }
    Ok((conversations, AnswerKeys { keys, origin: rows.origin() }))
}

/// The request of a question, and its gold answer.
fn turn(source: &AccuracySource, question: Question) -> (Turn, String) {
    let Question { messages, prompt, gold, max_tokens, stop, .. } = question;
    let extra_body = (!stop.is_empty()).then(|| Map::from_iter([("stop".to_owned(), json!(stop))]));
    let mut turn = Turn { max_tokens: Some(max_tokens), extra_body, ..Turn::default() };
    if source.takes_messages && messages.len() > 1 {
        let message = |message: aiperf_accuracy::QuestionMessage| {
            let role = match message.role {
                QuestionRole::User => "user",
                QuestionRole::Assistant => "assistant",
            };
            json!({"role": role, "content": message.content})
        };
        turn.raw_messages = Some(messages.into_iter().map(message).collect::<Vec<Value>>());
    } else {
        let text = match &source.system_prompt {
            Some(system) if !source.takes_messages => format!("{system}\n\n{prompt}"),
            _ => prompt,
        };
        turn.texts = vec![Media::unnamed(text)];
    }
    (turn, gold)
}

/// Names of conversations: the benchmark, the task, and the place of the question within its task. A question has the same name in
/// every run with the same data, whatever other tasks are asked.
struct QuestionNames {
    benchmark: &'static str,
    counts: BTreeMap<String, usize>,
}

impl QuestionNames {
    fn next(&mut self, task: &str) -> SessionId {
        let plain: String = task.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect();
        let prefix = if plain == self.benchmark { plain } else { format!("{}-{plain}", self.benchmark) };
        let count = self.counts.entry(prefix.clone()).or_default();
        let id = SessionId(Arc::from(format!("{prefix}-{count}")));
        *count += 1;
        id
    }
}
