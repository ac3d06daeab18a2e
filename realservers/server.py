"""A server that somebody else wrote: how it is installed, started, asked whether it is ready, and stopped."""

import contextlib
import signal
import socket
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import cache
import processes  # of conformance/
from counters import Counters
from models import Model
from talk import Talk
from trial import Trial

STOP_LIMIT_S = 20.0
PROBE_LIMIT_S = 5.0
LOG_TAIL = 2000


@dataclass(frozen=True)
class Server:
    name: str
    title: str
    packages: cache.Packages | cache.Crate
    # The package whose version is the server's.
    package: str
    # The command line, given a free port and a folder to work in.
    command: Callable[[int, Path], list[str]]
    trials: tuple[Trial | Talk, ...]
    models: tuple[Model, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    # Answers 200 when it is ready, and then says this.
    ready: str = "/health"
    ready_word: str = ""
    start_limit_s: float = 300.0
    counters: Counters | None = None
    # Where its metrics are, given its main port.
    metrics_port: Callable[[int], int] = lambda port: port

    def install(self) -> None:
        self.packages.install()
        for model in self.models:
            model.make()

    def version(self) -> str:
        return self.packages.version(self.package)


def grpc_port(port: int) -> int:
    return port + 1


def metrics_port(port: int) -> int:
    """Of a server that has a port of its own for them."""
    return port + 2


class Running:
    """Between `with` and its end. Its log stays in `folder`."""

    def __init__(self, server: Server, folder: Path):
        self._server = server
        self._log = folder / "server.log"
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # By convention of this program, not of the servers.
        self.doors = {"http": self.url, "grpc": f"grpc://127.0.0.1:{grpc_port(self.port)}"}
        self.metrics_url = f"http://127.0.0.1:{server.metrics_port(self.port)}"
        self.started_in_s = 0.0
        argv = server.command(self.port, folder)
        env = {**cache.environment(), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", **server.environment}
        with self._log.open("wb") as log:
            self._child = processes.start(argv, folder, env, log, log)

    def __enter__(self) -> "Running":
        began = time.monotonic()
        while not self._answers():
            if self._child.poll() is not None:
                raise RuntimeError(f"{self._server.name} ended before it was ready; its log ends:\n{self._tail()}")
            if time.monotonic() - began > self._server.start_limit_s:
                self.__exit__()
                late = f"{self._server.name} was not ready after {self._server.start_limit_s:.0f} s"
                raise RuntimeError(f"{late}; its log ends:\n{self._tail()}")
            time.sleep(0.25)
        self.started_in_s = time.monotonic() - began
        return self

    def __exit__(self, *_) -> None:
        processes.stop(self._child, signal.SIGINT, STOP_LIMIT_S)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url + self._server.ready, timeout=PROBE_LIMIT_S) as answer:
                return answer.status == 200 and self._server.ready_word in answer.read().decode(errors="replace")
        except (urllib.error.URLError, OSError):
            return False

    def _tail(self) -> str:
        return self._log.read_text(errors="replace")[-LOG_TAIL:]


def _free_port() -> int:
    """With the two after it free as well: some servers have further doors."""
    while True:
        with contextlib.ExitStack() as stack:
            first = stack.enter_context(socket.socket())
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                for further in (grpc_port(port), metrics_port(port)):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", further))
            except (OSError, OverflowError):
                continue
            return port
