#!/usr/bin/env python3
"""Opens an HTML report in a headless Chromium with the network off, and prints what it finds there as JSON. Called by
`integration/html_report.rs`.

    report_page.py PAGE [METRIC=LIMIT ...]     sets these limits in the SLO editor; other limits are removed
"""

import json
import sys
from pathlib import Path

from devtools import Browser

READY = "document.documentElement?.dataset.ready === 'true'"

# The clipboard is replaced, because a headless browser has none to read back.
TABLES = """(async () => {
  const copied = [];
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied.push(text); } } });
  const tables = {};
  for (const details of document.querySelectorAll("details.data")) {
    details.open = true;
    details.querySelector("button").click();
    await new Promise((resolve) => setTimeout(resolve));
    tables[details.closest("section").id] = { csv: copied.pop(), rows: details.querySelectorAll("tbody tr").length };
    details.open = false;
  }
  return tables;
})()"""

# Of the SLO editor of a run, or of the question after the load of a sweep.
ANSWER = "document.querySelector('#slo-answer, #load-answer')"

GROUND = "getComputedStyle(document.body).backgroundColor"

DRAWINGS = """[...document.querySelectorAll("section.chart .plot")].map((plot) => ({
  id: plot.parentElement.id,
  drawn: plot.querySelector("svg, canvas, table, .note") !== null,
  has_table: plot.parentElement.querySelector("details.data") !== null,
  svg: [...plot.querySelectorAll("svg")].map((one) => ({
    label: one.getAttribute("aria-label"),
    names: [...one.querySelectorAll(".axis-name")].map((name) => name.textContent),
    lines: [...one.querySelectorAll("path.line")].map((line) => ({ mark: line.getAttribute("class"), path: line.getAttribute("d") })),
    x_ticks: [...one.querySelectorAll(".axis text[text-anchor=middle]:not(.axis-name)")].map((tick) => [Number(tick.getAttribute("x")), tick.textContent]),
    y_ticks: [...one.querySelectorAll(".axis text[text-anchor=end]")].map((tick) => [Number(tick.getAttribute("y")) - 4, tick.textContent]),
  })),
}))"""


def offline(path: str, **options) -> Browser:
    """The page at a path, opened with the network off and ready."""
    browser = Browser(offline=True, **options)
    browser.open(Path(path).resolve().as_uri())
    browser.wait(f"{READY} || document.querySelector('#content > .noscript')")
    return browser


def set_limits(browser: Browser, limits: dict[str, str]):
    """As a person does: types into the fields of the editor. The page answers a moment after the last key."""
    browser.value(f"""(() => {{
      const wanted = {json.dumps(limits)};
      for (const input of document.querySelectorAll(".slo input[type=number]")) {{
        input.value = wanted[input.id.replace(/^(slo|load)-/, "")] ?? "";
        input.dispatchEvent(new Event("input"));
      }}
    }})()""")
    answered = " ".join(f"{tag}={limit}" for tag, limit in limits.items())
    browser.wait(f"{ANSWER}.dataset.limits === {json.dumps(answered)}")


def too_wide(browser: Browser) -> int:
    """By how many pixels the page does not fit the width of a phone."""
    browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    try:
        browser.wait("document.documentElement.scrollWidth <= 390", 10)
    except TimeoutError:
        pass
    return max(0, browser.value("document.documentElement.scrollWidth - 390"))


def use_keys(browser: Browser) -> dict:
    """Arrow keys in a chart show its values; `+` zooms the timeline."""
    used = {}
    if browser.value("document.querySelector('.plot svg[tabindex]')?.focus() ?? document.activeElement !== document.body"):
        browser.press("ArrowRight")
        used["value"] = browser.value("document.getElementById('tip').hidden ? null : document.getElementById('tip').innerText")
    if browser.value("document.querySelector('canvas.timeline')?.focus() ?? document.activeElement.tagName === 'CANVAS'"):
        ticks = "document.querySelector('.timeline-axis').textContent"
        before = browser.value(ticks)
        browser.press("+")
        used["zoomed"] = bool(browser.wait(f"{ticks} !== {json.dumps(before)}"))
    return used


def find(path: str, limits: dict[str, str]) -> dict:
    with offline(path) as browser:
        found = {"opened_ms": float(browser.value("document.documentElement.dataset.readyMs"))}
        if limits:
            set_limits(browser, limits)
            found["limits"] = {tag: float(limit) for tag, limit in limits.items()}
            found["answer"] = browser.value(f"({{ ...{ANSWER}.dataset }})")
        found["tables"] = browser.value(TABLES)
        found["charts"] = browser.value(DRAWINGS)
        found["keys"] = use_keys(browser)
        light = browser.value(GROUND)
        browser.click("#theme")
        found["has_dark_colours"] = browser.value(GROUND) != light
        found["wider_than_phone"] = too_wide(browser)
        found["elements_from_data"] = browser.value("document.querySelectorAll('main script, main img, main iframe, main a[href^=javascript]').length")
        found["text"] = browser.value("document.body.innerText")
        found["was_attacked"] = browser.value("window.attacked === true")
        # What a script of someone else could do in this page: nothing, by its Content-Security-Policy.
        browser.value("""(() => { const script = document.createElement("script"); script.textContent = "window.foreign = true"; document.body.append(script); })()""")
        found["foreign_script_ran"] = browser.value("window.foreign === true")
        complaints = browser.complaints()
        refusals = [one for one in complaints if "Content Security Policy" in one]
        found["policy_refused"] = len(refusals)
        found["problems"] = [one for one in complaints if one not in refusals]
        found["requests"] = [url for url in browser.requests() if not url.startswith("file:")]
        return found


if __name__ == "__main__":
    print(json.dumps(find(sys.argv[1], dict(limit.split("=") for limit in sys.argv[2:]))))
