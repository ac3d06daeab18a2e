#!/usr/bin/env python3
"""Shows what a program with symbols consists of, by crate and by section. Needs nm and size (binutils).

    CARGO_PROFILE_DIST_STRIP=none cargo build --profile dist -p aiperf
    packaging/size.py target/dist/aiperf             # a Markdown table
    packaging/size.py BEFORE AFTER                   # both, side by side

A function belongs to the crate that it is written in; a generic function of the standard library belongs to the crate that uses
it. Functions that were inlined count where they were inlined.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

#: Crates whose generic code is counted where it is used.
STANDARD = {"core", "alloc", "std", "hashbrown"}
NAME = re.compile(r"\b([a-z_][a-z0-9_]*)(?:\[[0-9a-f]+\])?::")
#: Sections whose bytes are in no symbol of a crate.
SECTIONS = {
    "unwind tables": (".eh_frame", ".eh_frame_hdr", ".gcc_except_table"),
    "relocations": (".rela.dyn", ".relr.dyn", ".rela.plt"),
    "constants and texts": (".rodata",),
    "pointers to constants": (".data.rel.ro", ".got"),
}
ROWS = 30


def crate_of(symbol: str) -> str:
    names = [name for name in NAME.findall(symbol) if name not in ("dyn", "impl", "for")]
    own = [name for name in names if name not in STANDARD]
    if names and names[0] in STANDARD:
        return own[0] if own and crate_like(own[0]) else "standard library"
    if names:
        return names[0]
    return "C code (ring, zstd, libc)"


def crate_like(name: str) -> bool:
    return name not in ("ops", "fmt", "iter", "ptr", "slice", "str", "vec", "option", "result", "collections", "sync", "io", "string")


def sizes_of(program: str) -> tuple[Counter[str], Counter[str], int]:
    crates: Counter[str] = Counter()
    listed = subprocess.run(["nm", "-S", "--demangle=rust", program], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        words = line.split(maxsplit=3)
        if len(words) == 4 and words[2] in "tTwW":
            crates[crate_of(words[3])] += int(words[1], 16)
    sections: Counter[str] = Counter()
    table = subprocess.run(["size", "-A", "-d", program], capture_output=True, text=True, check=True).stdout
    found = {words[0]: int(words[1]) for words in map(str.split, table.splitlines()) if len(words) == 3 and words[1].isdigit()}
    for title, names in SECTIONS.items():
        sections[title] = sum(found.get(name, 0) for name in names)
    sections["code"] = found.get(".text", 0)
    return crates, sections, sum(sections.values())


def main() -> None:
    programs = [sizes_of(program) for program in sys.argv[1:]]
    if not programs:
        sys.exit(__doc__)
    head = ["before", "after"][: len(programs)] if len(programs) == 2 else ["size"]

    def row(title: str, sizes: list[int]) -> None:
        print(f"| {title} | " + " | ".join(f"{size / 1e6:.2f}" for size in sizes) + " |")

    print(f"| section, MB | {' | '.join(head)} |\n|---|{'---|' * len(head)}")
    for title in ["code", *SECTIONS]:
        row(title, [sections[title] for _, sections, _ in programs])
    row("**all**", [total for _, _, total in programs])
    print(f"\n| code by crate, MB | {' | '.join(head)} |\n|---|{'---|' * len(head)}")
    largest = [name for name, _ in programs[0][0].most_common(ROWS)]
    for name in largest:
        row(f"`{name}`" if name.replace("_", "").isalnum() else name, [crates[name] for crates, _, _ in programs])
    row("all others", [sum(size for name, size in crates.items() if name not in largest) for crates, _, _ in programs])


if __name__ == "__main__":
    main()
