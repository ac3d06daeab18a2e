"""What each chart of the page of a run must show, computed from the files of the run."""

import functools
import json
import math
from collections import Counter, defaultdict

from drawn_lines import check_lines
from recorded_run import DIGITS, RecordedRun, Slices, Table, check_cells, close, quantile

run_of = functools.cache(RecordedRun)
# To which values are rounded in a page.
NANOSECOND_MS = 1e-6


def middles(slices: Slices) -> list[float]:
    return [index * slices.step + slices.length(index) / 2 for index in range(slices.count)]


def main_metrics(table: Table, _, folder: str):
    run = run_of(folder)
    tags = {
        "Time to First Token": "time_to_first_token", "Inter Token Latency": "inter_token_latency", "Request Latency": "request_latency",
        "Output Token Throughput Per User": "output_token_throughput_per_user", "Input Sequence Length": "input_sequence_length",
        "Output Sequence Length": "output_sequence_length",
    }
    rows = {row["Metric"]: row for row in table.dicts()}
    close(rows["Request Throughput"]["avg"], len(run.good) / run.seconds, "throughput")
    close(rows["Output Token Throughput"]["avg"], sum(run.values("output_sequence_length")) / run.seconds, "token throughput")
    for label, tag in tags.items():
        values, row = run.values(tag), rows[label]
        mean = sum(values) / len(values)
        close(row["avg"], mean, f"{tag} avg")
        close(row["std"], math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)), f"{tag} std", 1e-4)
        close([row["min"], row["max"]], [min(values), max(values)], f"{tag} min and max")
        for name in ("p50", "p90", "p95", "p99"):
            close(row[name], quantile(values, int(name[1:]) / 100), f"{tag} {name}")


def load(table: Table, chart: dict, folder: str):
    run = run_of(folder)
    slices = Slices(run, table.column("slice start (s)"))
    close(table.column("Planned (req/s)"), slices.rates(one.due for one in run.all), "planned")
    close(table.column("Sent (req/s)"), slices.rates(one.start for one in run.all), "sent")
    close(table.column("Finished (req/s)"), slices.rates(one.end for one in run.good), "finished")
    close(table.column("Failed (req/s)"), slices.rates(one.end for one in run.all if one.error), "failed")
    spans = [(run.offset(one.start), run.offset(one.end)) for one in run.all]
    close(table.column("In flight (requests)"), slices.levels(spans), "in flight", absolute=1e-6)
    check_lines(chart, table, middles(slices), {"c2": "Planned (req/s)", "c1": "Sent (req/s)", "c3": "Finished (req/s)", "bad": "Failed (req/s)"}, "R2")


def over_time(metric: str, table: Table, chart: dict, folder: str):
    run = run_of(folder)
    slices = Slices(run, table.column("slice start (s)"))
    close(table.column("requests"), slices.counts(one.start for one in run.good), f"{metric} requests")
    for name, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        close(table.column(f"{name} (ms)"), slices.percentiles(run.good, metric, q), f"{metric} {name}", absolute=NANOSECOND_MS)
    met = [[] for _ in range(slices.count)]
    for one in run.good:
        met[slices.of(one.start)].append(meets(one, run.limits))
    close(table.column("good requests (share)"), [sum(one) / len(one) if one else None for one in met], f"{metric} good share", 1e-9)
    check_lines(chart, table, middles(slices), {"c1": "p50 (ms)", "c3": "p90 (ms)", "c2": "p99 (ms)"}, metric)


def meets(one, limits: dict, factor: float = 1.0) -> bool:
    """Limits are compared in nanoseconds."""
    return all(one.get(tag) is not None and round(one.get(tag), 6) <= limit * factor * (1 + 1e-12) for tag, limit in limits.items())


TAILS = {
    "Time to First Token": "time_to_first_token", "Request Latency": "request_latency",
    "Time to First Token from Due": "time_to_first_token_from_due", "Request Latency from Due": "request_latency_from_due",
}


def tail(table: Table, _, folder: str, tag_of=TAILS.get):
    run = run_of(folder)
    rows = table.dicts()
    for row in rows:
        values = run.values(tag_of(row["metric"]))
        share, value = row["share that took longer"], row["value (ms)"]
        close(value, quantile(values, 1 - share), f"tail {row}", 1e-4)
        above = sum(one > value for one in values) / len(values)
        assert abs(above - share) <= 1.5 / len(values), f"tail: {above} took longer, {row}"
        if row["interval low"] is not None:
            assert row["interval low"] <= value * (1 + DIGITS) and value <= row["interval high"] * (1 + DIGITS), row
    assert len({row["metric"] for row in rows}) >= 2, "curves of the tail"


