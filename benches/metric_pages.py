"""Prometheus pages for clients to scrape: many series whose values change between two scrapes."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Series of one family: the page of an engine has as many labels as it has models, ranks and buckets.
PER_FAMILY = 20


class MetricPages:
    """Servers on ports of their own, used by `with`; after it `scrapes` is the number of pages that were fetched."""

    def __init__(self, pages: int, series: int):
        self.scrapes = 0
        self._series = series
        self._servers = [ThreadingHTTPServer(("127.0.0.1", 0), self._handler()) for _ in range(pages)]

    def __enter__(self) -> "MetricPages":
        for server in self._servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        self.urls = [f"http://127.0.0.1:{server.server_port}/metrics" for server in self._servers]
        return self

    def __exit__(self, *_failure) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def _page(self) -> bytes:
        self.scrapes += 1
        lines = []
        for number in range(self._series):
            family, member = divmod(number, PER_FAMILY)
            kind = "counter" if family % 2 else "gauge"
            if member == 0:
                lines += [f"# HELP bench_family_{family} Values of family {family}.", f"# TYPE bench_family_{family} {kind}"]
            lines.append(f'bench_family_{family}{{engine="0",member="{member}",model_name="bench"}} {self.scrapes * (number + 1)}.0')
        return ("\n".join(lines) + "\n").encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        pages = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = pages._page()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_words) -> None:
                pass

        return Handler
