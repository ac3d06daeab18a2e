#!/usr/bin/env python3
"""Runs each planner and each recipe with AIPerf and with this program on servers whose limit is known, and compares files, fields and
answers.

    conformance/searches.py [--reference PATH] [--ours PATH] [--keep FOLDER] [--write] [CASE ...]

`--write` puts the table into conformance/searches.md. The exit code is 0 if this program writes every file and field that AIPerf writes
in its searches, and if its answers are what the planners promise.
"""

import argparse
import json
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import processes
import reference
import shape
import tools
from simulator import Simulator

REPOSITORY = Path(__file__).resolve().parent.parent
TABLE = REPOSITORY / "conformance" / "searches.md"
LIMIT_S = 1500.0
# The log of the process that starts the runs; see conformance/expected.py.
KNOWN_DIFFERENCES = {"logs/aiperf.log"}
HISTORY = "search_history.json"
# Four requests run at the same time, for 190 ms each. A fifth user waits for 190 ms, so that 20 % of the first tokens take 290 ms.
SERVER = {"ttft": "100", "itl": "10", "batch": "4"}
USERS = 4
COMMON = ("--endpoint-type", "chat", "--streaming")
LENGTHS = ("--isl", "16", "--osl", "10")
# The number of requests of a run is searched, and at most 3 may be sent: a limit that does not depend on time.
COUNT = ("--search-space", "requests:1,6:int", "--search-metric", "request_count", "--search-direction", "maximize", "--concurrency", "2")
COUNT_LIMIT = ("--search-sla", "request_count:avg:le:3")
LOAD = ("--request-count", "24", "--concurrency-max", "6")
MODEL = ("--search-max-iterations", "4", "--search-initial-points", "2", "--search-random-seed", "3")
# Without the warmup of a minute before each probe, which only a file can turn off.
FILE = """sweep:
  type: adaptive_search
  planner: smooth_isotonic
  searchSpace: [{{path: requests, lo: 1, hi: 6, kind: int}}]
  objectives: [{{metric: request_count, stat: avg, direction: maximize}}]
  {limits}
  maxIterations: 16
  slaWarmupSeconds: 0
benchmark:
  model: sim-model
  endpoint: {{url: "URL", streaming: true}}
  tokenizer: {{name: builtin}}
  dataset: {{type: synthetic, isl: 16, osl: 10}}
  profiling: {{type: concurrency, concurrency: 2, requests: 1}}
"""
LIMIT = "{{metricTag: request_count, stat: avg, op: le, threshold: {}}}"


@dataclass(frozen=True)
class Search:
    name: str
    flags: tuple[str, ...]
    # The file with the answer, the answer in it, and what it may be.
    file: str
    answer: Callable[[Any], Any]
    promised: Callable[[Any], bool]
    promise: str
    # A configuration file instead of flags.
    configuration: str = ""


def _boundary(history: Any) -> Any:
    return ((history.get("boundary_summary") or {}).get("feasible_max") or {}).get("value")


def _best(history: Any) -> Any:
    return next(iter(history["best_trials"][0]["variation_values"].values())) if history["best_trials"] else None


def _tiers(history: Any) -> Any:
    return [tier["boundary_concurrency"] for tier in history["tier_results"]]


def planner(name: str, options: tuple[str, ...], exact: bool) -> Search:
    flags = (*COUNT, *COUNT_LIMIT, "--search-planner", *options)
    answer = _boundary if exact else _best
    promised = (lambda value: value == 3) if exact else (lambda value: value is not None and value <= 3)
    return Search(name, flags, HISTORY, answer, promised, "3" if exact else "the best measured, at most 3")


def recipe(name: str, options: str, file: str, answer, promised, promise: str, load: tuple[str, ...] = LOAD) -> Search:
    return Search(name, ("--search-recipe", *options.split(), *load), file, answer, promised, promise)


def _at_most_four(value: Any) -> bool:
    return value is not None and value <= USERS


