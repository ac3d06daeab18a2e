#!/usr/bin/env python3
"""Makes the Python wheel `aiperf-rs` from a built program. Needs only Python.

    packaging/wheel.py PROGRAM --target x86_64-unknown-linux-musl --out FOLDER

The wheel has three commands. `aiperf-rs` is the program itself. `aiperf` and `genai-perf` start it. The package
`aiperf_rs` reads artifact folders. The same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NAME = "aiperf_rs"

#: Platform tags of a wheel by the target that the program was built for. The static program runs with any C library.
PLATFORMS = {
    "x86_64-unknown-linux-musl": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "aarch64-unknown-linux-musl": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "x86_64-unknown-linux-gnu.2.17": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "x86_64-unknown-linux-gnu": "manylinux_2_36_x86_64",
    "aarch64-unknown-linux-gnu.2.17": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "x86_64-apple-darwin": "macosx_11_0_x86_64",
    "aarch64-apple-darwin": "macosx_11_0_arm64",
    "x86_64-pc-windows-gnu": "win_amd64",
    "x86_64-pc-windows-msvc": "win_amd64",
}

#: A command that starts the program next to it. Tools such as pipx call it through a link.
SHELL_COMMAND = """#!/bin/sh
# Starts aiperf-rs, the program of the package aiperf-rs.
here=$0
[ -L "$here" ] && here=$(readlink -f -- "$here")
exec "${here%/*}/aiperf-rs"{word} "$@"
"""

ENTRY_POINTS = """[console_scripts]
aiperf = aiperf_rs.commands:aiperf
genai-perf = aiperf_rs.commands:genai_perf
"""


def version() -> str:
    text = (ROOT / "Cargo.toml").read_text()
    found = re.search(r'^\[workspace\.package\]\nversion = "([^"]+)"', text, re.MULTILINE)
    if not found:
        sys.exit("Cargo.toml has no version under [workspace.package]")
    return found.group(1)


def metadata(version: str) -> str:
    return f"""Metadata-Version: 2.1
Name: aiperf-rs
Version: {version}
Summary: Benchmark generative-AI inference servers
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas; extra == 'pandas'
Provides-Extra: polars
Requires-Dist: polars; extra == 'polars'
Description-Content-Type: text/markdown

aiperf benchmarks any generative-AI inference server that offers an OpenAI-compatible API.

    aiperf profile --url sim: --streaming --concurrency 16 --request-count 200

This package has the commands `aiperf`, `genai-perf` and `aiperf-rs` (the same program), and the module `aiperf_rs`, which reads
the artifact folders of aiperf and of NVIDIA AIPerf:

    import aiperf_rs
    aiperf_rs.load("artifacts/my-run").metrics()

It is not NVIDIA's package `aiperf`, which has a command of the same name. Install the two in different environments.
"""


class Wheel:
    def __init__(self, path: Path) -> None:
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.record: list[str] = []

    def add(self, name: str, content: bytes, mode: int = 0o644) -> None:
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, content, compresslevel=9)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}\n")

    def close(self, info: str) -> None:
        record = f"{info}/RECORD"
        self.zip.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "".join(self.record) + f"{record},,\n")
        self.zip.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the wheel aiperf-rs from a built program.")
    parser.add_argument("program", type=Path)
    parser.add_argument("--target", required=True, choices=sorted(PLATFORMS))
    parser.add_argument("--out", type=Path, default=Path("."))
    asked = parser.parse_args()
    platform = PLATFORMS[asked.target]
    is_windows = platform.startswith("win")
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / f"{NAME}-{version()}-py3-none-{platform}.whl"
    info, data = f"{NAME}-{version()}.dist-info", f"{NAME}-{version()}.data"
    wheel = Wheel(path)
    for source in sorted((HERE / "python" / NAME).iterdir()):
        if source.suffix == ".py" or source.name == "py.typed":
            wheel.add(f"{NAME}/{source.name}", source.read_bytes())
    wheel.add(f"{data}/scripts/aiperf-rs{'.exe' if is_windows else ''}", asked.program.read_bytes(), 0o755)
    if is_windows:
        wheel.add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
    else:
        for name, word in [("aiperf", ""), ("genai-perf", " genai-perf")]:
            wheel.add(f"{data}/scripts/{name}", SHELL_COMMAND.replace("{word}", word).encode(), 0o755)
    wheel.add(f"{info}/METADATA", metadata(version()).encode())
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in platform.split("."))
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: aiperf\nRoot-Is-Purelib: false\n{tags}".encode())
    wheel.add(f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.close(info)
    print(path)


if __name__ == "__main__":
    main()
