"""Dynamo's frontend in front of its mock engine: no model computes, and the times are those of a scheduler. The engine
says any tokens of the vocabulary, whose text need not come apart into the same."""

import dataclasses
from pathlib import Path

import cache
import loads
from counters import Counter, Counters
from models import INSIDE, WORDS
from server import Server
from trial import Trial

# One dependency is only a stub in the registry.
PACKAGES = cache.Packages(
    "dynamo", ("ai-dynamo==1.6.1",), overrides=("aisimulate; sys_platform == 'never'", "certifi")
)  # fmt: skip


def _pair(name: str) -> tuple[Counter, Counter]:
    return Counter(f"dynamo_frontend_{name}_sum"), Counter(f"dynamo_frontend_{name}_count")


COUNTERS = Counters(
    engine="Dynamo",
    requests=(Counter("dynamo_frontend_requests_total", (("status", "success"),)),),
    input_tokens=(Counter("dynamo_frontend_input_sequence_tokens_sum"),),
    output_tokens=(Counter("dynamo_frontend_output_sequence_tokens_sum"),),
    ttft=_pair("time_to_first_token_seconds"),
    latency=_pair("request_duration_seconds"),
)


def _command(port: int, _folder: Path) -> list[str]:
    return [str(PACKAGES.python), str(INSIDE / "serve_dynamo.py"), str(WORDS.folder), "tiny", str(port)]


def _trial(trial: Trial) -> Trial:
    return dataclasses.replace(trial, recounts=False)


SERVER = Server(
    "dynamo",
    "Dynamo (mocker)",
    PACKAGES,
    "ai-dynamo",
    _command,
    tuple(map(_trial, (loads.chat(), loads.completions(), loads.responses(), loads.messages()))),
    (WORDS,),
    environment={"DYN_FILE_KV": "dynamo-store"},
    ready="/v1/models",
    ready_word='"tiny"',
    counters=COUNTERS,
)
SERVERS = (SERVER,)
