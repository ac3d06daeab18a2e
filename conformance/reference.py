"""Finds or installs the reference, and gives it the vocabulary of the built-in tokenizer without the network."""

import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

VERSION = "0.13.0"
INSTALL_LIMIT_S = 1200
# Where tiktoken would download the vocabulary from: the name of its cache file is the SHA-1 of this address.
VOCABULARY_URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aiperf-conformance"


def program(given: str | None) -> Path:
    """The reference's command: the one given, that of $AIPERF_REFERENCE, or one installed into the cache folder."""
    given = given or os.environ.get("AIPERF_REFERENCE")
    if given:
        path = Path(given).expanduser().absolute()
        if not path.exists():
            sys.exit(f"--reference {path}: no such file; leave it out to have aiperf=={VERSION} installed")
        return path
    venv = cache_folder() / "venv"
    path = venv / "bin" / "aiperf"
    if not path.exists():
        print(f"installing aiperf=={VERSION} into {venv} (once)", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, timeout=INSTALL_LIMIT_S)
        install = [str(venv / "bin" / "pip"), "install", "--quiet", f"aiperf=={VERSION}"]
        subprocess.run(install, check=True, timeout=INSTALL_LIMIT_S)
    return path


def version_of(path: Path) -> str:
    python = path.parent / "python"
    ask = "from importlib.metadata import version; print(version('aiperf'))"
    answer = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, timeout=60)
    return answer.stdout.strip() or "unknown"


def vocabulary_cache(repository: Path, folder: Path) -> Path:
    """A tiktoken cache folder that holds o200k, taken from the crate that compiles it into our program. tiktoken checks
    its SHA-256 on loading, so both tools are known to count with the same vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / hashlib.sha1(VOCABULARY_URL.encode()).hexdigest()
    if not target.exists():
        target.write_bytes(gzip.decompress(_vocabulary_file(repository).read_bytes()))
    return folder


def _vocabulary_file(repository: Path) -> Path:
    answer = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    for package in json.loads(answer.stdout)["packages"]:
        if package["name"] == "bpe-openai":
            return Path(package["manifest_path"]).parent / "data" / "o200k_base.tiktoken.gz"
    sys.exit("no package bpe-openai among the dependencies: where does the built-in vocabulary come from now?")
