#!/usr/bin/env python3
"""How often `aiperf gate` errs on real runs: pairs of runs against one simulated server, and against one whose first token
comes later. `benches/gate_pairs.py --program target/release/aiperf` prints the shares; docs/comparing.md has a table of them."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

OUTCOMES = {0: "pass", 2: "regression", 3: "cannot tell"}
TTFT = "time_to_first_token:avg"


class Server:
    """`aiperf sim`, used by `with`."""

    def __init__(self, program: Path, mean_ms: float):
        spread = mean_ms * 0.25
        self._argv = [str(program), "sim", "--port", "0", "--ttft", f"lognormal:{mean_ms},{spread}", "--itl", "gamma:3,9"]

    def __enter__(self) -> str:
        self._child = subprocess.Popen(self._argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return "http://" + self._child.stdout.readline().split("http://", 1)[1].split()[0]

    def __exit__(self, *_failure) -> None:
        self._child.terminate()
        self._child.wait()


class Runs:
    """Runs and gates in a folder of their own."""

    def __init__(self, program: Path, folder: Path):
        self._program = program
        self._folder = folder
        self._environment = {"HOME": str(folder), "PATH": os.defpath}

    def profile(self, url: str, name: str, requests: int) -> Path:
        folder = self._folder / name
        argv = [self._program, "profile", "--url", url, "--model", "sim-model", "--tokenizer", "builtin", "--streaming"]
        argv += ["--isl", "16", "--osl", "6", "--concurrency", "8", "--request-count", requests, "--artifact-dir", folder]
        ended = self._run([*argv, "--ui", "none", "--num-dataset-entries", "20"])
        if ended.returncode != 0:
            sys.exit(f"a run failed:\n{ended.stderr}")
        return folder

    def gate(self, baseline: Path, candidate: Path, *words: str) -> tuple[str, dict]:
        ended = self._run([self._program, "gate", "--baseline", baseline, candidate, "--format", "json", *words])
        if ended.returncode not in OUTCOMES:
            sys.exit(f"a gate failed:\n{ended.stderr}")
        return OUTCOMES[ended.returncode], json.loads(ended.stdout)

    def _run(self, argv: list) -> subprocess.CompletedProcess:
        words = [str(word) for word in argv]
        return subprocess.run(words, cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False)


def show(what: str, outcomes: list[str], requests: list[int]) -> None:
    if not outcomes:
        return
    shares = ", ".join(f"{name} {outcomes.count(name)}" for name in OUTCOMES.values())
    print(f"{what}: {len(outcomes)} pairs of {round(sum(requests) / len(requests))} requests: {shares}", flush=True)


def same_server(runs: Runs, url: str, pairs: int, requests: int, at_once: int) -> list[str]:
    def pair(number: int) -> tuple[str, list[str]]:
        a, b = (runs.profile(url, f"same-{number}-{side}", requests) for side in "ab")
        outcome, page = runs.gate(a, b)
        metrics = page["comparisons"][0]["metrics"]
        return outcome, [f"{metric['metric']}:{metric['statistic']}" for metric in metrics if metric["verdict"] == "worse"]

    with ThreadPoolExecutor(at_once) as pool:
        found = list(pool.map(pair, range(pairs)))
    for outcome, worse in found:
        if worse:
            print(f"  alarm: {', '.join(worse)}")
    return [outcome for outcome, _ in found]


def slower_server(runs: Runs, urls: tuple[str, str], pairs: int, pilot: int, at_once: int) -> tuple[list[str], list[int]]:
    """Each pair takes as many requests as two pilot runs of the first server say."""

    def pair(number: int) -> tuple[str, int]:
        words = ("--metric", TTFT, "--detect", "5%")
        requests, needed = pilot, None
        while needed is None:
            a, b = (runs.profile(urls[0], f"pilot-{number}-{requests}-{side}", requests) for side in "ab")
            _, page = runs.gate(a, b, *words)
            # Too few requests for an interval are too few for a forecast.
            needed = page["comparisons"][0]["metrics"][0]["forecast"].get("to_find")
            requests *= 2
        a, b = (runs.profile(url, f"slower-{number}-{side}", needed) for side, url in zip("ab", urls))
        return runs.gate(a, b, *words)[0], needed

    with ThreadPoolExecutor(at_once) as pool:
        found = list(pool.map(pair, range(pairs)))
    return [outcome for outcome, _ in found], [needed for _, needed in found]


def main() -> int:
    parser = argparse.ArgumentParser(prog="benches/gate_pairs.py", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="the aiperf to use")
    parser.add_argument("--pairs", type=int, default=200, help="pairs of the same server [200]")
    parser.add_argument("--requests", type=int, default=300, help="requests of each of their runs [300]")
    parser.add_argument("--slower-pairs", type=int, default=40, help="pairs with a server slower by 5%% [40]")
    parser.add_argument("--pilot", type=int, default=200, help="requests of each pilot run [200]")
    parser.add_argument("--at-once", type=int, default=1, help="pairs at a time [1]")
    options = parser.parse_args()
    program = options.program.resolve()
    with tempfile.TemporaryDirectory(prefix="aiperf-gate-") as temporary:
        runs = Runs(program, Path(temporary))
        with Server(program, 40.0) as usual, Server(program, 42.0) as slower:
            same = same_server(runs, usual, options.pairs, options.requests, options.at_once)
            show("same server", same, [options.requests] * options.pairs)
            found, needed = slower_server(runs, (usual, slower), options.slower_pairs, options.pilot, options.at_once)
            show("TTFT slower by 5%", found, needed)
    # A machine that has other work to do makes a server slow that is not, and the alarms true.
    kept = same.count("regression") <= 0.05 * len(same) and found.count("regression") >= 0.95 * len(found)
    print("alarms in at most 5% and regressions found in at least 95%:", "yes" if kept else "no")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
