"""One load on one server, and by how much the counts of client and server may differ."""

import os
from dataclasses import dataclass
from pathlib import Path

import artifacts  # of conformance/
import checks
import metrics_page
import processes  # of conformance/
import request_times
import wire
from counters import Counted, Counters
from models import Model

RUN_LIMIT_S = 300.0


@dataclass(frozen=True)
class Trial:
    # The endpoint type, with a word more where there are several of one type.
    name: str
    flags: tuple[str, ...]
    # Name at the server.
    model: str
    # Of the server's model; `None`: counts are not compared.
    tokenizer: Model | None = None
    requests: int = 24
    concurrency: int = 4
    # Tokens that the server adds to each prompt: those of its chat template.
    template_tokens: int = 0
    template_why: str = ""
    # Tokens of an answer that the server counts and no text shows, such as the tags round reasoning: least and most.
    unseen_tokens: tuple[int, int] = (0, 0)
    unseen_why: str = ""
    # Whether the text of an answer, cut into tokens again, gives the tokens that made it.
    recounts: bool = True
    # What the server's metrics make of one request: a reranker may count its passages.
    counted_as: int = 1
    counted_as_why: str = ""
    # Whether the server's usage counts tokens of input and output at all.
    usage_counts_input: bool = True
    usage_counts_output: bool = True
    # Where this kind of request is counted differently from the others of the server.
    counters: Counters | None = None
    # Whether each answer states its queue time and time to first token.
    states_times: bool = False
    # At which of the server's doors: `http` or `grpc`.
    door: str = "http"
    # Additional files, by name.
    files: tuple[tuple[str, str], ...] = ()

    def run(self, program: Path, url: str, folder: Path, page: str | None = None) -> "Ran":
        """`page`: address of the metrics page, if it has one elsewhere."""
        folder.mkdir(parents=True)
        for name, content in self.files:
            (folder / name).write_text(content)
        argv = [str(program), "profile", "--url", url, "--model", self.model]
        argv += ["--tokenizer", str(self.tokenizer.folder)] if self.tokenizer else []
        argv += ["--concurrency", str(self.concurrency), "--request-count", str(self.requests), "--random-seed", "7"]
        argv += ["--server-metrics", page] if page else []
        argv += ["--export-level", "raw", "--ui", "none", "--artifact-dir", "artifacts", *self.flags]
        env = {**os.environ, "NO_COLOR": "1"}
        return Ran(self, artifacts.read(folder / "artifacts", processes.run(argv, folder, env, RUN_LIMIT_S)))


@dataclass(frozen=True)
class Ran:
    trial: Trial
    artifacts: artifacts.Artifacts

    def sums(self) -> checks.Sums:
        return checks.Sums.of(self.artifacts)

    def usage(self) -> wire.Usage | None:
        return wire.usage(self.artifacts.raw)

    def page(self, where: Counters) -> metrics_page.Page:
        return metrics_page.read(self.trial, where, self.artifacts)

    def checks(self, ours: checks.Sums, counted: Counted) -> list[checks.Check]:
        found = checks.of(self.trial, self.artifacts, ours, self.usage(), counted)
        if self.trial.states_times:
            found += request_times.checks(self.artifacts, metrics_page.samples(self.artifacts))
        return found
