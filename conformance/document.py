"""docs/conformance.md: the last whole run."""

import datetime
import os
import platform
from collections import Counter

import expected
import recorded_runs
from case import SPEED
from report import Outcome, Result
from startup import LIMIT, ROUNDS
from tools import COMMON
from truth import TOLERANCE_MS, Verdict

AREAS = ("file", "field", "type", "unit", "csv", "console", "value", "exit")

# Cases that are named one by one.
MANY = 6

HEAD = """\
# Conformance with AIPerf {reference}

Written by `conformance/run`: AIPerf {reference} (the reference) and this program ({ours}) run with the same flags, one after the other,
each against a fresh simulator (`aiperf sim`, a process of its own), and what they leave behind is compared.

Last run: {date}, {machine}. Client and server shared that machine with each other and with other work, so the timing errors of both
tools hold noise that is neither's; the load average was {load} at the end.

**Result: {verdict}.** {cases} cases, {unexpected} unexpected differences.

Both tools get `{common}` in every case.
Server metrics and GPU telemetry are off because this program collects neither so far;
they are the part of the reference's files that is not compared here. Unless a case says otherwise the simulator takes {ttft} ms to the
first token and {itl} ms for each further one, and there are 40 requests of 32 input and 16 output tokens, 4 at a time. Both count tokens with o200k:
the reference gets the vocabulary from the crate that compiles it into this program, and checks its SHA-256 itself.
"""

COMPARED = """\
## What is compared

- **files**: the names of all files in the artifact folder.
- **fields, types, units**: every key path of summary JSON, records, raw records, `inputs.json`, phase files and ready marker, with the JSON
  types found there (whole numbers and fractions told apart) and every unit. Metric tags are key paths.
- **csv, console**: sections, headers, rows (names carry units), their order, which cells hold a value; tables, columns, rows, the lines and
  notes after them.
- **values**: the resolved configuration, the ready marker, fields of request bodies; and where both tools make the same requests, all counts:
  requests, errors with code and type, tokens, usage, goodput, phases, sessions, the number of values behind every statistic.
- **phases**: what each tool logs at the end of each phase: requests sent, completed, cancelled and failed, sessions sent, completed and
  cancelled, and whether a time limit ended it.
- **at the server** (cases about load): requests and sessions, turns of a session and their order, the messages of each body (texts where the
  data came from a file, roles and replies everywhere), most requests in flight and in prefill, connections, servers, probes, and for modes
  with a schedule when each request or quarter of them came, within a tolerance that the case states.
- **truth**: every request, joined by `X-Request-ID`, against what the simulator did.

A difference that is not in `conformance/expected.py` fails the run.

## Cases

Numbers are differences, all of them expected and explained below; `–` is none. "Records" are requests that the server saw / that the tool
has no record of / that it takes for a success though it failed, or the reverse. A case that does not agree is run again, three times in
all: the machine may have been too busy, and a true difference comes again. {again}

"""

RUNS = """\
## Recorded runs

Each of the reference's recorded sample runs, and the cases above that make it again with both tools: same server, same kind of load, the flags
that are special about it. The tests of `crates/artifact` hold `aiperf report` against the records of all of them.

"""

TRUTH = """\
## Distance from the truth

Client and server are on one machine, so there is one wall clock and one monotonic clock. The simulator stamps each content chunk just before
it writes it and each request when the read that completed it returned. Both tools write the wall-clock start of each request
(`request_start_ns`) and durations from there. With these, for each request that succeeded, the error is:

| measure | error |
|---|---|
| send | arrival at the server − `request_start_ns`: how long the request was on its way after the client started its watch (connecting included) |
| ttft | `time_to_first_token` − (write of first chunk − `request_start_ns`): how late the client noticed the first chunk |
| latency | `request_latency` − (write of last chunk − `request_start_ns`): the same for the last |
| itl | `inter_token_latency` − (write of last − write of first chunk) / (output tokens − 1) |
| service | `time_to_first_token` − (write of first chunk − arrival): send and ttft together; needs no wall clock |

Absolute values are compared. Ours must be no farther from the truth than the reference, with a tolerance of {resolution} ms: in the median of each
case, and in median and p99 of all together. The p99 of a case of 40 requests is its worst request and the maximum always is, so these are shown
and not judged. {near} {tails}

All timed cases together (milliseconds):

"""

BY_CASE = "\nBy case, median / p99 / max in milliseconds, reference → ours:\n\n"

STARTUP = """
## Start-up

Ten streaming requests to a simulator without latency, medians of {rounds} rounds in turn; CPU time is user + system of all processes. The bound is
1/{bound} for wall and CPU time of the run.

"""

EXPECTED = """
## Expected differences

Each with its reason; the table that decides is `conformance/expected.py`.

"""


