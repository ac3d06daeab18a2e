import json
import sys


def send(message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send({"type": "hello", "protocol": 1})
    elif message["type"] == "check":
        send({"type": "done"})
ANSWERS    else:
        send({"type": "error", "message": "unknown message " + message["type"]})
