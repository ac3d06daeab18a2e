//! An endpoint type: metadata, a template for requests, rules for responses.

use aiperf_config_file::FileError;
use aiperf_endpoint::{DeclarationError, check_declaration};
use aiperf_protocol::{
    BodySource, DeclaredEndpoint, EndpointDeclaration, EndpointFacts, EndpointKind, Medium, ResponseRules, TemplateText,
};

use super::field::{Checked, Field, Form, field, required};

pub(super) const FIELDS: &[Field] = &[
    field("description", Form::Text, "What the entry is for, in one line."),
    field("metadata", Form::Map(METADATA), "What the API can do. The names are those of AIPerf's plugins.yaml."),
    required("request", Form::Text, "Jinja template of the request body, which renders one JSON object."),
    field(
        "response",
        Form::Map(RESPONSE),
        "Where the parts of a response stand. Left out: content is found by its shape.",
    ),
    field("headers", Form::TextMap, "Headers of every request, unless --header sets them."),
];

const METADATA: &[Field] = &[
    field("endpoint_path", Form::Text, "Path appended to the URL. {model} stands for the name of the model."),
    field("streaming_path", Form::Text, "Path of streamed requests, if it differs."),
    field("metrics_title", Form::Text, "Title of the console table."),
    field("supports_streaming", Form::Flag, "Can answer with a stream of events. Default: true."),
    field("produces_tokens", Form::Flag, "Answers with generated text, which is counted in tokens. Default: true."),
    field("tokenizes_input", Form::Flag, "Sends text, which is counted in tokens. Default: true."),
    field("supports_images", Form::Flag, "Takes images. Default: false."),
    field("supports_audio", Form::Flag, "Takes audio. Default: false."),
    field("supports_videos", Form::Flag, "Takes videos. Default: false."),
    field("consumes_system_message", Form::Flag, "Takes a system message. Default: false."),
    field("supports_history", Form::Flag, "Takes the earlier turns of a conversation. Default: false."),
];

const RESPONSE: &[Field] = &[
    field(
        "text",
        Form::Texts,
        "Generated text: a path such as choices[*].delta.content, a list of paths, or JMESPath.",
    ),
    field("reasoning", Form::Texts, "Text of the model's reasoning."),
    field("items", Form::Texts, "Content that is not text, such as embeddings. A list has one piece for each item."),
    field("choice", Form::Texts, "Number of the choice that the texts next to it belong to, such as choices[*].index."),
    field("finish_reason", Form::Texts, "Why the generation ended. A stream without it was cut short."),
    field("done", Form::Texts, "Flag that is true in the last event of a stream."),
    field("error", Form::Texts, "Message of an error. Fields named `error` are known."),
    field("usage", Form::Texts, "Object with token counts in a known spelling."),
    field("prompt_tokens", Form::Texts, "Number of input tokens."),
    field("completion_tokens", Form::Texts, "Number of output tokens."),
    field("total_tokens", Form::Texts, "Number of all tokens."),
    field("reasoning_tokens", Form::Texts, "Number of reasoning tokens."),
    field("cached_tokens", Form::Texts, "Number of input tokens that came from a cache."),
];

/// Reads the entry of an endpoint type.
pub(super) fn read(name: &str, entry: &Checked<'_>) -> Result<EndpointKind, FileError> {
    if let Some(built_in) = EndpointKind::from_name(name) {
        return Err(
            entry.problem("", format!("`{}` is a built-in endpoint type; choose another name", built_in.facts().name))
        );
    }
    let response = entry.map("response").map(|rules| rules_of(&rules)).unwrap_or_default();
    let source = entry.text("request").unwrap_or_default();
    let may_write_limit = check_declaration(&source, &response).map_err(|error| match &error {
        DeclarationError::Template(why) => entry.problem("request", why.clone()),
        DeclarationError::Rule(why) => entry.problem("response", why.clone()),
    })?;
    let facts = facts(name, entry.map("metadata").as_ref(), may_write_limit)?;
    let headers = entry.pairs("headers").into_iter().map(|(name, values)| (name, values.concat())).collect();
    let template = TemplateText { source, may_write_limit };
    let declaration = EndpointDeclaration { facts, template, response, headers };
    Ok(EndpointKind::Declared(DeclaredEndpoint::new(declaration)))
}

fn facts(name: &str, metadata: Option<&Checked<'_>>, may_write_limit: bool) -> Result<EndpointFacts, FileError> {
    let text = |key: &str| metadata.and_then(|metadata| metadata.text(key));
    let flag = |key: &str, usual: bool| metadata.and_then(|metadata| metadata.flag(key)).unwrap_or(usual);
    for key in ["endpoint_path", "streaming_path"] {
        if let (Some(path), Some(metadata)) = (text(key), metadata)
            && !path.is_empty()
            && !path.starts_with('/')
        {
            return Err(metadata.problem(key, format!("{path:?}: a path begins with `/`")));
        }
    }
    let taken =
        [("supports_images", Medium::Image), ("supports_audio", Medium::Audio), ("supports_videos", Medium::Video)];
    let takes: Vec<Medium> = taken.into_iter().filter(|(key, _)| flag(key, false)).map(|(_, medium)| medium).collect();
    Ok(EndpointFacts {
        name: name.to_owned().leak(),
        path: text("endpoint_path").unwrap_or_default().leak(),
        stream_path: text("streaming_path").map(|path| &*path.leak()),
        body: BodySource::Turn,
        metrics_title: text("metrics_title").map_or("LLM Metrics", |title| title.leak()),
        streams: flag("supports_streaming", true),
        produces_tokens: flag("produces_tokens", true),
        tokenizes_input: flag("tokenizes_input", true),
        sends_limit: may_write_limit,
        has_system_role: flag("consumes_system_message", false),
        refuses_history: !flag("supports_history", false),
        takes: takes.leak(),
        ..EndpointFacts::TEXT_GENERATION
    })
}

fn rules_of(rules: &Checked<'_>) -> ResponseRules {
    ResponseRules {
        text: rules.texts("text"),
        reasoning: rules.texts("reasoning"),
        items: rules.texts("items"),
        choice: rules.texts("choice"),
        finish_reason: rules.texts("finish_reason"),
        done: rules.texts("done"),
        error: rules.texts("error"),
        usage: rules.texts("usage"),
        prompt_tokens: rules.texts("prompt_tokens"),
        completion_tokens: rules.texts("completion_tokens"),
        total_tokens: rules.texts("total_tokens"),
        reasoning_tokens: rules.texts("reasoning_tokens"),
        cached_tokens: rules.texts("cached_tokens"),
    }
}
