"""What it costs to make prompts: a run that generates them, less the same run with a few whole bodies from a file."""

import json
from pathlib import Path

import artifacts
from bench import Bench
from programs import Program
from results import Check, Result, number

NAME = "prompts"
SHARE = 20
ROUNDS = 3
PROMPTS, TOKENS = 1000, 1000
FEW = 10
# It counts the tokens of every prompt, so that no client has to: counting is not making.
SERVER = {"ttft": 0, "itl": 0}
FLAGS = "--concurrency 8 --use-server-token-count"
GENERATED = f"--isl {TOKENS} --osl 1 --num-dataset-entries {PROMPTS}"
# Bodies are sent as they are: neither tool has a reason to cut texts into tokens.
GIVEN = "--custom-dataset-type raw_payload --input-file"


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"making {PROMPTS:,} prompts of {TOKENS:,} tokens")
    made, bodies = {}, bench.folder("prompts") / "bodies.jsonl"
    for program in filter(None, (bench.ours, bench.theirs)):
        # Ours makes a prompt when it is due, so it has to send all of them. The reference makes all before it sends the first, and its
        # requests would only add to what is to be told apart.
        count = PROMPTS if program is bench.ours else FEW
        # What disturbs a run makes it dearer: the least of the rounds is taken.
        generating = min(_run(bench, program, GENERATED, count, bodies) for _ in range(ROUNDS))
        reading = min(_run(bench, program, f"{GIVEN} {bodies}", count, bodies) for _ in range(ROUNDS))
        made[program.name] = generating - reading
        result.add(program.name, f"{PROMPTS:,} prompts generated", requests=count, cpu=generating)
        result.add(program.name, f"{FEW} bodies from a file", requests=count, cpu=reading)
    if bench.theirs:
        theirs = made[bench.theirs.name]
        basis = f"1/{SHARE} of the reference's {number(theirs)}"
        what = f"CPU time of making {PROMPTS:,} prompts"
        result.checks.append(Check(what, made[bench.ours.name], theirs / SHARE, "s", basis=basis))
    return result


def _run(bench: Bench, program: Program, data: str, count: int, bodies: Path) -> float:
    folder = bench.folder(f"prompts-{program.name}")
    with bench.simulator(folder, **SERVER) as server:
        run = bench.profile(program, folder, server.url, f"{FLAGS} --request-count {count} {data}")
    summary = artifacts.summary(folder)
    lengths = {artifacts.statistic(summary, "input_sequence_length", name) for name in ("min", "max")}
    if lengths != {TOKENS}:
        raise RuntimeError(f"{program.name} sent prompts of {lengths} tokens; see {folder}")
    if not bodies.exists():
        _keep(folder / "artifacts" / "inputs.json", bodies)
    return run.cpu_s


def _keep(inputs: Path, bodies: Path) -> None:
    """The first bodies of a run, one a line."""
    sessions = json.loads(inputs.read_text())["data"][:FEW]
    bodies.write_text("".join(json.dumps(session["payloads"][0]) + "\n" for session in sessions))
