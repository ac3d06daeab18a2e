"""A talk instead of a load: `aiperf chat` with two turns, whose printed counts must be the server's own."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from checks import Check, Sums, same
from counters import Counted

TALK_LIMIT_S = 120.0
MESSAGES = ("What is a list?", "And a tuple?")
COUNTS = re.compile(r"^Tokens: (\d+) in, (\d+) out.*\(counted by the server\)$", re.MULTILINE)
TTFT = re.compile(r"^TTFT: ([\d.]+) ms$", re.MULTILINE)


@dataclass(frozen=True)
class Talk:
    name: str
    model: str
    requests: int = len(MESSAGES)
    counted_as: int = 1
    usage_counts_input: bool = False
    usage_counts_output: bool = False
    counters: None = None
    door: str = "http"

    def run(self, program: Path, url: str, folder: Path, page: str | None = None) -> "Said":
        folder.mkdir(parents=True)
        argv = [str(program), "chat", "--url", url, "--model", self.model, "--system-prompt", "Be brief."]
        text = "\n".join(MESSAGES) + "\n"
        done = subprocess.run(
            argv, cwd=folder, input=text, capture_output=True, text=True, timeout=TALK_LIMIT_S, env=dict(os.environ)
        )  # fmt: skip
        (folder / "stdout.txt").write_text(done.stdout)
        (folder / "stderr.txt").write_text(done.stderr)
        return Said(done.returncode, done.stdout)


@dataclass(frozen=True)
class Said:
    rc: int
    stdout: str

    def sums(self) -> Sums:
        counts = [(int(sent), int(came)) for sent, came in COUNTS.findall(self.stdout)]
        times = [float(time) for time in TTFT.findall(self.stdout)]
        return Sums(
            succeeded=len(times),
            failed=len(MESSAGES) - len(times),
            input_tokens=sum(sent for sent, _ in counts),
            output_tokens=sum(came for _, came in counts),
            usage_input=None,
            usage_output=None,
            ttft_ms=sum(times) / len(times) if times else None,
            whole_ms=None,
        )

    def usage(self) -> None:
        """Nothing of the wire is kept."""

    def page(self, _where) -> None:
        """A talk does not scrape."""

    def checks(self, ours: Sums, counted: Counted) -> list[Check]:
        found = [
            Check("exit code", str(self.rc), "0", self.rc == 0),
            same("turns answered", ours.succeeded, len(MESSAGES), "asked for"),
        ]
        if counted.input_tokens is not None:
            found.append(same("input tokens", ours.input_tokens, counted.input_tokens, "metrics"))
        if counted.output_tokens is not None:
            found.append(same("output tokens", ours.output_tokens, counted.output_tokens, "metrics"))
        return found
