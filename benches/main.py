"""Runs the cases, prints their tables, and with --write puts them into docs/performance.md."""

import argparse
import sys
import tempfile
from pathlib import Path

import crowd
import document
import machine
import million
import pace
import plain
import processes  # of conformance/
import programs
import prompts
import recorded
import startup
import streams
import tables
from bench import Bench

CASES = {case.NAME: case for case in (startup, prompts, plain, streams, crowd, pace, million, recorded)}
WITH_OHA = {plain.NAME}
WITH_REFERENCE = {startup.NAME, prompts.NAME, plain.NAME, streams.NAME, crowd.NAME}


def main() -> int:
    options = _options()
    load = machine.load()
    chosen = options.cases or [name for name in CASES if name != recorded.NAME or options.trace]
    processes.adopt_orphans()
    # On disk rather than in memory, where a million records would compete with what is measured.
    with tempfile.TemporaryDirectory(prefix="aiperf-benches-", dir=options.folder) as temporary:
        work = Path(temporary)
        ours = programs.ours(options.program)
        oha = programs.oha(options.oha) if WITH_OHA & set(chosen) else None
        theirs = None
        if WITH_REFERENCE & set(chosen) and not options.without_reference:
            theirs = programs.theirs(options.reference, work)
        versions = ", ".join(f"{tool.name} {tool.version}" for tool in (ours, oha, theirs) if tool)
        state = machine.description(load, versions)
        print(state, flush=True)
        bench = Bench(ours, oha, theirs, work, options.quick, options.trace)
        results = []
        for name in chosen:
            results.append(CASES[name].measure(bench))
            print(tables.for_terminal(results[-1]), flush=True)
        if options.write:
            document.write(programs.REPOSITORY / "docs" / "performance.md", results, state)
        failed = [f"{result.case}: {check.what}" for result in results for check in result.checks if not check.good]
        print(f"\n{len(failed)} of {sum(len(result.checks) for result in results)} checks failed", *failed, sep="\n  ")
        return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benches/run",
        description="Measure this program, oha and AIPerf 0.13.0 on this machine. Exit code 0: every bound is met.",
        epilog="cases: " + " ".join(CASES),
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to run (default: all)")
    parser.add_argument("--quick", action="store_true", help="smaller counts: a quick check, not a measurement")
    parser.add_argument("--write", action="store_true", help="write the tables to docs/performance.md")
    parser.add_argument("--program", metavar="PATH", help="our program (default: built with cargo)")
    parser.add_argument("--oha", metavar="PATH", help=f"oha (default: installs {programs.OHA_VERSION})")
    parser.add_argument("--reference", metavar="PATH", help="AIPerf's command (default: $AIPERF_REFERENCE, or installs it)")
    parser.add_argument("--without-reference", action="store_true", help="leave the reference and its checks out")
    parser.add_argument("--trace", metavar="PATH", type=Path, help="mooncake trace for the case `trace` (default: leave the case out)")
    parser.add_argument("--folder", metavar="FOLDER", help="folder for the files of the runs (default: the system's temporary folder)")
    options = parser.parse_args()
    if unknown := [name for name in options.cases if name not in CASES]:
        parser.error(f"no case named {', '.join(unknown)}; see --help")
    if recorded.NAME in options.cases and not (options.trace and options.trace.is_file()):
        parser.error("the case trace needs --trace PATH")
    if options.write and options.quick:
        parser.error("--write needs a whole measurement: leave --quick out")
    return options


if __name__ == "__main__":
    sys.exit(main())