def first_token(table: Table, _, folder: str):
    """Means of each part over the 1 % of requests, three at least, around a percentile of TTFT."""
    run = run_of(folder)
    ordered = sorted((one for one in run.good if one.get("time_to_first_token") is not None), key=lambda one: one.get("time_to_first_token"))
    wanted = min(max(round(len(ordered) * 0.01), 3), len(ordered))
    connecting = ("http_req_blocked", "http_req_lost", "http_req_dns_lookup", "http_req_connecting")

    def parts(one):
        ttft, waiting, queue = one.get("time_to_first_token"), one.get("http_req_waiting"), one.get("server_queue_time", 0)
        connect = sum(one.get(name, 0) for name in connecting)
        sending = one.get("http_req_sending")
        return {
            "TTFT (ms)": ttft, "Client, before TTFT starts (ms)": one.get("client_send_delay", one.get("schedule_lag")),
            "Connect (ms)": connect, "Upload (ms)": sending, "Server queue (ms)": one.get("server_queue_time"),
            "Prefill and other server time (ms)": max(waiting - queue, 0), "First chunk (ms)": max(ttft - connect - sending - waiting, 0),
        }

    for row in table.dicts():
        q = {"p50": 0.5, "p90": 0.9, "p99": 0.99}[row["percentile of TTFT"]]
        middle = int(q * (len(ordered) - 1) + 0.5)
        begin = min(max(middle - wanted // 2, 0), len(ordered) - wanted)
        near = [parts(one) for one in ordered[begin:begin + wanted]]
        assert row["requests"] == len(near), row
        for name in near[0]:
            known = [part[name] for part in near if part[name] is not None]
            close(row[name], sum(known) / len(near) if known else None, f"R6 {row['percentile of TTFT']} {name}", absolute=1e-5)


def by_input(table: Table, _, folder: str):
    points = [(one.get("input_sequence_length") - one.get("usage_prompt_cache_read_tokens", 0), one.get("time_to_first_token")) for one in run_of(folder).good]
    check_cells(table, "tokens", "TTFT (ms)", points, "R7")


def by_streams(table: Table, _, folder: str):
    decoding = [one for one in run_of(folder).all if one.first is not None and one.first < one.end]
    points = []
    for one in decoding:
        shared = sum(max(0, min(one.end, other.end) - max(one.first, other.first)) for other in decoding)
        if one.get("inter_token_latency") is not None:
            points.append((shared / (one.end - one.first), one.get("inter_token_latency")))
    check_cells(table, "streams", "ITL (ms)", points, "R8")


def gaps(table: Table, _, folder: str):
    run = run_of(folder)
    points = []
    for one in run.all:
        at = one.first
        for gap in one.metrics.get("inter_chunk_latency", []):
            at += gap * 1e6
            points.append((run.offset(at), gap))
    check_cells(table, "time (s)", "gap (ms)", points, "R9")


def timeline(table: Table, _, folder: str):
    run = run_of(folder)
    assert len(table) == len(run.all)
    busy = defaultdict(float)
    for row, one in zip(table.dicts(), run.all):
        close(row["sent (s)"], run.offset(one.start), "R10 sent", absolute=2e-6)
        close(row["end (ms)"], (one.end - one.start) / 1e6, "R10 end", absolute=2e-3)
        close(row["first token (ms)"], one.get("time_to_first_token"), "R10 first token", absolute=2e-3)
        assert row["outcome"] == ("failed" if one.error else "success"), row
        # The lowest lane that is free, to the microsecond of the page.
        lowest = next(lane for lane in range(len(table)) if busy[lane] <= row["sent (s)"] + 2e-6)
        assert lowest <= row["lane"] and busy[row["lane"]] <= row["sent (s)"] + 2e-6, row
        busy[int(row["lane"])] = row["sent (s)"] + row["end (ms)"] / 1e3


def lengths(metric: str, table: Table, _, folder: str):
    run = run_of(folder)
    for row in table.dicts():
        found = sum(row["tokens from"] <= value < row["tokens to"] for value in run.values(metric))
        assert row["achieved (requests)"] == found, f"{metric}: {row}, expected {found}"
    assert sum(table.column("achieved (requests)")) == len(run.values(metric))
    asked = [round(one.get(metric) / (1 + one.get("osl_mismatch_diff_pct") / 100)) for one in run.good if metric.startswith("output")]
    for row in table.dicts():
        expected = sum(row["tokens from"] <= value < row["tokens to"] for value in asked) if asked else None
        assert row["asked (requests)"] == expected, f"{metric}: {row}, expected {expected}"


def failures(table: Table, _, folder: str):
    run = run_of(folder)
    slices = Slices(run, table.column("slice start (s)"))
    failed = [one for one in run.all if one.error]
    kinds = Counter(f"{one.error['code']} {one.error['type']}" for one in failed)
    assert set(table.columns[1:]) == set(kinds), kinds
    for kind in kinds:
        ends = [one.end for one in failed if f"{one.error['code']} {one.error['type']}" == kind]
        assert table.column(kind) == slices.counts(ends), kind


def server(table: Table, _, folder: str):
    """Gauges as they were scraped, counters as growth per second between scrapes."""
    run = run_of(folder)
    kinds = {name: metric["type"] for name, metric in json.loads((run.folder / "server_metrics_export.json").read_text())["metrics"].items()}
    scraped = defaultdict(list)
    for page in run.jsonl("server_metrics_export.jsonl"):
        for name, samples in page["metrics"].items():
            for sample in samples:
                if "value" in sample:
                    labels = " ".join(f"{key}={value}" for key, value in (sample.get("labels") or {}).items() if key != "model_name")
                    scraped[name, labels].append((run.offset(page["timestamp_ns"]), sample["value"]))
    shown = defaultdict(list)
    for row in table.dicts():
        shown[row["metric"], row["labels"] or ""].append((row["time (s)"], row["value"]))
    assert shown
    for (name, labels), points in shown.items():
        known = scraped[name, labels]
        if kinds[name] == "counter":
            known = [(at, max(value - before, 0) / (at - since)) for (since, before), (at, value) in zip(known, known[1:])]
        close([at for at, _ in points], [at for at, _ in known], f"{name} times")
        close([value for _, value in points], [value for _, value in known], name, 1e-4, 1e-6)


def gpus(table: Table, _, folder: str):
    run = run_of(folder)
    readings = [one for one in run.jsonl("gpu_telemetry_export.jsonl") if one["timestamp_ns"] >= run.start]
    fields = {
        "Power (W)": "power_usage", "GPU utilization (%)": "gpu_utilization", "SM utilization (%)": "sm_utilization",
        "Memory used (GB)": "memory_used", "Memory utilization (%)": "memory_utilization", "Temperature (°C)": "temperature",
        "SM clock (MHz)": "sm_clock", "Energy (MJ)": "energy_consumption",
    }
    names = {row["reading"] for row in table.dicts()}
    assert names
    for name in names:
        for gpu in {one["gpu_index"] for one in readings}:
            expected = [(run.offset(one["timestamp_ns"]), value) for one in readings if one["gpu_index"] == gpu for key, value in one["telemetry_data"].items() if fields[name] in key]
            found = [(row["time (s)"], row["value"]) for row in table.dicts() if row["reading"] == name and row["GPU"].startswith(f"GPU {gpu} ")]
            close([at for at, _ in found], [at for at, _ in expected], f"{name} times")
            close([value for _, value in found], [value for _, value in expected], name)


def attainment(table: Table, _, folder: str):
    run = run_of(folder)
    judged = len(run.good) + sum(one.error is not None for one in run.all)
    for row in table.dicts():
        met = sum(meets(one, run.limits, row["factor"]) for one in run.good)
        close(row["share of requests"], met / judged, f"R15 at {row['factor']}", 1e-9)


def health(table: Table, _, folder: str):
    observed = run_of(folder).summary["client_health"]["observed"]
    known = [value for value in observed.values() if isinstance(value, (int, float))]
    assert len(table) >= 5, table.rows
    for row in table.dicts():
        assert any(math.isclose(row["value"], value, rel_tol=1e-12) for value in known), f"{row} is not in {observed}"


CHECKS = {
    "r1": main_metrics, "r2": load, "r3": functools.partial(over_time, "time_to_first_token"),
    "r4": functools.partial(over_time, "inter_token_latency"), "r5": tail, "r6": first_token, "r7": by_input, "r8": by_streams, "r9": gaps,
    "r10": timeline, "r11a": functools.partial(lengths, "input_sequence_length"), "r11b": functools.partial(lengths, "output_sequence_length"),
    "r12": failures, "r13": server, "r14": gpus, "r15": attainment, "r16": health,
}
