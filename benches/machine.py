"""What the figures were taken on, and how busy it was."""

import datetime
import os
import platform
from pathlib import Path

# Processes that wanted a core before anything was started, as a share of the cores.
BUSY = 0.5


def load() -> float:
    """Of the last minute: to be asked before anything is built or started."""
    return os.getloadavg()[0]


def description(load: float, versions: str) -> str:
    cores = len(os.sched_getaffinity(0))
    state = f"load {load:.1f} before the run" + (" (busy with other work)" if load > BUSY * cores else "")
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return f"{day}, {cores} cores ({_processor()}), {_memory_gb():.0f} GB, Linux {platform.release()}, {state}; {versions}."


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
