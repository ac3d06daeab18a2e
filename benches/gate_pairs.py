#!/usr/bin/env python3
"""How often `aiperf gate` errs on real runs, and how often stated throughput intervals hold.

    benches/gate_pairs.py --program target/dist/aiperf --output gate_pairs.json

makes pairs of runs against one simulated server (a regression is a false alarm), pairs whose second server sends its first token
5 % later (a regression is found), and takes the throughput of all runs of the first server: how many of their 95 % intervals hold
the mean of all. Needs Python 3 and the program, nothing else. The defaults take about six minutes on a quiet machine of 16 cores;
docs/comparing.md has the table. `--pairs 10 --slower-pairs 5 --at-once 1` is a quick look."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

OUTCOMES = {0: "pass", 2: "regression", 3: "cannot tell"}
TTFT = "time_to_first_token:avg"
RATES = ("request_throughput", "output_token_throughput")
USUAL_MS = 40.0
SLOWER_MS = 42.0


class Server:
    """`aiperf sim`: log-normal times to the first token, gamma gaps."""

    def __init__(self, program: Path, mean_ms: float, spread: float):
        ttft = f"lognormal:{mean_ms},{mean_ms * spread}"
        argv = [str(program), "sim", "--port", "0", "--ttft", ttft, "--itl", "gamma:4,25"]
        self._child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = "http://" + self._child.stdout.readline().split("http://", 1)[1].split()[0]

    def stop(self) -> None:
        self._child.terminate()
        self._child.wait()


class Runs:
    """Runs and gates in a folder of their own. Each thread has its own servers, so that no server is shared by two runs."""

    def __init__(self, options: argparse.Namespace, folder: Path):
        self._program = options.program.resolve()
        self._spread = options.ttft_spread
        self._concurrency = options.concurrency
        self._folder = folder
        self._environment = {"HOME": str(folder), "PATH": os.defpath}
        self._of_thread = threading.local()
        self._servers: list[Server] = []
        self._lock = threading.Lock()

    def url(self, mean_ms: float) -> str:
        mine = self._of_thread.__dict__.setdefault("servers", {})
        if mean_ms not in mine:
            mine[mean_ms] = Server(self._program, mean_ms, self._spread)
            with self._lock:
                self._servers.append(mine[mean_ms])
        return mine[mean_ms].url

    def profile(self, mean_ms: float, name: str, requests: int) -> Path:
        folder = self._folder / name
        argv = [self._program, "profile", "--url", self.url(mean_ms), "--model", "sim-model", "--tokenizer", "builtin"]
        argv += ["--streaming", "--isl", "16", "--osl", "16", "--concurrency", self._concurrency]
        argv += ["--request-count", requests, "--artifact-dir", folder, "--ui", "none", "--num-dataset-entries", "20"]
        ended = self._run(argv)
        if ended.returncode != 0:
            sys.exit(f"a run failed:\n{ended.stderr}")
        return folder

    def gate(self, baseline: Path, candidate: Path, *words: str) -> tuple[str, dict]:
        ended = self._run([self._program, "gate", "--baseline", baseline, candidate, "--format", "json", *words])
        if ended.returncode not in OUTCOMES:
            sys.exit(f"a gate failed with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
        return OUTCOMES[ended.returncode], json.loads(ended.stdout)

    def stop(self) -> None:
        for server in self._servers:
            server.stop()

    def _run(self, argv: list) -> subprocess.CompletedProcess:
        words = [str(word) for word in argv]
        return subprocess.run(words, cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False)


def rates(folder: Path) -> dict:
    """Each throughput with its interval, as the summary states it."""
    summary = json.loads((folder / "profile_export_aiperf.json").read_text())
    found = {}
    for rate in RATES:
        metric = summary[rate]
        low, high = metric.get("ci", {}).get("avg", (None, None))
        found[rate] = (metric["avg"], low, high)
    return found


def coverage(measured: list[dict]) -> dict:
    """How often the interval of one run holds the mean over all runs."""
    result = {}
    for rate in RATES:
        runs = [run[rate] for run in measured]
        mean = statistics.fmean(value for value, _, _ in runs)
        stated = [(low, high) for _, low, high in runs if low is not None]
        held = sum(low <= mean <= high for low, high in stated)
        result[rate] = {
            "runs": len(runs),
            "with_interval": len(stated),
            "held_percent": round(100 * held / len(stated), 2) if stated else None,
            "mean": round(mean, 3),
            "between_runs_sd_percent": round(100 * statistics.stdev(value for value, _, _ in runs) / mean, 3),
            "stated_half_width_percent": round(50 * statistics.fmean(high - low for low, high in stated) / mean, 3),
        }
    return result


def same_server(runs: Runs, pairs: int, requests: int, at_once: int) -> tuple[dict, list[dict]]:
    def pair(number: int) -> tuple[str, list[str], list[dict]]:
        a, b = (runs.profile(USUAL_MS, f"same-{number}-{side}", requests) for side in "ab")
        outcome, page = runs.gate(a, b)
        metrics = page["comparisons"][0]["metrics"]
        stuck = [f"{metric['metric']}:{metric['statistic']}" for metric in metrics if metric["gate"] != "pass"]
        return outcome, stuck, [rates(a), rates(b)]

    with ThreadPoolExecutor(at_once) as pool:
        found = list(pool.map(pair, range(pairs)))
    not_passed: dict[str, int] = {}
    for _, stuck, _ in found:
        for name in stuck:
            not_passed[name] = not_passed.get(name, 0) + 1
    result = shares([outcome for outcome, _, _ in found], [requests] * pairs)
    return {**result, "not_passed_by_metric": not_passed}, [one for _, _, both in found for one in both]


def slower_server(runs: Runs, pairs: int, pilot: int, at_once: int) -> dict:
    """Each pair takes as many requests as two pilot runs of the first server say."""

    def needed(number: int) -> int:
        requests = pilot
        while True:
            a, b = (runs.profile(USUAL_MS, f"pilot-{number}-{requests}-{side}", requests) for side in "ab")
            _, page = runs.gate(a, b, "--detect", "5%")
            metrics = page["comparisons"][0]["metrics"]
            forecast = next(it["forecast"] for it in metrics if f"{it['metric']}:{it['statistic']}" == TTFT)
            # Too few requests for an interval are too few for a forecast.
            if forecast and forecast.get("to_find"):
                return forecast["to_find"]
            requests *= 2

    def pair(number: int) -> tuple[str, int]:
        requests = needed(number)
        a = runs.profile(USUAL_MS, f"slower-{number}-a", requests)
        b = runs.profile(SLOWER_MS, f"slower-{number}-b", requests)
        return runs.gate(a, b, "--detect", "5%")[0], requests

    with ThreadPoolExecutor(at_once) as pool:
        found = list(pool.map(pair, range(pairs)))
    return shares([outcome for outcome, _ in found], [requests for _, requests in found])


def shares(outcomes: list[str], requests: list[int]) -> dict:
    percent = {name: round(100 * outcomes.count(name) / len(outcomes), 2) for name in OUTCOMES.values()}
    return {"pairs": len(outcomes), "requests": round(statistics.fmean(requests)), "percent": percent}


def main() -> int:
    cores = os.cpu_count() or 2
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="the aiperf to use")
    parser.add_argument("--pairs", type=int, default=200, help="pairs of the same server [200]")
    parser.add_argument("--requests", type=int, default=400, help="requests of each of their runs [400]")
    parser.add_argument("--concurrency", type=int, default=20, help="requests in flight [20]")
    parser.add_argument("--ttft-spread", type=float, default=0.1, help="spread of times to first token, over the mean [0.1]")
    parser.add_argument("--slower-pairs", type=int, default=200, help="pairs with a server slower by 5 percent [200]")
    parser.add_argument("--pilot", type=int, default=200, help="requests of each pilot run [200]")
    parser.add_argument("--at-once", type=int, default=max(1, min(6, cores // 2)), help="pairs at a time [half of the cores, at most 6]")
    parser.add_argument("--output", type=Path, help="where to write all figures, as JSON")
    options = parser.parse_args()
    if not options.program.exists():
        sys.exit(f"--program {options.program}: no such file; build it with `cargo build --profile dist`")
    result: dict = {"ttft_spread": options.ttft_spread, "concurrency": options.concurrency}
    with tempfile.TemporaryDirectory(prefix="aiperf-gate-") as temporary:
        runs = Runs(options, Path(temporary))
        try:
            if options.pairs:
                result["same_server"], measured = same_server(runs, options.pairs, options.requests, options.at_once)
                result["throughput_intervals"] = coverage(measured)
            if options.slower_pairs:
                result["slower_by_5_percent"] = slower_server(runs, options.slower_pairs, options.pilot, options.at_once)
        finally:
            runs.stop()
    # A machine that has other work to do makes a server slow that is not, and the alarms true.
    same, slower = result.get("same_server"), result.get("slower_by_5_percent")
    held = [rate["held_percent"] for rate in result.get("throughput_intervals", {}).values()]
    result["kept"] = {
        "alarms at most 5%": same["percent"]["regression"] <= 5 if same else None,
        "passes at least 80%": same["percent"]["pass"] >= 80 if same else None,
        "regressions found in at least 95%": slower["percent"]["regression"] >= 95 if slower else None,
        "throughput intervals hold 93 to 97%": all(93 <= percent <= 97 for percent in held) if held else None,
    }
    text = json.dumps(result, indent=2)
    print(text)
    if options.output:
        options.output.write_text(text + "\n")
    return 0 if all(kept is not False for kept in result["kept"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
