"""Differences that are meant, each with its reason. Anything that is not listed here fails the run."""

import re
from dataclasses import dataclass

from differences import Difference

# Endpoint types that produce no tokens.
OUTPUTLESS = "embeddings|api-(embeddings|chat-embeddings|nim-embeddings|.*-rankings|image-|video-|audio-).*"
EMBEDDING = "embeddings|api-(embeddings|chat-embeddings|nim-embeddings).*"
API_WHOLE = "api-.*-whole|api-(responses|messages)-images|api-responses-audio|api-hf-generate|api-solido-rag|api-raw|api-template"
STREAMLESS = f"chat|completions-whole|errors-whole|raw-whole|(cached-prefix|tools-beside|no-usage|empty-some|dev-mode)-whole|data-.*|{OUTPUTLESS}|{API_WHOLE}"
FAILING = "errors|errors-whole|errors-tenth|raw-errors|outputs-json|cancel-half|failed-threshold|dropped|empty-some.*|context-overflow"
NOTHING_SUCCEEDED = "all-failed|all-empty|refused|timeout|cancel-all"
CUT_OFF = "duration-cut|interrupt|failed-threshold"
OPEN_LOOP = "rate-.*|folder-(rate|prefix)|schedule.*|user-centric|sessions-rate|warmup-overrides|warmup-sessions|data-.*-schedule"
# Conversations of several turns whose texts each tool makes for itself.
GENERATED_TURNS = "user-centric|warmup-sessions|reuse-.*|several-urls|session-header|sessions.*|api-.*-turns"
# Streams of the Responses API that end by the limit of tokens.
CUT_RESPONSES = "api-responses(-reasoning|-turns|-server-count)?"
# What is said of the number of output tokens.
OUTPUT_COUNTS = (
    r"(records: (values of|lines with)|summary) (osl_mismatch_\w+|output_sequence_length|output_token_count|total_osl|total_output_tokens|"
    r"(total_)?reasoning_tokens?(_count)?|usage_(completion|reasoning)_tokens_diff_pct|usage_discrepancy_count|output_token_throughput_per_user|"
    r"inter_token_latency|prefill_throughput_per_user|e2e_output_token_throughput|decode_duration)\b.*"
)
FILES = "context-overflow|schedule.*|multi-turn-file|dag-.*|data-.*|api-raw"


@dataclass(frozen=True)
class Expectation:
    """All patterns must match the whole text."""

    title: str
    reason: str
    area: str
    where: str
    cases: str = ".*"
    reference: str = ".*"
    ours: str = ".*"

    def covers(self, difference: Difference) -> bool:
        return all(
            re.fullmatch(pattern, text, re.DOTALL)
            for pattern, text in (
                (self.area, difference.area),
                (self.where, difference.where),
                (self.cases, difference.case),
                (self.reference, difference.reference),
                (self.ours, difference.ours),
            )
        )


SEVERAL_RUNS = "trials|sweep|sweep-trials"

