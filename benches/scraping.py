"""What it costs to scrape large metrics pages during a run, and whether it makes the times of 1,000 streams worse."""

import statistics

import stream_load
import truth
from bench import Bench
from metric_pages import MetricPages
from results import Check, Result
from stream_load import StreamLoad

NAME = "scraping"
PAGES = 4
SERIES = 2_000
STREAMS = 1_000
# Of one core.
MOST_PERCENT = 2.0
# The tail of a thousand streams differs from run to run by about this factor.
MOST_WORSE = 1.25


def measure(bench: Bench) -> Result:
    result = Result(NAME, f"{PAGES} pages of {SERIES:,} series, scraped every 333 ms")
    _cost(bench, result)
    _times(bench, result)
    return result


def _cost(bench: Bench, result: Result) -> None:
    """A client with nothing else to do: one slow stream."""
    tokens = bench.count(1_000, 250)
    load = {"ttft": 20, "itl": 20}
    flags = f"--streaming --isl 32 --osl {tokens} --concurrency 1 --request-count 1"
    costs, wall = {}, 0.0
    for what in ("no scraping", "scraping"):
        folder = bench.folder(f"scraping-{what[:2]}")
        with MetricPages(PAGES, SERIES) as pages, bench.simulator(folder, **load) as server:
            more = f"--server-metrics {' '.join(pages.urls)}" if what == "scraping" else ""
            run = bench.profile(bench.ours, folder, server.url, f"{flags} {more}")
        costs[what], wall = run.cpu_s, run.wall_s
        result.add(bench.ours.name, f"one stream, {what}", requests=1, scrapes=pages.scrapes, rss=run.peak_rss_mb, wall=wall, cpu=run.cpu_s)
    share = 100 * (costs["scraping"] - costs["no scraping"]) / wall
    result.checks.append(Check("CPU of scraping, of one core", share, MOST_PERCENT, "%"))


def _times(bench: Bench, result: Result) -> None:
    """The same streams with and without, in turn."""
    server = {"ttft": 50, "itl": 10, "batch": 2 * STREAMS}
    tails: dict[str, list[float]] = {}
    for _ in range(bench.rounds):
        for what in ("no scraping", "scraping"):
            with MetricPages(PAGES, SERIES) as pages:
                more = f"--server-metrics {' '.join(pages.urls)}" if what == "scraping" else ""
                load = StreamLoad(STREAMS, bench.count(3 * STREAMS, STREAMS), 100, server, more_flags=more)
                seen = stream_load.observe(bench, bench.ours, load, "scraping-streams")
            tails.setdefault(what, []).append(truth.quantile(seen.errors.ttft, 0.99))
            result.add(
                bench.ours.name, f"{STREAMS:,} streams, {what}, round {len(tails[what])}", requests=load.requests,
                scrapes=pages.scrapes, **seen.cells(),
            )  # fmt: skip
    without = statistics.median(tails["no scraping"])
    basis = f"{MOST_WORSE} x the {without:.3g} ms without scraping"
    tail = statistics.median(tails["scraping"])
    result.checks.append(Check("TTFT error, p99, while scraping", tail, max(MOST_WORSE * without, 0.01), "ms", basis=basis))
