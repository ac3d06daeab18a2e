"""The two programs under comparison, called the same way."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import processes

RUN_LIMIT_S = 180.0
COMMON = (
    "--model", "sim-model",
    "--random-seed", "7",
    "--ui", "none",
)  # fmt: skip
# Off unless a case is about it: the reference waits two seconds for its last page.
TELEMETRY_OFF = {"server-metrics": "--no-server-metrics", "gpu-telemetry": "--no-gpu-telemetry"}
# Refused by both where there is no text.
TOKENIZER = ("--tokenizer", "builtin")


@dataclass(frozen=True)
class Tool:
    name: str
    program: Path
    extra_environment: dict[str, str] = field(default_factory=dict)
    limit_s: float = RUN_LIMIT_S

    def profile(
        self,
        flags: tuple[str, ...],
        urls: tuple[str, ...],
        folder: Path,
        interrupt_when: Callable[[], bool] | None = None,
        text: bool = True,
        environment: dict[str, str] | None = None,
        names_folder: bool = False,
        telemetry: tuple[str, ...] = (),
    ) -> processes.Finished:
        """Runs `profile` in `folder`, which gets an `artifacts` folder inside."""
        named = (part for url in urls for part in ("--url", url))
        place = () if names_folder else ("--artifact-dir", str(folder / "artifacts"))
        off = (flag for name, flag in TELEMETRY_OFF.items() if name not in telemetry)
        argv = ("profile", *COMMON, *off, *(TOKENIZER if text else ()), *named, *flags, *place)
        return self.run(argv, folder, interrupt_when, environment)

    def run(
        self,
        argv: tuple[str, ...],
        folder: Path,
        interrupt_when: Callable[[], bool] | None = None,
        environment: dict[str, str] | None = None,
    ) -> processes.Finished:
        # What self-tests of this machine have shown is kept in the state folder, and would be in our summary.
        state = {"XDG_STATE_HOME": str(folder / "state")}
        env = {**os.environ, "HF_HUB_OFFLINE": "1", "NO_COLOR": "1", **state, **self.extra_environment, **(environment or {})}
        return processes.run([str(self.program), *argv], folder, env, self.limit_s, interrupt_when)
