"""Runs `solution.py` in a sandbox: `runner.py program` as a program, or `runner.py function NAME` calls a function with the JSON values on
the lines of standard input and writes the JSON of what it returns. `runner.py compare` compares the JSON of two files as Python does."""

import json
import sys

# Solutions are written for an environment in which these names are there.
MODULES = "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json builtins typing"


def names():
    space = {}
    for module in MODULES.split():
        exec(f"from {module} import *", space)
    for module in MODULES.split()[:-2]:
        exec(f"import {module}", space)
    return space


def load(name):
    sys.setrecursionlimit(50_000)
    space = names() | {"__name__": name, "__file__": "solution.py"}
    with open("solution.py", encoding="utf-8") as file:
        exec(compile(file.read(), "solution.py", "exec"), space)
    return space


def refuse_what_json_changes(value):
    if isinstance(value, list):
        for element in value:
            refuse_what_json_changes(element)
    elif isinstance(value, dict):
        for key, element in value.items():
            if not isinstance(key, str):
                raise TypeError("a key of the returned dictionary is not a text")
            refuse_what_json_changes(element)
    elif value is not None and not isinstance(value, (str, int, float, bool)):
        raise TypeError(f"the returned value contains a {type(value).__name__}")


def call(name):
    arguments = [json.loads(line) for line in sys.stdin.read().split("\n")]
    output, sys.stdout = sys.stdout, sys.stderr
    space = load("solution")
    owner = space["Solution"]() if "Solution" in space else None
    function = getattr(owner, name) if owner is not None else space[name]
    value = function(*arguments)
    value = list(value) if isinstance(value, tuple) else value
    refuse_what_json_changes(value)
    output.write(json.dumps(value))
    output.flush()


def compare():
    with open("expected.json", encoding="utf-8") as expected, open("actual.json", encoding="utf-8") as actual:
        print("equal" if json.load(expected) == json.load(actual) else "different")


if sys.argv[1] == "compare":
    compare()
else:
    try:
        call(sys.argv[2]) if sys.argv[1] == "function" else load("__main__")
    except SystemExit:
        sys.exit(0)
