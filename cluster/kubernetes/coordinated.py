"""Runs over NATS: the pods join, send and ship their records; nodes and NATS servers that are killed."""

import time

from containers import HOST
from harness import IMAGE, RUN, SHORT, expect, ids, records, requests, summary

SITE = f"nats://{HOST}:14222"
SITE_PASSWORD = "planted-nats-password-81"
NODES = 4


def whole(check, workload, name, *words, count=200):
    """A run of 4 nodes to its end. Returns the folder with its results."""
    out, before = check.folder / name, check.served()
    base = ["--image", IMAGE, "--workload", workload, "--name", name, "--nodes", NODES, "--artifact-dir", out]
    check.kube("profile", *base, "--concurrency", "8", "--request-count", count, *words, *SHORT)
    served, seen = check.served() - before, ids(out)
    expect(len(seen) == len(set(seen)) == requests(out) == served == count, f"{name}: {count} requests at the server, {count} records, each once")
    shares = {node: sum(one["metadata"]["node"] == node for one in records(out)) for node in {one["metadata"]["node"] for one in records(out)}}
    expect(sorted(shares.values()) == [count // NODES] * NODES, f"{name}: {NODES} nodes with {count // NODES} requests each")
    return out


def coordinates(check, workload):
    whole(check, workload, f"nats-{workload}")
    check.clean()
    claimed = f"claim-{workload}"
    out = whole(check, workload, claimed, "--results-claim", "results")
    volume = check.folder / "pods" / "claims" / "results" / claimed
    expect(summary(volume) == summary(out), f"{claimed}: the volume has the same results")
    answer = check.command("results", claimed, code=1)[1]
    expect("PersistentVolumeClaim results" in answer, f"{claimed}: after its end, `results` says where they are")
    check.clean()


def uses_server_of_the_site(check, workload):
    config = check.folder / "site-nats.conf"
    config.write_text(f'authorization {{ user: bench, password: "{SITE_PASSWORD}" }}\n')
    server = check.background("site-nats", check.nats, "--config", config, "--jetstream", "--store_dir", check.folder / "site-nats", "--addr", HOST, "--port", "14222")
    check.kubectl("create", "secret", "generic", "site-nats", "-n", "bench", "--from-literal=user=bench", f"--from-literal=password={SITE_PASSWORD}")
    access = ["--nats", SITE, "--env-from-secrets", "AIPERF_NATS_USER=site-nats/user", "--env-from-secrets", "AIPERF_NATS_PASSWORD=site-nats/password"]
    whole(check, workload, f"site-{workload}", *access)
    kinds = {kind for kind, objects in check.lists("deployments", "services").items() if objects}
    expect(not kinds and SITE_PASSWORD not in str(check.lists()), f"site-{workload}: no NATS server of its own, and no password in its objects")
    check.clean()
    check.kubectl("delete", "secret", "site-nats", "-n", "bench")
    server.terminate()
    server.wait()


def begins(check, workload, name, *words, count=600):
    """Starts a run of some 20 s, and returns when it has sent a part of it."""
    base = ["--image", IMAGE, "--workload", workload, "--name", name, "--nodes", NODES, "--artifact-dir", check.folder / name]
    follower = check.begin("profile", *base, "--concurrency", "8", "--request-count", count, *words, *RUN, "--osl", "100")
    for line in follower.stdout:
        if line.startswith("profiling: "):
            done = int(line.split()[1])
            if done > count // 6:
                return follower
    raise SystemExit(f"FAIL {name}: ended before something was killed\n{follower.stderr.read()}")


def ends(check, follower, name, code):
    said, errors = follower.communicate(timeout=180)
    if follower.returncode != code:
        raise SystemExit(f"FAIL {name}: exit code {follower.returncode}, not {code}\n{said}\n{errors}")
    return check.folder / name


def loses_a_node(check, workload, policy, count=600):
    name = f"{policy}-{workload}"
    follower = begins(check, workload, name, "--on-node-loss", policy, count=count)
    node = check.pods(name, "node")[1]["metadata"]["name"]
    began = time.time()
    check.controller.kill(node)
    out = ends(check, follower, name, 1)
    took = time.time() - began
    seen, kinds = ids(out), [(one.get("error") or {}).get("type") for one in records(out)]
    nodes = summary(out)["nodes"]
    lost = [one for one in nodes if one.get("is_lost") or one.get("lost")]
    log = "".join(path.read_text() for path in (check.folder / "pods").glob(f"{name}*/log"))
    facts = f"{len(seen)} records, {kinds.count('lost_worker')} of them lost_worker, results after {took:.0f} s"
    expect(len(seen) == len(set(seen)) and " was lost" in log, f"{name}: a killed node is named, no request is there twice ({facts})")
    if policy == "fail":
        expect(len(seen) < count, f"{name}: the other nodes stop")
    if policy == "continue":
        # The other nodes finish their shares; the lost one has what it had sent.
        shares = {one["metadata"]["node"] for one in records(out)}
        whole_shares = [node for node in shares if sum(one["metadata"]["node"] == node for one in records(out)) == count // NODES]
        expect(len(whole_shares) == NODES - 1, f"{name}: {NODES - 1} nodes finish their shares of {count // NODES}")
    if policy == "replace":
        expect(len(seen) == count and len(nodes) == NODES + 1, f"{name}: Kubernetes starts another pod, which sends the rest: {count} records")
    assert lost or nodes
    check.clean()


def loses_nats(check, workload, count=600):
    name = f"restart-{workload}"
    follower = begins(check, workload, name, count=count)
    check.controller.kill(check.pods(name, "nats")[0]["metadata"]["name"])
    out = ends(check, follower, name, 0)
    expect(len(ids(out)) == len(set(ids(out))) == count, f"{name}: the run's own NATS server is killed and started again: {count} records, each once")
    check.clean()
