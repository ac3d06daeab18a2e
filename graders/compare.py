"""Compares our graders with the original ones on generated answers.

    python3 graders/compare.py PYTHON [--write]

PYTHON is a Python with the original graders:

    python3 -m venv originals && originals/bin/pip install aiperf==0.13.0 sympy latex2sympy2_extended==1.0.6 tenacity
    originals/bin/pip install --no-deps lighteval==0.13.0 deepeval==4.3.1

With --write the answers and the verdicts of the originals become the fixture of `cargo test -p aiperf-grading --test recorded`, and the
table of docs/accuracy.md is written.
"""

import collections
import json
import pathlib
import subprocess
import sys

import answers

HERE = pathlib.Path(__file__).resolve().parent
FIXTURE = HERE.parent / "crates/grading/tests/recorded/answers.jsonl"
PAGE = HERE.parent / "docs/accuracy.md"
# At least 2,000 for each package: deepeval (exact_match), sympy (math), lighteval (expr, latex and gpqa together).
COUNTS = {"exact_match": 2000, "math": 2000, "lighteval_expr": 700, "lighteval_latex": 1000}
START, END = "<!-- agreement: written by graders/compare.py -->\n", "<!-- end of agreement -->\n"


def graded(command, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def table(rows, originals, ours):
    counts = collections.defaultdict(collections.Counter)
    for row, original, own in zip(rows, originals, ours, strict=True):
        verdict = "right" if own["passed"] else "wrong" if own["confidence"] else "undecided"
        counts[row["grader"]][verdict, original["passed"]] += 1
    lines = ["| grader | answers | same verdict | ours right, original wrong | ours wrong, original right | ours undecided, original right |", "|---|---|---|---|---|---|"]
    for grader, of in counts.items():
        same = of["right", True] + of["wrong", False] + of["undecided", False]
        lines.append(f"| `{grader}` | {sum(of.values())} | {same} | {of['right', False]} | {of['wrong', True]} | {of['undecided', True]} |")
    return "\n".join(lines) + "\n"


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    rows = answers.rows({grader: COUNTS.get(grader, 320) for grader in answers.MAKERS}, "1")
    originals = graded([arguments[0], str(HERE / "originals.py")], rows)
    ours = graded(["cargo", "run", "--quiet", "-p", "aiperf-grading", "--example", "grade"], rows)
    result = table(rows, originals, ours)
    print(result)
    if "--write" in sys.argv:
        lines = (json.dumps([row["grader"], row["answer"], row["gold"], original["passed"], original["unparsed"]], ensure_ascii=False) for row, original in zip(rows, originals))
        FIXTURE.parent.mkdir(exist_ok=True)
        FIXTURE.write_text("".join(line + "\n" for line in lines))
        page = PAGE.read_text()
        before, rest = page.split(START)
        PAGE.write_text(before + START + "\n" + result + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
