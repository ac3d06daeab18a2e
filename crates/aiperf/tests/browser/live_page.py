#!/usr/bin/env python3
"""Uses the live page of a run as a person does, in a headless Chromium. Called by `integration/live_page.rs`.

    live_page.py whole URL      numbers change, the connection is lost and comes back, the run is cancelled, files are offered
    live_page.py phone URL      everything fits on a narrow screen
    live_page.py killed URL     the browser is killed while it watches
    live_page.py token URL      a page with a token in its address
    live_page.py hostile URL    the model and the errors have markup in their names; another site tries to cancel the run

PICTURES=folder keeps pictures of the page.
"""

import json
import os
import re
import signal
import sys
import time

from devtools import Browser
from other_site import OtherSite
from proxy import CuttableProxy

PICTURES = os.environ.get("PICTURES")
STATE = "document.getElementById('state')?.textContent"
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
RETURNED = "Number((document.querySelector('#phases')?.innerText.match(/profiling[^]*?([\\d,]+)(?: of [\\d,]+)? returned/) ?? [0, '0'])[1].replace(/,/g, ''))"


def picture(browser: Browser, name: str):
    if PICTURES:
        browser.picture(os.path.join(PICTURES, f"{name}.png"))


def expect(condition, message: str):
    if not condition:
        raise AssertionError(message)


def grows(browser: Browser):
    """Waits until more requests have come back than now."""
    before = browser.value(RETURNED)
    return browser.wait(f"{RETURNED} > {before} && {RETURNED}")


def whole(url: str):
    proxy = CuttableProxy(int(re.search(r":(\d+)/", url)[1]))
    place = f"http://127.0.0.1:{proxy.port}/"
    with Browser() as browser:
        browser.open(place)
        browser.wait(f"{STATE} === 'Profiling'")
        grows(browser)
        # Pixels are read from a copy: reading from the page's own canvas would slow it down, and Chromium says so in the console.
        copied = "((one) => { const pen = new OffscreenCanvas(one.width, one.height).getContext('2d', { willReadFrequently: true }); pen.drawImage(one, 0, 0); return pen.getImageData(0, 0, one.width, one.height).data; })"
        drawn = f"[...document.querySelectorAll('#charts canvas')].filter((one) => one.clientWidth > 0 && {copied}(one).some((part) => part)).length"
        browser.wait(f"{drawn} >= 5")
        points = browser.wait("import('/page/feed.js').then((feed) => feed.known.history.points.length >= 2 && feed.known.history.points.length)")
        events = browser.value("document.querySelectorAll('#log .lines > div').length")
        expect(events >= 2, f"only {events} events are listed")
        browser.value("document.querySelector('#metrics input').value = 'first token'; document.querySelector('#metrics input').dispatchEvent(new Event('input'))")
        rows = browser.value("document.querySelectorAll('#metrics tbody tr').length")
        expect(1 <= rows <= 3, f"the filter leaves {rows} metrics")
        picture(browser, "steady")
        expect(not browser.complaints(), f"complaints: {browser.complaints()}")

        proxy.cut()
        browser.wait(f"{STATE}.includes('not connected') && !document.getElementById('connection').hidden")
        expect(browser.value(RETURNED) > 0, "the numbers are gone with the connection")
        picture(browser, "cut")
        expected = len(browser.complaints())
        proxy.restore()
        browser.wait(f"{STATE} === 'Profiling' && document.getElementById('connection').hidden")
        grows(browser)
        again = browser.value("import('/page/feed.js').then((feed) => feed.known.history.points.length)")
        expect(again >= points, f"{points} points of history before, {again} after")
        twice = browser.value("(() => { const lines = [...document.querySelectorAll('#log .lines > div')].map((line) => line.textContent); return lines.length - new Set(lines).size; })()")
        expect(twice == 0, f"{twice} events are listed twice")
        # The browser itself reports connections that the cut refused, and nothing else.
        for complaint in browser.complaints()[:]:
            expect("/api/events" in complaint and "net::ERR_" in complaint, complaint)
        expected = len(browser.complaints())

        browser.click("#cancel")
        browser.wait("document.getElementById('confirm').open")
        browser.click("#keep")
        browser.wait("!document.getElementById('confirm').open")
        expect(browser.value(STATE) == "Profiling", "the run was cancelled without a yes")

        # Whoever opens the page late sees what was there before: all points, all events.
        events = browser.value("document.querySelectorAll('#log .lines > div').length")
        with Browser() as late:
            late.open(place)
            late.wait(f"{STATE} === 'Profiling'")
            joined = late.wait("import('/page/feed.js').then((feed) => feed.known.history.points.length)")
            expect(joined >= again, f"{again} points of history, a late joiner has {joined}")
            listed = late.value("document.querySelectorAll('#log .lines > div').length")
            expect(listed >= events, f"{events} events, a late joiner has {listed}")
            expect(not late.complaints(), f"complaints: {late.complaints()}")
            print(f"first paint after {late.value(FIRST_PAINT):.0f} ms")
        browser.click("#cancel")
        browser.wait("document.getElementById('confirm').open")
        browser.click("#really")
        browser.wait(f"{STATE} === 'Cancelled'")
        browser.wait("document.querySelectorAll('#result .files a[href]').length >= 3")
        picture(browser, "cancelled")
        summary = browser.value("fetch([...document.querySelectorAll('#result .files a')].find((link) => link.href.endsWith('profile_export_aiperf.json')).href).then((answer) => answer.text())")
        expect(json.loads(summary)["was_cancelled"] is True, "the summary does not say that the run was cancelled")
        # The program ends; the page keeps what it has.
        browser.value("fetch('/api/shutdown', { method: 'POST' }).then((answer) => answer.status)")
        browser.wait("document.getElementById('connection').textContent.startsWith('aiperf has ended')")
        expect(browser.value(RETURNED) > 0 and browser.value(STATE) == "Cancelled", "the last state is gone")
        picture(browser, "gone")
        late = [complaint for complaint in browser.complaints()[expected:] if not ("/api/events" in complaint and "net::ERR_" in complaint)]
        expect(not late, f"complaints: {late}")
        strangers = [address for address in browser.requests() if not address.startswith((place, "data:", "about:"))]
        expect(not strangers, f"requests to other hosts: {strangers}")


