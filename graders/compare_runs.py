"""Runs accuracy benchmarks with AIPerf and with aiperf against the same server and compares accuracy_results.csv.

    python3 graders/compare_runs.py REFERENCE AIPERF [BENCHMARK ...]

REFERENCE is the command of AIPerf 0.13.0, AIPERF the program of this project. The data sets are small ones with invented contents, in
folders that both read. The server gives each question the same answer to both. Exits with 1 if a count differs.
"""

import csv
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import small_data_sets

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "conformance"))
import reference as conformance_reference  # noqa: E402

SUBJECTS = ["abstract_algebra", "virology", "high_school_physics"]
# Repository, configurations with their splits, and the options of the run.
CASES = {
    "mmlu": ("lighteval/mmlu", {name: {"test": small_data_sets.mmlu(name, 25, "test"), "dev": small_data_sets.mmlu(name, 9, "dev")} for name in SUBJECTS}, ["--accuracy-tasks", ",".join(SUBJECTS)]),
    "mmlu_pro": ("TIGER-Lab/MMLU-Pro", {"default": {"test": small_data_sets.mmlu_pro(60, "test"), "validation": small_data_sets.mmlu_pro(18, "val")}}, []),
    "gsm8k": ("openai/gsm8k", {"main": {"test": small_data_sets.gsm8k(60)}}, []),
    "aime": ("Maxwell-Jia/AIME_2024", {"default": {"train": small_data_sets.aime(30)}}, ["--accuracy-n-shots", "2"]),
}


def answer(prompt):
    """An answer that depends on the question alone: right, wrong, of another form, or none at all."""
    kind = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4], "big")
    letter = "ABCD"[kind // 16 % 4]
    numbers = [int(word) for word in prompt.replace("$", " ").replace("+", " ").split() if word.isdigit()]
    # The last numbers of a problem of AIME are those of "Find $5+1$".
    number = sum(numbers[-2:]) if "Problem" in prompt else (numbers or [0])[-1]
    if "Ann has" in prompt:
        return [f"She has {number}.\n#### {number}", f"I think {number}", "#### 9999", "no idea"][kind % 4]
    if "Problem" in prompt:
        return [f"\\boxed{{{number}}}", f"The answer is {number}", f"\\boxed{{{number + 1}}}", "unclear"][kind % 4]
    return [letter, f"Let me see. The answer is ({letter}).", f"Answer: {letter}", f"perhaps {letter} then", "unclear"][kind % 5]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = answer(body["messages"][-1]["content"])
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def write_copy(folder, configs):
    """A copy of a repository that the hub's library and aiperf both read."""
    card = ["---", "configs:"]
    for config, splits in configs.items():
        card += [f"- config_name: {config}", "  data_files:"]
        for split, rows in splits.items():
            file = folder / config / f"{split}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
            card += [f"  - split: {split}", f"    path: {config}/{split}.jsonl"]
        if len(configs) == 1:
            card.append("  default: true")
    (folder / "README.md").write_text("\n".join([*card, "---", ""]))


def results(folder):
    files = list(folder.rglob("accuracy_results.csv"))
    if not files:
        return None
    with files[0].open(newline="") as file:
        return [tuple(row[name] for name in ("task", "correct", "total", "unparsed", "accuracy")) for row in csv.DictReader(file)]


def main():
    reference, ours = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:3])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    failed = False
    chosen = sys.argv[3:] or list(CASES)
    for benchmark in chosen:
        repository, configs, options = CASES[benchmark]
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            write_copy(work / repository, configs)
            count = sum(len(rows) for splits in configs.values() for split, rows in splits.items() if split in ("test", "train"))
            shared = ["--url", url, "--model", "m", "--tokenizer", "builtin", "--endpoint-type", "chat", "--concurrency", "4", "--accuracy-benchmark", benchmark, *options]
            vocabulary = conformance_reference.vocabulary_cache(ROOT, conformance_reference.cache_folder() / "tiktoken")
            environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(vocabulary), "HF_HOME": str(work / "home"), "HF_HUB_OFFLINE": "1", "NO_COLOR": "1"}
            found = {}
            for name, command in {
                "reference": [reference, "profile", *shared, "--request-count", str(count), "--ui", "none", "--artifact-dir", "reference"],
                "ours": [ours, "profile", *shared, "--accuracy-data-dir", repository, "--artifact-dir", "ours"],
            }.items():
                ended = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)
                found[name] = results(work / name)
                if found[name] is None:
                    print(f"{benchmark}: {name} left no accuracy_results.csv:\n{ended.stdout[-1500:]}\n{ended.stderr[-1500:]}")
            same = found["reference"] == found["ours"] and found["ours"] is not None
            failed |= not same
            print(f"{benchmark}: {count} questions: {'same counts' if same else 'DIFFERENT'}")
            for row in zip(found["reference"] or [], found["ours"] or []):
                if not same or row[0][0] == "OVERALL":
                    print("   reference", *row[0], "  ours", *row[1])
    sys.exit(failed)


if __name__ == "__main__":
    main()
