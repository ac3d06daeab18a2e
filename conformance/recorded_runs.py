"""The runs of the reference that were recorded as samples, and the cases that make each of them again with both tools."""

import cases

# Recorded run: what is special about it, and the cases that have it.
RUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "cancellation": ("half of the requests cancelled", ("cancel-half", "cancel-all")),
    "chat_nonstreaming": ("chat in one piece, cached prompt tokens", ("chat", "cached-prefix-whole")),
    "chat_streaming": ("streaming chat, cached prompt tokens", ("chat-streaming", "cached-prefix")),
    "chunk_merge": ("4 tokens in a chunk", ("merged-chunks",)),
    "completions_streaming": ("completions", ("completions", "completions-whole")),
    "dev_mode": ("internal and experimental metrics", ("dev-mode", "dev-mode-whole")),
    "duration_grace": ("a time limit without grace", ("duration-cut", "duration-grace")),
    "embeddings": ("embeddings", ("embeddings", "api-embeddings-batch")),
    "empty": ("answers without content", ("all-empty", "empty-some", "empty-some-whole")),
    "errors_all": ("every request answered 500", ("all-failed",)),
    "errors_mixed": (
        "statuses 500 and 429, connections dropped before and in an answer, errors in a stream, streams cut short, contexts too long",
        ("errors", "errors-whole", "dropped", "errors-in-stream", "context-overflow", "raw-errors"),
    ),
    "fixed_schedule": ("a Mooncake trace at its times", ("data-mooncake-schedule", "schedule")),
    "gpu_telemetry": ("two GPUs behind a DCGM exporter", ("gpu-telemetry",)),
    "goodput": ("objectives", ("goodput", "goodput-met")),
    "image_in": ("images in chats", ("api-chat-images",)),
    "interrupt": ("Ctrl-C", ("interrupt",)),
    "level_summary": ("summary export level", ("summary-only",)),
    "multirun": ("three runs of one command", ("trials",)),
    "multiturn": ("sessions of several turns with pauses", ("sessions", "sessions-rate", "sessions-cut")),
    "network_latency": ("a given round trip", ("network-latency",)),
    "network_latency_auto": ("a measured round trip", ("network-latency-measured",)),
    "one_token": ("answers of one token", ("one-token",)),
    "osl_mismatch": ("answers shorter than asked for, no usage", ("short-answers-no-usage", "short-answers", "no-usage-whole")),
    "outputs_json": ("texts of all answers", ("outputs-json",)),
    "per_chunk_usage": ("usage on every chunk of 4 tokens", ("per-chunk-usage",)),
    "prefix_warmup": ("warmup, file names with a prefix", ("warmup-prefix", "folder-prefix")),
    "rankings": ("NIM rankings", ("api-nim-rankings",)),
    "rate_naming": ("name of the folder of a rate", ("folder-rate", "folder-concurrency", "rate-poisson")),
    "raw_export": ("raw records", ("raw", "raw-whole", "raw-errors")),
    "reasoning": ("reasoning", ("reasoning",)),
    "refused": ("nothing listens", ("refused",)),
    "server_metrics": ("server metrics in all formats", ("server-metrics", "server-metrics-default", "server-metrics-slices")),
    "server_tokens": ("counts of the server, with reasoning", ("server-token-count",)),
    "spec_decode": ("reports of speculative decoding", ("spec-decode",)),
    "sweep": ("several loads in one command", ("sweep",)),
    "sweep_multirun": ("several loads, each run twice", ("sweep-trials",)),
    "timeout": ("answers later than the request timeout", ("timeout",)),
    "timeslices": ("windows of half a second", ("timeslices",)),
    "tool_calls": ("tool calls", ("tool-calls", "api-chat-tools-whole")),
    "tool_mixed": ("text next to a tool call", ("tools-beside-whole", "tools-beside")),
    "trace_timing": ("HTTP trace", ("http-trace",)),
}

# Stands for all of these cases on the command line.
GROUP = "recorded"


def names() -> list[str]:
    """All cases of the table, in the order of all cases."""
    wanted = {name for _, names in RUNS.values() for name in names}
    return [case.name for case in cases.CASES if case.name in wanted]


def unknown() -> list[str]:
    """Names in the table that are no cases: a table that promises too much must not be printed."""
    return sorted({name for _, names in RUNS.values() for name in names} - cases.BY_NAME.keys())
