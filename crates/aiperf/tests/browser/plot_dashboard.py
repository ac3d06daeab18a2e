#!/usr/bin/env python3
"""Uses the dashboard of `aiperf plot` as a person does, in a headless Chromium. Called by `integration/plot_dashboard.rs`.

    plot_dashboard.py board URL FOLDER   runs are chosen, charts are hidden, moved, widened, added, changed, zoomed, exported and saved; a
                                         new run appears; a point leads to its run; FOLDER has the runs
    plot_dashboard.py single URL         the requests of one run
    plot_dashboard.py hostile URL        names that look like markup stay text
    plot_dashboard.py phone URL          everything fits on a narrow screen, in light and dark

PICTURES=folder keeps pictures of the page.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from devtools import Browser

PICTURES = os.environ.get("PICTURES")
TITLES = "[...document.querySelectorAll('.tile:not(.new)')].map((tile) => tile.querySelector('svg > title')?.textContent ?? tile.innerText)"
DRAWN = "document.querySelectorAll('.tile .picture:not(.waiting) > svg').length"


def picture(browser: Browser, name: str, whole: bool = False):
    if PICTURES:
        browser.picture(os.path.join(PICTURES, f"{name}.png"), whole)


def expect(condition, message: str):
    if not condition:
        raise AssertionError(message)


def names(browser: Browser) -> list[str]:
    return browser.value("[...document.querySelectorAll('.tile:not(.new)')].map((tile) => tile.dataset.name)")


def press(browser: Browser, chart: str, label: str):
    """Presses a button of a chart."""
    browser.value(f"document.querySelector('.tile[data-name={json.dumps(chart)}] .tools [title={json.dumps(label)}]').click()")


def choose(browser: Browser, selector: str, value: str):
    browser.value(f"(() => {{ const list = document.querySelector({json.dumps(selector)}); list.value = {json.dumps(value)}; list.dispatchEvent(new Event('change')); }})()")


def place_of_point(browser: Browser, chart: str) -> list[float]:
    """Where the first dot of a chart is on the screen."""
    return browser.value(f"""(() => {{
        const tile = document.querySelector('.tile[data-name={json.dumps(chart)}]');
        tile.scrollIntoView({{ block: 'center' }});
        const svg = tile.querySelector('svg');
        const [, left, top] = svg.querySelector('.layer.dots path').getAttribute('d').match(/^M([\\d.]+) ([\\d.]+)/);
        const box = svg.getBoundingClientRect();
        const scale = box.width / svg.viewBox.baseVal.width;
        return [box.left + Number(left) * scale, box.top + Number(top) * scale, scale];
    }})()""")


def pointer(browser: Browser, kind: str, x: float, y: float):
    browser.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none", clickCount=1)


def downloaded(folder: str, end: str) -> Path:
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        found = [path for path in Path(folder).iterdir() if path.name.endswith(end)]
        if found:
            return found[0]
        time.sleep(0.05)
    raise TimeoutError(f"no file {end} in {os.listdir(folder)}")


def quiet(browser: Browser, url: str):
    expect(not browser.complaints(), f"complaints: {browser.complaints()}")
    strangers = [address for address in browser.requests() if not address.startswith((url, "data:", "about:", "blob:" + url))]
    expect(not strangers, f"requests to other hosts: {strangers}")


def board(url: str, folder: str):
    with Browser(width=1500, height=1000) as browser:
        browser.open(url)
        browser.wait(f"{DRAWN} === 4")
        usual = names(browser)
        expect(usual[2] == "ttft_vs_throughput", f"the charts are {usual}")
        expect(browser.value("document.getElementById('run-count').textContent") == "4", "four runs are counted")
        groups = browser.value("[...document.querySelectorAll('#runs legend')].map((one) => one.textContent.trim())")
        expect(groups == ["model-a", "model-b"], f"the groups are {groups}")
        picture(browser, "board")

        # The chart without one run has one dot less.
        dots = "document.querySelectorAll('.tile[data-name=ttft_vs_throughput] .layer.dots path').length && [...document.querySelectorAll('.tile[data-name=ttft_vs_throughput] .layer.texts text')].length"
        before = browser.value(dots)
        browser.value("document.querySelector('#runs .run input').click()")
        browser.wait(f"{dots} === {before - 1}")
        expect(browser.value("document.getElementById('run-count').textContent") == "3 of 4", "three runs are counted")
        browser.value("document.querySelector('#runs .run input').click()")
        browser.wait(f"{dots} === {before}")

        # A series is hidden by its entry of the legend.
        browser.value("document.querySelector('.tile[data-name=ttft_vs_throughput] .entry').dispatchEvent(new Event('click'))")
        expect(browser.value("document.querySelectorAll('.tile[data-name=ttft_vs_throughput] .layer.gone').length") >= 1, "a series is hidden")
        browser.value("document.querySelector('.tile[data-name=ttft_vs_throughput] .entry').dispatchEvent(new Event('click'))")
        expect(browser.value("document.querySelectorAll('.tile[data-name=ttft_vs_throughput] .layer.gone').length") == 0, "the series is back")

        # Hidden, moved, widened.
        press(browser, usual[0], "Hide this chart")
        expect(names(browser) == usual[1:], "the first chart is hidden")
        press(browser, "ttft_vs_throughput", "Move before the chart before it")
        press(browser, "ttft_vs_throughput", "One or two columns")
        browser.wait("Boolean(document.querySelector('.tile[data-name=ttft_vs_throughput]').classList.contains('wide'))")
        expect(names(browser)[0] == "ttft_vs_throughput", "the chart is the first one now")
        expect(browser.value("document.querySelectorAll('#hidden-list li').length") >= 1, "the hidden chart is listed")

        # Dragged to another place and back; hidden by the menu of the other mouse button, and shown again.
        drop = "((from, to) => {{ const data = new DataTransfer(); data.setData('text/plain', from); document.querySelector(`.tile[data-name=${{to}}]`).dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }})); }})('{}', '{}')"
        browser.value(drop.format(usual[3], "ttft_vs_throughput"))
        expect(names(browser)[0] == usual[3], f"the dragged chart is not the first one: {names(browser)}")
        browser.value(drop.format("ttft_vs_throughput", usual[3]))
        expect(names(browser)[0] == "ttft_vs_throughput", f"the other chart is not the first one: {names(browser)}")
        browser.value(f"document.querySelector('.tile[data-name={usual[3]}]').dispatchEvent(new MouseEvent('contextmenu', {{ bubbles: true, cancelable: true, clientX: 300, clientY: 300 }}))")
        browser.value("[...document.querySelectorAll('.menu button')].find((entry) => entry.textContent === 'Hide').click()")
        expect(usual[3] not in names(browser) and not browser.value("Boolean(document.querySelector('.menu'))"), "the menu hides a chart")
        browser.value(f"document.querySelector('[data-show={usual[3]}]').click()")
        expect(usual[3] in names(browser), "the chart is shown again")

        # A chart is added with a preview, another is changed.
        browser.value("document.getElementById('add').click()")
        browser.wait("Boolean(document.querySelector('#editor .preview:not(.waiting) > svg'))")
        browser.value("(() => { const title = document.getElementById('chart-title'); title.value = 'Tail of latency'; title.dispatchEvent(new Event('input')); })()")
        choose(browser, "#chart-y", "|request_latency")
        choose(browser, "#chart-x", "|concurrency")
        browser.wait("document.querySelector('#editor .preview:not(.waiting) > svg > title')?.textContent === 'Tail of latency'")
        picture(browser, "editor")
        browser.value("document.getElementById('create').click()")
        browser.wait("Boolean(document.querySelector('.tile[data-name=tail_of_latency] .picture:not(.waiting) > svg'))")
        press(browser, "tail_of_latency", "Change this chart")
        browser.wait("Boolean(document.querySelector('#editor .preview:not(.waiting) > svg'))")
        browser.value("document.querySelector('#editor [aria-label=\"y axis is logarithmic\"]').click()")
        browser.value("document.getElementById('update').click()")
        browser.wait("!document.getElementById('editor').open")

        # A drag shows a part of the chart, and back.
        browser.wait(f"{DRAWN} === 4")
        box = browser.value("(() => { const tile = document.querySelector('.tile[data-name=ttft_vs_throughput]'); tile.scrollIntoView({ block: 'center' }); const box = tile.querySelector('svg').getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })()")
        whole = browser.value("document.querySelector('.tile[data-name=ttft_vs_throughput] svg').outerHTML.length")
        pointer(browser, "mousePressed", box[0] + box[2] * 0.3, box[1] + box[3] * 0.3)
        for step in range(1, 5):
            browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + box[2] * (0.3 + 0.1 * step), y=box[1] + box[3] * (0.3 + 0.1 * step), button="left", buttons=1)
        pointer(browser, "mouseReleased", box[0] + box[2] * 0.7, box[1] + box[3] * 0.7)
        browser.wait("Boolean(document.querySelector('.tile[data-name=ttft_vs_throughput] svg svg'))")
        press(browser, "ttft_vs_throughput", "Show the whole chart")
        browser.wait("!document.querySelector('.tile[data-name=ttft_vs_throughput] svg svg') && Boolean(document.querySelector('.tile[data-name=ttft_vs_throughput] .picture:not(.waiting) svg'))")
        expect(whole > 0, "the chart is there")

        # Saved to the preset file, which the program reads again.
        browser.value("document.getElementById('save').click()")
        browser.wait("document.getElementById('notice').textContent.startsWith('Saved to ')")
        text = Path(folder, ".aiperf-plot-config.yaml").read_text()
        expect("tail_of_latency:" in text and "log_scale: y" in text and "wide:\n    - ttft_vs_throughput" in text, text)
        browser.open(url)
        browser.wait(f"{DRAWN} === 4")
        expect(names(browser)[0] == "ttft_vs_throughput" and "tail_of_latency" in names(browser), f"the saved charts are {names(browser)}")
        expect(usual[0] not in names(browser), "the hidden chart stays hidden")

        # Exports.
        files = tempfile.mkdtemp(prefix="exports-")
        browser.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=files)
        choose(browser, "#export-format", "png")
        browser.value("document.getElementById('export').click()")
        expect(downloaded(files, ".zip").read_bytes()[:2] == b"PK", "the ZIP file is one")
        choose(browser, "#export-format", "html")
        browser.value("document.getElementById('export').click()")
        page = downloaded(files, ".html").read_text()
        expect(page.count("<svg xmlns") == 4 and "<script" not in page, "the HTML file has the charts and no script")
        for end in ("csv", "svg", "png"):
            choose(browser, "#export-format", end)
            press(browser, "ttft_vs_throughput", "Save this chart as a file")
            expect(downloaded(files, f"ttft_vs_throughput.{end}").stat().st_size > 100, f"the {end} file has content")
        shutil.rmtree(files)

        # A run that is added appears by itself.
        source = next(path for path in Path(folder).rglob("profile_export_aiperf.json"))
        shutil.copytree(source.parent, Path(folder, "added"))
        browser.wait("document.getElementById('run-count').textContent === '5'")
        browser.wait("document.getElementById('notice').textContent === 'A run was added.'")

        # A point says what it is, and leads to its run.
        browser.wait(f"{DRAWN} === 4")
        x, y, _ = place_of_point(browser, "ttft_vs_throughput")
        pointer(browser, "mouseMoved", x, y)
        browser.wait("document.getElementById('tip').matches(':popover-open') && document.getElementById('tip').innerText.includes('Request Throughput, avg')")
        picture(browser, "point")
        pointer(browser, "mousePressed", x, y)
        pointer(browser, "mouseReleased", x, y)
        browser.wait("document.getElementById('details').open")
        text = browser.value("document.getElementById('details').innerText")
        expect("concurrency" in text and "phases:" in text, text)
        picture(browser, "details")
        link = browser.value("document.getElementById('single-run').href")
        quiet(browser, url)
        browser.open(link)
        browser.wait("document.getElementById('heading')?.textContent.startsWith('Run ')")
        browser.wait("document.querySelectorAll('.tile .picture:not(.waiting) > svg, .tile .reason').length === 5")
        expect(not browser.value("document.getElementById('back').hidden"), "a link leads back")
        picture(browser, "requests")
        quiet(browser, url)


def single(url: str):
    with Browser(width=1500, height=1000) as browser:
        browser.open(url)
        browser.wait("document.querySelectorAll('.tile .picture:not(.waiting) > svg, .tile .reason').length === 5")
        expect(browser.value("document.getElementById('back').hidden"), "there is nothing to go back to")
        browser.value("document.querySelector('[data-show=latency_distribution]').click()")
        browser.wait("Boolean(document.querySelector('.tile[data-name=latency_distribution] .picture:not(.waiting) > svg'))")
        press(browser, "ttft_over_time", "Show the points as a table")
        browser.wait("document.getElementById('table').open && document.querySelectorAll('#table tbody tr').length > 2")
        browser.value("document.getElementById('table').close()")
        browser.value("document.getElementById('theme').click()")
        browser.wait("getComputedStyle(document.body).backgroundColor === 'rgb(17, 18, 20)'")
        browser.wait(f"{DRAWN} >= 3")
        picture(browser, "single-dark")
        quiet(browser, url)


def hostile(url: str):
    with Browser(width=1500, height=1000) as browser:
        browser.ask("Page.addScriptToEvaluateOnNewDocument", source="window.alert = () => { window.attacked = true; };")
        browser.open(url)
        browser.wait(f"{DRAWN} >= 1")
        expect("<script>" in browser.value("document.getElementById('runs').innerText"), "the name of the model is shown as it is")
        browser.value("document.querySelector('#runs .link').click()")
        browser.wait("document.getElementById('details').open")
        expect("<img src=x" in browser.value("document.getElementById('details').innerText"), "the name of the run is shown as it is")
        expect(browser.value("document.querySelectorAll('img, script:not([src])').length") == 0, "no markup of others is in the page")
        expect(not browser.value("Boolean(window.attacked)"), "a script of others ran")
        quiet(browser, url)


def phone(url: str):
    for dark in (False, True):
        with Browser(width=390, height=844, phone=True, dark=dark) as browser:
            browser.open(url)
            browser.wait(f"{DRAWN} >= 3")
            if dark:
                browser.value("document.getElementById('theme').click()")
                browser.wait("document.documentElement.dataset.theme === 'dark'")
                browser.wait(f"{DRAWN} >= 3")
            wide = browser.value("document.documentElement.scrollWidth - window.innerWidth")
            expect(wide <= 0, f"the page is {wide} pixels wider than the screen")
            picture(browser, f"phone-{'dark' if dark else 'light'}")
            quiet(browser, url)


if __name__ == "__main__":
    began = time.monotonic()
    {"board": board, "single": single, "hostile": hostile, "phone": phone}[sys.argv[1]](*sys.argv[2:])
    print(f"{sys.argv[1]}: as expected, {time.monotonic() - began:.1f} s")
