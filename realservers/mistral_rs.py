"""mistral.rs: an engine in Rust, built from crates.io. It has no metrics page. It leaves out the space before an answer, whose
text then need not come apart into the tokens that made it."""

import dataclasses
from pathlib import Path

import cache
import loads
from models import WORDS
from server import Server
from trial import Trial

CRATE = cache.Crate("mistralrs-cli", "0.8.1", "mistralrs")


def _command(port: int, _folder: Path) -> list[str]:
    argv = [CRATE.program(), "serve", "--host", "127.0.0.1", "-p", str(port), "--cpu", "--dtype", "f32"]
    return [*argv, "--token-source", "none", "-m", str(WORDS.folder)]


def _trial(trial: Trial, **facts) -> Trial:
    return dataclasses.replace(trial, recounts=False, **facts)


SERVER = Server(
    "mistralrs",
    "mistral.rs",
    CRATE,
    "mistralrs-cli",
    _command,
    (
        _trial(loads.chat("default")),
        _trial(loads.chat_whole("default")),
        # Its completions have no usage.
        _trial(loads.completions("default"), usage_counts_input=False, usage_counts_output=False),
        _trial(loads.responses("default")),
    ),
    (WORDS,),
)
SERVERS = (SERVER,)
