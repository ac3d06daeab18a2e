"""Captures the questions that AIPerf makes of the small data sets, for the test `captured` of the crate `aiperf-accuracy`.

    PYTHON graders/capture.py

PYTHON is the Python of `compare.py`.
"""

import asyncio
import hashlib
import importlib
import json
import pathlib
import sys
from unittest.mock import MagicMock

import empty_modules
import small_data_sets

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "crates/accuracy/tests/captured"
CLASSES = {
    "mmlu": "MMLUBenchmark", "mmlu_pro": "MMLUProBenchmark", "aime": "AIMEBenchmark", "aime24": "AIME24Benchmark", "aime25": "AIME25Benchmark",
    "hellaswag": "HellaSwagBenchmark", "bigbench": "BigBenchBenchmark", "math_500": "Math500Benchmark", "gsm8k": "GSM8KBenchmark",
    "gpqa_diamond": "GPQADiamondBenchmark", "lcb_codegeneration": "LCBCodeGenerationBenchmark",
}
# Benchmark, tasks, worked examples, reasoning.
CASES = [
    ("mmlu", ["abstract_algebra", "high_school_physics"], 5, False), ("mmlu", ["high_school_physics"], 7, False), ("mmlu", ["virology"], 3, False),
    ("mmlu", ["abstract_algebra"], 0, False), ("mmlu", ["abstract_algebra"], 2, True), ("mmlu", ["abstract_algebra"], 8, False),
    ("mmlu_pro", None, 5, True), ("mmlu_pro", ["math"], 2, False), ("mmlu_pro", ["math"], 0, True),
    ("aime", None, 8, True), ("aime", None, 0, True), ("aime", None, 2, False), ("aime", None, 0, False), ("aime24", None, 0, True), ("aime25", None, 0, True),
    ("hellaswag", None, 10, False), ("hellaswag", ["BMX"], 2, False), ("hellaswag", ["ARCHERY", "BMX"], 1, False), ("hellaswag", None, 0, False),
    ("bigbench", None, 3, True), ("bigbench", None, 3, False), ("bigbench", ["boolean_expressions"], 1, True), ("bigbench", ["boolean_expressions"], 0, False),
    ("math_500", None, 0, False), ("gsm8k", None, 0, False), ("gpqa_diamond", None, 0, False), ("lcb_codegeneration", None, 0, False),
]
rows = {}


def load_dataset(path, name=None, *_, split=None, **__):
    from datasets import Dataset, DatasetDict

    parts = small_data_sets.splits(path, name)
    rows.update({f"{path}|{name or ''}|{part}": table for part, table in parts.items()})
    parts = {part: Dataset.from_list(table) for part, table in parts.items()}
    return parts[split] if split else DatasetDict(parts)


def captured(benchmark, tasks, shots, reasoning, question):
    messages = question.raw_messages or [{"role": "user", "content": question.prompt}]
    row = {"benchmark": benchmark, "tasks": tasks, "n_shots": shots, "cot": reasoning, "task": question.task, "gold": question.ground_truth}
    row |= {"max_tokens": question.metadata["generation_size"], "stop": question.metadata.get("stop_sequence")}
    # The worked examples of BIG-Bench Hard are long, and are in the crate already.
    if benchmark == "bigbench" and len(question.prompt) > 1500:
        row["prompt_sha256"] = hashlib.sha256(question.prompt.encode()).hexdigest()
    else:
        row["prompt"] = question.prompt
    return row | ({"messages": messages} if len(messages) > 1 else {})


def main():
    empty_modules.install()
    import datasets

    datasets.load_dataset = load_dataset
    lines = []
    for benchmark, tasks, shots, reasoning in CASES:
        module = importlib.import_module(f"aiperf.accuracy.benchmarks.{benchmark}")
        if hasattr(module, "load_dataset"):
            module.load_dataset = load_dataset
        questions = asyncio.run(getattr(module, CLASSES[benchmark])(MagicMock()).load_problems(tasks, shots, reasoning))
        lines += [json.dumps(captured(benchmark, tasks, shots, reasoning, question), ensure_ascii=False) + "\n" for question in questions]
        print(benchmark, tasks, shots, reasoning, len(questions))
    (FOLDER / "prompts.jsonl").write_text("".join(lines))
    (FOLDER / "rows.json").write_text(json.dumps(rows, ensure_ascii=False, indent=0) + "\n")


if __name__ == "__main__":
    main()
