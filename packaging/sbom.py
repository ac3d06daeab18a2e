#!/usr/bin/env python3
"""Writes the software bill of materials (CycloneDX 1.5, JSON) of the program for one target. Needs cargo.

    packaging/sbom.py TARGET > aiperf.cdx.json

It lists the crates that are linked into the program: normal dependencies only, none that builds or tests need.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", sys.argv[1]]
    found = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    program = next(package for package in packages.values() if package["name"] == "aiperf")

    def linked(node: dict) -> list[str]:
        deps = node["deps"]
        return [dep["pkg"] for dep in deps if any(kind["kind"] is None for kind in dep["dep_kinds"]) and not is_macro(packages[dep["pkg"]])]

    reached, waiting = {program["id"]}, [program["id"]]
    while waiting:
        for dependency in linked(nodes[waiting.pop()]):
            if dependency not in reached:
                reached.add(dependency)
                waiting.append(dependency)
    ordered = sorted(reached, key=lambda identity: (packages[identity]["name"], packages[identity]["version"]))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(program)},
        "components": [component(packages[identity]) for identity in ordered if identity != program["id"]],
        "dependencies": [
            {"ref": reference(packages[identity]), "dependsOn": sorted(reference(packages[dep]) for dep in linked(nodes[identity]))}
            for identity in ordered
        ],
    }
    json.dump(document, sys.stdout, indent=2)
    print()


def is_macro(package: dict) -> bool:
    return all("proc-macro" in target["kind"] or "custom-build" in target["kind"] for target in package["targets"])


def reference(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package: dict) -> dict:
    """Name, version and licence; the checksum of a crate is in Cargo.lock, which is part of the source."""
    is_program = package["name"] == "aiperf"
    made: dict = {
        "type": "application" if is_program else "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package.get("license"):
        made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if package["source"] == REGISTRY:
        made["externalReferences"] = [{"type": "distribution", "url": f"https://crates.io/crates/{package['name']}/{package['version']}"}]
    return made


if __name__ == "__main__":
    main()
