//! One question of a benchmark, ready to be sent.

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionRole {
    User,
    Assistant,
}

/// One message of a question on a chat endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionMessage {
    pub role: QuestionRole,
    pub content: String,
}

/// A question with its gold answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The subject, category or part of the benchmark, by which accuracies are reported.
    pub task: String,
    /// For chat endpoints: worked examples are turns of their own where the benchmark has them so.
    pub messages: Vec<QuestionMessage>,
    /// For completion endpoints: everything in one text.
    pub prompt: String,
    /// What the grader compares with.
    pub gold: String,
    pub max_tokens: u32,
    pub stop: Vec<String>,
}

impl Question {
    /// A question whose only message is its prompt.
    pub(crate) fn of_one_message(
        task: impl Into<String>,
        prompt: String,
        gold: impl Into<String>,
        max_tokens: u32,
    ) -> Self {
        Self {
            task: task.into(),
            messages: vec![QuestionMessage { role: QuestionRole::User, content: prompt.clone() }],
            prompt,
            gold: gold.into(),
            max_tokens,
            stop: Vec::new(),
        }
    }
}

/// What a user can change about the questions of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkSettings {
    /// The parts to ask; empty means all.
    pub tasks: Vec<String>,
    /// Worked examples before each question.
    pub shots: usize,
    /// Whether to ask for reasoning before the answer.
    pub chain_of_thought: bool,
    /// The release of the tasks of `lcb_codegeneration` (`AIPERF_ACCURACY_LCB_RELEASE_TAG`); `None` is `v4_v5`.
    pub release: Option<String>,
}
