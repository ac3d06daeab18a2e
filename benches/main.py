"""Runs the cases, prints their tables, and with --write puts them into docs/performance.md."""

import argparse
import dataclasses
import sys
import tempfile
from pathlib import Path

import crowd
import document
import hugging_face
import machine
import many_plain
import million
import million_chunks
import pace
import plain
import processes  # of conformance/
import programs
import prompts
import recorded
import scraping
import slow_cores
import startup
import storm
import streams
import tables
import ten_thousand
import views
from bench import Bench
from results import Result, median_figures

CASES = {
    case.NAME: case
    for case in (
        startup, prompts, plain, streams, crowd, pace, million, storm, ten_thousand, slow_cores, many_plain,
        hugging_face.STREAMS, hugging_face.PLAIN, million_chunks, scraping, views, recorded,
    )
}  # fmt: skip
WITH_OHA = {plain.NAME, many_plain.NAME}
WITH_BARE_CLIENT = {storm.NAME, ten_thousand.NAME, slow_cores.NAME, many_plain.NAME, million_chunks.NAME}
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
        oha = programs.oha(options.oha) if WITH_OHA & set(chosen) and not options.without_oha else None
        theirs = None
        if WITH_REFERENCE & set(chosen) and not options.without_reference:
            theirs = programs.theirs(options.reference, work)
        server = Path(options.simulator).absolute() if options.simulator else ours.path
        bare_client = None
        if WITH_BARE_CLIENT & set(chosen):
            bare_client = programs.bare_client(options.bare_client, may_build=not options.program)
            if not bare_client:
                print("the bare client is left out: give --bare-client PATH", flush=True)
        bench = Bench(ours, oha, theirs, work, options.quick, options.trace, server, bare_client)
        versions = ", ".join(f"{tool.name} {tool.version}" for tool in (ours, oha, theirs) if tool)
        state = machine.description(load, versions)
        print(state, flush=True)
        if options.against:
            return _compare(bench, programs.ours(options.against, "against"), chosen, options.rounds, options.json, state)
        results = []
        for name in chosen:
            results.append(CASES[name].measure(bench))
            print(tables.for_terminal(results[-1]), flush=True)
        if options.json:
            document.write_json(options.json, state, {"results": results})
        if options.write:
            document.write(programs.REPOSITORY / "docs" / "performance.md", results, state)
        return _verdict(results)


def _compare(
    bench: Bench, against: programs.Program, chosen: list[str], rounds: int, json_file: Path | None, state: str
) -> int:
    """Runs each case for both programs in turn, against the same simulator, and prints both."""
    print(f"program: {bench.ours.path}\nagainst: {against.path}\nsimulator of both: {bench.server_program}", flush=True)
    last, all_rounds = [], {against.name: [], bench.ours.name: []}
    for name in chosen:
        measured: dict[str, list[Result]] = {}
        for number in range(rounds):
            # Who goes first changes, so that a machine that warms up or tires favours neither.
            for program in (against, bench.ours)[:: 1 if number % 2 == 0 else -1]:
                mine = dataclasses.replace(bench, ours=program, _startups={})
                measured.setdefault(program.name, []).append(CASES[name].measure(mine))
        old, new = measured[against.name], measured[bench.ours.name]
        print(tables.for_terminal(old[-1]), tables.for_terminal(new[-1]), flush=True)
        medians = median_figures(old, against.name), median_figures(new, bench.ours.name)
        print(tables.for_comparison(name, rounds, *medians), flush=True)
        last.append(new[-1])
        all_rounds[against.name] += old
        all_rounds[bench.ours.name] += new
        if json_file:
            document.write_json(json_file, state, all_rounds)
    return _verdict(last)


def _verdict(results: list[Result]) -> int:
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
    parser.add_argument("--against", metavar="PATH", help="another build of our program: each case runs for both in turn (without oha and AIPerf)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds of --against (default: 3)")
    parser.add_argument("--simulator", metavar="PATH", help="the program whose simulator serves all runs (default: our program)")
    parser.add_argument("--bare-client", "--floor", metavar="PATH", help="the bare client (default: built, or left out with --program)")
    parser.add_argument("--json", metavar="PATH", type=Path, help="write all figures and checks to this file, of every round with --against")
    parser.add_argument("--oha", metavar="PATH", help=f"oha (default: installs {programs.OHA_VERSION})")
    parser.add_argument("--without-oha", action="store_true", help="leave oha and its checks out")
    parser.add_argument("--reference", metavar="PATH", help="AIPerf's command (default: $AIPERF_REFERENCE, or installs it)")
    parser.add_argument("--without-reference", action="store_true", help="leave the reference and its checks out")
    parser.add_argument("--trace", metavar="PATH", type=Path, help="mooncake trace for the case `trace` (default: leave the case out)")
    parser.add_argument("--folder", metavar="FOLDER", help="folder for the files of the runs (default: the system's temporary folder)")
    options = parser.parse_args()
    if unknown := [name for name in options.cases if name not in CASES]:
        parser.error(f"no case named {', '.join(unknown)}; see --help")
    if recorded.NAME in options.cases and not (options.trace and options.trace.is_file()):
        parser.error("the case trace needs --trace PATH")
    if options.write and (options.quick or options.against):
        parser.error("--write needs a whole measurement of one program: leave --quick and --against out")
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if options.against:
        options.without_oha = options.without_reference = True
    return options


if __name__ == "__main__":
    sys.exit(main())
