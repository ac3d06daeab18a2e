"""Runs a command to its end and says what it and its descendants cost, their memory among it."""

import os
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import processes  # of conformance/

SAMPLE_EVERY_S = 0.05
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Measured:
    wall_s: float
    cpu_s: float
    # Greatest sum of resident memory over the process tree that a sample saw. Shared pages count once per process.
    peak_rss_mb: float
    stdout: str
    # CPU seconds by the name of a thread, as the last sample before its end saw them.
    thread_cpu_s: dict[str, float] = field(default_factory=dict)


def run(
    argv: list[str], folder: Path, env: dict[str, str], limit_s: float, cores: set[int] | None = None
) -> Measured:
    """A command that takes longer than `limit_s`, or fails, is an error. `cores`: those that it may use."""
    sampler = TreeSampler()
    try:
        finished = processes.run(argv, folder, env, limit_s, while_running=sampler.start, cores=cores)
    finally:
        sampler.stop()
    said = finished.stdout[-1000:] + finished.stderr[-1000:]
    if finished.timed_out:
        raise RuntimeError(f"{argv[0]} did not end within {limit_s:.0f} s; see {folder}\n{said}")
    if finished.rc != 0:
        raise RuntimeError(f"{' '.join(argv)} ended with {finished.rc}; see {folder}\n{said}")
    return Measured(finished.wall_s, finished.cpu_s, sampler.peak / 1e6, finished.stdout, sampler.thread_cpu_s())


class TreeSampler:
    """Looks at the resident memory of a process tree and at the CPU time of its threads while it runs."""

    def __init__(self):
        self.peak, self._over, self._thread = 0, threading.Event(), None
        self._cpu_ns: dict[tuple[int, str], int] = {}

    def start(self, root: int) -> None:
        self._thread = threading.Thread(target=self._watch, args=(root,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def thread_cpu_s(self) -> dict[str, float]:
        by_name = Counter()
        for (_, name), cpu_ns in self._cpu_ns.items():
            by_name[name] += cpu_ns / 1e9
        return dict(by_name)

    def _watch(self, root: int) -> None:
        while not self._over.wait(SAMPLE_EVERY_S):
            tree = _tree(root)
            self.peak = max(self.peak, sum(_resident(pid) for pid in tree))
            for pid in tree:
                for thread in _listing(f"/proc/{pid}/task"):
                    name, spent = (_text(f"/proc/{pid}/task/{thread}/{file}") for file in ("comm", "schedstat"))
                    if spent:
                        # The first number is the time on a core in nanoseconds; `stat` would give it in ticks of 10 ms.
                        self._cpu_ns[int(thread), name.strip()] = int(spent.split()[0])


def _tree(root: int) -> list[int]:
    found, ahead = [], [root]
    while ahead:
        pid = ahead.pop()
        found.append(pid)
        for thread in _listing(f"/proc/{pid}/task"):
            ahead += [int(child) for child in _text(f"/proc/{pid}/task/{thread}/children").split()]
    return found


def _resident(pid: int) -> int:
    fields = _text(f"/proc/{pid}/statm").split()
    return int(fields[1]) * PAGE if fields else 0


def _listing(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