def document(result: Result) -> str:
    parts = [
        HEAD.format(
            reference=result.reference_version,
            ours=result.our_version,
            date=datetime.date.today().isoformat(),
            machine=_machine(),
            load="%.1f" % os.getloadavg()[0],
            verdict="good" if result.good else "not good",
            cases=len(result.outcomes),
            unexpected=sum(len(outcome.unexpected()) for outcome in result.outcomes),
            common=" ".join(COMMON),
            **SPEED,
        ),
        COMPARED.format(again=_run_again(result.outcomes)),
        _cases(result.outcomes),
        _unexpected(result.outcomes),
        RUNS,
        _recorded_runs(result.outcomes),
        TRUTH.format(resolution=TOLERANCE_MS, near=_within_tolerance(result.outcomes), tails=_tails(result.outcomes)),
        _pooled(result.pooled()),
        BY_CASE,
        _by_case(result.outcomes),
    ]
    if result.costs:
        parts += [STARTUP.format(rounds=ROUNDS, bound=round(1 / LIMIT)), _costs(result)]
    parts += [EXPECTED, _expected(result.outcomes)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


def _run_again(outcomes: list[Outcome]) -> str:
    named = [f"{outcome.case.name} ({outcome.tries} times)" for outcome in outcomes if outcome.tries > 1]
    return f"Run more than once: {', '.join(named) or 'none'}."


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _cases(outcomes: list[Outcome]) -> str:
    rows = [["case", "what", *AREAS, "records, reference", "records, ours", "verdict"]]
    for outcome in outcomes:
        counts = Counter(difference.area for difference in outcome.differences)
        areas = [str(counts[area]) if counts[area] else "–" for area in AREAS]
        faults = [
            f"{len(run.truth_requests())}/{errors.without_record}/{errors.wrong_outcomes}" if run.records and run.truth else "–"
            for run, errors in ((outcome.reference, outcome.reference_errors), (outcome.ours, outcome.our_errors))
        ]
        rows.append([outcome.case.name, outcome.case.title, *areas, *faults, "good" if outcome.good else "**not good**"])
    tokens = [
        f"{sum(errors.compared for errors in side)} requests compared, {sum(errors.wrong_tokens for errors in side)} with a wrong token count"
        for side in ([o.reference_errors for o in outcomes], [o.our_errors for o in outcomes])
    ]
    return _table(rows) + f"\nToken counts against the server's: reference {tokens[0]}; ours {tokens[1]}.\n"


def _recorded_runs(outcomes: list[Outcome]) -> str:
    verdicts = {outcome.case.name: "good" if outcome.good else "**not good**" for outcome in outcomes}
    rows = [["recorded run", "what", "cases"]]
    for run, (title, names) in recorded_runs.RUNS.items():
        rows.append([run, title, ", ".join(f"{name} ({verdicts.get(name, 'not run')})" for name in names)])
    rows += [[run, reason, "none"] for run, reason in recorded_runs.WITHOUT.items()]
    return _table(rows)


def _unexpected(outcomes: list[Outcome]) -> str:
    lines = [f"- {difference.case}: {difference}" for outcome in outcomes for difference in outcome.unexpected()]
    return "\n## Unexpected differences\n\n" + "\n".join(lines) + "\n" if lines else ""


def _pooled(verdicts: list[Verdict]) -> str:
    rows = [["measure", "requests", "statistic", "reference", "ours", "no farther"]]
    for verdict in verdicts:
        mark = "yes" if verdict.good else "no"
        shown = mark if verdict.statistic != "max" else f"({mark})"
        rows.append(
            [verdict.measure, str(verdict.count), verdict.statistic, f"{verdict.reference_ms:.3f}", f"{verdict.ours_ms:.3f}", shown]
        )
    return _table(rows)


def _within_tolerance(outcomes: list[Outcome]) -> str:
    """Medians that pass only because of the tolerance."""
    near = [
        f"{outcome.case.name} {verdict.measure} (by {verdict.ours_ms - verdict.reference_ms:.3f} ms)"
        for outcome in outcomes
        for verdict in outcome.verdicts()
        if verdict.statistic == "p50" and verdict.ours_ms > verdict.reference_ms and verdict.good
    ]
    return f"Medians that needed the tolerance: {', '.join(near) or 'none'}."


def _tails(outcomes: list[Outcome]) -> str:
    tails = [verdict for outcome in outcomes for verdict in outcome.verdicts() if verdict.statistic == "p99"]
    farther = sum(not verdict.good for verdict in tails)
    return f"Ours was farther in {farther} of the {len(tails)} p99 values of single cases."


def _by_case(outcomes: list[Outcome]) -> str:
    measures = ("send", "ttft", "latency", "itl")
    rows = [["case", *measures]]
    for outcome in outcomes:
        found = {(verdict.measure, verdict.statistic): verdict for verdict in outcome.verdicts()}
        if not found:
            continue
        rows.append([outcome.case.name, *(_three(found, measure) for measure in measures)])
    return _table(rows)


def _three(found: dict[tuple[str, str], Verdict], measure: str) -> str:
    verdicts = [found.get((measure, statistic)) for statistic in ("p50", "p99", "max")]
    if None in verdicts:
        return "–"
    sides = (" / ".join(f"{getattr(verdict, side):.2f}" for verdict in verdicts) for side in ("reference_ms", "ours_ms"))
    return " → ".join(sides)


def _costs(result: Result) -> str:
    rows = [["what", "reference", "ours", "ratio", "within bound"]]
    for cost in result.costs:
        bound = ("yes" if cost.good else "no") if cost.bound else "–"
        rows.append([cost.what, f"{cost.reference_s:.3f} s", f"{cost.ours_s:.3f} s", f"1/{1 / cost.ratio:.0f}", bound])
    return _table(rows)


def _expected(outcomes: list[Outcome]) -> str:
    lines = []
    for entry in expected.EXPECTED:
        seen = [difference for outcome in outcomes for difference in outcome.differences if expected.expectation_of(difference) is entry]
        if seen:
            cases = sorted({difference.case for difference in seen})
            where = ", ".join(cases) if len(cases) <= MANY else f"{len(cases)} cases"
            example = str(seen[0])
            lines.append(f"- **{entry.title}.** {entry.reason} *Seen {len(seen)} times, in {where}; first: {_short(example)}*")
    return "\n".join(lines) + "\n"


def _short(text: str) -> str:
    plain = text.replace("|", "\\|").replace("*", "\\*")
    return plain if len(plain) <= 160 else plain[:157] + "..."


def _table(rows: list[list[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
