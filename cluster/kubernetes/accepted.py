"""The server takes what `kube generate` prints, and keeps every field of it."""

import json

from harness import IMAGE, SHORT, say

SHAPES = {
    "one node": [],
    "4 nodes": ["--nodes", "4", "--coordination", "none"],
    "4 nodes and NATS": ["--nodes", "4"],
    "4 nodes, NATS and a volume": ["--nodes", "4", "--results-claim", "results"],
    "4 nodes and a NATS server of the site": ["--nodes", "4", "--nats", "nats://site:4222", "--env-from-secrets", "AIPERF_NATS_TOKEN=site/token"],
}


def accepts(check, with_job_set):
    have = "with" if with_job_set else "without"
    for name, words in SHAPES.items():
        for workload in ["job", "jobset"] if with_job_set else ["job"]:
            text = check.kube("generate", "--image", IMAGE, "--workload", workload, "--concurrency", "8", "--request-count", "40", "--name", "accepted", *words, *SHORT)
            check.kubectl("apply", "--dry-run=server", "-f", "-", stdin=text)
            check.kubectl("apply", "--server-side", "--dry-run=server", "-f", "-", stdin=text)
            check.kubectl("create", "-f", "-", stdin=text)
            sent = documents(check.kubectl("create", "--dry-run=client", "-o", "json", "-f", "-", stdin=text))
            for one in sent:
                kept = json.loads(check.kubectl("get", one["kind"], one["metadata"]["name"], "-o", "json"))
                lost = missing(one.get("spec", {}), kept.get("spec", {}))
                if lost:
                    raise SystemExit(f"FAIL the server drops fields of {one['kind']} ({name}): {lost}")
            check.kubectl("delete", "-f", "-", stdin=text)
            say(f"{have} the CRD of JobSet: the server takes {len(sent)} objects ({workload}, {name}), applied on both sides, and keeps every field")


def documents(text):
    """JSON documents one after the other."""
    decoder, found, text = json.JSONDecoder(), [], text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        found.extend(document["items"] if document["kind"] == "List" else [document])
        text = text[end:].strip()
    return found


def missing(sent, kept, path=""):
    if isinstance(sent, dict):
        return [lost for key, value in sent.items() for lost in ([f"{path}.{key}"] if key not in kept else missing(value, kept[key], f"{path}.{key}"))]
    if isinstance(sent, list):
        return [lost for index, value in enumerate(sent) for lost in ([f"{path}[{index}]"] if index >= len(kept) else missing(value, kept[index], f"{path}[{index}]"))]
    return []
