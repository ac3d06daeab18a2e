"""The server of every case: `aiperf sim` in a process of its own, whose CPU time is counted apart."""

import json
import os
import signal
import subprocess
import threading
import urllib.request
from pathlib import Path
from typing import Iterator

import processes  # of conformance/

START_LIMIT_S = 20.0
STOP_LIMIT_S = 180.0


class Simulator:
    """Used by `with`; after it `cpu_s` is known, and the requests when the truth was kept."""

    def __init__(
        self, program: Path, folder: Path, keep_truth: bool = False, cores: set[int] | None = None, **options: object
    ):
        self._truth_file = folder / "truth.jsonl" if keep_truth else None
        if self._truth_file:
            options["truth"] = self._truth_file
        self._argv = [str(program), "sim", "--port", "0"]
        for name, value in options.items():
            self._argv += [f"--{name.replace('_', '-')}", str(value)]
        self._folder = folder
        self._cores = cores
        self.cpu_s = 0.0

    def __enter__(self) -> "Simulator":
        self._log = (self._folder / "sim.txt").open("wb")
        self._child = processes.start(self._argv, self._folder, dict(os.environ), subprocess.PIPE, self._log, self._cores)
        alarm = threading.Timer(START_LIMIT_S, self._child.kill)
        alarm.start()
        line = self._child.stdout.readline().decode(errors="replace")
        alarm.cancel()
        if "http://" not in line:
            raise RuntimeError(f"the simulator did not start; see {self._log.name}")
        self.url = "http://" + line.split("http://", 1)[1].split()[0]
        # It listens before it has loaded its vocabulary, and that is not to be measured.
        with urllib.request.urlopen(f"{self.url}/health", timeout=START_LIMIT_S) as answer:
            answer.read()
        return self

    def __exit__(self, *_failure) -> None:
        self.cpu_s = processes.stop(self._child, signal.SIGINT, STOP_LIMIT_S)
        self._child.stdout.close()
        self._log.close()

    def requests(self) -> list[dict]:
        """Inference requests, as the server saw them."""
        return list(self.each_request())

    def each_request(self) -> Iterator[dict]:
        """One request after the other, for truths that are too large to be held."""
        with self._truth_file.open() as lines:
            for line in lines:
                request = json.loads(line)
                if request["method"] == "POST":
                    yield request
