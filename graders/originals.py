"""Grades answers with the original graders: one JSON object with `grader`, `answer` and `gold` on each line of standard input.

Needs a Python with the packages of `compare.py`. Packages that are not needed are replaced by `empty_modules`.
"""

import asyncio
import json
import logging
import sys
import warnings
from unittest.mock import MagicMock

import empty_modules


def graders():
    from aiperf.accuracy.graders import exact_match, gsm8k_grader, lighteval_grader, math, mmlu_pro, multiple_choice

    classes = {
        "exact_match": exact_match.ExactMatchGrader,
        "math": math.MathGrader,
        "multiple_choice": multiple_choice.MultipleChoiceGrader,
        "mmlu_pro": mmlu_pro.MMLUProGrader,
        "lighteval_gsm8k": gsm8k_grader.LightevalGSM8KGrader,
        "lighteval_expr": lighteval_grader.LightevalExprGrader,
        "lighteval_latex": lighteval_grader.LightevalLatexGrader,
        "lighteval_gpqa": lighteval_grader.LightevalGPQAGrader,
    }
    return {name: grader(MagicMock()) for name, grader in classes.items()}


def verdict(grader, scorer, row):
    grade = asyncio.run(grader.grade(row["answer"], row["gold"]))
    # `exact_match` of AIPerf repeats what deepeval does, so that deepeval itself decides.
    passed = bool(scorer.exact_match_score(row["gold"], row["answer"])) if row["grader"] == "exact_match" else grade.correct
    return {"passed": passed, "unparsed": grade.unparsed}


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    empty_modules.install()
    by_name = graders()
    from deepeval.scorer import Scorer

    for line in sys.stdin:
        row = json.loads(line)
        print(json.dumps(verdict(by_name[row["grader"]], Scorer, row)), flush=True)


if __name__ == "__main__":
    main()