EXPECTED: tuple[Expectation, ...] = (
    Expectation(
        "Configuration of one of several runs",
        "Where it makes several runs, the reference writes every default of its own configuration; here it is what was set or derived, as for "
        "a single run.",
        "field",
        r"(summary\.json: input_config|run_config\.json: cfg)\..*|run_config\.json: resolved",
        SEVERAL_RUNS,
        ours="absent",
    ),
    Expectation(
        "Console of several runs",
        "One line for each run and tables over them all; the tables and the notes of each run are in its folder.",
        "console",
        "line .*",
        SEVERAL_RUNS,
    ),
    Expectation(
        "Log of the launcher",
        "Runs are made in one process, and each has its log; the reference's launcher has one more.",
        "file",
        "logs/aiperf.log",
        SEVERAL_RUNS,
        ours="absent",
    ),
    Expectation(
        "Order over several runs",
        "That of the summary; the reference has another one each time.",
        "csv",
        ".*: order of rows",
        SEVERAL_RUNS,
    ),
    Expectation(
        "No share of nought",
        "A mean of nought has no coefficient of variation; whether a mean is nought is a matter of timing.",
        "type",
        r"(aggregate|sweep)\.json: .*\.cv",
        SEVERAL_RUNS,
    ),
    Expectation(
        "Rare percentiles over several runs",
        "Each run has p99.9 and p99.99, and so has what is said over several.",
        "field|csv",
        r"(aggregate|sweep)\.(json: .*|csv section \d+: row .*)_p99_9+",
        SEVERAL_RUNS,
        reference="absent",
    ),
    Expectation(
        "Columns of a sweep",
        "One metric more (see: rate of a user over all requests), and where a mean is nought is a matter of timing.",
        "csv",
        r"sweep\.csv section 1: (header|filled cells of .*|further column .*)",
        SEVERAL_RUNS,
    ),
    Expectation(
        "Points that no other beats",
        "Which of two points is better in both throughput and latency is a matter of timing.",
        "csv",
        r"sweep\.csv section 3: row .*",
        SEVERAL_RUNS,
    ),
    Expectation(
        "Best points of a sweep with one run each",
        "The reference leaves them out.",
        "field|csv",
        r"sweep\.(json: (best_configurations|pareto_optimal).*|csv section [23]: row .*)",
        "sweep",
    ),
    Expectation(
        "The last window",
        "The window in which the run ended is always there, marked as shorter; the reference leaves it out when no request started in it.",
        "field",
        r".*_timeslices\.json: timeslices\[\]\.is_complete",
        "timeslices",
    ),
    Expectation(
        "Name of the program",
        "Tables are headed by the name of the program that made them.",
        "console",
        ".*: program named in the title",
        reference="NVIDIA AIPerf",
        ours="aiperf",
    ),
    Expectation(
        "Version",
        "Each program names its own.",
        "value",
        "summary aiperf_version",
    ),
    Expectation(
        "More files named on the console",
        "Records and console text are written as by the reference, and named too.",
        "console",
        "line (Console|Records) Export",
        reference="absent",
    ),
    Expectation(
        "No rows of zeros",
        "Without a stream there is no first token, so prefill and decode cannot be told apart (and with one token there is "
        "no decode). The files have the zeros of the reference; on the console they would only mislead.",
        "console",
        ".*(table .*: Active|: row (Effective|Active) .*)",
        cases=f"{STREAMLESS}|one-token",
        ours="absent",
    ),
    Expectation(
        "Embeddings have no output length",
        "The reference writes an output length of 0 for an endpoint that produces no tokens.",
        "field|csv|console|value",
        ".*(output_sequence_length|Output Sequence Length).*",
        cases=OUTPUTLESS,
        ours="absent",
    ),
    Expectation(
        "Usage of embeddings",
        "The server reports the prompt tokens of an embeddings request; the reference does not read them.",
        "field|csv|console",
        ".*(usage_|Usage ).*|table .*Embeddings Metrics: Usage",
        cases=EMBEDDING,
        reference="absent",
    ),
    Expectation(
        "Error-adjusted tail",
        "A failed request counts as infinitely slow in these metrics. The reference drops every infinite statistic and so "
        "the tail that these metrics exist for; here it is shown.",
        "csv|console",
        r".*filled cells of .*\(error-adjusted\) .*",
    ),
    Expectation(
        "Error-adjusted percentiles beside the first failure",
        "A percentile of these metrics is interpolated as that of the metric they adjust, so that it is infinite once a failure has a part "
        "in it, and JSON has no such number. The reference takes the nearest request: with exactly a tenth failed, a success.",
        "field",
        r"summary\.json: adj_\w+\.p\d+",
        cases="errors-tenth",
        reference="float",
        ours="absent",
    ),
    Expectation(
        "Order of error-adjusted rows",
        "They come last in both; among themselves their order changes from run to run in the reference.",
        "console",
        ".* Metrics: order of rows",
        cases=FAILING,
    ),
    Expectation(
        "Order of internal and experimental rows",
        "They have no place of their own in the reference, and their order changes from run to run there.",
        "console",
        "(Internal|Experimental) Metrics: order of rows",
        cases="dev-mode.*",
    ),
    Expectation(
        "Effective latency of failures",
        "The reference counts failed requests in, with an end that equals the start when a status was refused, so that "
        "a quick refusal makes the latency look better. Here it is the latency of successful requests.",
        "value",
        "summary effective_latency count",
        cases=FAILING,
    ),
    Expectation(
        "No Python beneath a timeout",
        "The cause that the reference names is how its event loop cancels a task. There is none here.",
        "field",
        ".*error.cause",
        cases="timeout",
        ours="absent",
    ),
    Expectation(
        "Errors inside a stream are errors",
        "An error object under status 200 and a stream cut short are failed requests. The reference counts them as "
        "successes with few tokens, so it has nothing about errors to write.",
        "field|csv|console",
        ".*([Ee]rror|Overflow|overflow|adj_).*",
        cases="errors-in-stream",
        reference="absent",
    ),
    Expectation(
        "Output lengths in cut answers",
        "What the reference counts as short successes it also reports as mismatched lengths.",
        "console",
        "line note: output lengths are not as asked",
        cases="errors-in-stream",
        ours="absent",
    ),
    Expectation(
        "Files of a run in which nothing succeeded",
        "The reference writes records only. Here the summary, with the errors, is written as always.",
        "file",
        r"\.aiperf_results_ready\.json|profile_export_(aiperf\.(json|csv)|console\.txt)",
        cases=NOTHING_SUCCEEDED,
        reference="absent",
    ),
    Expectation(
        "Console of a run in which nothing succeeded",
        "As above: results are shown and their files named.",
        "console",
        "line (CLI Command|CSV Export|JSON Export|Benchmark Duration)",
        cases=NOTHING_SUCCEEDED,
        reference="absent",
    ),
    Expectation(
        "Requests cut off are on record",
        "What was in flight at the deadline or at Ctrl-C leaves no trace in the reference. Here each has a record with "
        "error 499 and a cancellation time, and the summary counts them.",
        "field|csv|console",
        r".*(cancelled_request_count|Cancelled Request Count.*|error_summary\[\]|records\.jsonl: error|cancellation_time_ns|table Error Summary|Error Summary: row 499)",
        cases=CUT_OFF,
        reference="absent",
    ),
    Expectation(
        "Latency from the schedule",
        "In open loop, what a request waited because the client or a ceiling was late is measured too. The reference "
        "starts its watch at the sending.",
        "field|csv|console",
        r".*(schedule_lag|_from_due|row Schedule Lag \(ms\)|row .* from Due \(ms\)|table .*: From Schedule)",
        cases=OPEN_LOOP,
        reference="absent",
    ),
    Expectation(
        "Rate of a user over all requests",
        "The mean of the rates of requests is at the mercy of one reply that came all at once; all tokens over all decoding time "
        "is not.",
        "field|csv",
        r".*(overall_output_token_throughput_per_user(_avg)?|row Overall Output Token Throughput Per User \(tokens/sec/user\))",
        reference="absent",
    ),
    Expectation(
        "Objectives one by one",
        "How many requests met each objective, and how many met all.",
        "console",
        "table Objectives",
        cases="goodput.*",
        reference="absent",
    ),
    Expectation(
        "Health of the client",
        "The summary says whether the client kept up, what became of every request that was due, and what to doubt (`validity`: codes with figure, threshold and advice).",
        "field|console",
        r"summary\.json: (client_health|timestamps|validity|phase_accounting)|phase_manifest\.json: phases\[\]\.accounting|table Load",
        reference="absent",
    ),
    Expectation(
        "Note on cached tokens",
        "That counts of cached tokens are missing is said where prompts begin like others; elsewhere there is nothing to find in a cache.",
        "console",
        "line note: usage without cached tokens",
        reference="present",
        ours="absent",
    ),
    Expectation(
        "Intervals and rare percentiles",
        "Each metric has p99.9, p99.99 and how sure its statistics are, after the reference's fields and columns.",
        "field|csv",
        r".*\.json: .*\.(p99_9|p99_99|ci)|.* section \d+: further column (p99_9|p99_99|(.*_)?ci_(low|high))",
        reference="absent",
    ),
    Expectation(
        "Steady state",
        "The part of the run in which nothing drifts, beside the whole of it.",
        "field|console",
        r"summary\.json: steady_state|table Steady State",
        reference="absent",
    ),
    Expectation(
        "Source of the stamps",
        "Each record with trace data says where the times of its response came from: the kernel, the program, or a read that brought "
        "several chunks.",
        "field",
        r"records\.jsonl: trace_data\.stamp_source",
        reference="absent",
    ),
    Expectation(
        "Playing time of audio in files",
        "How long the audio of a file plays is read from it, and with it how much faster than that it was answered. The reference knows it "
        "for its speech data sets only.",
        "field|csv|console",
        r".*(audio_duration|rtfx|row Audio Duration \(sec\)|row Inverse Real-Time Factor \(RTFx\) \(ratio\))",
        cases="data-.*",
        reference="absent",
    ),
    Expectation(
        "Exit code after Ctrl-C",
        "A run that was cut short must not look whole to a script: 130, as shells report an interrupt.",
        "exit",
        "exit code",
        cases="interrupt",
        reference="0",
        ours="130",
    ),
    Expectation(
        "Tables after Ctrl-C",
        "After an interrupt the reference puts the rows of its Effective and Active tables, and one that is otherwise in "
        "files only, into the main table. Here the tables are those of any run.",
        "console",
        "(table )?LLM Metrics(: Active|: Effective|: row .*)",
        cases="interrupt",
    ),
    Expectation(
        "Wording of the reason",
        "The same in other words.",
        "value",
        "summary incomplete_reason",
        cases="interrupt|failed-threshold",
    ),
    Expectation(
        "Exit code after too many failures",
        "A run that was broken off must not look good to a script.",
        "exit",
        "exit code",
        cases="failed-threshold",
        reference="0",
        ours="1",
    ),
    Expectation(
        "Ready marker after too many failures",
        "It says what the summary says. In the reference the summary calls the run cancelled and the marker does not.",
        "value",
        r"\.aiperf_results_ready\.json was_cancelled",
        cases="failed-threshold",
        reference="False",
        ours="True",
    ),
    Expectation(
        "Tokens of a history",
        "The texts are generated, by each tool its own, and how many tokens a turn adds to those before it depends on how they "
        "meet. Each tool agrees with the server about its own.",
        "value",
        r"(records: values of|summary( warmup)?) (input_sequence_length|total_isl|(total_)?usage_(prompt|total)_tokens)\b.*",
        cases=GENERATED_TURNS,
    ),
    Expectation(
        "Lengths of recorded prompts",
        "Texts made for recorded lengths have the recorded number of tokens. In the reference they grow where blocks and messages "
        "meet, and each block of a trace begins with a special token that servers count as text.",
        "value|console",
        r"(records: values of|summary) (input_sequence_length|total_isl|(total_)?usage_(prompt|total)_tokens(_diff_pct)?|usage_discrepancy_count)\b.*"
        r"|line note: client and server count differently",
        cases="data-(weka|tracelab|mooncake|mooncake-schedule|mooncake-sessions-schedule|bailian-schedule)",
    ),
    Expectation(
        "Turns of Bailian sessions stand alone",
        "The length and the blocks of a row hold what was said before it. The reference sends the turns before it once more in front of "
        "it, and with that far more than was recorded.",
        "value",
        r"at the server: (bodies but for their texts|roles of the messages in a request|turns that hold the turn before and a reply)",
        cases="data-bailian-schedule",
    ),
    Expectation(
        "Answers of nothing",
        "A row with 0 response tokens asks for one token. The reference does not start with such a file, though the public BurstGPT "
        "files have such rows.",
        ".*",
        ".*",
        cases="data-burst-gpt-empty",
    ),
    Expectation(
        "Offsets leave rows out",
        "A window of the schedule is what the options say. The reference does not filter this format: what lies before the start goes "
        "out at once, what lies after the end is sent too.",
        "value",
        r"at the server: .*|inputs\.json .*|phase .*|records: .*|summary .*",
        cases="schedule-offsets",
    ),
    Expectation(
        "Full path of the input file",
        "The configuration in the summary names a file that can be found from any folder; the reference repeats what was typed.",
        "value",
        r"input_config datasets\[0\]\.path",
        cases=FILES,
    ),
    Expectation(
        "Prefix as files have it",
        "Where the name of a file was given as the prefix, both leave its end off. The configuration in the summary names the prefix that is "
        "left; the reference repeats what was typed.",
        "value",
        "input_config artifacts.prefix",
        cases="folder-prefix",
    ),
    Expectation(
        "Number of conversations in a file",
        "The reference repeats the number of sessions or requests here, which says nothing of the file and has no effect on it.",
        "field",
        r"summary\.json: input_config\.datasets\[\]\.entries",
        cases=FILES,
        ours="absent",
    ),
    Expectation(
        "Request count of a schedule",
        "How many rows the file has is found out when it is read; the configuration names what was asked for. The reference "
        "counts them first.",
        "field",
        r"summary\.json: input_config\.phases\[\]\.requests",
        cases="schedule.*|data-.*-schedule",
        ours="absent",
    ),
    Expectation(
        "Defaults that were typed out",
        "The configuration in the summary lists what differs from the defaults; the reference also lists a default that was given.",
        "field",
        r"summary\.json: input_config\.endpoint\.connection_reuse",
        cases="reuse-pooled",
        ours="absent",
    ),
    Expectation(
        "Number of roots in a file",
        "How many conversations of the file are started is found out when it is read; the configuration names what was asked for.",
        "field",
        r"summary\.json: input_config\.phases\[\]\.sessions",
        cases="dag-.*|data-dag.*",
        ours="absent",
    ),
    Expectation(
        "Concurrency that was not asked for",
        "One at a time is the default, and the configuration names the load that was applied.",
        "field",
        r"summary\.json: input_config\.phases\[\]\.concurrency",
        cases="(data-)?dag-orchestrator",
        reference="absent",
        ours="int",
    ),
    Expectation(
        "Errors of responses that could not be read",
        "The log counts them when every response was read, as the files do.",
        "value",
        "phase profiling complete errors",
        cases="all-empty|empty-some.*|errors-in-stream|malformed|context-overflow|dropped",
    ),
    Expectation(
        "End of sending with branches",
        "The reference says that sending is complete when the last root was started; here when nothing more will be sent. What was "
        "completed in the end is the same.",
        "value",
        "phase profiling sending complete sent",
        cases="dag-.*|data-dag.*",
    ),
    Expectation(
        "Turns of an orchestrator",
        "It sends nothing of its own. The reference lists bodies for its rounds in inputs.json and counts them in session numbers.",
        "value",
        r"inputs\.json (fields beside the prompt|payloads of each session)|records: session_num",
        cases="(data-)?dag-orchestrator",
    ),
    Expectation(
        "Acknowledgement of a cancelled request",
        "The response had begun before the request was cancelled, and when is on record.",
        "field|value",
        r"records\.jsonl: metadata\.request_ack_ns|records: with request_ack_ns",
        cases="cancel-.*",
    ),
    Expectation(
        "Usage of a response that ends by its limit",
        "The reference does not read the usage of response.incomplete, by which most benchmarks end.",
        "field|csv|console",
        r".*(usage_|Usage ).*|table LLM Metrics: Usage|line note: usage without cached tokens",
        cases=CUT_RESPONSES,
        reference="absent",
    ),
    Expectation(
        "Counts of a response that ends by its limit",
        "As above: without usage, counts of the server are no counts at all.",
        "field|csv|console|value",
        r".*([Tt]oken|[Ll]ength|isl|osl|OSL|[Tt]hroughput|Inter Token|note:).*",
        cases="api-responses-server-count",
        reference="absent|0",
    ),
    Expectation(
        "Repetition of a text at its end",
        "The event that repeats a whole text brings nothing new. The reference counts it as an empty chunk, which adds a gap and moves "
        "the latency.",
        "value",
        "summary inter_chunk_latency count",
        cases="api-responses.*",
    ),
    Expectation(
        "Reasoning of whole responses",
        "The server puts it into the content of an item. The reference reads its summary only, and so counts too few tokens.",
        "field|csv|console|value",
        rf".*([Rr]easoning|line note: ).*|{OUTPUT_COUNTS}",
        cases="api-responses-reasoning-whole",
    ),
    Expectation(
        "Text beside a tool call",
        "It was generated, and counts. The reference counts the call only, and finds fault with the server's own count.",
        "value|console",
        rf"{OUTPUT_COUNTS}|line note: (output lengths are not as asked|client and server count differently)",
        cases="tools-beside.*",
    ),
    Expectation(
        "Names of streamed tool calls",
        "The name of a call comes before its arguments and was generated too. The reference leaves it out.",
        "value|console",
        rf"{OUTPUT_COUNTS}|summary inter_chunk_latency count|line note: output lengths are not as asked|line note: client and server .*",
        cases="api-(responses|messages)-tools",
    ),
    Expectation(
        "Where texts of a batch meet",
        "Both count the texts joined by blanks; those of the reference begin with a blank, so that there are two, and a token more.",
        "value",
        r"(records: values of|summary) (input_sequence_length|total_isl)\b.*",
        cases="api-embeddings-batch",
    ),
    Expectation(
        "Images are no text",
        "The reference counts the base64 of an image as input text, and no image.",
        "field|csv|console|value",
        r".*([Ii]mage|input_sequence_length|total_isl).*",
        cases="api-nim-embeddings-images",
    ),
    Expectation(
        "The image of an edit",
        "An image was sent, and is counted; the reference counts none in a form.",
        "field|csv|console",
        r".*(num_images|image_throughput|image_latency|Number of Images|Image Throughput|Image Latency).*",
        cases="api-image-edit",
        reference="absent",
    ),
    Expectation(
        "Input of rankings and Solido RAG",
        "Query and passages were sent, and are counted.",
        "field|csv|console",
        r".*(input_sequence_length|Input Sequence Length|input_token_throughput|Input Token Throughput|total_isl|Total ISL|Total Input.*|isl|prefill_throughput.*|Prefill Throughput.*|total_token_throughput|Total Token Throughput).*",
        cases="api-(cohere|hf-tei|nim)-rankings|api-solido-rag.*",
        reference="absent",
    ),
    Expectation(
        "Usage of rankings",
        "The server reports the prompt tokens; the reference does not read them.",
        "field|csv|console",
        ".*(usage_|Usage ).*|table .*Metrics: Usage",
        cases="api-.*-rankings",
        reference="absent",
    ),
    Expectation(
        "Details of text generation inference",
        "The server counts its tokens in details; the reference does not read them.",
        "field|csv|console",
        ".*(usage_|Usage ).*|table LLM Metrics: Usage|line note: usage without cached tokens",
        cases="api-hf-generate.*",
        reference="absent",
    ),
    Expectation(
        "Usage of bodies of your own",
        "The server reports what it counted; the reference does not read it where the body is ready-made or a template's.",
        "field|csv|console",
        ".*(usage_|Usage ).*|table LLM Metrics: Usage|line note: usage without cached tokens",
        cases="api-raw|api-template.*",
        reference="absent",
    ),
    Expectation(
        "Template in the configuration",
        "It stands under `template`; the reference repeats it among the extra inputs.",
        "field",
        r"summary\.json: input_config\.endpoint\.extra",
        cases="api-template.*",
        ours="absent",
    ),
    Expectation(
        "The end mark is no text",
        "The reference takes the [DONE] of a stream for content, and counts three tokens more.",
        "value|console",
        rf"{OUTPUT_COUNTS}|summary inter_chunk_latency count|line note: output lengths are not as asked",
        cases="api-template-stream",
    ),
    Expectation(
        "Acknowledgement of a job",
        "When the server began to answer the first question is on record.",
        "field|value",
        r"records\.jsonl: metadata\.request_ack_ns|records: with request_ack_ns",
        cases="api-video-.*",
    ),
    Expectation(
        "Writes of a form",
        "A form goes out in one write; the reference writes each part.",
        "value",
        r"(records: values of|summary) http_req_chunks_sent.*",
        cases="api-image-edit|api-video-.*|api-audio-.*",
    ),
    Expectation(
        "Counts of images compared",
        "That none differs is said here of every endpoint with a usage; the reference says it of those that produce tokens.",
        "field|csv",
        ".*(usage_discrepancy_count|Usage Discrepancy Count).*",
        cases="api-image-.*|api-audio-.*",
        reference="absent",
    ),
    Expectation(
        "Length of prompts that are not there",
        "Rankings have queries and passages with lengths of their own; the reference lists the default of prompts all the same.",
        "field|value",
        r".*input_config\.?.*datasets\[.*\]\.prompts\.isl.*",
        cases="api-.*-rankings",
        ours="absent",
    ),
    Expectation(
        "Host header in the raw file",
        "Both send it; the reference lists only the headers it sets itself.",
        "field|value",
        r"raw\.jsonl: request_headers\.Host|raw: header names",
    ),
    Expectation(
        "Bodies of refused requests in the raw file",
        "The reference keeps no response of a request that was answered with an error status. Here its body is there.",
        "field",
        r"raw\.jsonl: responses\[\]\.(content_type|text)",
        cases="raw-errors",
        reference="absent",
    ),
    Expectation(
        "Host header in the trace",
        "As in the raw file.",
        "field",
        r"records\.jsonl: trace_data\.request_headers\.Host",
        reference="absent",
    ),
    Expectation(
        "Chunks in the trace",
        "The lists that the reference documents and always leaves empty are filled.",
        "field",
        r"records\.jsonl: trace_data\.(request|response)_chunks\[\]",
        reference="absent",
    ),
    Expectation(
        "Spelling of response headers",
        "Names are as the server spelled them; the reference writes them capitalised. Header names have no case.",
        "field",
        r"records\.jsonl: trace_data\.response_headers\..*",
    ),
)


def expectation_of(difference: Difference) -> Expectation | None:
    return next((entry for entry in EXPECTED if entry.covers(difference)), None)