def phone(url: str):
    for dark in (False, True):
        with Browser(width=390, height=844, phone=True, dark=dark) as browser:
            browser.open(url)
            browser.wait(f"{STATE} === 'Profiling'")
            grows(browser)
            wide = browser.value("document.documentElement.scrollWidth - window.innerWidth")
            expect(wide <= 0, f"the page is {wide} pixels wider than the screen")
            expect(browser.value("document.getElementById('cancel').getBoundingClientRect().right <= window.innerWidth"), "the cancel button is off the screen")
            ground = browser.value("getComputedStyle(document.body).backgroundColor")
            expect((sum(map(int, re.findall(r"\d+", ground)[:3])) < 200) == dark, f"the background is {ground}")
            picture(browser, f"phone-{'dark' if dark else 'light'}")
            expect(not browser.complaints(), f"complaints: {browser.complaints()}")


def killed(url: str):
    with Browser() as browser:
        browser.open(url)
        browser.wait(f"{STATE} === 'Profiling'")
        grows(browser)
        os.killpg(browser.process.pid, signal.SIGKILL)
        browser.process.wait()


def token(url: str):
    with Browser() as browser:
        browser.open(url)
        browser.wait(f"{STATE} === 'Profiling'")
        grows(browser)
        expect("token" not in browser.value("location.href"), "the token stays in the address")
        expect(not browser.complaints(), f"complaints: {browser.complaints()}")


def hostile(url: str):
    with Browser() as browser:
        browser.open(url)
        browser.wait(f"{STATE} === 'Profiling'")
        browser.wait("document.querySelector('#errors code') !== null")
        for place in ("#model", "#errors code", "#log"):
            text = browser.value(f"document.querySelector('{place}').textContent")
            expect("<img src=x" in text, f"{place} does not show the markup as text: {text[:300]}")
        made = browser.value("document.querySelectorAll('img, script:not([src]), iframe').length")
        expect(made == 0, f"text became {made} elements")
        expect(browser.value("window.hit === undefined"), "a script of the server ran")
        expect(not browser.complaints(), f"complaints: {browser.complaints()}")
    # A page of another site, in the same browser and on the same machine.
    with OtherSite() as other, Browser() as browser:
        browser.open(other.url)
        browser.wait("document.readyState === 'complete' && location.protocol === 'http:'")
        tried = browser.value(f"fetch('{url}api/cancel', {{ method: 'POST', mode: 'no-cors' }}).then((answer) => answer.type, () => 'refused')")
        expect(tried in ("opaque", "refused"), f"another site could read the answer: {tried}")
        read = browser.value(f"fetch('{url}api/metrics').then(() => 'read', () => 'refused')")
        expect(read == "refused", "another site can read the metrics")
        framed = browser.value(f"new Promise((done) => {{ const frame = document.createElement('iframe'); frame.src = '{url}'; frame.onload = () => {{ try {{ done(frame.contentDocument === null ? 'other' : frame.contentDocument.URL); }} catch (error) {{ done('other'); }} }}; document.body.append(frame); }})")
        expect(framed in ("other", "about:blank"), f"another site can look into the page: {framed}")
        # A WebSocket of another site is refused when it connects.
        socket = browser.value(f"new Promise((done) => {{ const socket = new WebSocket('{url.replace('http:', 'ws:')}ws'); socket.onopen = () => done('open'); socket.onerror = () => done('refused'); }})")
        expect(socket == "refused", "another site has a WebSocket")
    with Browser() as browser:
        browser.open(url)
        browser.wait(f"{STATE} === 'Profiling'")
        grows(browser)


if __name__ == "__main__":
    began = time.monotonic()
    {"whole": whole, "phone": phone, "killed": killed, "token": token, "hostile": hostile}[sys.argv[1]](sys.argv[2])
    print(f"{sys.argv[1]}: as expected, {time.monotonic() - began:.1f} s")
