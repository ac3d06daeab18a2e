#!/usr/bin/env python3
"""Runs the tests of report_scripts.js in a headless Chromium, together with the scripts of the page that they test.

    report_scripts.py FOLDER OF THE SCRIPTS
"""

import sys
from pathlib import Path

from devtools import Browser

TESTED = ["columns.js", "format.js", "scale.js", "statistics.js", "timeline.js", "sweep.js"]


def failures(folder: Path) -> list[str]:
    tests = Path(__file__).with_name("report_scripts.js")
    texts = [path.read_text() for path in [*(folder / name for name in TESTED), tests]]
    with Browser(offline=True) as browser:
        return browser.value("\n".join(texts))


if __name__ == "__main__":
    found = failures(Path(sys.argv[1]))
    print("\n".join(found) or "all tests of the scripts hold")
    sys.exit(1 if found else 0)
