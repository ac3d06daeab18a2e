"""The commands of this package, and what to do if NVIDIA's package `aiperf` has installed a command of the same name."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

#: The program itself. NVIDIA's package has no command of this name.
PROGRAM = "aiperf-rs"
NVIDIA_PACKAGE = "aiperf"
#: The command that pip writes for NVIDIA's package imports it.
STARTS_NVIDIAS_PROGRAM = b"from aiperf."
EXTENSION = ".exe" if os.name == "nt" else ""
AGAIN = "install aiperf-rs again with pip install --force-reinstall --no-deps"


@dataclass(frozen=True)
class ShadowedCommand:
    """The command `aiperf`, which the packages aiperf-rs and aiperf both have, after both were installed in one environment."""

    command: Path
    #: The package whose program the command starts; `None` if the command does not exist.
    owner: Literal["aiperf-rs", "aiperf"] | None

    def __str__(self) -> str:
        if self.owner == PROGRAM:
            return (
                f"{self.command} starts aiperf-rs and replaces the command of NVIDIA's package aiperf, "
                "which is installed too. Use one environment for each package."
            )
        if self.owner == NVIDIA_PACKAGE:
            return (
                f"{self.command} starts NVIDIA's package aiperf, which is installed too. "
                f"Use the command {PROGRAM}, or one environment for each package, or {AGAIN}."
            )
        return (
            f"{self.command} does not exist. pip removes it together with NVIDIA's package aiperf. "
            f"Use the command {PROGRAM}, or {AGAIN}."
        )


def scripts_folder() -> Path:
    """Where pip has put the commands of the environment that this package is in."""
    here = Path(__file__).resolve()
    for scheme in sysconfig.get_scheme_names():
        if Path(sysconfig.get_path("purelib", scheme)).resolve() in here.parents:
            return Path(sysconfig.get_path("scripts", scheme))
    return Path(sysconfig.get_path("scripts"))


def shadowed_command() -> ShadowedCommand | None:
    """What to tell the user if NVIDIA's package is or was installed next to this one; `None` if all is well."""
    if not program().exists():
        # The module is used from a checkout, without commands.
        return None
    command = scripts_folder() / ("aiperf" + EXTENSION)
    try:
        content = command.read_bytes()
    except OSError:
        return ShadowedCommand(command, None)
    if STARTS_NVIDIAS_PROGRAM in content:
        return ShadowedCommand(command, NVIDIA_PACKAGE)
    try:
        metadata.distribution(NVIDIA_PACKAGE)
    except metadata.PackageNotFoundError:
        return None
    return ShadowedCommand(command, PROGRAM)


def program() -> Path:
    """The program that this package has brought."""
    return scripts_folder() / (PROGRAM + EXTENSION)


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
