"""What the last whole run gave: docs/conformance.md is one page, conformance/results.md has the long tables."""

import datetime
import os
import platform
import re
from collections import Counter
from pathlib import Path

import expected
import recorded_runs
from case import SPEED
from report import Outcome, Result
from startup import LIMIT, ROUNDS
from tools import COMMON
from truth import TOLERANCE_MS, Errors, Verdict

AREAS = ("file", "field", "type", "unit", "csv", "console", "value", "exit")

# The table that conformance/config_files.py writes.
CONFIG_FILES = Path(__file__).resolve().parent / "config_files.md"

# Cases that are named one by one.
MANY = 6

PAGE = """\
# Conformance with AIPerf {reference}

Check that this program gives the same results as AIPerf {reference} (the reference):

```
conformance/run                        # all cases; needs Python 3.10 and the network, takes minutes
conformance/run chat-streaming sweep   # some cases
conformance/run --help                 # lists the cases and options
```

The exit code is 0 if there is no unexpected difference. A run of all cases writes this page and
[conformance/results.md](../conformance/results.md), which has the result of each case and every expected difference with its reason.
[compatibility.md](compatibility.md) describes the same differences for users.

## Last run

| | |
|---|---|
| result | **{verdict}**: {cases} cases, {unexpected} unexpected differences |
| versions | AIPerf {reference}, aiperf {ours} |
| date and machine | {date}, {machine}; load average {load} at the end |
| token counts compared with the server's | reference: {reference_tokens}; ours: {our_tokens} |

## Method

Both tools run with the same options, one after the other, each against a fresh simulator (`aiperf sim`, a separate process). Every case gives both tools
`{common}`. Server metrics and GPU telemetry are off unless the case is about them. By default the simulator takes {ttft} ms to the
first token and {itl} ms for each further one, and a case sends 40 requests with 32 input and 16 output tokens, 4 at a time. Both tools count tokens
with o200k: the reference gets the vocabulary from the crate that compiles it into this program, and checks its SHA-256.

| compared | what |
|---|---|
| files | the names of all files in the artifact folder |
| fields, types, units | every key path of summary JSON, records, raw records, `inputs.json`, phase files and ready marker, with its JSON types (whole numbers and fractions separately) and every unit |
| csv, console | sections, headers, rows, their order, which cells have a value; tables, columns, rows, the lines and notes after them |
| values | the resolved configuration, the ready marker, fields of request bodies. If both tools make the same requests, also all counts: requests, errors with code and type, tokens, usage, goodput, phases, sessions, the number of values behind every statistic |
| phases | the log at the end of each phase: requests sent, completed, cancelled and failed, sessions sent, completed and cancelled, and whether a time limit ended it |
| at the server (cases about load) | requests and sessions, turns and their order, the messages of each body, most requests in flight and in prefill, connections, servers, probes; for modes with a schedule also arrival times, within a tolerance that the case states |
| truth | every request, matched by `X-Request-ID`, compared with what the simulator did |

A difference that is not in `conformance/expected.py` fails the run. A case that fails is run up to three times, because the machine may have been too busy;
a real difference appears every time.

## Timing errors

Client and server are on one machine and share its clocks. The simulator takes the time of each content chunk just before it writes it, and of each request when the read
that completed it returned. Both tools write the wall-clock start of each request (`request_start_ns`) and durations from there. The error of a successful request is:

| measure | error |
|---|---|
| send | arrival at the server − `request_start_ns` (connecting included) |
| ttft | `time_to_first_token` − (write of first chunk − `request_start_ns`) |
| latency | `request_latency` − (write of last chunk − `request_start_ns`) |
| itl | `inter_token_latency` − (write of last − write of first chunk) / (output tokens − 1) |
| service | `time_to_first_token` − (write of first chunk − arrival); does not depend on the wall clock |

Absolute errors are compared. Our error must not be larger than the reference's, with a tolerance of {resolution} ms: in the median of each
case, and in median and p99 of all cases together. The p99 of a case of 40 requests is its worst request, so p99 and maximum of single cases are shown
but not checked. {near} {tails}

All timed cases together, in milliseconds:

"""

