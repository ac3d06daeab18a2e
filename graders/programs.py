"""Makes answers with programs for the grader `code_execution`: right, wrong, and oddly written ones."""

import json
import random

# Input, output; a right expression for the list of integers `v`; wrong ones.
STDIN_TASKS = [
    ("sum", "sum(v)", ["sum(v) + 1", "sum(v[1:])", "max(v)"]),
    ("largest", "max(v)", ["min(v)", "max(v[:-1] or v)", "len(v)"]),
    ("mean", "sum(v) / len(v)", ["sum(v) // len(v)", "sum(v)", "round(sum(v) / len(v), 1)"]),
    ("sorted", "*sorted(v)", ["*v", "sorted(v)", "*sorted(v, reverse=True)"]),
    ("big", "sum(x ** 25 for x in v)", ["float(sum(x ** 25 for x in v))", "sum(x ** 25 for x in v) + 1"]),
    ("even", "'YES' if sum(v) % 2 == 0 else 'NO'", ["'Yes' if sum(v) % 2 == 0 else 'No'", "'NO'", "sum(v) % 2 == 0"]),
    ("lines", "*v, sep='\\n'", ["*v", "*v, sep='\\n\\n'", "*reversed(v), sep='\\n'"]),
]
# How a program reads its input and prints. `@` is the expression.
STDIN_STYLES = [
    "v = list(map(int, input().split()))\nprint(@)",
    "import sys\nv = [int(x) for x in sys.stdin.read().split()]\nprint(@)",
    "def main():\n    v = [int(x) for x in input().split()]\n    print(@)\n\nif __name__ == '__main__':\n    main()",
    "def solve():\n    v: List[int] = list(map(int, sys.stdin.readline().split()))\n    print(@)\nsolve()",
    "v = list(map(int, input().split()))\nprint(@)\nexit()",
    "import sys\nv = list(map(int, sys.stdin.buffer.read().split()))\nprint(@)",
    "v = list(map(int, input().split()))\nprint(@, end='')",
    "v = list(map(int, input().split()))\nprint(' ', end='')\nprint(@)\nprint()",
    "v = list(map(int, input().split()))\nprint('debug')\nprint(@)",
    "v = list(map(int, input().split()))\nprint(@)\nraise SystemExit(3)",
    "v = list(map(int, input().split()))\nprint(@)\n1 / 0",
    "n = int(input())\nv = list(map(int, input().split()))\nprint(@)",
    "v = list(map(int, input().split())\nprint(@)",
    "import sys\ndef deep(n):\n    return 0 if n == 0 else 1 + deep(n - 1)\nv = list(map(int, input().split()))\ndeep(3000)\nprint(@)",
    "from collections import *\nv = list(map(int, input().split()))\nc = Counter(v)\nprint(@)",
    "import not_a_module\nv = list(map(int, input().split()))\nprint(@)",
]
INPUTS = ["1 2 3 4", "5 5 5", "-3 10 7 2 9", "100"]

FUNCTION_TASKS = [
    ("double", [("[1, 2, 3]", "[2, 4, 6]"), ("[]", "[]")], "[2 * x for x in v]", ["[x * x for x in v]", "tuple(2 * x for x in v)", "[2.0 * x for x in v]", "set(2 * x for x in v)", "None"]),
    ("total", [("[1, 2, 3]", "6"), ("[]", "0")], "sum(v)", ["float(sum(v))", "sum(v) + 1", "str(sum(v))", "len(v)", "Decimal(sum(v))"]),
    ("pairs", [("[1, 2]", "[[1, 2], [2, 4]]")], "[[x, 2 * x] for x in v]", ["[(x, 2 * x) for x in v]", "[[x, 2 * x] for x in reversed(v)]", "([x, 2 * x] for x in v)"]),
    ("any_even", [("[1, 3]", "false"), ("[1, 2]", "true")], "any(x % 2 == 0 for x in v)", ["int(any(x % 2 == 0 for x in v))", "all(x % 2 == 0 for x in v)", "'true'"]),
    ("counts", [("[1, 1]", '{"1": 2}')], "{str(x): v.count(x) for x in v}", ["{x: v.count(x) for x in v}", "{}"]),
    ("huge", [("[2, 3]", str(2**100 + 3**100))], "sum(x ** 100 for x in v)", ["float(sum(x ** 100 for x in v))", "sum(x ** 100 for x in v) + 1"]),
]
FUNCTION_STYLES = [
    "def NAME(v):\n    return @",
    "class Solution:\n    def NAME(self, v: List[int]):\n        return @",
    "class Solution:\n    def NAME(self, v):\n        print('debug')\n        return @",
    "import math\nclass Solution:\n    def helper(self, v):\n        return @\n    def NAME(self, v):\n        return self.helper(v)",
    "def NAME(v):\n    v.append(1)\n    v.pop()\n    return @",
    "class Solution:\n    def other(self, v):\n        return @",
    "def NAME(v):\n    return @\n\nif __name__ == '__main__':\n    print(NAME([1]))",
    "def NAME(v):\n    raise ValueError('no')",
    "def NAME(v)\n    return @",
    "def NAME(v, w):\n    return @",
]
FORMS = ["```python\n@\n```", "Here is my solution.\n\n```python\n@\n```\nIt is fast.", "```\n@\n```", "```python\nprint('first')\n```\nBetter:\n```python\n@\n```", "@", "```python\n@"]
FORM_WEIGHTS = [8, 8, 2, 2, 1, 1]


def stdout_of(expression, line):
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(f"print({expression})", {"v": list(map(int, line.split()))})
    return output.getvalue()


def row(rng):
    if rng.random() < 0.6:
        _, right, wrong = rng.choice(STDIN_TASKS)
        tests = [{"input": line, "output": stdout_of(right, line), "testtype": "stdin"} for line in rng.sample(INPUTS, 2)]
        style, metadata = rng.choice(STDIN_STYLES), {}
    else:
        name, tests, right, wrong = rng.choice(FUNCTION_TASKS)
        tests = [{"input": given, "output": output, "testtype": "functional"} for given, output in tests]
        style, metadata = rng.choice(FUNCTION_STYLES).replace("NAME", name), {"func_name": name}
    code = style.replace("@", right if rng.random() < 0.6 else rng.choice(wrong))
    answer = rng.choices(FORMS, FORM_WEIGHTS)[0].replace("@", code)
    gold = {"starter_code": "", "public_test_cases": json.dumps(tests[:1]), "private_test_cases": json.dumps(tests[1:]), "metadata": json.dumps(metadata)}
    return {"answer": answer, "gold": json.dumps(gold)}


def rows(count):
    rng = random.Random("programs")
    made = {}
    while len(made) < count:
        new = row(rng)
        made.setdefault((new["answer"], new["gold"]), new)
    return list(made.values())
