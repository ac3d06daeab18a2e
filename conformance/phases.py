"""What each phase came to, from the log lines that both tools write at its end."""

import re

# `Phase warmup (warmup) complete | completed=4, ... | sessions: completed=4, ... | elapsed=0.31s`
LINE = re.compile(r"Phase (?P<name>\S+)(?: \(\w+\))? (?P<moment>sending complete|complete) \| (?P<rest>.*)")
# `Phase profiling results | successful=3, errors=1, cancelled=0`: ours counts errors when every response was read.
RESULTS = re.compile(r"Phase (?P<name>\S+) results \| .*errors=(?P<errors>\d+)")
PART = re.compile(r"(?P<key>\w+)=(?P<value>\w+)")
# How many were under way at that moment is a matter of timing; so is the elapsed time.
BY_TIMING = {"sending complete completed", "sending complete in_flight", "sending complete sessions completed", "complete elapsed"}


def phase_counts(log: str) -> dict[str, str]:
    """`profiling complete errors` to its value, for every counter of every phase."""
    found = {f"{line['name']} complete errors": line["errors"] for line in map(RESULTS.search, log.splitlines()) if line}
    for line in map(LINE.search, log.splitlines()):
        if not line:
            continue
        requests, _, sessions = line["rest"].partition(" | sessions: ")
        for scope, text in (("", requests), ("sessions ", sessions)):
            for part in PART.finditer(text):
                # What follows the sessions is about the phase again.
                is_flag = part["value"] == "True" or part["key"] == "elapsed"
                counter = f"{line['moment']} {'' if is_flag else scope}{part['key']}"
                if counter not in BY_TIMING:
                    found[f"{line['name']} {counter}"] = part["value"]
    return found


# Counters of the log, and those of the summary. Errors are not among them: an unreadable response is detected when it is read,
# after the phase has counted it.
IN_SUMMARY = {
    "sending complete sent": "sent",
    "complete completed": "completed",
    "complete cancelled": "cancelled",
    "complete sessions completed": "sessions_completed",
}


def summary_agrees(summary: dict, log: str) -> bool:
    """Whether the accounting in the summary, where there is one, is that of the log."""
    counts = phase_counts(log)
    return all(
        counts.get(f"{phase['phase_name']} {counter}", "0") == str(phase[key])
        for phase in summary.get("phase_accounting", [])
        for counter, key in IN_SUMMARY.items()
    )
