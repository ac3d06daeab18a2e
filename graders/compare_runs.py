"""Runs accuracy benchmarks with AIPerf and with aiperf against the same server, and compares the requests and accuracy_results.csv.

    python3 graders/compare_runs.py REFERENCE AIPERF [BENCHMARK ...]

REFERENCE is the command of AIPerf 0.13.0 in the environment of `compare.py`, AIPERF the program of this project. The data sets are small
ones with invented contents, in folders that both read. The server gives each question the same answer to both. Exits with 1 if a request
or a count differs; answers that lighteval does not report as unparsed are the exception.
"""

import collections
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import answering_server
import small_data_sets

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "conformance"))
import reference as conformance_reference  # noqa: E402

SUBJECTS = ["abstract_algebra", "virology", "high_school_physics"]
TASKS = ["boolean_expressions", "navigate", "object_counting", "word_sorting"]


def mmlu(name):
    return {"test": small_data_sets.mmlu(name, 25, "test"), "dev": small_data_sets.mmlu(name, 9, "dev")}


# The rows with an activity that HellaSwag does not have are not asked.
ACTIVITY_ROWS = [row for row in small_data_sets.hellaswag(60, "validation") if row["activity_label"] != "Not a label"]
# Repository, configurations with their splits, the split that is asked, and the options of the run.
CASES = {
    "mmlu": ("lighteval/mmlu", {name: mmlu(name) for name in SUBJECTS}, "test", ["--accuracy-tasks", ",".join(SUBJECTS)]),
    "mmlu_pro": ("TIGER-Lab/MMLU-Pro", {"default": {"test": small_data_sets.mmlu_pro(60, "test"), "validation": small_data_sets.mmlu_pro(18, "val")}}, "test", []),
    "aime": ("Maxwell-Jia/AIME_2024", {"default": {"train": small_data_sets.aime(30)}}, "train", ["--accuracy-n-shots", "2"]),
    "aime24": ("HuggingFaceH4/aime_2024", {"default": {"train": small_data_sets.aime_of_a_year(30)}}, "train", []),
    "aime25": ("yentinglin/aime_2025", {"default": {"train": small_data_sets.aime_of_a_year(30)}}, "train", []),
    "hellaswag": ("Rowan/hellaswag", {"default": {"validation": ACTIVITY_ROWS, "train": small_data_sets.hellaswag(24, "train")}}, "validation", []),
    "bigbench": ("lukaemon/bbh", {task: {"test": small_data_sets.bbh(task, 15)} for task in TASKS}, "test", ["--accuracy-tasks", ",".join(TASKS)]),
    "math_500": ("HuggingFaceH4/MATH-500", {"default": {"test": small_data_sets.math_500(40)}}, "test", []),
    "gsm8k": ("openai/gsm8k", {"main": {"test": small_data_sets.gsm8k(60)}}, "test", []),
    "gpqa_diamond": ("Idavidrein/gpqa", {"gpqa_diamond": {"train": small_data_sets.gpqa(40)}}, "train", []),
    "lcb_codegeneration": ("livecodebench/code_generation_lite", {"v4": {"test": small_data_sets.lcb(20)}}, "test", []),
}
# The release of LiveCodeBench is one file, with its real name.
FILES = {("v4", "test"): "test4.jsonl"}
COLUMNS = ("task", "correct", "total", "accuracy", "unparsed")
# The graders of lighteval do not report answers without a formula or letter as unparsed.
WITHOUT_UNPARSED = {"aime24", "aime25", "math_500", "gpqa_diamond"}


def write_copy(folder, configs):
    """A copy of a repository that the hub's library and aiperf both read."""
    card = ["---", "configs:"]
    for config, splits in configs.items():
        card += [f"- config_name: {config}", "  data_files:"]
        for split, rows in splits.items():
            name = FILES.get((config, split), f"{config}/{split}.jsonl")
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
            card += [f"  - split: {split}", f"    path: {name}"]
        if len(configs) == 1:
            card.append("  default: true")
    (folder / "README.md").write_text("\n".join([*card, "---", ""]))


def results(folder):
    files = list(folder.rglob("accuracy_results.csv"))
    if not files:
        return None
    with files[0].open(newline="") as file:
        return [tuple(row[name] for name in COLUMNS) for row in csv.DictReader(file)]


def asked(body):
    """What a request asks: the messages and limits, as text."""
    return json.dumps([body["messages"], body.get("max_completion_tokens"), body.get("stop")], sort_keys=True)


def run(command, work, environment, server, name):
    """The results of a run and how often each request was sent."""
    server.received.clear()
    ended = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)
    found = results(work / name)
    if found is None:
        print(f"{name} left no accuracy_results.csv:\n{ended.stdout[-1500:]}\n{ended.stderr[-1500:]}")
    return found, collections.Counter(asked(body) for body in server.received)


def compare(benchmark, reference, ours, server):
    """Whether both programs ask and count the same."""
    repository, configs, asked_split, options = CASES[benchmark]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        write_copy(work / repository, configs)
        count = sum(len(splits[asked_split]) for splits in configs.values())
        shared = ["--url", server.url, "--model", "m", "--tokenizer", "builtin", "--endpoint-type", "chat", "--concurrency", "4", "--accuracy-benchmark", benchmark, *options]
        vocabulary = conformance_reference.vocabulary_cache(HERE.parent, conformance_reference.cache_folder() / "tiktoken")
        environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(vocabulary), "HF_HOME": str(work / "home"), "HF_HUB_OFFLINE": "1", "NO_COLOR": "1"}
        environment |= {"PYTHONPATH": str(HERE / "startup"), "AIPERF_ACCURACY_LCB_RELEASE_TAG": "v4"}
        allow = ["--accuracy-allow-code-execution"] if benchmark == "lcb_codegeneration" else []
        theirs = run([reference, "profile", *shared, "--request-count", str(count), "--ui", "none", "--artifact-dir", "reference"], work, environment, server, "reference")
        own = run([ours, "profile", *shared, *allow, "--accuracy-data-dir", repository, "--artifact-dir", "ours"], work, environment, server, "ours")
    columns = len(COLUMNS) - (benchmark in WITHOUT_UNPARSED)
    counted = [[row[:columns] for row in found or []] for found in (theirs[0], own[0])]
    same_requests, same_counts = theirs[1] == own[1] and own[1].total() == count, counted[0] == counted[1] != []
    print(f"{benchmark}: {count} questions: {'same requests' if same_requests else 'DIFFERENT REQUESTS'}, {'same counts' if same_counts else 'DIFFERENT COUNTS'}")
    for row in zip(theirs[0] or [], own[0] or []):
        if row[0] != row[1] or row[0][0] == "OVERALL":
            print("   reference", *row[0], "  ours", *row[1])
    if not same_requests:
        print(f"   only the reference sends {list((theirs[1] - own[1]).items())[:2]}\n   only ours sends {list((own[1] - theirs[1]).items())[:2]}")
    return same_requests and same_counts


def main():
    command = str(pathlib.Path(sys.argv[1]).absolute())
    ours = str(pathlib.Path(sys.argv[2]).absolute())
    server = answering_server.start()
    verdicts = [compare(benchmark, command, ours, server) for benchmark in sys.argv[3:] or CASES]
    sys.exit(not all(verdicts))


if __name__ == "__main__":
    main()
