"""What servers need, installed outside the repository, once: a virtual environment for each, or a program built from
crates.io."""

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
    # Those of a server that this one stands in front of.
    needs: tuple["Packages", ...] = ()

    @property
    def folder(self) -> Path:
        return folder() / f"v-{self.name}"

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def program(self, name: str) -> str:
        return str(self.folder / "bin" / name)

    def install(self) -> None:
        for other in self.needs:
            other.install()
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


@dataclass(frozen=True)
class Crate:
    """A server from crates.io, built with what makes the build quick: its answers are looked at, not its speed."""

    package: str
    release: str
    binary: str

    def program(self) -> str:
        return str(self._folder() / "bin" / self.binary)

    def install(self) -> None:
        if Path(self.program()).exists():
            return
        print(f"building {self.package} {self.release} into {self._folder()} (once, half an hour on two cores)", flush=True)
        env = {
            **environment(),
            "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
            "CARGO_PROFILE_RELEASE_LTO": "off",
            "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        }
        argv = ["cargo", "install", "--quiet", "--locked", self.package, "--version", self.release]
        subprocess.run([*argv, "--root", str(self._folder())], env=env, check=True, timeout=INSTALL_LIMIT_S)

    def version(self, _package: str) -> str:
        return self.release

    def _folder(self) -> Path:
        return folder() / f"c-{self.package}-{self.release}"


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
