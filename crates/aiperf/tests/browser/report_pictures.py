#!/usr/bin/env python3
"""Takes the pictures of docs/report.md. Called by docs/report/make.

    report_pictures.py RUN SWEEP COMPARISON FOLDER
"""

import json
import math
import os
import sys

from report_page import offline


def part(browser, path: str, first: str, last: str, most: float = math.inf, scale: float = 1):
    """The page from one element to the end of another, or to a height."""
    def box(selector):
        return browser.value(f"""(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();
          return [box.top + scrollY, box.bottom + scrollY, document.documentElement.clientWidth]; }})()""")
    (top, _, width), (_, bottom, _) = box(first), box(last)
    browser.picture(path, clip={"x": 0, "y": max(0, top - 12), "width": width, "height": min(most, bottom - top + 24), "scale": scale})
    print(f"{os.path.basename(path)}: {os.path.getsize(path)} bytes")


def take(run: str, sweep: str, comparison: str, folder: str):
    def at(name):
        return os.path.join(folder, name)
    with offline(run, width=1000) as browser:
        part(browser, at("run-light.png"), "header", "#r2")
        part(browser, at("run-causes.png"), "#r5", "#r8")
        part(browser, at("run-timeline.png"), "#r9", "#r10")
        browser.pdf(at("run-print.pdf"))
    with offline(run, width=1000, dark=True) as browser:
        part(browser, at("run-dark.png"), "#r2", "#r4")
    # A phone has two pixels for each one of the page; a picture needs one.
    with offline(run, width=390, height=844, phone=True) as browser:
        part(browser, at("run-phone.png"), "header", "#r3", 1500, 0.5)
    with offline(sweep, width=1000) as browser:
        part(browser, at("sweep.png"), "header", "#s6")
    with offline(comparison, width=1000) as browser:
        part(browser, at("comparison.png"), "header", "#c4")


if __name__ == "__main__":
    take(*sys.argv[1:5])
