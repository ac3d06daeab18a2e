#!/usr/bin/env python3
"""Points AIPerf's own clients at our live interface. Needs a Python with aiperf==0.13.0, and Chromium for its pages.

    reference_clients.py http://127.0.0.1:8090 [FOLDER]

Start it while a streaming run with `--api-port` goes on that lasts half a minute or longer. Three clients of AIPerf read the run: the stream that
`aiperf kube attach` shows, the page `/dashboard`, and the page `/dashboard-v2`. The pages come from AIPerf's package; everything else comes
from our server, through a small proxy. FOLDER keeps pictures of the pages.
"""

import asyncio
import json
import sys
from pathlib import Path

import aiohttp
import aiperf.api
from aiohttp import web
from aiperf.common.messages import Message
from aiperf.kubernetes.progress_stream import stream_progress_from_api
from aiperf.kubernetes.ui_dispatch import WS_MESSAGE_TYPES, print_progress_message

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "crates/aiperf/tests/browser"))
from devtools import Browser  # noqa: E402

PAGES = Path(aiperf.api.__file__).parent


class Proxy:
    """AIPerf's pages, and our interface."""

    def __init__(self, base):
        self.base = base.rstrip("/")

    async def answer(self, request):
        path = request.path
        if path == "/dashboard":
            return web.FileResponse(PAGES / "static/dashboard.html")
        if path.startswith("/static-vendor/"):
            return web.FileResponse(PAGES / "static/vendor" / path.removeprefix("/static-vendor/"))
        if path.startswith("/dashboard-v2/"):
            file = PAGES / "static-v2" / (path.removeprefix("/dashboard-v2/") or "index.html")
            kind = {"Content-Type": "application/javascript"} if file.suffix in (".js", ".mjs") else {}
            return web.FileResponse(file, headers=kind)
        if path == "/ws":
            return await self.websocket(request)
        async with self.session.request(request.method, self.base + request.path_qs) as ours:
            return web.Response(status=ours.status, body=await ours.read(), content_type=ours.content_type)

    async def websocket(self, request):
        page = web.WebSocketResponse()
        await page.prepare(request)
        async with self.session.ws_connect(self.base.replace("http", "ws", 1) + "/ws") as ours:

            async def pump(source, sink):
                async for message in source:
                    await sink.send_str(message.data)

            pumps = [asyncio.create_task(pump(page, ours)), asyncio.create_task(pump(ours, page))]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for task in pumps:
                task.cancel()
        return page

    async def start(self):
        self.session = aiohttp.ClientSession()
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return site._server.sockets[0].getsockname()[1]


async def stream(base, wanted):
    """What `aiperf kube attach` reads; each message is parsed by AIPerf's own classes too."""
    seen = {}

    async def message(data):
        print_progress_message(data)
        kind = data["message_type"]
        Message.from_json(json.dumps(data))
        seen[kind] = seen.get(kind, 0) + 1
        return set(wanted) <= seen.keys()

    await stream_progress_from_api(base.replace("http", "ws", 1).rstrip("/") + "/ws", message, [str(kind) for kind in WS_MESSAGE_TYPES], 3)
    return seen


def look(url, picture):
    """Opens a page, waits until it is connected and shows metrics, and returns what it says."""
    with Browser() as browser:
        browser.open(url)
        for words in ("connected", "profiling", "time to first token"):
            browser.wait(f"(document.body?.innerText ?? '').toLowerCase().includes('{words}')")
        browser.watch(4)
        if picture:
            browser.picture(picture)
        # AIPerf's page asks Google for a typeface.
        complaints = [one for one in browser.complaints() if "fonts.g" not in one and "favicon" not in one]
        return browser.value("document.body.innerText"), complaints


async def main():
    base, folder = sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else None
    proxy = Proxy(base)
    port = await proxy.start()
    seen = await stream(base, ["credit_phase_start", "credit_phase_progress", "realtime_metrics", "worker_status_summary"])
    print(f"aiperf kube attach: {seen}")
    for name, place in (("dashboard", "dashboard"), ("dashboard-v2", "dashboard-v2/")):
        picture = folder and str(folder / f"reference-{name}.png")
        text, complaints = await asyncio.to_thread(look, f"http://127.0.0.1:{port}/{place}", picture)
        assert not complaints, complaints
        print(f"/{name}: connected, shows the profiling phase and metrics ({len(text)} letters)")
    await proxy.session.close()


if __name__ == "__main__":
    asyncio.run(main())
