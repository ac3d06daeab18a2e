"""A headless Chromium under control: the DevTools protocol over pipes. Needs nothing but Python's own library and Chromium."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE_S = 60.0


def program() -> str | None:
    """The browser of this machine."""
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Browser:
    """One browser with one page. `events` keeps all that it reported."""

    def __init__(self, width: int = 1360, height: int = 900, phone: bool = False, dark: bool = False, offline: bool = False):
        self.folder = tempfile.mkdtemp(prefix="browser-")
        to_browser, from_us = os.pipe()
        self._answers, to_us = os.pipe()
        self._requests = from_us

        def wire():
            # The browser reads requests from descriptor 3 and writes answers to 4. Both may be in use as something else here.
            read_end, write_end = os.dup(to_browser), os.dup(to_us)
            os.dup2(read_end, 3)
            os.dup2(write_end, 4)

        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"]
        # Nothing of the browser itself may go out to the network: only the page's requests are of interest.
        flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"]
        command = [program(), *flags, "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "about:blank"]
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(command, preexec_fn=wire, close_fds=False, stdout=log, stderr=log, start_new_session=True)
        os.close(to_browser)
        os.close(to_us)
        self._number = 0
        self._rest = b""
        self.events: list[dict] = []
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self._session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme)
        if offline:
            self.ask("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for descriptor in (self._requests, self._answers):
            os.close(descriptor)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method: str, **parameters) -> dict:
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", None):
            request["sessionId"] = self._session
        os.write(self._requests, json.dumps(request).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while True:
            message = self._receive(end - time.monotonic())
            if message is None:
                raise TimeoutError(f"{method} was not answered")
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def _receive(self, seconds: float) -> dict | None:
        end = time.monotonic() + max(seconds, 0)
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], max(end - time.monotonic(), 0))
            if not ready:
                return None
            part = os.read(self._answers, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self._rest += part
        text, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def watch(self, seconds: float):
        """Takes in what the browser reports for some time."""
        end = time.monotonic() + seconds
        while self._receive(end - time.monotonic()) is not None:
            pass

    def open(self, url: str):
        self.ask("Page.navigate", url=url)

    def value(self, expression: str):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression: str, seconds: float = PATIENCE_S):
        """Waits until an expression is true, and returns its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.value(expression)
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {expression}; the page shows: {self.value('document.body.innerText')}")
            self.watch(0.05)

    def click(self, selector: str):
        """As a person does: at the middle of the element, with the pointer."""
        self.value(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        box = self.value(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()")
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, key: str):
        """A key, for the element that has the focus."""
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **text)

    def picture(self, path: str, whole: bool = True, clip: dict | None = None):
        """The whole page, what is on the screen, or a part of the page (`clip`: x, y, width, height and, if not 1, scale)."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = clip or {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
        options = {"captureBeyondViewport": True, "clip": {"scale": 1, **clip}} if whole else {}
        Path(path).write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png", **options)["data"]))

    def pdf(self, path: str):
        """The page as it is printed."""
        answer = self.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        Path(path).write_bytes(base64.b64decode(answer["data"]))

    def requests(self) -> list[str]:
        """The addresses of everything that the page asked for."""
        return [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[str]:
        """Errors and warnings of scripts and of the browser about the page."""
        found = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(f"exception: {details.get('exception', {}).get('description', details)}")
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(f"console: {parameters['args']}")
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(f"{parameters['entry']['source']}: {parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        return found
