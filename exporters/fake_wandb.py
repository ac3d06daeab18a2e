"""The few answers of a W&B server that `wandb sync` needs, so that the real client can be seen to read and send an offline run."""

import gzip
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer({})

    def do_PUT(self):
        self.keep("put", self.body())
        self.answer({})

    def do_POST(self):
        body = self.body()
        if self.path != "/graphql":
            self.keep("stream", body)
            return self.answer({})
        asked = json.loads(body)
        self.keep("graphql", body)
        query, variables = asked["query"], asked.get("variables") or {}
        run = {
            "id": "UnVuOjE=", "name": variables.get("name") or "run", "displayName": variables.get("displayName"),
            "description": None, "config": None, "sweepName": None, "historyLineCount": 0,
            "project": {"id": "p", "name": variables.get("project") or "p", "entity": {"id": "e", "name": "team"}},
        }
        if "upsertBucket" in query:
            return self.answer({"data": {"upsertBucket": {"bucket": run, "inserted": True}}})
        if "createRunFiles" in query:
            names = variables.get("files", [])
            files = [{"name": name, "uploadUrl": f"{self.base()}/upload/{name}"} for name in names]
            created = {"runID": "run", "uploadHeaders": [], "files": files}
            return self.answer({"data": {"createRunFiles": created}})
        if "serverFeatures" in query or "ServerInfo" in query or "serverInfo" in query:
            info = {"cliVersionInfo": {"max_cli_version": "99.0.0"}, "features": [], "latestLocalVersionInfo": None}
            return self.answer({"data": {"serverInfo": info, "viewer": {"id": "u", "entity": "team", "username": "u", "flags": "{}"}}})
        return self.answer({"data": {"viewer": {"id": "u", "entity": "team", "username": "u", "flags": "{}", "teams": {"edges": []}},
                                     "model": {"bucket": run}}})

    def base(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def body(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def keep(self, kind, body):
        OUT.write(json.dumps({"kind": kind, "path": self.path, "body": body.decode(errors="replace")}) + "\n")
        OUT.flush()

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    OUT = open(sys.argv[2], "a")
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Server).serve_forever()
