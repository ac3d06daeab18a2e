"""A server that answers the questions of the small data sets, some of them wrongly or in an odd form, and keeps what it was sent."""

import hashlib
import http.server
import json
import re
import threading

PROGRAMS = ["print(input())", "print(int(input()) + 1)", "class Solution:\n    def f(self, x):\n        return x", "raise ValueError('no')"]


def answer(prompt):
    """An answer that depends on the question alone: right, wrong, of another form, or none at all."""
    kind = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4], "big")
    letter = "ABCD"[kind // 16 % 4]
    numbers = [int(number) for number in re.findall(r"\d+", prompt)]
    if "Ann has" in prompt:
        number = numbers[-1]
        return [f"She has {number}.\n#### {number}", f"I think {number}", "#### 9999", "no idea"][kind % 4]
    if "Problem" in prompt:
        # The last numbers of a problem of AIME are those of "Find $5+1$".
        number = sum(numbers[-2:])
        return [f"\\boxed{{{number}}}", f"The answer is {number}", f"\\boxed{{{number + 1}}}", "unclear"][kind % 4]
    if prompt.startswith("Find $m_"):
        number = numbers[0]
        return [f"so $\\boxed{{{number}}}$", f"The final answer is {number:03d}.", f"$\\boxed{{{number + 1}}}$", f"It is \\({number}.0\\)"][kind % 4]
    if prompt.startswith("Compute"):
        number = numbers[0]
        return [f"$\\boxed{{\\frac{{{number}}}{{2}}}}$", f"\\[ {number / 2} \\]", f"$\\boxed{{{number}}}$", f"The answer is $\\frac{{{2 * number}}}{{4}}$"][kind % 4]
    if "validation: A person" in prompt:
        return ["ABCD"[int(prompt.split("validation: A person ")[1].split()[0]) % 4], letter, f" {letter}\n", f"Answer: {letter}"][kind % 4]
    if "Input " in prompt:
        return ["(A)", "True", "False", " (A)\n", "The answer is (A)"][kind % 5]
    if re.search(r"Given \d+, print it", prompt):
        return f"Here it is.\n```python\n{PROGRAMS[kind % 4]}\n```" if kind % 5 else "I cannot."
    return [letter, f"Let me see. The answer is ({letter}).", f"Answer: {letter}", f"perhaps {letter} then", "unclear"][kind % 5]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.received.append(body)
        choice = {"index": 0, "message": {"role": "assistant", "content": answer(body["messages"][-1]["content"])}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def start():
    """A running server with `received`, the bodies of its requests, and `url`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.received = []
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
