"""Grades answers with the original graders: one JSON object with `grader`, `answer` and `gold` on each line of standard input.

Needs a Python with `aiperf`, `sympy`, and `lighteval` and `latex2sympy2_extended` in the versions of `compare.py`. The packages that
lighteval imports but its graders do not use, such as torch, are replaced by empty modules, so that they need not be installed.
"""

import asyncio
import importlib.abc
import importlib.machinery
import json
import logging
import sys
import types
import warnings
from unittest.mock import MagicMock

UNUSED = {
    "torch", "transformers", "accelerate", "nltk", "rouge_score", "sacrebleu", "sklearn", "spacy", "typer", "termcolor", "pytablewriter",
    "colorlog", "git", "aenum", "xxhash", "evaluate", "inspect_ai", "langcodes", "bert_score", "pycountry", "litellm", "tiktoken",
}


class EmptyModule(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {}) if name[0].isupper() else MagicMock(name=name)


class EmptyModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in UNUSED else None

    def create_module(self, spec):
        return EmptyModule(spec.name)

    def exec_module(self, module):
        pass


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


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    # After the installed packages, so that an installed one is used.
    sys.meta_path.append(EmptyModules())
    by_name = graders()
    for line in sys.stdin:
        row = json.loads(line)
        grade = asyncio.run(by_name[row["grader"]].grade(row["answer"], row["gold"]))
        print(json.dumps({"passed": grade.correct, "unparsed": grade.unparsed}), flush=True)


if __name__ == "__main__":
    main()
