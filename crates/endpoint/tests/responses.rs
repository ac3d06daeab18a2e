//! Every recorded response body, read as it was cut on the wire. The table says what must come of each, and where that is
//! not what the reference made of it, why.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod recorded;

use aiperf_clock::Mono;
use aiperf_endpoint::{EndpointKind, EndpointSettings, ReadMark, Reply, ReplyError, ResponseBody, Usage, of};
use recorded::{Fixture, fixtures};
use serde_json::{Map, Value, json};

/// What must come of one fixture.
struct Row {
    fixture: &'static str,
    outcome: Outcome,
    /// Why the reference makes something else of it; empty where it does not.
    differs: &'static str,
}

enum Outcome {
    Says { chunks: usize, text: &'static str, reasoning: &'static str, output: &'static str, usage: Counts },
    Fails(ReplyError),
    Unreadable,
}

/// Prompt, completion and total tokens.
type Counts = Option<(u64, u64, u64)>;

const HELLO: &str = "Hello world!";
const USUAL: Counts = Some((7, 3, 10));
const NO_ERROR_IN_BAND: &str = "the reference passes over error objects in data events";
const NO_OBJECT: &str = "the reference drops events without the expected \"object\"";
const RESPONSES: Counts = Some((7, 5, 12));
const WEATHER: &str = "get_weather{\"city\":\"Oslo\"}";
const DONE_EVENT: &str = "the reference counts the repetition of a text at its end as an empty chunk";
const TOOL_NAME: &str = "the reference leaves the names of streamed tool calls out";
const DETAILS: &str = "the reference does not read the counts in details";
const EMBEDDING_USAGE: &str = "the reference does not read the usage of embeddings";

fn says(fixture: &'static str, chunks: usize, text: &'static str, usage: Counts) -> Row {
    Row { fixture, outcome: Outcome::Says { chunks, text, reasoning: "", output: text, usage }, differs: "" }
}

fn thinks(fixture: &'static str, chunks: usize, reasoning: &'static str, text: &'static str, usage: Counts) -> Row {
    Row { fixture, outcome: Outcome::Says { chunks, text, reasoning, output: text, usage }, differs: "" }
}

/// `output` is the text with the tool calls.
fn calls(fixture: &'static str, chunks: usize, text: &'static str, output: &'static str, usage: Counts) -> Row {
    Row { fixture, outcome: Outcome::Says { chunks, text, reasoning: "", output, usage }, differs: "" }
}

fn fails(fixture: &'static str, error: ReplyError) -> Row {
    Row { fixture, outcome: Outcome::Fails(error), differs: "" }
}

fn unreadable(fixture: &'static str) -> Row {
    Row { fixture, outcome: Outcome::Unreadable, differs: "" }
}

fn in_band(code: u16, kind: &str, message: &str) -> ReplyError {
    ReplyError::InBand { code: Some(code), kind: kind.to_owned(), message: message.to_owned() }
}

/// An error that names its type and no code.
fn named(kind: &str, message: &str) -> ReplyError {
    ReplyError::InBand { code: None, kind: kind.to_owned(), message: message.to_owned() }
}

impl Row {
    fn unlike_the_reference(self, differs: &'static str) -> Self {
        Self { differs, ..self }
    }
}

fn table() -> Vec<Row> {
    vec![
        // Servers.
        says("chat-vllm", 3, HELLO, USUAL),
        says("chat-vllm-continuous-usage", 3, HELLO, USUAL),
        thinks("chat-vllm-reasoning", 4, "Think hard", HELLO, Some((7, 5, 12))),
        thinks("chat-reasoning-content", 4, "Think hard", HELLO, USUAL),
        thinks("chat-reasoning-both-in-one-chunk", 2, "Think", HELLO, USUAL),
        calls("chat-vllm-tools", 3, "", "get_weather{\"city\":\"Oslo\"}", Some((7, 10, 17))),
        calls("chat-tools-with-content", 1, "Checking now", "Checking nowf{}", USUAL),
        calls("chat-legacy-function-call", 2, "", "f{\"a\":1}", USUAL)
            .unlike_the_reference("the reference reads function_call for history only, and finds no content"),
        says("chat-vllm-spec-decode", 1, HELLO, USUAL),
        says("chat-sglang", 3, HELLO, USUAL)
            .unlike_the_reference("the reference does not read reasoning_tokens at the top level of usage"),
        says("chat-trtllm-multi-token", 3, "Hello world! How are you", Some((7, 7, 14))),
        says("chat-ollama", 3, HELLO, USUAL),
        thinks("chat-ollama-reasoning", 3, "Think hard", HELLO, None),
        says("chat-ollama-ndjson", 2, HELLO, None)
            .unlike_the_reference("the reference does not read a document per line"),
        says("chat-llamacpp", 3, HELLO, USUAL),
        says("chat-tgi-nospace", 2, HELLO, USUAL),
        says("chat-dynamo", 2, HELLO, USUAL),
        says("chat-azure-prompt-filter", 1, HELLO, None),
        says("chat-openai-obfuscation", 1, HELLO, USUAL),
        says("chat-usage-on-finish-chunk", 2, HELLO, USUAL),
        // Framing.
        says("chat-crlf", 3, HELLO, USUAL),
        says("chat-cr-only", 3, HELLO, USUAL).unlike_the_reference("the reference does not split at a bare CR"),
        says("chat-mixed-newlines", 3, HELLO, USUAL),
        says("chat-comments-keepalive", 3, HELLO, USUAL),
        says("chat-multiline-data", 3, HELLO, USUAL),
        says("chat-raw-newline-in-json", 3, "Hello wor\nld!", USUAL),
        says("chat-event-name", 3, HELLO, USUAL),
        says("chat-utf8-split", 3, "héllo 世界 \u{1F30D}!", USUAL),
        says("chat-split-mid-json", 3, HELLO, USUAL),
        says("chat-all-in-one-write", 3, HELLO, USUAL),
        fails("chat-byte-by-byte", ReplyError::CutShort)
            .unlike_the_reference("the reference takes a stream without finish reason and [DONE] for whole"),
        says("chat-content-length", 3, HELLO, USUAL),
        says("chat-close-delimited", 3, HELLO, USUAL),
        says("chat-bom", 3, HELLO, USUAL),
        says("chat-no-done", 3, HELLO, USUAL),
        says("chat-no-final-newline", 3, HELLO, USUAL),
        says("chat-done-then-more", 4, "Hello world! late", USUAL),
        says("chat-sse-as-text-plain", 3, HELLO, USUAL)
            .unlike_the_reference("the reference goes by the media type alone"),
        says("chat-sse-uppercase-type", 3, HELLO, USUAL),
        // Contents.
        fails("chat-empty", ReplyError::NoContent),
        fails("chat-usage-only", ReplyError::NoContent),
        says("chat-null-content", 2, HELLO, USUAL),
        calls("chat-two-choices", 4, "Hello!", "Hello!Bonjour?", Some((7, 6, 13)))
            .unlike_the_reference("the reference mixes the texts of several choices in order of arrival"),
        says("chat-content-parts", 1, HELLO, USUAL)
            .unlike_the_reference("the reference fails on content that is a list of parts"),
        says("chat-object-missing", 3, HELLO, USUAL).unlike_the_reference(NO_OBJECT),
        says("chat-invalid-json-event", 3, HELLO, USUAL),
        says("chat-completion-object-in-stream", 1, HELLO, USUAL),
        says("chat-json-though-streaming", 1, HELLO, USUAL),
        // Failures.
        fails("chat-error-event", in_band(502, "SSEResponseError", "out of memory")),
        fails("chat-error-event-comment", in_band(502, "SSEResponseError", "backend gone")),
        fails("chat-error-data-mid", in_band(500, "InternalServerError", "out of memory"))
            .unlike_the_reference(NO_ERROR_IN_BAND),
        fails("chat-error-data-first", in_band(503, "ServiceUnavailable", "overloaded")),
        fails("chat-error-object-field", in_band(400, "BadRequestError", "boom"))
            .unlike_the_reference(NO_ERROR_IN_BAND),
        fails("chat-abort-mid-stream", ReplyError::CutShort),
        fails("chat-abort-before-body", ReplyError::NoContent),
        // Whole documents.
        says("chat-full", 1, HELLO, USUAL),
        thinks("chat-full-reasoning", 1, "Think hard", HELLO, Some((7, 5, 12))),
        calls("chat-full-tools", 1, "", "get_weather{\"city\":\"Oslo\"}f{}", USUAL),
        calls("chat-full-tools-and-text", 1, "Let me check", "Let me checkf{}", USUAL),
        fails("chat-full-empty", ReplyError::NoContent),
        fails("chat-full-null-content", ReplyError::NoContent),
        says("chat-full-no-usage", 1, HELLO, None),
        fails("chat-full-error-200", in_band(400, "x", "bad")),
        unreadable("chat-full-not-json"),
        says("http-202", 1, HELLO, USUAL),
        // Usage: the full set of counts is compared with the reference's below.
        says("chat-full-usage-anthropic", 1, HELLO, Some((35, 3, 0))),
        says("chat-full-usage-deepseek", 1, HELLO, Some((30, 3, 33))),
        says("chat-full-usage-gemini", 1, HELLO, Some((30, 3, 38))),
        says("chat-full-usage-bedrock", 1, HELLO, Some((35, 3, 8))),
        says("chat-full-usage-cohere", 1, HELLO, Some((30, 3, 0))),
        says("chat-full-usage-openai", 1, HELLO, USUAL),
        // Completions.
        says("completions-vllm", 3, HELLO, USUAL),
        says("completions-sglang", 2, HELLO, USUAL),
        says("completions-object-completion", 1, HELLO, None),
        says("completions-object-missing", 1, HELLO, None).unlike_the_reference(NO_OBJECT),
        calls("completions-batch2", 3, "Hello!", "Hello!Bonjour", USUAL)
            .unlike_the_reference("the reference mixes the texts of several choices in order of arrival"),
        says("completions-full", 1, HELLO, USUAL),
        says("completions-llamacpp", 2, HELLO, USUAL),
        // Embeddings.
        says("embeddings-full", 1, "", Some((7, 0, 7))).unlike_the_reference(EMBEDDING_USAGE),
        says("embeddings-base64", 1, "", Some((7, 0, 7))).unlike_the_reference(EMBEDDING_USAGE),
        says("embeddings-no-object", 1, "", None)
            .unlike_the_reference("the reference fails on items without \"object\": \"embedding\""),
        fails("embeddings-empty", ReplyError::NoContent),
        // Responses.
        says("responses-text", 2, HELLO, RESPONSES).unlike_the_reference(DONE_EVENT),
        says("responses-data-only", 1, HELLO, RESPONSES),
        says("responses-done-only", 1, HELLO, RESPONSES),
        says("responses-incomplete", 1, HELLO, RESPONSES)
            .unlike_the_reference("the reference does not read the usage of response.incomplete"),
        thinks("responses-reasoning", 3, "Think hard", HELLO, RESPONSES).unlike_the_reference(DONE_EVENT),
        thinks("responses-reasoning-summary", 2, "Think hard", HELLO, RESPONSES)
            .unlike_the_reference("the reference passes over summaries of reasoning in a stream"),
        says("responses-refusal", 1, "No.", RESPONSES)
            .unlike_the_reference("the reference takes a refusal for no content"),
        calls("responses-function-call", 3, "", WEATHER, RESPONSES).unlike_the_reference(TOOL_NAME),
        fails("responses-error", in_band(502, "SSEResponseError", "boom")),
        fails("responses-failed", named("server_error", "boom"))
            .unlike_the_reference("the reference passes over response.failed"),
        thinks("responses-full", 1, "Think hard", HELLO, RESPONSES),
        thinks("responses-full-reasoning-content", 1, "Think hard", HELLO, RESPONSES)
            .unlike_the_reference("the reference reads the summary of reasoning only"),
        says("responses-full-output-text", 1, HELLO, RESPONSES),
        calls("responses-full-function", 1, "", WEATHER, RESPONSES),
        calls("responses-full-text-and-function", 1, HELLO, "Hello world!get_weather{\"city\":\"Oslo\"}", RESPONSES)
            .unlike_the_reference("the reference leaves out the call beside a text"),
        fails("responses-full-failed", named("server_error", "boom")),
        // Messages.
        says("messages-text", 2, HELLO, Some((35, 3, 0))),
        says("messages-data-only", 1, HELLO, Some((7, 3, 0))),
        says("messages-text-in-start", 2, HELLO, Some((7, 3, 0)))
            .unlike_the_reference("the reference passes over text in the start of a block"),
        thinks("messages-thinking", 3, "Think hard", HELLO, Some((7, 9, 0))),
        calls("messages-tool-use", 4, "Checking", "Checkingget_weather{\"city\": \"Oslo\"}", Some((7, 12, 0)))
            .unlike_the_reference(TOOL_NAME),
        fails("messages-error", in_band(502, "SSEResponseError", "Overloaded")),
        thinks("messages-full", 1, "Think hard", HELLO, Some((7, 5, 0))),
        calls("messages-full-tool", 1, "Checking", "Checkingget_weather{\"city\":\"Oslo\"}", Some((7, 12, 0))),
        fails("messages-full-error", named("invalid_request_error", "bad")),
        // Text generation inference.
        says("hf-generate-full", 1, HELLO, Some((0, 3, 0))).unlike_the_reference(DETAILS),
        says("hf-generate-full-list", 1, HELLO, None),
        says("hf-generate-stream", 3, HELLO, Some((7, 3, 0))).unlike_the_reference(DETAILS),
        says("hf-generate-stream-special", 1, "Hello", None)
            .unlike_the_reference("the reference counts the name of the end-of-sequence token as text"),
        fails("hf-generate-stream-error", named("generation", "Request failed during generation"))
            .unlike_the_reference(NO_ERROR_IN_BAND),
        // Triton, which the reference does not know.
        says("triton-generate-full", 1, HELLO, None),
        says("triton-generate-stream", 2, HELLO, None),
        fails("triton-generate-stream-error", named("InBandError", "inference failed")),
        says("triton-infer-json", 1, HELLO, None),
        fails("triton-infer-error", named("InBandError", "unknown model: 'x' is not found")),
        // Rankings.
        says("cohere-rankings-full", 1, "", None),
        says("cohere-rankings-score-name", 1, "", None),
        says("hf-tei-rankings-full", 1, "", None),
        says("hf-tei-rankings-results", 1, "", None),
        says("nim-rankings-full", 1, "", Some((7, 0, 7)))
            .unlike_the_reference("the reference does not read the usage of rankings"),
        // Images, videos, speech, retrieval.
        says("image-generation-full", 1, "", USUAL),
        says("image-generation-url", 1, "", None),
        says("image-generation-stream", 3, "", USUAL),
        fails("image-generation-empty", ReplyError::NoContent)
            .unlike_the_reference("the reference takes an empty list of images for a success"),
        says("image-retrieval-full", 1, "", None),
        says("video-completed", 1, "", None),
        fails("video-failed", in_band(500, "VideoGenerationError", "Video generation failed: out of memory")),
        fails("video-in-progress", ReplyError::NoContent),
        fails("video-queued", ReplyError::NoContent),
        says("audio-transcription-json", 1, "hello world", Some((14, 2, 16))),
        says("audio-transcription-verbose", 1, "hello world", None),
        says("audio-transcription-text", 1, "hello world\n", None),
        says("audio-transcription-vtt", 1, "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nhello world\n", None),
        says("solido-rag-full", 1, HELLO, None),
        says("solido-rag-stream", 2, HELLO, None),
        // Not 2xx: never read as a reply in a run, and no success if it were.
        fails(
            "http-400",
            in_band(
                400,
                "BadRequestError",
                "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
            ),
        ),
        fails("http-429", named("rate_limit_error", "rate limited")),
        unreadable("http-500-text"),
        fails("http-503-empty", ReplyError::NoContent),
    ]
}

fn read(fixture: &Fixture, marks: &[ReadMark]) -> Result<Reply, ReplyError> {
    // Answers of the KServe protocol are read by the type that speaks Triton's extension of it.
    let kind = EndpointKind::from_name(&fixture.endpoint).unwrap_or(EndpointKind::Generate);
    let content_type = Some(fixture.content_type.as_str());
    of(kind, &EndpointSettings::default()).read(ResponseBody { content_type, bytes: &fixture.body, marks })
}

#[test]
fn the_table_has_a_row_for_every_fixture() {
    let mut rows: Vec<&str> = table().iter().map(|row| row.fixture).collect();
    let mut names: Vec<String> = fixtures().into_iter().map(|f| f.name).collect();
    rows.sort_unstable();
    names.sort_unstable();
    assert_eq!(rows, names);
}

#[test]
fn every_fixture_is_read_as_the_table_says() {
    let fixtures = fixtures();
    for row in table() {
        let fixture = fixtures.iter().find(|f| f.name == row.fixture).unwrap();
        let read = read(fixture, &fixture.marks());
        let name = row.fixture;
        match (row.outcome, read) {
            (Outcome::Says { chunks, text, reasoning, output, usage }, Ok(reply)) => {
                assert_eq!(reply.chunks.len(), chunks, "{name}");
                assert_eq!(reply.plain_text, text, "{name}");
                assert_eq!(reply.reasoning_text, reasoning, "{name}");
                assert_eq!(reply.output_text, output, "{name}");
                let total = |u: Usage| u.total_tokens.unwrap_or(0);
                let counts =
                    reply.usage.map(|u| (u.prompt_tokens.unwrap_or(0), u.completion_tokens.unwrap_or(0), total(u)));
                assert_eq!(counts, usage, "{name}");
            }
            (Outcome::Fails(expected), Err(error)) => assert_eq!(error, expected, "{name}"),
            (Outcome::Unreadable, Err(ReplyError::Unreadable(_))) => {}
            (_, read) => panic!("{name}: {read:?}"),
        }
    }
}

/// What the reference and we both can say of a body: chunks, text, reasoning, usage; `null` for a failure.
fn gist(reply: &Result<Reply, ReplyError>, produces_tokens: bool) -> Value {
    let Ok(reply) = reply else { return Value::Null };
    let mut usage = reply.usage.map(usage_map).unwrap_or_default();
    if !produces_tokens {
        // Not among the metrics of such endpoints.
        usage.remove("total_tokens");
    }
    json!([reply.chunks.len(), [reply.output_text, reply.reasoning_text], usage])
}

fn usage_map(usage: Usage) -> Map<String, Value> {
    let counts = [
        ("prompt_tokens", usage.prompt_tokens),
        ("completion_tokens", usage.completion_tokens),
        ("total_tokens", usage.total_tokens),
        ("reasoning_tokens", usage.reasoning_tokens),
        ("prompt_cache_read_tokens", usage.cache_read_tokens),
        ("prompt_cache_write_tokens", usage.cache_write_tokens),
        ("prompt_cache_miss_tokens", usage.cache_miss_tokens),
        ("prompt_audio_tokens", usage.prompt_audio_tokens),
        ("completion_audio_tokens", usage.completion_audio_tokens),
        ("accepted_prediction_tokens", usage.accepted_prediction_tokens),
        ("rejected_prediction_tokens", usage.rejected_prediction_tokens),
        ("tool_use_prompt_tokens", usage.tool_use_prompt_tokens),
    ];
    counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), json!(count?)))).collect()
}

