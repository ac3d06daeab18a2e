"""Compares our grader of programs with the one of lighteval.

    python3 graders/compare_programs.py PYTHON [--write]

PYTHON is that of `compare.py`. With --write the programs and the verdicts of lighteval become the fixture of
`cargo test -p aiperf-code-grading --test programs`.
"""

import json
import pathlib
import sys

import compare
import programs

HERE = pathlib.Path(__file__).resolve().parent
FIXTURE = HERE.parent / "crates/code-grading/tests/recorded/programs.jsonl"
COUNT = 330


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    rows = programs.rows(COUNT)
    originals = compare.graded([arguments[0], str(HERE / "original_programs.py")], rows)
    ours = compare.graded(["cargo", "run", "--quiet", "-p", "aiperf-code-grading", "--example", "grade_programs"], rows)
    verdicts = [(own["passed"], original["passed"]) for own, original in zip(ours, originals, strict=True)]
    print(f"{COUNT} programs: {verdicts.count((True, True))} right and {verdicts.count((False, False))} wrong for both")
    for row, own, verdict in zip(rows, ours, verdicts):
        if verdict[0] != verdict[1]:
            print(f"ours {verdict[0]}, original {verdict[1]}: {own['explanation']}\n{row['answer']}\n")
    if "--write" in sys.argv:
        FIXTURE.parent.mkdir(exist_ok=True)
        lines = (json.dumps([row["answer"], row["gold"], original["passed"]]) + "\n" for row, original in zip(rows, originals))
        FIXTURE.write_text("".join(lines))


if __name__ == "__main__":
    main()
