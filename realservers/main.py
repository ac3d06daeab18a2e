"""Installs, starts, loads, checks and stops each server, and with --write writes the results to docs/endpoints.md and
docs/telemetry.md."""

import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import counters
import document
import processes  # of conformance/
import servers
import tables
from outcome import Outcome
from server import Running, Server

REPOSITORY = Path(__file__).resolve().parent.parent
# Servers count a request when they have cleaned up after it, which may be after the client has its answer.
SETTLE_LIMIT_S = 10.0


def main() -> int:
    options = _options()
    processes.adopt_orphans()
    program = _our_program(options.program)
    chosen = [servers.BY_NAME[name] for name in options.servers] or list(servers.SERVERS)
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="aiperf-realservers-") as temporary:
        work = Path(options.keep).absolute() if options.keep else Path(temporary)
        for server in chosen:
            outcomes += _try(server, program, work / server.name)
    failed = [outcome for outcome in outcomes if not outcome.good]
    print(f"\n{len(outcomes) - len(failed)} of {len(outcomes)} trials passed")
    for outcome in failed:
        print(f"  failed: {outcome.server.name}: {outcome.trial.name}")
    if options.write:
        document.write(REPOSITORY / "docs", outcomes, _machine(program))
    return 1 if failed else 0


def _try(server: Server, program: Path, folder: Path) -> list[Outcome]:
    folder.mkdir(parents=True)
    version, outcomes = "", []
    try:
        server.install()
        version = server.version()
        with Running(server, folder) as running:
            print(f"\n{server.title} {version} ({server.name}): ready after {running.started_in_s:.0f} s", flush=True)
            for trial in server.trials:
                outcomes.append(_run(Outcome(server, version, trial), running, program, folder))
                print(tables.for_terminal(outcomes[-1]), flush=True)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        print(f"\n{server.name}: {error}", flush=True)
        done = {outcome.trial.name for outcome in outcomes}
        left = (trial for trial in server.trials if trial.name not in done)
        outcomes += [Outcome(server, version, trial, failure="the server did not run") for trial in left]
    return outcomes


def _run(outcome: Outcome, running: Running, program: Path, folder: Path) -> Outcome:
    trial = outcome.trial
    where = trial.counters or outcome.server.counters
    before = where.read(running.metrics_url) if where else []
    place = folder / trial.name.replace(", ", "-").replace(" ", "-")
    is_elsewhere = where and running.metrics_url != running.url
    page = running.metrics_url + where.path if is_elsewhere else None
    run = trial.run(program, running.doors[trial.door], place, page)
    outcome.ours, outcome.usage = run.sums(), run.usage()
    if where:
        outcome.counted = _settled(where, running, before, outcome)
        outcome.page = run.page(where)
        (place / "page.txt").write_text(where.page(running.metrics_url))
    outcome.checks = run.checks(outcome.ours, outcome.counted)
    return outcome


def _settled(
    where: counters.Counters, running: Running, before: counters.Samples, outcome: Outcome
) -> counters.Counted:
    until = time.monotonic() + SETTLE_LIMIT_S
    while True:
        counted = counters.between(where, before, where.read(running.metrics_url))
        requests = outcome.trial.requests * outcome.trial.counted_as
        tokens = outcome.usage.output_tokens if outcome.usage else 0
        requests_there = counted.requests is None or counted.requests >= requests
        tokens_there = counted.output_tokens is None or counted.output_tokens >= tokens
        if (requests_there and tokens_there) or time.monotonic() > until:
            return counted
        time.sleep(0.25)


def _our_program(given: str | None) -> Path:
    if given:
        if not Path(given).is_file():
            sys.exit(f"--program {given}: no such file; leave it out to have it built")
        return Path(given).absolute()
    subprocess.run(["cargo", "build", "--release", "--locked", "-p", "aiperf"], cwd=REPOSITORY, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
    return (REPOSITORY / target / "release" / "aiperf").absolute()


def _machine(program: Path) -> str:
    answer = subprocess.run([str(program), "--version"], capture_output=True, text=True, timeout=30)
    version = answer.stdout.strip().split()[-1]
    load = os.getloadavg()[0]
    return (
        f"Last run: {datetime.date.today().isoformat()}, {os.cpu_count()} cores, no GPU, {platform.system()}, "
        f"load {load:.1f}; aiperf {version}. Rows of servers that it did not include are those of earlier runs."
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="realservers/run",
        description="Run this program against real inference servers. Exit code 0: every count equals the server's.",
        epilog="servers: " + " ".join(servers.BY_NAME),
    )
    parser.add_argument("servers", nargs="*", metavar="NAME", help="servers to run against (default: all)")
    parser.add_argument("--program", metavar="PATH", help="our program (default: built with cargo)")
    parser.add_argument("--keep", metavar="FOLDER", help="keep logs and artifacts in this new folder")
    parser.add_argument("--write", action="store_true", help="write the results to docs/endpoints.md and docs/telemetry.md; rows of other servers stay")
    options = parser.parse_args()
    if unknown := [name for name in options.servers if name not in servers.BY_NAME]:
        parser.error(f"no server named {', '.join(unknown)}; see --help")
    if options.keep and Path(options.keep).exists():
        parser.error(f"--keep {options.keep}: exists already")
    return options


if __name__ == "__main__":
    sys.exit(main())
