"""Runs the cases, prints what differs and writes the result to docs/conformance.md and conformance/results.md."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import artifacts
import cases
import differences
import document
import processes
import reader_scripts_case
import recorded_runs
import reference
import report
import startup
import tools
import truth
from case import Case
from simulator import Simulator

REPOSITORY = Path(__file__).resolve().parent.parent
STARTUP = "startup"
MOST_TRIES = 3
# Discard: nothing listens there.
NOWHERE = "http://127.0.0.1:9"


def main() -> int:
    options = _options()
    if unknown := recorded_runs.unknown():
        sys.exit(f"recorded_runs.py names cases that there are not: {', '.join(unknown)}")
    processes.adopt_orphans()
    ours = tools.Tool("ours", _our_program(options.program))
    with tempfile.TemporaryDirectory(prefix="aiperf-conformance-") as temporary:
        work = Path(options.keep).absolute() if options.keep else Path(temporary)
        program = reference.program(options.reference)
        cache = reference.vocabulary_cache(REPOSITORY, work / "vocabulary")
        theirs = tools.Tool("reference", program, {"TIKTOKEN_CACHE_DIR": str(cache)})
        result = report.Result(reference.version_of(program), _version(ours.program))
        chosen = options.cases or [case.name for case in cases.CASES] + [reader_scripts_case.NAME, STARTUP]
        scripts_read = True
        for name in chosen:
            if name == STARTUP:
                result.costs = startup.measure(theirs, ours, work / STARTUP)
                report.print_costs(result.costs)
            elif name == reader_scripts_case.NAME:
                scripts_read = reader_scripts_case.show(reader_scripts_case.run(theirs, ours, work / name))
            else:
                result.outcomes.append(_settle(cases.BY_NAME[name], theirs, ours, work))
        report.print_totals(result)
        whole = not options.cases
        if whole or options.write:
            (REPOSITORY / "docs" / "conformance.md").write_text(document.page(result))
            (REPOSITORY / "conformance" / "results.md").write_text(document.results(result))
        return 0 if result.good and scripts_read else 1


def _settle(case: Case, theirs: tools.Tool, ours: tools.Tool, work: Path) -> report.Outcome:
    """On a busy machine a process may get no processor for hundreds of milliseconds; a true difference comes again."""
    for tries in range(1, MOST_TRIES + 1):
        folder = work / (case.name if tries == 1 else f"{case.name}-{tries}")
        outcome = _run_case(case, theirs, ours, folder)
        outcome.tries = tries
        report.print_outcome(outcome)
        if outcome.good:
            break
    return outcome


def _run_case(case: Case, theirs: tools.Tool, ours: tools.Tool, folder: Path) -> report.Outcome:
    reference_run, our_run = (_run_tool(case, tool, ours.program, folder / tool.name) for tool in (theirs, ours))
    found = differences.compare(case, reference_run, our_run)
    errors = truth.errors_of(case, reference_run), truth.errors_of(case, our_run)
    return report.Outcome(case, reference_run, our_run, found, *errors)


def _run_tool(case: Case, tool: tools.Tool, simulator_program: Path, folder: Path) -> artifacts.Artifacts:
    folder.mkdir(parents=True)
    for name, content in case.files.items():
        _lay_out(folder / name, content)
    own = {"text": case.text, "environment": case.environment, "names_folder": case.names_folder, "telemetry": case.telemetry}
    if not case.servers:
        return artifacts.read(_artifact_folder(case, folder), tool.profile(case.flags, (NOWHERE,), folder, **own))
    # Servers of its own for each run: faults are counted from their first request.
    simulators: list[Simulator] = []
    seen: list[dict] = []
    try:
        for number in range(case.servers):
            simulators.append(Simulator(simulator_program, case.sim, folder, number))
        interrupt_when = None
        if case.interrupt_after is not None:
            interrupt_when = lambda: simulators[0].finished() >= case.interrupt_after  # noqa: E731
        urls = tuple(simulator.url for simulator in simulators)
        flags = tuple(flag.replace("{url}", urls[0]) for flag in case.flags)
        finished = tool.profile(flags, urls, folder, interrupt_when, **own)
    finally:
        for simulator in simulators:
            seen += simulator.stop()
    if finished.timed_out:
        raise RuntimeError(f"{tool.name} did not end within {tools.RUN_LIMIT_S:.0f} s in case {case.name}; see {folder}")
    read = artifacts.read(_artifact_folder(case, folder), finished, urls)
    read.truth = seen
    return read


def _artifact_folder(case: Case, folder: Path) -> Path:
    place = folder / "artifacts"
    if not case.names_folder:
        return place
    # The reference's launcher has a folder for its own log next to that of the run.
    named = [entry for entry in place.glob("*") if entry.is_dir() and entry.name != "logs"]
    return named[0] if len(named) == 1 else place


def _lay_out(path: Path, content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, Path):
        path.write_text(_file_text(path.name, content))
    elif content.is_dir():
        shutil.copytree(content, path)
    else:
        shutil.copy(content, path)


def _file_text(name: str, content) -> str:
    return "".join(json.dumps(line) + "\n" for line in content) if name.endswith(".jsonl") else json.dumps(content)


def _our_program(given: str | None) -> Path:
    if given:
        if not Path(given).is_file():
            sys.exit(f"--program {given}: no such file; leave it out to have it built")
        return Path(given).absolute()
    subprocess.run(["cargo", "build", "--release", "--locked", "-p", "aiperf"], cwd=REPOSITORY, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
    return (REPOSITORY / target / "release" / "aiperf").absolute()


def _version(program: Path) -> str:
    answer = subprocess.run([str(program), "--version"], capture_output=True, text=True, timeout=30)
    return answer.stdout.strip().removeprefix("aiperf ")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="conformance/run",
        description="Compare this program with AIPerf 0.13.0 on the same simulator. Exit 0: no unexpected difference.",
        epilog=f"{recorded_runs.GROUP}: all cases that repeat a recorded run of the reference. cases: "
        + " ".join([case.name for case in cases.CASES] + [reader_scripts_case.NAME, STARTUP]),
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to run (default: all, and write the documents)")
    parser.add_argument("--reference", metavar="PATH", help="AIPerf's command (default: $AIPERF_REFERENCE, or installs it)")
    parser.add_argument("--program", metavar="PATH", help="our program (default: built with cargo)")
    parser.add_argument("--keep", metavar="FOLDER", help="keep all artifacts in this new folder")
    parser.add_argument("--write", action="store_true", help="write docs/conformance.md and conformance/results.md also after a run of some cases")
    options = parser.parse_args()
    if recorded_runs.GROUP in options.cases:
        of_group = [name for name in recorded_runs.names() if name not in options.cases]
        options.cases = [name for name in options.cases if name != recorded_runs.GROUP] + of_group
    known = {*cases.BY_NAME, reader_scripts_case.NAME, STARTUP}
    if unknown := [name for name in options.cases if name not in known]:
        parser.error(f"no case named {', '.join(unknown)}; see --help")
    if options.keep and Path(options.keep).exists():
        parser.error(f"--keep {options.keep}: exists already")
    return options


if __name__ == "__main__":
    sys.exit(main())
