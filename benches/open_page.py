"""Holds the live page of a run open until the run has ended:

    python3 open_page.py URL

Uses Chromium if this machine has it. Otherwise it fetches what the page fetches, and reads the event stream that the page reads. Prints
which of the two it was; fails if the page never showed the state of the run."""

import json
import re
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crates" / "aiperf" / "tests" / "browser"))
import devtools

PATIENCE_S = 60.0
# The run is shorter than this.
LONGEST_S = 900.0
IS_OVER = "import('/page/feed.js').then((feed) => feed.known.gone || Boolean(feed.known.snapshot?.result) || (feed.known.snapshot !== null && !feed.known.connected))"


def main() -> int:
    url = sys.argv[1]
    first = _when_answered(url)
    if devtools.program():
        _in_browser(url)
        print("the page was open in a headless Chromium")
        return 0
    snapshots = _by_script(url, first)
    print("the page was held open by a script that reads what the page reads")
    return 0 if snapshots > 0 else 1


def _when_answered(url: str) -> str:
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                return answer.read().decode()
        except urllib.error.URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def _in_browser(url: str) -> None:
    with devtools.Browser() as browser:
        browser.open(url)
        browser.wait("document.getElementById('state')?.textContent === 'Profiling'")
        end = time.monotonic() + LONGEST_S
        while time.monotonic() < end and not browser.value(IS_OVER):
            time.sleep(1)


def _by_script(url: str, page: str) -> int:
    """Returns how often the state of the run came."""
    fetched, ahead = set(), _names(page)
    while ahead:
        name = ahead.pop()
        if name in fetched:
            continue
        fetched.add(name)
        with urllib.request.urlopen(url + name, timeout=PATIENCE_S) as answer:
            text = answer.read().decode()
        folder = name.rpartition("/")[0]
        ahead |= {f"{folder}/{found}" for found in re.findall(r'from "\./([^"]+)"', text)}
    snapshots = 0
    try:
        with urllib.request.urlopen(url + "api/events", timeout=PATIENCE_S) as stream:
            kind = ""
            for line in stream:
                if line.startswith(b"event:"):
                    kind = line[6:].strip().decode()
                elif line.startswith(b"data:"):
                    json.loads(line[5:])
                    snapshots += kind == "snapshot"
    except OSError:
        # The program has ended.
        pass
    return snapshots


def _names(page: str) -> set[str]:
    """The files that a page names."""
    return {name.lstrip("/") for name in re.findall(r'(?:src|href)="([^"#:]+\.(?:js|css|svg))"', page)}


if __name__ == "__main__":
    sys.exit(main())