STARTUP = """
## Start-up

Ten streaming requests to a simulator without latency; medians of {rounds} alternating rounds. CPU time is user and system time of all processes. The bound is
1/{bound} for wall and CPU time of the run.

"""

RESULTS = """\
# Results of `conformance/run`

Written by `conformance/run` on {date}; [docs/conformance.md](../docs/conformance.md) explains the method. To repeat one case:

```
conformance/run chat-streaming
```

## Cases

Each number is a number of differences, all of them expected and explained [below](#expected-differences); `–` means none. "Records" has three numbers:
requests that the server saw, requests without a record in the tool's files, and requests whose outcome is wrong (a failure recorded as a success, or the reverse). {again}

"""

RUNS = """\
## Recorded runs

The recorded sample runs of the reference, and the cases that repeat them with both tools: the same server, the same kind of load, the same special
options. The tests of `crates/artifact` compare `aiperf report` with the records of all of them.

"""

BY_CASE = """
## Timing errors by case

Median / p99 / max in milliseconds, reference → ours.

"""

EXPECTED = """
## Expected differences

`conformance/expected.py` has the rules. Each difference with its reason:

"""


def page(result: Result) -> str:
    """docs/conformance.md: the result and how it was found."""
    outcomes = result.outcomes
    parts = [
        PAGE.format(
            reference=result.reference_version,
            ours=result.our_version,
            date=datetime.date.today().isoformat(),
            machine=_machine(),
            load="%.1f" % os.getloadavg()[0],
            verdict="good" if result.good else "not good",
            cases=len(outcomes),
            unexpected=sum(len(outcome.unexpected()) for outcome in outcomes),
            reference_tokens=_token_counts([outcome.reference_errors for outcome in outcomes]),
            our_tokens=_token_counts([outcome.our_errors for outcome in outcomes]),
            common=" ".join(COMMON),
            resolution=TOLERANCE_MS,
            near=_within_tolerance(outcomes),
            tails=_tails(outcomes),
            **SPEED,
        ),
        _pooled(result.pooled()),
    ]
    if result.costs:
        parts += [STARTUP.format(rounds=ROUNDS, bound=round(1 / LIMIT)), _costs(result)]
    if CONFIG_FILES.exists():
        parts += ["\n" + CONFIG_FILES.read_text()]
    return _joined(parts)


def results(result: Result) -> str:
    """conformance/results.md: each case, and each expected difference."""
    outcomes = result.outcomes
    return _joined(
        [
            RESULTS.format(date=datetime.date.today().isoformat(), again=_run_again(outcomes)),
            _cases(outcomes),
            _unexpected(outcomes),
            RUNS,
            _recorded_runs(outcomes),
            BY_CASE,
            _by_case(outcomes),
            EXPECTED,
            _expected(outcomes),
        ]
    )


def _joined(parts: list[str]) -> str:
    text = "\n".join(part.rstrip("\n") + "\n" for part in parts if part)
    return re.sub(r"\n{3,}", "\n\n", text)


def _token_counts(errors: list[Errors]) -> str:
    compared, wrong = sum(error.compared for error in errors), sum(error.wrong_tokens for error in errors)
    return f"{wrong} of {compared} requests with a wrong count"


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
    return _table(rows)


def _recorded_runs(outcomes: list[Outcome]) -> str:
    verdicts = {outcome.case.name: "good" if outcome.good else "**not good**" for outcome in outcomes}
    rows = [["recorded run", "what", "cases"]]
    for run, (title, names) in recorded_runs.RUNS.items():
        rows.append([run, title, ", ".join(f"{name} ({verdicts.get(name, 'not run')})" for name in names)])
    return _table(rows)


def _unexpected(outcomes: list[Outcome]) -> str:
    lines = [f"- {difference.case}: {difference}" for outcome in outcomes for difference in outcome.unexpected()]
    return "\n## Unexpected differences\n\n" + "\n".join(lines) + "\n" if lines else ""


def _pooled(verdicts: list[Verdict]) -> str:
    rows = [["measure", "requests", "statistic", "reference", "ours", "not larger"]]
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
    return f"Our p99 was larger in {farther} of the {len(tails)} values of single cases."


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
