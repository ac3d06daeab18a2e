"""The cases about data files: the samples that the tests of our data set crate read too."""

from pathlib import Path

import at_server as server
from case import SPEED, Case

CRATES = Path(__file__).parent.parent / "crates"
SAMPLES = CRATES / "dataset" / "tests" / "fixtures"
# Recorded traces are kept with their readers.
TRACES = CRATES / "trace" / "tests" / "fixtures"
CHAT = ("--endpoint-type", "chat")
SIM = {**SPEED, "ttft": "20", "itl": "2", "osl": "8", "truth_body": "true"}
# Enough draws that every row, and every pair of rows, comes.
DRAWS = "250"
# What the messages say is each tool's own; how many there are, whose, and all that goes with them, is not.
MADE_UP = (server.sessions, server.generated_bodies)


def _path(sample: str) -> Path:
    return next(folder / sample for folder in (SAMPLES, TRACES) if (folder / sample).exists())


def _case(name: str, title: str, sample: str, kind: str, *flags: str, **more) -> Case:
    # One at a time is the default; said, it is in the configuration of both.
    if not {"--concurrency", "--fixed-schedule"}.intersection(flags) and kind != "dag_jsonl":
        flags = (*flags, "--concurrency", "1")
    facts = (server.sessions, server.bodies) if "at_server" not in more else more.pop("at_server")
    return Case(
        f"data-{name}",
        title,
        (*CHAT, "--input-file", sample, "--custom-dataset-type", kind, *flags),
        SIM,
        files={sample: _path(sample), "media": SAMPLES / "media"},
        at_server=facts,
        **more,
    )


def _pool(name: str, title: str, sample: str, *flags: str) -> Case:
    # Which rows are drawn is each tool's own draw; from what they are drawn, and how they are sent, is not.
    return _case(
        name, title, sample, "random_pool", *flags, at_server=(server.distinct_bodies,), same_requests=False, exact_counts=False
    )


DATA_CASES = (
    # The server counts no tokens of pictures and sounds, and nothing is known of how many the tools should.
    _case("single-turn", "requests from a file, with media", "single_turn.jsonl", "single_turn", "--request-count", "12", exact_counts=False),
    _case("single-turn-sessions", "sessions of single turns", "single_turn_sessions.jsonl", "single_turn", "--num-sessions", "6", "--concurrency", "2"),
    _case("single-turn-schedule", "fixed schedule from a file of single turns", "single_turn_schedule.jsonl", "single_turn", "--fixed-schedule"),
    _case("multi-turn", "conversations from a file, with media", "multi_turn.jsonl", "multi_turn", "--num-sessions", "11", "--concurrency", "2", exact_counts=False),
    _pool("pool", "requests drawn from a file", "random_pool.jsonl", "--request-count", DRAWS, "--concurrency", "8"),
    _pool("pool-folder", "requests drawn from a folder of pools", "random_pool_dir", "--request-count", DRAWS, "--concurrency", "8"),
    _pool("pool-batches", "batches drawn from the texts of a file", "random_pool_dir/query.jsonl", "--batch-size", "2", "--request-count", DRAWS, "--concurrency", "8"),
    _case("payloads", "whole bodies from a file", "raw_payload.jsonl", "raw_payload", "--request-count", "12"),
    _case("payload-folder", "whole bodies from a folder", "raw_payload_dir", "raw_payload", "--num-sessions", "2"),
    _case("inputs-json", "the inputs of an earlier run", "inputs.json", "inputs_json", "--num-sessions", "10", "--concurrency", "2"),
    # The server does not count the tokens of tools.
    _case("sagemaker", "captured requests", "sagemaker_capture.jsonl", "sagemaker_data_capture", "--request-count", "11", "--no-fixed-schedule", exact_counts=False),
    _case("sagemaker-schedule", "captured requests at their times", "sagemaker_capture.jsonl", "sagemaker_data_capture", "--fixed-schedule", exact_counts=False),
    _case("speed-bench", "SPEED-Bench, all rows of a file", "qualitative.jsonl", "speed_bench_qualitative", "--num-sessions", "12", "--concurrency", "2"),
    _case("speed-bench-coding", "SPEED-Bench, one category", "qualitative.jsonl", "speed_bench_coding", "--num-sessions", "2"),
    _case("dag", "the sample of conversations that start others", "dag.jsonl", "dag_jsonl", "--concurrency", "2"),
    _case("weka", "recorded sessions of agents", "weka_traces", "weka_trace", "--num-sessions", "2", at_server=MADE_UP),
    # The reference has a schedule for these sessions that starts all of them at once and what they call a second time.
    _case("tracelab", "recorded rounds of agents", "tracelab.jsonl", "tracelab", "--num-sessions", "3", "--no-fixed-schedule", "--inter-turn-delay-cap-seconds", "0.5", at_server=MADE_UP),
    _case("mooncake-schedule", "a Mooncake trace at its times", "mooncake_trace.jsonl", "mooncake_trace", "--fixed-schedule", at_server=MADE_UP),
    _case("mooncake", "a Mooncake trace, as fast as it goes", "mooncake_trace.jsonl", "mooncake_trace", "--no-fixed-schedule", "--request-count", "20", at_server=MADE_UP),
    _case("mooncake-sessions-schedule", "sessions of a Mooncake trace", "mooncake_sessions.jsonl", "mooncake_trace", "--fixed-schedule", at_server=MADE_UP),
    # The server does not count the tokens of tools.
    _case("mooncake-messages-schedule", "a Mooncake trace of messages", "mooncake_messages.jsonl", "mooncake_trace", "--fixed-schedule", exact_counts=False),
    _case("mooncake-payload-schedule", "a Mooncake trace of whole bodies", "mooncake_payload.jsonl", "mooncake_trace", "--fixed-schedule"),
    _case("bailian-schedule", "a Bailian trace at its times", "bailian_trace.jsonl", "bailian_trace", "--fixed-schedule", at_server=MADE_UP),
    _case("burst-gpt", "a BurstGPT trace, as fast as it goes", "burst_gpt.csv", "burst_gpt_trace", "--request-count", "12", "--no-fixed-schedule", at_server=MADE_UP),
    _case("burst-gpt-empty", "a BurstGPT trace with answers of nothing", "burst_gpt_zero_response.csv", "burst_gpt_trace", "--request-count", "4", "--no-fixed-schedule", at_server=MADE_UP),
    _case("baseten-schedule", "a Baseten trace at its times", "baseten_trace.parquet", "baseten_trace", "--fixed-schedule"),
    _case("dag-orchestrator", "the sample of an orchestrator", "dag_orchestrator.jsonl", "dag_jsonl", "--num-sessions", "1"),
)
