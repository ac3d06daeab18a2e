"""Small data sets in the shapes of the benchmarks' data sets, with invented contents."""

import json

ACTIVITIES = [
    "Archery", "Applying sunscreen", "BMX", "Assembling bicycle", "Arm wrestling", "Baking cookies", "Ballet", "Bathing dog", "Baton twirling", "Beach soccer",
    "Beer pong", "Belly dance",
]


def mmlu(subject, count, split):
    def row(i):
        choices = [f"{name}{i if split == 'test' else i % 3}" for name in ("alpha", "beta", "gamma", "delta")]
        return {"question": f"{split} question {i} of {subject}: what is {i}+1?", "choices": choices, "answer": (i * 3 + len(subject)) % 4, "subject": subject}

    return [row(i) for i in range(count)]


def mmlu_grouped(subject, count, split):
    answers = [0, 2, 2, 1, 3, 2, 0, 1, 2]
    return [{"question": f"{split} question {i} of {subject}", "choices": ["red", "green", "blue", "grey"], "answer": answers[i % 9], "subject": subject} for i in range(count)]


def mmlu_pro(count, split):
    def row(i):
        options = [f"option {j} of {i}" for j in range(10 if i % 2 else 4)] + (["N/A"] if i % 3 == 0 else [])
        reasoning = f"A: Let's think step by step. Because {i}. The answer is ({'ABCD'[i % 4]})."
        category = ["math", "physics", "computer science"][i % 3]
        return {"question_id": i, "question": f"{split} pro question {i}?", "options": options, "answer": "ABCD"[i % 4], "answer_index": i % 4, "cot_content": reasoning, "category": category, "src": "x"}

    return [row(i) for i in range(count)]


def aime(count):
    return [{"ID": f"2024-I-{i}", "Problem": f"Find ${i}+1$.", "Solution": f"It is {i}+1={i + 1}.\nDone.", "Answer": i + 1} for i in range(count)]


def aime_of_a_year(count):
    return [{"id": i, "problem": f"Find $m_{i}$.\nExplain.", "solution": f"s{i}", "answer": f"{i:03d}", "url": "u", "year": "2024"} for i in range(count)]


def hellaswag(count, split):
    labels = ACTIVITIES if split == "train" else ["BMX", "Archery", "Applying sunscreen", "Not a label"]

    def row(i):
        endings = [f"end {i}{letter}." for letter in "abcd"]
        return {"ind": i, "activity_label": labels[i // 2 % len(labels)], "ctx": f"{split}: A person {i} does something. They", "ctx_a": "a", "ctx_b": "b", "endings": endings, "label": str(i % 4), "split": split, "source_id": "s", "split_type": "t"}

    return [row(i) for i in range(count)]


def bbh(task, count):
    return [{"input": f"Input {i} for {task}?\nOptions:\n(A) x\n(B) y", "target": "(A)" if i % 2 else "True"} for i in range(count)]


def math_500(count):
    return [{"problem": f"Compute $\\frac{{{i}}}{{2}}$.", "solution": f"We get $\\boxed{{{i}/2}}$.", "answer": f"{i}/2", "subject": ["Algebra", "Geometry"][i % 2], "level": i % 5 + 1, "unique_id": f"u{i}"} for i in range(count)]


def gsm8k(count):
    return [{"question": f"Ann has {i} apples.\nHow many?", "answer": f"She has {i}.\n#### {i}"} for i in range(count)]


def gpqa(count):
    def row(i):
        wrong = {"Incorrect Answer 1": f"wrong1 {i}", "Incorrect Answer 2": f"wrong2 {i}\n", "Incorrect Answer 3": f"wrong3 {i}"}
        return {"Question": f"Question {i} about é?\n", "Correct Answer": f"right {i} ", **wrong, "High-level domain": "Physics", "Subdomain": "Optics"}

    return [row(i) for i in range(count)]


def lcb(count):
    def row(i):
        tests = json.dumps([{"input": "1", "output": "1", "testtype": "stdin"}])
        starter = "class Solution:\n    def f(self, x: int) -> int:\n        " if i % 2 else ""
        names = {"question_title": f"t{i}", "question_content": f"Given {i}, print it.\n", "platform": "leetcode", "question_id": f"q{i}", "contest_id": "c", "contest_date": "2024-01-01T00:00:00"}
        return {**names, "starter_code": starter, "difficulty": "easy", "public_test_cases": tests, "private_test_cases": json.dumps([]), "metadata": json.dumps({"func_name": "f"} if i % 2 else {})}

    return [row(i) for i in range(count)]


def splits(data_set, config):
    """The splits of a configuration of a data set on the hub."""
    match data_set, config:
        case "lighteval/mmlu", "high_school_physics":
            return {"test": mmlu_grouped(config, 2, "test"), "dev": mmlu_grouped(config, 9, "dev")}
        case "lighteval/mmlu", "virology":
            return {"test": mmlu(config, 2, "test"), "validation": mmlu(config, 4, "validation")}
        case "lighteval/mmlu", _:
            return {"test": mmlu(config, 3, "test"), "dev": mmlu(config, 9, "dev"), "validation": mmlu(config, 4, "validation")}
        case "TIGER-Lab/MMLU-Pro", _:
            return {"test": mmlu_pro(8, "test"), "validation": mmlu_pro(18, "val")}
        case "Maxwell-Jia/AIME_2024", _:
            return {"train": aime(10)}
        case ("HuggingFaceH4/aime_2024" | "yentinglin/aime_2025"), _:
            return {"train": aime_of_a_year(3)}
        case "Rowan/hellaswag", _:
            return {"validation": hellaswag(8, "validation"), "train": hellaswag(24, "train")}
        case "lukaemon/bbh", _:
            return {"test": bbh(config, 2)}
        case "HuggingFaceH4/MATH-500", _:
            return {"test": math_500(3)}
        case "openai/gsm8k", _:
            return {"test": gsm8k(3)}
        case "Idavidrein/gpqa", _:
            return {"train": gpqa(6)}
        case "livecodebench/code_generation_lite", _:
            return {"test": lcb(2)}
    raise ValueError(f"no small copy of {data_set} {config}")
