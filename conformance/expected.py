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
        "Configuration in several runs",
        "For several runs the reference writes every default of its configuration. This program writes what was set or derived,"
        " as for a single run.",
        "field",
        r"(summary\.json: input_config|run_config\.json: cfg)\..*|run_config\.json: resolved",
        SEVERAL_RUNS,
        ours="absent",
    ),
    Expectation(
        "Console of several runs",
        "This program prints one line per run and tables over all runs. The tables and notes of each run are in its folder.",
        "console",
        "line .*",
        SEVERAL_RUNS,
    ),
    Expectation(
        "The configuration file of the run",
        "`aiperf_config.yaml` repeats the run or the sweep; `.aiperf_plan.json` and `.aiperf_trial.json` let `--resume` continue it.",
        "file",
        r"(.*/)?(aiperf_config\.yaml|\.aiperf_(plan|trial)\.json)",
        reference="absent",
    ),
    Expectation(
        "Log of the launcher",
        "This program makes all runs in one process, and each has its log. The reference's launcher writes one more.",
        "file",
        "logs/aiperf.log",
        SEVERAL_RUNS,
        ours="absent",
    ),
    Expectation(
        "Order in aggregates",
        "This program keeps the order of the summary. The reference has a different order each time.",
        "csv",
        ".*: order of rows",
        SEVERAL_RUNS,
    ),
    Expectation(
        "Coefficient of variation of zero",
        "A mean of zero does not have a coefficient of variation. Whether a mean is zero depends on timing.",
        "type",
        r"(aggregate|sweep)\.json: .*\.cv",
        SEVERAL_RUNS,
    ),
    Expectation(
        "p99.9 and p99.99 of several runs",
        "Each run has p99.9 and p99.99, and so have the aggregates.",
        "field|csv",
        r"(aggregate|sweep)\.(json: .*|csv section \d+: row .*)_p99_9+",
        SEVERAL_RUNS,
        reference="absent",
    ),
    Expectation(
        "Columns of a sweep",
        "This program has one more metric (see \"Throughput per user over all requests\"). Whether a mean is zero depends on "
        "timing.",
        "csv",
        r"sweep\.csv section 1: (header|filled cells of .*|further column .*)",
        SEVERAL_RUNS,
    ),
    Expectation(
        "Pareto-optimal points",
        "Which of two points is better in both throughput and latency depends on timing.",
        "csv",
        r"sweep\.csv section 3: row .*",
        SEVERAL_RUNS,
    ),
    Expectation(
        "Certainty of the best points",
        "This program names the statistic that a best point was chosen by, and the points that its confidence interval overlaps.",
        "field",
        r"sweep\.json: best_configurations\.\w+\.(statistic|tied_with)",
        SEVERAL_RUNS,
        reference="absent",
    ),
    Expectation(
        "Best points of a sweep with one run each",
        "The reference leaves them out.",
        "field|csv",
        r"sweep\.(json: (best_configurations|pareto_optimal).*|csv section [23]: row .*)",
        "sweep",
    ),
    Expectation(
        "Last time slice",
        "This program always writes the window in which the run ended, marked as shorter. The reference leaves it out if no "
        "request started in it.",
        "field",
        r".*_timeslices\.json: timeslices\[\]\.is_complete",
        "timeslices|server-metrics-slices",
    ),
    Expectation(
        "Name of the program",
        "Table titles contain the name of the program.",
        "console",
        ".*: program named in the title",
        reference="NVIDIA AIPerf",
        ours="aiperf",
    ),
    Expectation(
        "Version",
        "Each program writes its own version.",
        "value",
        "summary aiperf_version",
    ),
    Expectation(
        "Files named on the console",
        "This program also names the files of records and console text, which both write.",
        "console",
        "line (Console|Records) Export",
        reference="absent",
    ),
    Expectation(
        "Rows of zeros",
        "Without a stream there is no first token, so prefill and decode cannot be separated (and with one token there is no "
        "decode). The files have the reference's zeros; the console leaves these rows out because they mislead.",
        "console",
        ".*(table .*: Active|: row (Effective|Active) .*)",
        cases=f"{STREAMLESS}|one-token",
        ours="absent",
    ),
    Expectation(
        "Output length of embeddings",
        "The reference writes an output length of 0 for an endpoint that does not produce tokens.",
        "field|csv|console|value",
        ".*(output_sequence_length|Output Sequence Length).*",
        cases=OUTPUTLESS,
        ours="absent",
    ),
    Expectation(
        "Usage of embeddings",
        "The server reports the prompt tokens of an embeddings request. The reference does not read them.",
        "field|csv|console",
        ".*(usage_|Usage ).*|table .*Embeddings Metrics: Usage",
        cases=EMBEDDING,
        reference="absent",
    ),
    Expectation(
        "Error-adjusted tail",
        "A failed request counts as infinitely slow in these metrics. The reference drops every infinite statistic, and with it"
        " the tail that these metrics should show. This program shows it.",
        "csv|console",
        r".*filled cells of .*\(error-adjusted\) .*",
    ),
    Expectation(
        "Error-adjusted percentiles at the failure rate",
        "This program interpolates these percentiles like the metric they adjust. They are infinite as soon as a failure "
        "contributes, and JSON does not have such a number. The reference takes the nearest request: with exactly a tenth "
        "failed, a success.",
        "field",
        r"summary\.json: adj_\w+\.p\d+",
        cases="errors-tenth",
        reference="float",
        ours="absent",
    ),
    Expectation(
        "Order of error-adjusted rows",
        "They come last in both tools. Among them the order changes from run to run in the reference.",
        "console",
        ".* Metrics: order of rows",
        cases=FAILING,
    ),
    Expectation(
        "Order of internal and experimental rows",
        "Their order changes from run to run in the reference.",
        "console",
        "(Internal|Experimental) Metrics: order of rows",
        cases="dev-mode.*",
    ),
    Expectation(
        "Effective latency of failures",
        "The reference includes failed requests, with an end equal to the start for a rejected status, so a fast rejection "
        "improves the latency. This program includes only successful requests.",
        "value",
        "summary effective_latency count",
        cases=FAILING,
    ),
    Expectation(
        "Cause of a timeout",
        "The reference names the way its event loop cancels a task. This program does not have such a cause.",
        "field",
        ".*error.cause",
        cases="timeout",
        ours="absent",
    ),
    Expectation(
        "Errors inside a stream",
        "An error object with status 200 and a truncated stream are failed requests. The reference counts them as successes "
        "with few tokens and does not report errors.",
        "field|csv|console",
        ".*([Ee]rror|Overflow|overflow|adj_).*",
        cases="errors-in-stream",
        reference="absent",
    ),
    Expectation(
        "Output lengths of truncated answers",
        "The reference counts them as short successes and also reports mismatched lengths.",
        "console",
        "line note: output lengths are not as asked",
        cases="errors-in-stream",
        ours="absent",
    ),
    Expectation(
        "Files of a run without a success",
        "The reference writes only records. This program also writes the summary, with the errors.",
        "file",
        r"\.aiperf_results_ready\.json|profile_export_(aiperf\.(json|csv)|console\.txt)",
        cases=NOTHING_SUCCEEDED,
        reference="absent",
    ),
    Expectation(
        "Console of a run without a success",
        "This program shows the results and names their files. The reference does not write them.",
        "console",
        "line (CLI Command|CSV Export|JSON Export|Benchmark Duration)",
        cases=NOTHING_SUCCEEDED,
        reference="absent",
    ),
    Expectation(
        "Records of requests that were cut off",
        "The reference does not record requests in flight at the deadline or at Ctrl-C. This program writes a record with error"
        " 499 and a cancellation time for each, and counts them in the summary.",
        "field|csv|console",
        r".*(cancelled_request_count|Cancelled Request Count.*|error_summary\[\]|records\.jsonl: error|cancellation_time_ns|table Error Summary|Error Summary: row 499)",
        cases=CUT_OFF,
        reference="absent",
    ),
    Expectation(
        "Latency from the due time",
        "In open loop this program also measures how long a request waited because the client or a concurrency limit delayed "
        "it. The reference measures from the time of sending.",
        "field|csv|console",
        r".*(schedule_lag|_from_due|row Schedule Lag \(ms\)|row .* from Due \(ms\)|table .*: From Schedule)",
        cases=OPEN_LOOP,
        reference="absent",
    ),
    Expectation(
        "Throughput per user over all requests",
        "One reply that arrives all at once can dominate the mean of the rates of requests. This program adds all tokens "
        "divided by all decoding time.",
        "field|csv",
        r".*(overall_output_token_throughput_per_user(_avg)?|row Overall Output Token Throughput Per User \(tokens/sec/user\))",
        reference="absent",
    ),
    Expectation(
        "Objectives",
        "This program shows how many requests met each objective, and how many met all.",
        "console",
        "table Objectives",
        cases="goodput.*",
        reference="absent",
    ),
    Expectation(
        "Client health",
        "The summary says whether the client kept up, counts the requests that were due, and gives reasons not to trust a "
        "number (`validity`: codes with figure, threshold and advice).",
        "field|console",
        r"summary\.json: (build|client_health|timestamps|validity|phase_accounting)|phase_manifest\.json: phases\[\]\.accounting|table Load",
        reference="absent",
    ),
    Expectation(
        "Note on cached tokens",
        "This program notes missing counts of cached tokens only if prompts share prefixes. Otherwise there is nothing to "
        "cache.",
        "console",
        "line note: usage without cached tokens",
        reference="present",
        ours="absent",
    ),
    Expectation(
        "Intervals, p99.9 and p99.99",
        "Each metric has p99.9, p99.99 and confidence intervals, after the reference's fields and columns.",
        "field|csv",
        r".*\.json: .*\.(p99_9|p99_99|ci)|.* section \d+: further column (p99_9|p99_99|(.*_)?ci_(low|high))",
        reference="absent",
    ),
    Expectation(
        "Steady state",
        "This program adds the numbers of the part of the run without drift.",
        "field|console",
        r"summary\.json: steady_state|table Steady State",
        reference="absent",
    ),
    Expectation(
        "Source of timestamps",
        "Each record with trace data says where the times of its response come from: the kernel, the program, or a read with "
        "several chunks.",
        "field",
        r"records\.jsonl: trace_data\.stamp_source",
        reference="absent",
    ),
    Expectation(
        "Duration of audio in files",
        "This program reads the duration of the audio from the file, and computes how much faster the answer was. The reference"
        " does so only for its speech data sets.",
        "field|csv|console",
        r".*(audio_duration|rtfx|row Audio Duration \(sec\)|row Inverse Real-Time Factor \(RTFx\) \(ratio\))",
        cases="data-.*",
        reference="absent",
    ),
    Expectation(
        "Exit code after Ctrl-C",
        "An interrupted run must not look complete to a script. 130 is the code that shells use for an interrupt.",
        "exit",
        "exit code",
        cases="interrupt",
        reference="0",
        ours="130",
    ),
    Expectation(
        "Tables after Ctrl-C",
        "After an interrupt the reference moves the rows of its Effective and Active tables, and one row that is otherwise only"
        " in files, into the main table. This program keeps the usual tables.",
        "console",
        "(table )?LLM Metrics(: Active|: Effective|: row .*)",
        cases="interrupt",
    ),
    Expectation(
        "Wording of the reason",
        "The same reason in other words.",
        "value",
        "summary incomplete_reason",
        cases="interrupt|failed-threshold",
    ),
    Expectation(
        "Exit code after too many failures",
        "A run that was stopped must not look good to a script.",
        "exit",
        "exit code",
        cases="failed-threshold",
        reference="0",
        ours="1",
    ),
    Expectation(
        "Ready marker after too many failures",
        "The marker agrees with the summary. In the reference the summary says that the run was cancelled and the marker does "
        "not.",
        "value",
        r"\.aiperf_results_ready\.json was_cancelled",
        cases="failed-threshold",
        reference="False",
        ours="True",
    ),
    Expectation(
        "Tokens of a conversation history",
        "Each tool generates its own texts, and the number of tokens that a turn adds depends on how the texts join. Each tool "
        "agrees with the server about its own.",
        "value",
        r"(records: values of|summary( warmup)?) (input_sequence_length|total_isl|(total_)?usage_(prompt|total)_tokens)\b.*",
        cases=GENERATED_TURNS,
    ),
    Expectation(
        "Lengths of recorded prompts",
        "Texts for recorded lengths have exactly the recorded number of tokens. In the reference they grow at the joins of "
        "blocks and messages, and each block of a trace begins with a special token that servers count as text.",
        "value|console",
        r"(records: values of|summary) (input_sequence_length|total_isl|(total_)?usage_(prompt|total)_tokens(_diff_pct)?|usage_discrepancy_count)\b.*"
        r"|line note: client and server count differently",
        cases="data-(weka|tracelab|mooncake|mooncake-schedule|mooncake-sessions-schedule|bailian-schedule)",
    ),
    Expectation(
        "Turns of Bailian sessions",
        "The length and the blocks of a row contain the earlier turns. The reference sends the earlier turns again before it, "
        "and so sends far more than was recorded.",
        "value",
        r"at the server: (bodies but for their texts|roles of the messages in a request|turns that hold the turn before and a reply)",
        cases="data-bailian-schedule",
    ),
    Expectation(
        "Rows without response tokens",
        "A row with 0 response tokens asks for one token. The reference does not start with such a file, although the public "
        "BurstGPT files have such rows.",
        ".*",
        ".*",
        cases="data-burst-gpt-empty",
    ),
    Expectation(
        "Schedule offsets",
        "The offsets select rows. The reference does not filter this format: it sends rows before the start immediately, and "
        "rows after the end too.",
        "value",
        r"at the server: .*|inputs\.json .*|phase .*|records: .*|summary .*",
        cases="schedule-offsets",
    ),
    Expectation(
        "Path of the input file",
        "The configuration in the summary has the full path. The reference repeats the typed path.",
        "value",
        r"input_config datasets\[0\]\.path",
        cases=FILES,
    ),
    Expectation(
        "Prefix in the configuration",
        "If a file name was given as the prefix, both tools remove its extension. The configuration in the summary has the "
        "resulting prefix. The reference repeats the typed text.",
        "value",
        "input_config artifacts.prefix",
        cases="folder-prefix",
    ),
    Expectation(
        "Number of conversations in a file",
        "The reference repeats the number of sessions or requests here, which does not describe the file and has no effect on "
        "it.",
        "field",
        r"summary\.json: input_config\.datasets\[\]\.entries",
        cases=FILES,
        ours="absent",
    ),
    Expectation(
        "Request count of a schedule",
        "This program learns the number of rows when it reads the file; the configuration has the requested number. The "
        "reference counts the rows first.",
        "field",
        r"summary\.json: input_config\.phases\[\]\.requests",
        cases="schedule.*|data-.*-schedule",
        ours="absent",
    ),
    Expectation(
        "Defaults that were typed",
        "The configuration in the summary lists values that differ from the defaults. The reference also lists a default that "
        "was typed.",
        "field",
        r"summary\.json: input_config\.endpoint\.connection_reuse",
        cases="reuse-pooled",
        ours="absent",
    ),
    Expectation(
        "Number of roots in a file",
        "This program learns the number of conversations to start when it reads the file; the configuration has the requested "
        "number.",
        "field",
        r"summary\.json: input_config\.phases\[\]\.sessions",
        cases="dag-.*|data-dag.*",
        ours="absent",
    ),
    Expectation(
        "Concurrency that was not requested",
        "The default is one at a time, and the configuration names the load that was applied.",
        "field",
        r"summary\.json: input_config\.phases\[\]\.concurrency",
        cases="(data-)?dag-orchestrator",
        reference="absent",
        ours="int",
    ),
    Expectation(
        "Errors of unreadable responses",
        "The log counts them when every response has been read, and so agrees with the files.",
        "value",
        "phase profiling complete errors",
        cases="all-empty|empty-some.*|errors-in-stream|malformed|context-overflow|dropped",
    ),
    Expectation(
        "End of sending with branches",
        "The reference logs that sending is complete when the last root was started; this program when nothing more will be "
        "sent. The final counts are the same.",
        "value",
        "phase profiling sending complete sent",
        cases="dag-.*|data-dag.*",
    ),
    Expectation(
        "Turns of an orchestrator",
        "An orchestrator does not send requests. The reference lists bodies for its rounds in inputs.json and counts them in "
        "session numbers.",
        "value",
        r"inputs\.json (fields other than the prompt|payloads of each session)|records: session_num",
        cases="(data-)?dag-orchestrator",
    ),
    Expectation(
        "First response of a cancelled request",
        "The response had begun before the request was cancelled. This program records when.",
        "field|value",
        r"records\.jsonl: metadata\.request_ack_ns|records: with request_ack_ns",
        cases="cancel-.*",
    ),
    Expectation(
        "Usage of a response that ends by its limit",
        "The reference does not read the usage of response.incomplete, with which most benchmarks end.",
        "field|csv|console",
        r".*(usage_|Usage ).*|table LLM Metrics: Usage|line note: usage without cached tokens",
        cases=CUT_RESPONSES,
        reference="absent",
    ),
    Expectation(
        "Server counts of a response that ends by its limit",
        "The reference does not read the usage of response.incomplete, so it does not have the server's counts.",
        "field|csv|console|value",
        r".*([Tt]oken|[Ll]ength|isl|osl|OSL|[Tt]hroughput|Inter Token|note:).*",
        cases="api-responses-server-count",
        reference="absent|0",
    ),
    Expectation(
        "Event that repeats a whole text",
        "The event contains nothing new. The reference counts it as an empty chunk, which adds a gap and changes the latency.",
        "value",
        "summary inter_chunk_latency count",
        cases="api-responses.*",
    ),
    Expectation(
        "Reasoning of whole responses",
        "The server puts it into the content of an item. The reference reads only its summary, and counts too few tokens.",
        "field|csv|console|value",
        rf".*([Rr]easoning|line note: ).*|{OUTPUT_COUNTS}",
        cases="api-responses-reasoning-whole",
    ),
    Expectation(
        "Text next to a tool call",
        "The text was generated, and counts. The reference counts only the call, and reports a mismatch with the server's "
        "count.",
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
        "Joins of batched texts",
        "Both tools count the texts joined by spaces. Those of the reference begin with a space, so there are two, and one more"
        " token.",
        "value",
        r"(records: values of|summary) (input_sequence_length|total_isl)\b.*",
        cases="api-embeddings-batch",
    ),
    Expectation(
        "Images as text",
        "The reference counts the base64 of an image as input text, and does not count the image.",
        "field|csv|console|value",
        r".*([Ii]mage|input_sequence_length|total_isl).*",
        cases="api-nim-embeddings-images",
    ),
    Expectation(
        "Image of an edit",
        "One image was sent, and is counted. The reference does not count images in a form.",
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
        "The server reports the prompt tokens. The reference does not read them.",
        "field|csv|console",
        ".*(usage_|Usage ).*|table .*Metrics: Usage",
        cases="api-.*-rankings",
        reference="absent",
    ),
    Expectation(
        "Details of text generation inference",
        "The server counts its tokens in details. The reference does not read them.",
        "field|csv|console",
        ".*(usage_|Usage ).*|table LLM Metrics: Usage|line note: usage without cached tokens",
        cases="api-hf-generate.*",
        reference="absent",
    ),
    Expectation(
        "Usage of raw and template bodies",
        "The server reports its counts. The reference does not read them for ready-made bodies and templates.",
        "field|csv|console",
        ".*(usage_|Usage ).*|table LLM Metrics: Usage|line note: usage without cached tokens",
        cases="api-raw|api-template.*",
        reference="absent",
    ),
    Expectation(
        "Template in the configuration",
        "This program lists it under `template`. The reference repeats it among the extra inputs.",
        "field",
        r"summary\.json: input_config\.endpoint\.extra",
        cases="api-template.*",
        ours="absent",
    ),
    Expectation(
        "End marker as text",
        "The reference takes the [DONE] of a stream for content, and counts three more tokens.",
        "value|console",
        rf"{OUTPUT_COUNTS}|summary inter_chunk_latency count|line note: output lengths are not as asked",
        cases="api-template-stream",
    ),
    Expectation(
        "First response of a job",
        "This program records when the server began to answer the first poll.",
        "field|value",
        r"records\.jsonl: metadata\.request_ack_ns|records: with request_ack_ns",
        cases="api-video-.*",
    ),
    Expectation(
        "Writes of a form",
        "This program sends a form in one write. The reference writes each part separately.",
        "value",
        r"(records: values of|summary) http_req_chunks_sent.*",
        cases="api-image-edit|api-video-.*|api-audio-.*",
    ),
    Expectation(
        "Comparison of image counts",
        "This program reports it for every endpoint with usage. The reference reports it for endpoints that produce tokens.",
        "field|csv",
        ".*(usage_discrepancy_count|Usage Discrepancy Count).*",
        cases="api-image-.*|api-audio-.*",
        reference="absent",
    ),
    Expectation(
        "Prompt length of rankings",
        "Rankings have queries and passages with their own lengths. The reference still lists the default of prompts.",
        "field|value",
        r".*input_config\.?.*datasets\[.*\]\.prompts\.isl.*",
        cases="api-.*-rankings",
        ours="absent",
    ),
    Expectation(
        "Host header in the raw file",
        "Both tools send it. The reference lists only the headers that it sets itself.",
        "field|value",
        r"raw\.jsonl: request_headers\.Host|raw: header names",
    ),
    Expectation(
        "Bodies of rejected requests in the raw file",
        "The reference does not keep the response of a request with an error status. This program keeps its body.",
        "field",
        r"raw\.jsonl: responses\[\]\.(content_type|text)",
        cases="raw-errors",
        reference="absent",
    ),
    Expectation(
        "Host header in the trace",
        "Both tools send it. The reference lists only the headers that it sets itself.",
        "field",
        r"records\.jsonl: trace_data\.request_headers\.Host",
        reference="absent",
    ),
    Expectation(
        "Chunks in the trace",
        "The reference documents these lists and always leaves them empty. This program fills them.",
        "field",
        r"records\.jsonl: trace_data\.(request|response)_chunks\[\]",
        reference="absent",
    ),
    Expectation(
        "Spelling of response headers",
        "This program keeps the server's spelling. The reference capitalises the names. Header names are case-insensitive.",
        "field",
        r"records\.jsonl: trace_data\.response_headers\..*",
    ),
    Expectation(
        "What the engine tells",
        "This program recognises the engine by its metrics and shows running and waiting requests, cache use, hit rates and its times under one"
        " name for all engines.",
        "field|console",
        r"summary\.json: server_metrics|server_metrics_export\.json: engines|table Server Metrics.*",
        "server-metrics.*",
        reference="absent",
    ),
    Expectation(
        "Error of histogram percentiles",
        "A percentile of a histogram is known to lie within a bucket. This program writes its bounds.",
        "field",
        r"server_metrics_export\.json: metrics\..*\.percentile_bounds",
        "server-metrics.*",
        reference="absent",
    ),
    Expectation(
        "Lines and table of all pages",
        "This program lists every file that it wrote. The reference does not list these two.",
        "console",
        "line Server Metrics (JSONL|Parquet) Export",
        "server-metrics",
        reference="absent",
    ),
    Expectation(
        "Share that is called a percentage",
        "The name ends in `_perc`, and the value lies between 0 and 1. This program calls it a ratio whatever the description says; the"
        " reference does so only for some descriptions.",
        "unit|value",
        r"server_metrics_export\.json: metrics\.vllm:kv_cache_usage_perc\.unit|server metric vllm:kv_cache_usage_perc",
        "server-metrics.*",
    ),
    Expectation(
        "Time in the client before a request leaves",
        "This program measures how long each request was in the client before its first byte left.",
        "field|csv|console",
        r".*\.json: (.*\.)?client_send_delay.*|records\.jsonl: metrics\.client_send_delay"
        r"|.*row (Client Send Delay.*|client_send_delay.*)",
        reference="absent",
    ),
    Expectation(
        "Clocks of a GPU",
        "This program also reads the clocks of the processor and of the memory.",
        "field|csv|console|value",
        r".*nvidia_(sm|memory)_clock|GPU fields|GPU SERVER/dcgm gpu_\d|.*row (.* )?(NVIDIA )?(SM|Memory) Clock.*",
        "gpu-telemetry",
    ),
    Expectation(
        "Idle power",
        "This program measures the power of the GPUs before the first request, and names what the load took in addition.",
        "field|csv|console",
        r"summary\.json: nvidia_(idle_gpu_power|gpu_energy_above_idle)|.*row (Idle GPU Power|GPU Energy above Idle).*",
        "gpu-telemetry",
        reference="absent",
    ),
    Expectation(
        "Where the energy comes from",
        "This program names the sources with their true cadence, the method of the energy and its error, and the title of each metric.",
        "field",
        r"summary\.json: telemetry_data\.(summary\.(energy|sources)|endpoints\..*\.title)",
        "gpu-telemetry",
        reference="absent",
    ),
    Expectation(
        "Energy of a run in joules",
        "A run takes joules, not megajoules. Files keep the unit of the reference.",
        "console",
        r".*row NVIDIA Energy Consumption \(M?J\)",
        "gpu-telemetry",
    ),
    Expectation(
        "Title of the table on efficiency",
        "This program names itself in the title of each table.",
        "console",
        r"GPU Power Efficiency \(NVIDIA\): program named in the title",
        "gpu-telemetry",
    ),
)


def expectation_of(difference: Difference) -> Expectation | None:
    return next((entry for entry in EXPECTED if entry.covers(difference)), None)