TIERS = f"slaTiers: [{{label: gold, filters: [{LIMIT.format(2)}]}}, {{label: silver, filters: [{LIMIT.format(4)}]}}]"
SEARCHES = (
    planner("monotonic_sla", ("monotonic_sla", "--search-max-iterations", "16"), True),
    Search("smooth_isotonic", (), HISTORY, _boundary, lambda value: value == 3, "3",
           FILE.format(limits=f"slaFilters: [{LIMIT.format(3)}]")),
    planner("bayesian", ("bayesian", *MODEL), False),
    planner("optuna, tpe", ("optuna", "--optuna-sampler", "tpe", *MODEL), False),
    Search("tiers", (), HISTORY, _tiers, lambda value: value == [2, 4], "2 and 4", FILE.format(limits=TIERS)),
    recipe("max-concurrency-under-sla", "max-concurrency-under-sla --ttft-sla-ms 200 --search-style monotonic", HISTORY, _boundary,
           lambda value: value == USERS, "4 users"),
    # AIPerf does not use --concurrency-steps here.
    recipe("max-concurrency-under-sla, grid", "max-concurrency-under-sla --ttft-sla-ms 200 --search-style grid",
           "sweep_aggregate/sla_breach.json", lambda found: found["max_passing_concurrency"], lambda value: value == USERS, "4 users"),
    recipe("max-throughput-ttft-sla", "max-throughput-ttft-sla --ttft-sla-ms 200", HISTORY, _best, _at_most_four,
           "the best measured, at most 4 users", (*LOAD, *MODEL)),
    recipe("max-throughput-itl-sla", "max-throughput-itl-sla --itl-sla-ms 60", HISTORY, _best, lambda value: value is not None and value >= USERS,
           "the best measured, at least 4 users", (*LOAD, *MODEL)),
    recipe("max-goodput-under-slo", "max-goodput-under-slo --ttft-sla-ms 200 --itl-sla-ms 60 --e2e-sla-ms 5000", HISTORY, _best,
           _at_most_four, "the best measured, at most 4 users", (*LOAD, *MODEL)),
    recipe("concurrency-ramp", "concurrency-ramp --concurrency-steps 3", "sweep_aggregate/degradation_knee.json",
           lambda found: found["knee_concurrency"], lambda value: value == 6, "knee at 6 users of 1, 2 and 6"),
    recipe("prefill-ttft-curve", "prefill-ttft-curve --isl-min 16 --isl-max 64 --isl-steps 3", "sweep_aggregate/prefill_curve.json",
           lambda found: found["coefficients"][-1], lambda value: 80 <= value <= 250, "100 ms at length 0", ("--request-count", "8")),
    recipe("decode-itl-curve", "decode-itl-curve --concurrency-steps 2 --osl-min 4 --osl-max 8 --osl-steps 2",
           "sweep_aggregate/decode_itl_surface.json", lambda found: len(found["raw_points"]), lambda value: value == 4, "4 points",
           ("--request-count", "8", "--concurrency-max", "2")),
    recipe("pareto-sweep", "pareto-sweep --isl-osl-pairs 8/4,16/4 --concurrency 1,2", "sweep_aggregate/pareto_sweep.json",
           lambda found: len(found["cells"]), lambda value: value == 4, "4 cells", ("--request-count", "8")),
)  # fmt: skip


@dataclass
class Made:
    files: set[str]
    documents: dict[str, Any]
    answer: Any
    problem: str


