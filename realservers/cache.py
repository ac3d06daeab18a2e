"""What servers need, installed outside the repository: one virtual environment for each, made once."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PYTHON = "3.11"
UV_VERSION = "0.13.7"
INSTALL_LIMIT_S = 3600
INSTALLED = "installed.txt"


@dataclass(frozen=True)
class Packages:
    """A virtual environment by its contents. `overrides` replace what a package says that it needs."""

    name: str
    requirements: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    # Precompiled modules make every later start quicker.
    compile: bool = False

    @property
    def folder(self) -> Path:
        return folder() / f"v-{self.name}"

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def program(self, name: str) -> str:
        return str(self.folder / "bin" / name)

    def install(self) -> None:
        wanted = "\n".join((*self.requirements, *(f"override {line}" for line in self.overrides))) + "\n"
        mark = self.folder / INSTALLED
        if mark.exists() and mark.read_text() == wanted:
            return
        print(f"installing {', '.join(self.requirements)} into {self.folder} (once)", flush=True)
        if not self.python.exists():
            _uv("venv", "--quiet", "--python", PYTHON, str(self.folder))
        install = ["pip", "install", "--quiet", "--python", str(self.python)]
        if self.overrides:
            overrides = self.folder / "overrides.txt"
            overrides.write_text("\n".join(self.overrides) + "\n")
            install += ["--override", str(overrides)]
        _uv(*install, *self.requirements)
        if self.compile:
            compile_all = [str(self.python), "-m", "compileall", "-q", str(self.folder / "lib")]
            # Some packages carry files for other versions of Python, which do not compile.
            subprocess.run(compile_all, env=environment(), timeout=INSTALL_LIMIT_S, capture_output=True)
        mark.write_text(wanted)

    def version(self, package: str) -> str:
        ask = f"from importlib.metadata import version; print(version({package!r}))"
        answer = subprocess.run([str(self.python), "-c", ask], capture_output=True, text=True, timeout=60)
        return answer.stdout.strip() or "unknown"


def environment() -> dict[str, str]:
    """For programs of others: our own modules must not stand in for theirs."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")}


def folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aiperf-realservers"


def _uv(*argv: str) -> None:
    """uv keeps one copy of a file for all environments: torch alone would be there four times otherwise."""
    home = folder() / "v-uv"
    uv = home / "bin" / "uv"
    if not uv.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, timeout=INSTALL_LIMIT_S)
        pip = [str(home / "bin" / "pip"), "install", "--quiet", f"uv=={UV_VERSION}"]
        subprocess.run(pip, check=True, timeout=INSTALL_LIMIT_S)
    env = {**environment(), "UV_CACHE_DIR": str(folder() / "uv-cache")}
    subprocess.run([str(uv), *argv], env=env, check=True, timeout=INSTALL_LIMIT_S)
