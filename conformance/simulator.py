"""The server both tools are run against: `aiperf sim` in a process of its own, with a truth file."""

import json
import os
import queue
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

import processes

START_LIMIT_S = 20.0


class Simulator:
    def __init__(self, program: Path, options: dict[str, str], folder: Path, number: int = 0):
        self.number = number
        self.truth_file = folder / f"truth-{number}.jsonl"
        argv = [str(program), "sim", "--port", "0", "--truth", str(self.truth_file)]
        for name, value in options.items():
            argv += [f"--{name.replace('_', '-')}", str(value)]
        self._log = (folder / f"sim-stderr-{number}.txt").open("wb")
        self._child = processes.start(argv, folder, dict(os.environ), subprocess.PIPE, self._log)
        self.url = self._wait_for_url()
        self._wait_until_serving()

    def _wait_for_url(self) -> str:
        lines: queue.Queue[str] = queue.Queue()

        def read() -> None:
            for line in self._child.stdout:
                lines.put(line.decode(errors="replace"))

        threading.Thread(target=read, daemon=True).start()
        until = time.monotonic() + START_LIMIT_S
        while time.monotonic() < until:
            try:
                line = lines.get(timeout=0.1)
            except queue.Empty:
                if self._child.poll() is not None:
                    break
                continue
            if "http://" in line:
                return "http://" + line.split("http://", 1)[1].split()[0]
        raise RuntimeError(f"the simulator did not start within {START_LIMIT_S:.0f} s; see {self._log.name}")

    def _wait_until_serving(self) -> None:
        """It listens before it has loaded its vocabulary; a client that starts quickly would measure that."""
        with urllib.request.urlopen(f"{self.url}/health", timeout=START_LIMIT_S) as answer:
            answer.read()

    def finished(self) -> int:
        """How many requests have ended so far."""
        try:
            with urllib.request.urlopen(f"{self.url}/sim/truth", timeout=2) as answer:
                return sum(1 for line in answer if json.loads(line).get("end_ns"))
        except (OSError, ValueError):
            return 0

    def stop(self) -> list[dict]:
        """Ends the server and returns the truth, which is complete from then on."""
        processes.stop(self._child, signal.SIGINT, 10.0)
        self._log.close()
        if not self.truth_file.exists():
            return []
        # Bodies of forms may hold what else counts as a line end.
        lines = (json.loads(line) for line in self.truth_file.read_text().split("\n") if line)
        return [line | {"server": self.number} for line in lines]