#[test]
fn the_table_names_exactly_the_differences_from_the_reference() {
    let fixtures = fixtures();
    for row in table() {
        let fixture = fixtures.iter().find(|f| f.name == row.fixture).unwrap();
        if !fixture.was_put_to_the_reference() {
            continue;
        }
        let produces_tokens = EndpointKind::from_name(&fixture.endpoint).unwrap().facts().produces_tokens;
        let ours = gist(&read(fixture, &fixture.marks()), produces_tokens);
        let same = ours == fixture.reference_gist();
        assert_eq!(same, row.differs.is_empty(), "{}: {ours} and {}", row.fixture, fixture.reference_gist());
    }
}

#[test]
fn a_chunk_has_the_time_of_the_write_that_completed_it() {
    let fixtures = fixtures();
    let times = |name: &str| -> Vec<u64> {
        let fixture = fixtures.iter().find(|f| f.name == name).unwrap();
        read(fixture, &fixture.marks()).unwrap().chunks.iter().map(|c| c.at.as_nanos()).collect()
    };
    // Write 0 brings the role; each later write brings one content event.
    assert_eq!(times("chat-vllm"), [1, 2, 3]);
    assert_eq!(times("chat-crlf"), [1, 2, 3]);
    assert_eq!(times("chat-cr-only"), [1, 2, 3]);
    assert_eq!(times("chat-all-in-one-write"), [0, 0, 0]);
    assert_eq!(times("chat-full"), [0]);
}

#[test]
fn no_cut_into_reads_changes_what_is_read() {
    for fixture in fixtures() {
        let whole = read(&fixture, &fixture.marks());
        let every_byte: Vec<ReadMark> =
            (1..=fixture.body.len()).map(|end| ReadMark::user(end, Mono::from_nanos(end as u64))).collect();
        let by_byte = read(&fixture, &every_byte);
        let untimed = |reply: Result<Reply, ReplyError>| {
            reply.map(|reply| (reply.output_text, reply.reasoning_text, reply.usage, reply.chunks.len()))
        };
        if let Ok(reply) = &by_byte {
            assert!(reply.chunks.is_sorted_by_key(|c| c.at), "{}", fixture.name);
        }
        assert_eq!(untimed(by_byte), untimed(whole), "{}", fixture.name);
    }
}
