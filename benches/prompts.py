"""What it costs to make prompts: a run that generates them, less the same run with the same prompts in a file."""

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
# It counts the tokens of every prompt, so that no client has to: counting is not making.
SERVER = {"ttft": 0, "itl": 0}
FLAGS = f"--osl 1 --concurrency 8 --request-count {PROMPTS} --use-server-token-count"
GENERATED = f"--isl {TOKENS} --num-dataset-entries {PROMPTS}"


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"making {PROMPTS:,} prompts of {TOKENS:,} tokens")
    made, prompts = {}, bench.folder("prompts") / "prompts.jsonl"
    for program in filter(None, (bench.ours, bench.theirs)):
        # What disturbs a run makes it dearer: the least of the rounds is taken.
        generating = min(_run(bench, program, GENERATED, prompts) for _ in range(ROUNDS))
        reading = min(_run(bench, program, f"--input-file {prompts}", prompts) for _ in range(ROUNDS))
        made[program.name] = generating - reading
        result.add(program.name, "prompts generated", requests=number(PROMPTS), cpu=number(generating))
        result.add(program.name, "prompts from a file", requests=number(PROMPTS), cpu=number(reading))
    if bench.theirs:
        theirs = made[bench.theirs.name]
        basis = f"1/{SHARE} of the reference's {number(theirs)}"
        what = f"CPU time of making {PROMPTS:,} prompts"
        result.checks.append(Check(what, made[bench.ours.name], theirs / SHARE, "s", basis=basis))
    return result


def _run(bench: Bench, program: Program, data: str, prompts: Path) -> float:
    folder = bench.folder(f"prompts-{program.name}")
    with bench.simulator(folder, **SERVER) as server:
        run = bench.profile(program, folder, server.url, f"{FLAGS} {data}")
    summary = artifacts.summary(folder)
    lengths = {artifacts.statistic(summary, "input_sequence_length", name) for name in ("min", "max")}
    if lengths != {TOKENS}:
        raise RuntimeError(f"{program.name} sent prompts of {lengths} tokens; see {folder}")
    if not prompts.exists():
        _keep(folder / "artifacts" / "inputs.json", prompts)
    return run.cpu_s


def _keep(inputs: Path, prompts: Path) -> None:
    """The prompts of a run as a file of single turns."""
    with prompts.open("w") as lines:
        for session in json.loads(inputs.read_text())["data"]:
            text = session["payloads"][0]["messages"][0]["content"]
            lines.write(json.dumps({"text": text}) + "\n")
