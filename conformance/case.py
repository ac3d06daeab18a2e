"""One case: what the simulator does, which flags both tools get, and what must agree."""

from dataclasses import dataclass, field
from typing import Any, Callable

from artifacts import Artifacts

LOAD = ("--concurrency", "4", "--request-count", "40")
LENGTHS = ("--isl", "32", "--osl", "16")
CHAT = ("--endpoint-type", "chat", *LENGTHS)
STREAM = (*CHAT, "--streaming")
SPEED = {"ttft": "50", "itl": "10"}


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    # `{url}` stands for the address of the first simulator.
    flags: tuple[str, ...]
    sim: dict[str, str] = field(default_factory=lambda: dict(SPEED))
    # Both tools make the same requests whatever their timing, so counts must be equal.
    same_requests: bool = True
    # The simulator counts tokens as the tools do.
    exact_counts: bool = True
    # Latencies are compared with the simulator's truth.
    timed: bool = True
    # SIGINT once the simulator has finished this many requests.
    interrupt_after: int | None = None
    # Simulators; without one the URL is one where nothing listens.
    servers: int = 1
    # The endpoint takes text, so that a tokenizer has something to count.
    text: bool = True
    # Files in the folder that both tools run in, by name: one JSON document, the lines of a JSONL file, or a file or folder
    # to copy.
    files: dict[str, Any] = field(default_factory=dict)
    # What must be the same at the server.
    at_server: tuple[Callable[[Artifacts], dict[str, Any]], ...] = ()
    # Variables that both tools find in their environment.
    environment: dict[str, str] = field(default_factory=dict)
    # The tools name the artifact folder themselves, and must agree on its name.
    names_folder: bool = False
    # Kinds of telemetry that are on: `server-metrics`, `gpu-telemetry`.
    telemetry: tuple[str, ...] = ()
    # Counters of the phases that must be the same; None for all of them where both tools make the same requests.
    accounting: tuple[str, ...] | None = None
