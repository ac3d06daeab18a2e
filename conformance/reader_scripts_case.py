"""Scripts that people wrote for the reference's files, run on the files of both tools: they must not notice."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import tools
from case import SPEED, STREAM
from simulator import Simulator

NAME = "scripts"
TITLE = "scripts with pandas and jq read the files of both"
FLAGS = (
    *STREAM,
    *("--concurrency", "4", "--request-count", "24", "--warmup-request-count", "3"),
    *("--export-level", "raw", "--slice-duration", "0.2", "--export-outputs-json"),
)
FOLDER = Path(__file__).resolve().parent / "reader_scripts"


FAILED = "failed: "


@dataclass
class Reading:
    script: str
    reference: str
    ours: str

    @property
    def good(self) -> bool:
        return self.reference == self.ours and not self.ours.startswith(FAILED)


def run(theirs: tools.Tool, ours: tools.Tool, folder: Path) -> list[Reading]:
    folders = {}
    for tool in (theirs, ours):
        place = folder / tool.name
        place.mkdir(parents=True)
        simulator = Simulator(ours.program, {**SPEED, "error_every": "7"}, place)
        try:
            finished = tool.profile(FLAGS, (simulator.url,), place)
        finally:
            simulator.stop()
        if finished.rc != 0:
            sys.exit(f"{tool.name} failed in {NAME}; see {place}")
        folders[tool.name] = place / "artifacts"
    # pandas comes with the reference.
    python = theirs.program.parent / "python"
    readings = []
    for script in sorted(FOLDER.iterdir()):
        command = [str(python), "-B", str(script)] if script.suffix == ".py" else ["sh", str(script)]
        said = {name: _say([*command, str(place)]) for name, place in folders.items()}
        readings.append(Reading(script.name, said[theirs.name], said[ours.name]))
    return readings


def show(readings: list[Reading]) -> bool:
    print(f"\n== {NAME}: {TITLE}")
    for reading in readings:
        count = len(reading.reference.splitlines())
        print(f"   {'ok' if reading.good else '!'} {reading.script}: {count} lines")
        if not reading.good:
            for name, text in (("reference", reading.reference), ("ours", reading.ours)):
                print(f"   {name}:\n{text}")
    return all(reading.good for reading in readings)


def _say(command: list[str]) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return f"{FAILED}{answer.stdout}{answer.stderr}" if answer.returncode else answer.stdout
