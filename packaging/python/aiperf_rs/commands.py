"""The commands of this package, and what to do if NVIDIA's package `aiperf` has installed a command of the same name."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

#: The program itself. NVIDIA's package has no command of this name.
PROGRAM = "aiperf-rs"
NVIDIA_PACKAGE = "aiperf"


@dataclass(frozen=True)
class ShadowedCommand:
    """Both packages are installed in one environment, and both have a command `aiperf`."""

    command: Path
    #: Whether the command starts this program. If not, it starts NVIDIA's.
    is_ours: bool

    def __str__(self) -> str:
        if self.is_ours:
            return (
                f"{self.command} starts aiperf-rs and replaces the command of NVIDIA's package aiperf, "
                "which is installed too. Use one environment for each package."
            )
        return (
            f"{self.command} belongs to NVIDIA's package aiperf, which is installed too. "
            f"Use the command {PROGRAM}, or one environment for each package, "
            "or run: pip install --force-reinstall --no-deps aiperf-rs"
        )


def scripts_folder() -> Path:
    """Where pip has put the commands of the environment that this package is in."""
    here = Path(__file__).resolve()
    for scheme in sysconfig.get_scheme_names():
        if Path(sysconfig.get_path("purelib", scheme)).resolve() in here.parents:
            return Path(sysconfig.get_path("scripts", scheme))
    return Path(sysconfig.get_path("scripts"))


def shadowed_command() -> ShadowedCommand | None:
    """What to tell the user if NVIDIA's package is installed next to this one; `None` if it is not."""
    try:
        metadata.distribution(NVIDIA_PACKAGE)
    except metadata.PackageNotFoundError:
        return None
    command = scripts_folder() / "aiperf"
    try:
        start = command.read_bytes()[:4096]
    except OSError:
        return None
    return ShadowedCommand(command, PROGRAM.encode() in start)


def program() -> Path:
    """The program that this package has brought."""
    return scripts_folder() / (PROGRAM + (".exe" if os.name == "nt" else ""))


def start(*words: str) -> None:
    """Becomes the program, with these words before those of the command line."""
    arguments = [PROGRAM, *words, *sys.argv[1:]]
    if os.name == "nt":
        import subprocess

        raise SystemExit(subprocess.call([str(program()), *arguments[1:]]))
    os.execv(program(), arguments)


def aiperf() -> None:
    start()


def genai_perf() -> None:
    start("genai-perf")
