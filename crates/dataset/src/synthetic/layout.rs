//! Prompts whose length includes the tokens of a chat template. These are measured on the messages that will be sent, not
//! estimated.

use std::sync::Arc;

use aiperf_config::{PromptLengths, SyntheticSource};
use aiperf_conversation::Conversation;
use aiperf_tokenizer::ChatTemplate;
use serde_json::{Value, json};

use crate::DatasetError;
use crate::text::{ExactText, TextPlan, TextWriter};

/// A sample text, used to measure the template around it.
const SAMPLE: &str = "So it was.";
/// The most corrections of a text whose length changes with the template around it.
const ROUNDS: usize = 6;

#[derive(Debug)]
pub(super) struct ChatLayout {
    /// The number of tokens that one more user message adds to a conversation, in addition to its text.
    later: usize,
}

impl ChatLayout {
    /// Tries the template, so that one that cannot render these conversations is found before the run.
    pub(super) fn new(
        source: &SyntheticSource,
        template: &ChatTemplate,
        writer: &TextWriter,
    ) -> Result<Self, DatasetError> {
        let fails = |reason: String| DatasetError::ChatTemplate { reason };
        let sample = writer.count(SAMPLE);
        let texts = vec![SAMPLE; source.batch_size.max(1)];
        let alone = template.render(&[message("user", &texts)], None).map_err(fails)?;
        let around = writer.count(&alone).saturating_sub(sample * texts.len());
        if let PromptLengths::Drawn(length) = &source.lengths
            && let Some(asked) = length.only_value()
            && asked <= around as f64
        {
            return Err(DatasetError::TemplateTooLong { asked: asked as usize, template: around });
        }
        let mut messages = vec![message("user", &texts), message("assistant", &[SAMPLE])];
        let before = template.render_so_far(&messages).map_err(fails)?;
        messages.push(message("user", &texts));
        let after = template.render_so_far(&messages).map_err(fails)?;
        let added = writer.count(&after).saturating_sub(writer.count(&before));
        Ok(Self { later: added.saturating_sub(sample * texts.len()) })
    }

    /// The prompt of a first turn. The whole request, without the system message and the user context, has the requested
    /// number of tokens.
    pub(super) fn write_first(
        writer: &TextWriter,
        plan: &TextPlan,
        tokens: usize,
        others: &[Arc<str>],
        conversation: &Conversation,
    ) -> ExactText {
        let count = |text: &Option<Arc<str>>| text.as_deref().map_or(0, |text| writer.count(text));
        let others_tokens: usize = others.iter().map(|text| writer.count(text)).sum();
        let fixed_tokens = count(&conversation.system) + count(&conversation.user_context) + others_tokens;
        let wanted = tokens + plan.prefix_tokens() + fixed_tokens;
        let measure = |text: &str| {
            let texts: Vec<&str> = [text].into_iter().chain(others.iter().map(|text| &**text)).collect();
            let messages = messages(conversation, &texts);
            let rendered = writer.tokenizer().chat_template()?.render(&messages, None).ok()?;
            Some(writer.count(&rendered))
        };
        let Some(around) = measure(SAMPLE) else { return inexact(plan.write_with(writer, tokens)) };
        let mut own = wanted.saturating_sub(around.saturating_sub(writer.count(SAMPLE)) + plan.prefix_tokens()).max(1);
        let mut written = plan.write_with(writer, own);
        for _ in 0..ROUNDS {
            let Some(found) = measure(&written.text) else { break };
            if found == wanted {
                return written;
            }
            let next = (own + wanted).saturating_sub(found).max(1);
            if next == own {
                break;
            }
            own = next;
            written = plan.write_with(writer, own);
        }
        inexact(written)
    }

    /// The prompt of a later turn. Its message, with the template, adds the requested number of tokens.
    pub(super) fn write_later(&self, writer: &TextWriter, plan: &TextPlan, tokens: usize) -> ExactText {
        let written = plan.write_with(writer, tokens.saturating_sub(self.later).max(1));
        ExactText { exact: written.exact && tokens > self.later, ..written }
    }
}

fn inexact(written: ExactText) -> ExactText {
    ExactText { exact: false, ..written }
}

/// The messages of a first request, as the chat endpoint builds them.
fn messages(conversation: &Conversation, texts: &[&str]) -> Vec<Value> {
    let system = conversation.system.as_deref().map(|text| message("system", &[text]));
    let context = conversation.user_context.as_deref().map(|text| message("user", &[text]));
    system.into_iter().chain(context).chain([message("user", texts)]).collect()
}

fn message(role: &str, texts: &[&str]) -> Value {
    match texts {
        [only] => json!({"role": role, "content": only}),
        several => {
            let parts: Vec<Value> = several.iter().map(|text| json!({"type": "text", "text": text})).collect();
            json!({"role": role, "content": parts})
        }
    }
}
