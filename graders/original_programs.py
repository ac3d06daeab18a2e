"""Runs programs with the tests of their tasks as lighteval does: one JSON object with `answer` and `gold` on each line of standard input.
This is no sandbox: give it only programs of `programs.py`."""

import json
import os
import sys

import empty_modules


def code_of(answer):
    """The lines between the last two lines with three backticks."""
    lines = answer.split("\n")
    fences = [number for number, line in enumerate(lines) if "```" in line]
    return "\n".join(lines[fences[-2] + 1 : fences[-1]]) if len(fences) >= 2 else ""


def main():
    empty_modules.install()
    from lighteval.tasks.tasks.lcb.codegen_metrics import check_correctness

    # Programs print, too.
    results_to = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        row = json.loads(line)
        gold = json.loads(row["gold"])
        tests = json.loads(gold["public_test_cases"]) + json.loads(gold["private_test_cases"])
        sample = {"inputs": [test["input"] for test in tests], "outputs": [test["output"] for test in tests], "fn_name": json.loads(gold["metadata"]).get("func_name")}
        code = code_of(row["answer"])
        results = check_correctness({"input_output": json.dumps(sample)}, code, timeout=6) if code.strip() else [-4]
        print(json.dumps({"passed": all(result is True or result > 0 for result in results)}), file=results_to, flush=True)


if __name__ == "__main__":
    main()