def make(search: Search, tool: tools.Tool, simulator: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    sim = Simulator(simulator, SERVER, folder)
    try:
        if search.configuration:
            (folder / "search.yaml").write_text(search.configuration.replace("URL", sim.url))
            words = ("profile", "-f", "search.yaml", "--ui", "none", "--random-seed", "7", "--artifact-dir", str(folder / "artifacts"))
            tool.run(words, folder)
        else:
            # Some recipes have their own lengths of prompts and answers.
            lengths = () if search.name.startswith(("prefill", "decode", "pareto")) else LENGTHS
            tool.profile((*COMMON, *lengths, *search.flags), (sim.url,), folder)
    finally:
        sim.stop()


def read(search: Search, folder: Path) -> Made:
    root = folder / "artifacts"
    files = {_general(str(path.relative_to(root))) for path in root.rglob("*") if path.is_file()} - KNOWN_DIFFERENCES
    documents = {path: json.loads((root / path).read_text()) for path in _searched(root)}
    if search.file in documents:
        return Made(files, documents, search.answer(documents[search.file]), "")
    if documents:
        return Made(files, documents, None, f"does not write {search.file}")
    said = (folder / "stderr.txt").read_text() + (folder / "stdout.txt").read_text()
    lines = [line.strip(" │") for line in said.splitlines() if re.search(r"\w", line)]
    return Made(files, documents, None, lines[-1] if lines else "no output")


def _searched(root: Path) -> list[str]:
    """The files about the search as a whole. Those of each run are compared by conformance/run."""
    found = [root / HISTORY, *(root / "sweep_aggregate").glob("*.json")]
    return [str(path.relative_to(root)) for path in found if path.exists()]


def _general(path: str) -> str:
    """Without the values of points, which differ between searches that draw random points."""
    return re.sub(r"\d+", "N", path)


def compare(search: Search, theirs: Made, ours: Made) -> tuple[str, bool]:
    if ours.problem:
        return f"failed: {ours.problem}", False
    good = search.promised(ours.answer)
    parts = [] if good else [f"answer {ours.answer}"]
    if not theirs.documents:
        return "; ".join([f"AIPerf fails: {theirs.problem}", *parts]), good
    if lost := sorted(theirs.files - ours.files):
        parts.append(f"files missing: {', '.join(lost)}")
    fields = 0
    for name, document in theirs.documents.items():
        theirs_shape, ours_shape = shape.shape_of([document]), shape.shape_of([ours.documents.get(name)])
        fields += len(theirs_shape)
        # Values of points and of metrics are keys in some places.
        if gone := [path for path in shape.missing(theirs_shape, ours_shape) if not re.search(r"\d", path)]:
            parts.append(f"{name} lacks {', '.join(gone)}")
    more = f"; AIPerf {theirs.problem}" if theirs.problem else ""
    return ("; ".join(parts) or f"all {len(theirs.files)} kinds of files and {fields} fields") + more, not parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="searches to make (default: all)")
    parser.add_argument("--reference", help="AIPerf's command")
    parser.add_argument("--ours", default=REPOSITORY / "target" / "debug" / "aiperf", help="this program")
    parser.add_argument("--keep", metavar="FOLDER", help="keep all artifacts in this folder; searches that are there already are not made again")
    parser.add_argument("--write", action="store_true", help="put the table into conformance/searches.md")
    asked = parser.parse_args()
    processes.adopt_orphans()
    program = reference.program(asked.reference)
    chosen = [search for search in SEARCHES if not asked.cases or search.name in asked.cases]
    rows, good = [], 0
    with tempfile.TemporaryDirectory(prefix="aiperf-searches-") as temporary:
        work = Path(asked.keep).absolute() if asked.keep else Path(temporary)
        cache = reference.vocabulary_cache(REPOSITORY, work / "vocabulary")
        theirs = tools.Tool("reference", program, {"TIKTOKEN_CACHE_DIR": str(cache)}, LIMIT_S)
        ours = tools.Tool("ours", Path(asked.ours).absolute(), {}, LIMIT_S)
        for search in chosen:
            folder = work / re.sub(r"\W+", "-", search.name)
            for tool in (theirs, ours):
                if not (folder / tool.name).exists():
                    make(search, tool, ours.program, folder / tool.name)
            ends = [read(search, folder / tool.name) for tool in (theirs, ours)]
            verdict, is_good = compare(search, *ends)
            good += is_good
            rows.append(f"| `{search.name}` | {search.promise} | {ends[0].answer} | {ends[1].answer} | {verdict} |")
            print(rows[-1], flush=True)
    text = f"""# Searches of both programs

```
conformance/searches.py --write        # needs AIPerf {reference.version_of(program)}; takes a quarter of an hour
```

A simulator runs 4 requests at the same time; the searches of planners have a limit of 3 requests (tiers: 2 and 4). Result: {good} of {len(rows)} searches
have all files and fields of AIPerf, and an answer that the planner promises.

| search | known limit | AIPerf | aiperf | files and fields of AIPerf that aiperf writes |
|---|---|---|---|---|
""" + "\n".join(rows) + "\n"
    if asked.write:
        TABLE.write_text(text)
    sys.exit(0 if good == len(rows) else 1)


if __name__ == "__main__":
    main()
