"""The cases: those about answers and artifacts here, those about load, data and endpoint types in their own files."""

from case import CHAT, LENGTHS, LOAD, SPEED, STREAM, Case
from data_cases import DATA_CASES
from endpoint_cases import ENDPOINT_CASES
from load_cases import LOAD_CASES
from telemetry_cases import TELEMETRY_CASES

DEVELOPER = {
    "AIPERF_DEV_MODE": "1",
    "AIPERF_DEV_SHOW_INTERNAL_METRICS": "1",
    "AIPERF_DEV_SHOW_EXPERIMENTAL_METRICS": "1",
}
FEW = ("--concurrency", "2", "--request-count", "6")
# Of every three prompts one is too long for a context of 64 tokens.
PROMPTS = [{"text": "word " * (100 if number % 3 == 2 else 8) + str(number)} for number in range(12)]

CASES = (
    Case("chat-streaming", "streaming chat", (*STREAM, *LOAD)),
    Case("chat", "chat in one piece", (*CHAT, *LOAD)),
    Case(
        "completions",
        "streaming completions",
        ("--endpoint-type", "completions", "--streaming", *LENGTHS, *LOAD),
    ),
    Case(
        "completions-whole",
        "completions in one piece",
        ("--endpoint-type", "completions", *LENGTHS, *LOAD),
    ),
    Case("embeddings", "embeddings", ("--endpoint-type", "embeddings", "--isl", "32", *LOAD)),
    Case("reasoning", "streaming chat, 6 of 16 tokens are reasoning", (*STREAM, *LOAD), {**SPEED, "reasoning": "6"}),
    Case(
        "tool-calls",
        "streaming chat, answers are tool calls",
        (*STREAM, *LOAD),
        {**SPEED, "tools": "always"},
    ),
    Case(
        "cached-prefix",
        "streaming chat with a shared prefix and a prefix cache",
        (*STREAM, *LOAD, "--num-prefix-prompts", "2", "--prefix-prompt-length", "64"),
        {**SPEED, "cache": "4096", "prefill": "0.2"},
    ),
    Case(
        "usage-discrepancy",
        "streaming chat, the server counts prompt tokens differently",
        (*STREAM, *LOAD),
        {**SPEED, "count": "approx"},
        same_requests=False,
        exact_counts=False,
    ),
    Case(
        "cached-prefix-whole",
        "chat in one piece with a shared prefix and a prefix cache",
        (*CHAT, *LOAD, "--num-prefix-prompts", "2", "--prefix-prompt-length", "64"),
        {**SPEED, "cache": "4096", "prefill": "0.2"},
    ),
    Case(
        "tools-beside",
        "streaming chat, answers are text and a tool call",
        (*STREAM, *LOAD),
        {**SPEED, "tools": "beside"},
    ),
    Case(
        "tools-beside-whole",
        "chat in one piece, answers are text and a tool call",
        (*CHAT, *LOAD),
        {**SPEED, "tools": "beside"},
    ),
    Case("merged-chunks", "streaming chat, 4 tokens in a chunk", (*STREAM, *LOAD), {**SPEED, "tokens_per_chunk": "4"}),
    Case("one-token", "streaming chat, answers of one token", ("--endpoint-type", "chat", "--streaming", "--isl", "32", "--osl", "1", *LOAD)),
    Case(
        "short-answers",
        "streaming chat, answers shorter than asked for",
        (*STREAM, *LOAD),
        {**SPEED, "early_stop": "1"},
        same_requests=False,
    ),
    Case(
        "short-answers-no-usage",
        "streaming chat, answers shorter than asked for, from a server that reports no usage",
        (*STREAM, *LOAD),
        {**SPEED, "early_stop": "1", "usage": "never"},
        same_requests=False,
    ),
    Case("no-usage-whole", "chat in one piece, from a server that reports no usage", (*CHAT, *LOAD), {**SPEED, "usage": "never"}),
    Case(
        "errors",
        "streaming chat, every 5th answered 429, every 7th connection reset",
        (*STREAM, *LOAD),
        {**SPEED, "error_every": "5", "error_status": "429", "reset_every": "7"},
    ),
    Case(
        "errors-whole",
        "chat in one piece, every 5th answered 503, every 7th connection reset",
        (*CHAT, *LOAD),
        {**SPEED, "error_every": "5", "error_status": "503", "reset_every": "7"},
    ),
    Case("errors-tenth", "streaming chat, exactly a tenth answered 500", (*STREAM, *LOAD), {**SPEED, "error_every": "10"}),
    Case(
        "errors-in-stream",
        "streaming chat, errors under status 200: every 5th an error object, every 7th cut short",
        (*STREAM, *LOAD),
        {**SPEED, "inband_every": "5", "cut_every": "7"},
        # The reference counts them as successes, so nothing that is counted can agree; the truth judges.
        same_requests=False,
    ),
    Case(
        "dropped",
        "streaming chat, every 5th connection closed without an answer, a connection for each request",
        # On a connection that was kept, it cannot be told from the end of one that was idle for too long.
        (*STREAM, *LOAD, "--connection-reuse-strategy", "never"),
        {**SPEED, "drop_every": "5"},
    ),
    Case("empty-some", "streaming chat, every 5th answer is empty", (*STREAM, *LOAD), {**SPEED, "empty_every": "5"}),
    Case("empty-some-whole", "chat in one piece, every 5th answer is empty", (*CHAT, *LOAD), {**SPEED, "empty_every": "5"}),
    Case(
        "context-overflow",
        "prompts from a file, every 3rd longer than the context of the model",
        (*CHAT[:2], "--streaming", "--osl", "16", "--input-file", "prompts.jsonl", "--custom-dataset-type", "single_turn", "--concurrency", "2", "--request-count", "12"),
        {**SPEED, "context": "64"},
        files={"prompts.jsonl": PROMPTS},
    ),
    Case(
        "malformed",
        "streaming chat, every 5th has a chunk that is not JSON",
        (*STREAM, *LOAD),
        {**SPEED, "malformed_every": "5"},
    ),
    Case(
        "all-failed",
        "every request answered 500",
        (*STREAM, *LOAD),
        {**SPEED, "error_every": "1"},
        timed=False,
    ),
    Case("all-empty", "every answer is empty", (*STREAM, *LOAD), {**SPEED, "empty_every": "1"}, timed=False),
    Case(
        "refused",
        "nothing listens at the URL",
        (*STREAM, "--concurrency", "4", "--request-count", "8"),
        servers=0,
        timed=False,
    ),
    Case(
        "timeout",
        "every answer takes longer than the request timeout",
        (*STREAM, "--concurrency", "4", "--request-count", "8", "--request-timeout-seconds", "1"),
        {"ttft": "5000", "itl": "10"},
        timed=False,
    ),
    Case(
        "warmup-prefix",
        "warmup, and a prefix for the file names",
        (*STREAM, *LOAD, "--warmup-request-count", "8", "--profile-export-prefix", "myrun"),
    ),
    Case("raw", "raw export of a stream", (*STREAM, *LOAD, "--export-level", "raw")),
    Case("raw-whole", "raw export of answers in one piece", (*CHAT, *LOAD, "--export-level", "raw")),
    Case(
        "raw-errors",
        "raw export with failures",
        (*STREAM, *LOAD, "--export-level", "raw"),
        {**SPEED, "error_every": "5", "error_status": "429", "reset_every": "7"},
    ),
    Case("summary-only", "summary export level", (*STREAM, *LOAD, "--export-level", "summary"), timed=False),
    Case(
        "http-trace",
        "HTTP trace in records and on the console",
        (*STREAM, *LOAD, "--export-http-trace", "--show-trace-timing"),
    ),
    Case("timeslices", "windows of half a second", (*STREAM, *LOAD, "--slice-duration", "0.5")),
    Case("outputs-json", "the texts of all answers", (*STREAM, *LOAD, "--export-outputs-json"), {**SPEED, "error_every": "5"}),
    Case(
        "rate-constant",
        "constant 20 requests a second",
        (*STREAM, "--request-rate", "20", "--arrival-pattern", "constant", "--request-count", "40"),
    ),
    Case(
        "rate-poisson",
        "poisson, 20 requests a second, at most 4 at once",
        (*STREAM, "--request-rate", "20", "--concurrency", "4", "--request-count", "40"),
    ),
    Case(
        "duration-grace",
        "two seconds, then all answers are waited for",
        (*STREAM, "--concurrency", "4", "--benchmark-duration", "2", "--benchmark-grace-period", "10"),
        same_requests=False,
    ),
    Case(
        "duration-cut",
        "two seconds, no grace: answers on their way are cut off",
        (*STREAM, "--concurrency", "4", "--benchmark-duration", "2", "--benchmark-grace-period", "0"),
        {"ttft": "50", "itl": "50"},
        same_requests=False,
    ),
    Case(
        "server-token-count",
        "token counts from the server, with reasoning",
        (*STREAM, *LOAD, "--use-server-token-count"),
        {**SPEED, "reasoning": "6"},
    ),
    Case(
        "goodput",
        "goodput, one limit that all meet and one that none meets",
        (*STREAM, *LOAD, "--goodput", "request_latency:60000 time_to_first_token:1"),
    ),
    Case(
        "goodput-met",
        "goodput, limits that all meet",
        (*STREAM, *LOAD, "--goodput", "request_latency:60000 output_token_throughput_per_user:1"),
    ),
    Case(
        "network-latency",
        "latencies without a round trip that is given",
        (*STREAM, *LOAD, "--network-latency-mean", "5"),
    ),
    Case(
        "network-latency-measured",
        "latencies without the round trip that is measured",
        (*STREAM, *LOAD, "--network-latency-automatic", "--network-latency-ping-interval", "0.5"),
    ),
    Case(
        "per-chunk-usage",
        "streaming chat, 4 tokens in a chunk, each with the server's count",
        (*STREAM, *LOAD, "--use-server-token-count", "--per-chunk-usage"),
        {**SPEED, "tokens_per_chunk": "4"},
    ),
    Case(
        "spec-decode",
        "streaming chat, the server reports speculative decoding",
        (*STREAM, *LOAD),
        {**SPEED, "spec_drafts": "3"},
    ),
    Case(
        "interrupt",
        "Ctrl-C after 12 requests",
        (*STREAM, "--concurrency", "4", "--request-count", "400"),
        {"ttft": "50", "itl": "50"},
        same_requests=False,
        interrupt_after=12,
    ),
    Case(
        "dev-mode",
        "developer mode with internal and experimental metrics, answers with reasoning",
        (*STREAM, *LOAD),
        {**SPEED, "reasoning": "4"},
        environment=DEVELOPER,
    ),
    Case("dev-mode-whole", "developer mode, chat in one piece", (*CHAT, *LOAD), environment=DEVELOPER),
    Case("folder-concurrency", "a folder that the tools name, of a closed loop", (*STREAM, *FEW), names_folder=True, timed=False),
    Case(
        "folder-rate",
        "a folder that the tools name, of a rate with a ceiling",
        (*STREAM, "--request-rate", "20", "--concurrency", "4", "--request-count", "6"),
        names_folder=True,
        timed=False,
    ),
    Case(
        "folder-prefix",
        "a folder that the tools name, of a rate, with a prefix for the file names",
        (*STREAM, "--request-rate", "12.5", "--request-count", "6", "--profile-export-prefix", "my.run_raw.jsonl"),
        names_folder=True,
        timed=False,
    ),
    Case("trials", "three runs of one configuration", (*STREAM, *LOAD, "--num-profile-runs", "3"), timed=False),
    Case(
        "sweep-trials",
        "two points, each run twice",
        (*STREAM, "--concurrency", "1,2", "--request-count", "10", "--num-profile-runs", "2"),
        timed=False,
    ),
    Case(
        "sweep",
        "two points, each run once",
        (*STREAM, "--concurrency", "1,2", "--request-count", "10"),
        timed=False,
    ),
    *LOAD_CASES,
    *DATA_CASES,
    *TELEMETRY_CASES,
    *ENDPOINT_CASES,
)
BY_NAME = {case.name: case for case in CASES}
